package esgorm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
	esgorm "github.com/esdriver/esdriver/plugins/gorm"
)

// Author has a key that the client makes, and books.
type Author struct {
	ID        string
	Name      string `gorm:"index"`
	Born      *time.Time
	Books     []Book
	CreatedAt time.Time
}

// Book has a numeric key, is deleted softly, and belongs to an author.
type Book struct {
	gorm.Model
	Title    string
	Pages    int32
	Price    float64
	Rare     bool
	AuthorID *string
	Author   *Author
	Loans    []Loan
	Tags     []Tag `gorm:"many2many:book_tags"`
}

// Loan belongs to a book.
type Loan struct {
	ID     int64
	BookID uint
	Reader string
	Due    time.Time
}

// Tag is on many books, and many are on a book.
type Tag struct {
	Name string `gorm:"primaryKey"`
}

var servers = []struct {
	name    string
	options []fakecluster.Option
}{
	{"Elasticsearch 8.19.7", nil},
	{"OpenSearch 2.19.6", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("2.19.6")}},
	{"OpenSearch 3.8.0", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("3.8.0")}},
}

// onEachServer runs a test on a cluster of each kind, whose tables are made.
func onEachServer(t *testing.T, test func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB)) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			leaktest.Check(t)
			fake := fakecluster.Run(t, append([]fakecluster.Option{fakecluster.Nodes(3), fakecluster.SQL(sqlite.New())}, server.options...)...)
			db := open(t, fake, "refresh=true")
			require.NoError(t, db.AutoMigrate(&Author{}, &Book{}, &Loan{}, &Tag{}))
			test(t, fake, db)
		})
	}
}

func open(t *testing.T, fake *fakecluster.Cluster, params string) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(esgorm.Open(fake.DSN()+"?"+params), &gorm.Config{
		TranslateError: true, Logger: logger.Default.LogMode(logger.Silent),
	})
	require.NoError(t, err)
	pool, err := db.DB()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pool.Close()) })
	return db
}

// pointer returns where a copy of the value is.
func pointer[T any](v T) *T { return &v }

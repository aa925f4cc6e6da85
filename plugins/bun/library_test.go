package esbun_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// Author has a key that the driver makes, and books.
type Author struct {
	ID    string `bun:",pk,nullzero"`
	Name  string
	Born  *time.Time
	Books []*Book `bun:"rel:has-many,join:id=author_id"`
}

// Book has a numeric key, is deleted softly, and belongs to an author.
type Book struct {
	ID        int64 `bun:",pk,autoincrement"`
	Title     string
	Pages     int32
	Price     float64
	Rare      bool
	AuthorID  *string
	CreatedAt time.Time         `bun:",nullzero,notnull,default:current_timestamp"`
	DeletedAt time.Time         `bun:",soft_delete,nullzero"`
	Notes     map[string]string `bun:",nullzero"`
	Author    *Author           `bun:"rel:belongs-to,join:author_id=id"`
	Loans     []Loan            `bun:"rel:has-many,join:id=book_id"`
	Tags      []Tag             `bun:"m2m:book_tags,join:Book=Tag"`
}

// Loan belongs to a book.
type Loan struct {
	ID     int64 `bun:",pk,autoincrement"`
	BookID int64
	Reader string
	Due    time.Time
	Book   Book `bun:"rel:belongs-to,join:book_id=id"`
}

// Tag is on many books.
type Tag struct {
	Name string `bun:",pk"`
}

// BookTag puts a tag on a book. Its key is made of both by the program: the driver's keys have one column.
type BookTag struct {
	Key     string `bun:",pk"`
	BookID  int64
	Book    *Book `bun:"rel:belongs-to,join:book_id=id"`
	TagName string
	Tag     *Tag `bun:"rel:belongs-to,join:tag_name=name"`
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
func onEachServer(t *testing.T, test func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB)) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			leaktest.Check(t)
			fake := fakecluster.Run(t, append([]fakecluster.Option{fakecluster.Nodes(3), fakecluster.SQL(sqlite.New())}, server.options...)...)
			conn, err := sql.Open("esdriver", fake.DSN()+"?refresh=true&time_zone=%2B05:30")
			require.NoError(t, err)
			db := bun.NewDB(conn, esbun.New())
			t.Cleanup(func() { assert.NoError(t, db.Close()) })
			db.RegisterModel((*BookTag)(nil))
			for _, model := range []any{(*Author)(nil), (*Book)(nil), (*Loan)(nil), (*Tag)(nil), (*BookTag)(nil)} {
				_, err := db.NewCreateTable().Model(model).IfNotExists().Exec(t.Context())
				require.NoError(t, err)
			}
			test(t, fake, db)
		})
	}
}

// insert inserts rows and fails the test if it cannot.
func insert(t *testing.T, db *bun.DB, rows any) {
	t.Helper()
	_, err := db.NewInsert().Model(rows).Exec(t.Context())
	require.NoError(t, err)
}

// pointer returns where a copy of the value is.
func pointer[T any](v T) *T { return &v }

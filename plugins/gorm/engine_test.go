package esgorm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"github.com/esdriver/esdriver/internal/leaktest"
	esgorm "github.com/esdriver/esdriver/plugins/gorm"
)

const addrsVariable = "ESDRIVER_TEST_ADDRS"

// engineDSN is the DSN of the real cluster that the variable names, as http(s)://[user:password@]host:port[,…].
func engineDSN(t *testing.T) string {
	t.Helper()
	list := os.Getenv(addrsVariable)
	if list == "" {
		t.Skipf("%s names no cluster: set it to http://host:port[,…] to run this test over a real one.", addrsVariable)
	}
	seeds := strings.Split(list, ",")
	for i, seed := range seeds[1:] {
		_, host, _ := strings.Cut(seed, "://")
		seeds[i+1] = host[strings.LastIndex(host, "@")+1:]
	}
	dsn := strings.Join(seeds, ",") + "?refresh=true"
	if ca := os.Getenv("ESDRIVER_TEST_CA"); ca != "" {
		dsn += "&tls.ca=" + ca
	}
	return dsn
}

// TestRealClusterKeepsRowsWithoutItsSQL does what needs no SQL of the server: definitions, writes, and reading by key.
func TestRealClusterKeepsRowsWithoutItsSQL(t *testing.T) {
	dsn := engineDSN(t)
	leaktest.Check(t)
	prefix := fmt.Sprintf("esgorm_test_%d_", time.Now().UnixNano())
	db, err := gorm.Open(esgorm.Open(dsn), &gorm.Config{
		DisableAutomaticPing: true, TranslateError: true, Logger: logger.Discard,
		NamingStrategy: schema.NamingStrategy{TablePrefix: prefix},
	})
	require.NoError(t, err)
	pool, err := db.DB()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pool.Close()) })
	models := []any{&Author{}, &Book{}, &Loan{}, &Tag{}}
	t.Cleanup(func() { assert.NoError(t, db.Migrator().DropTable(append(models, prefix+"book_tags")...)) })
	require.NoError(t, db.AutoMigrate(models...))
	require.NoError(t, db.AutoMigrate(models...), "nothing new")
	types, err := db.Migrator().ColumnTypes(&Book{})
	require.NoError(t, err)
	assert.Len(t, types, 9)

	book := Book{Title: `it's \`, Pages: 3, Author: &Author{Name: "a"}, Tags: []Tag{{Name: "x"}, {Name: "y"}}}
	require.NoError(t, db.Create(&book).Error)
	require.NoError(t, db.Model(&book).Update("pages", gorm.Expr("pages + 1")).Error)
	book.Rare = true
	require.NoError(t, db.Omit(clause.Associations).Select("Rare").Save(&book).Error)
	var found Book
	require.NoError(t, db.Preload("Author").First(&found, book.ID).Error)
	assert.Equal(t, book.Title, found.Title)
	assert.EqualValues(t, 4, found.Pages)
	assert.True(t, found.Rare)
	assert.True(t, book.CreatedAt.Equal(found.CreatedAt))
	require.NotNil(t, found.Author)
	assert.Equal(t, "a", found.Author.Name)

	require.ErrorIs(t, db.Create(&Author{ID: found.Author.ID}).Error, gorm.ErrDuplicatedKey)
	require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Author{ID: found.Author.ID, Name: "b"}).Error)
	assert.Equal(t, "b", authorName(t, db, found.Author.ID))
	loans := make([]Loan, 50)
	require.NoError(t, db.CreateInBatches(&loans, 20).Error)
	for _, loan := range loans {
		require.NoError(t, db.First(&Loan{}, loan.ID).Error)
	}
	changed := db.Model(&Loan{}).Where("reader = ?", "").Update("reader", "Ann")
	require.NoError(t, changed.Error)
	assert.EqualValues(t, 50, changed.RowsAffected)
	require.NoError(t, db.Delete(&found).Error)
	require.ErrorIs(t, db.First(&Book{}, book.ID).Error, gorm.ErrRecordNotFound)
	require.NoError(t, db.Unscoped().First(&Book{}, book.ID).Error)
	require.NoError(t, db.Model(&book).Association("Tags").Delete(&Tag{Name: "x"}))
}

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

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
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

// engineDB opens a cluster with tables of its own, which are dropped in the end.
func engineDB(t *testing.T, dsn string) *gorm.DB {
	t.Helper()
	prefix := fmt.Sprintf("esgorm_test_%d_", time.Now().UnixNano())
	db, err := gorm.Open(esgorm.Open(dsn), &gorm.Config{
		DisableAutomaticPing: true, TranslateError: true, Logger: logger.Discard,
		NamingStrategy: schema.NamingStrategy{TablePrefix: prefix},
	})
	require.NoError(t, err)
	pool, err := db.DB()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pool.Close()) })
	models := []any{&Author{}, &Book{}, &Loan{}, &Tag{}, &Shelfmark{}, &Edition{}, &Printer{}, &Reader{}, &Parcel{}}
	t.Cleanup(func() {
		assert.NoError(t, db.Migrator().DropTable(append(models, prefix+"book_tags", prefix+"edition_printers")...))
	})
	require.NoError(t, db.AutoMigrate(models...))
	require.NoError(t, db.AutoMigrate(models...), "nothing new")
	return db
}

// TestRealClusterKeepsRowsWithoutItsSQL does what needs no SQL of the server: definitions, writes, and reading by key.
func TestRealClusterKeepsRowsWithoutItsSQL(t *testing.T) {
	dsn := engineDSN(t)
	leaktest.Check(t)
	keepsRows(t, dsn)
}

// TestFakeKeepsRowsAsARealClusterDoes does the same on clusters without SQL.
func TestFakeKeepsRowsAsARealClusterDoes(t *testing.T) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			leaktest.Check(t)
			keepsRows(t, fakecluster.Run(t, append(server.options, fakecluster.Nodes(3))...).DSN()+"?refresh=true")
		})
	}
}

func keepsRows(t *testing.T, dsn string) {
	schema.RegisterSerializer("shout", shout{})
	db := engineDB(t, dsn)
	for _, step := range []struct {
		name string
		run  func(*testing.T, *gorm.DB)
	}{
		{"definitions", engineDefinitions}, {"a row's life", engineLife}, {"conflicts and batches", engineConflicts},
		{"several keys", engineKeys}, {"conditions", engineConditions}, {"hooks and types", engineTypes},
	} {
		t.Run(step.name, func(t *testing.T) { step.run(t, db) })
	}
}

func engineDefinitions(t *testing.T, db *gorm.DB) {
	m := db.Migrator()
	types, err := m.ColumnTypes(&Book{})
	require.NoError(t, err)
	assert.Len(t, types, 9)
	kind, err := m.TableType(&Book{})
	require.NoError(t, err)
	assert.Equal(t, "TABLE", kind.Type())
	assert.True(t, m.HasTable(&Book{}) && m.HasColumn(&Book{}, "Title") && m.HasIndex(&Author{}, "Name"))
	assert.False(t, m.HasTable("nowhere") || m.HasColumn(&Book{}, "none"))
	tables, err := m.GetTables()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(tables), 11)
	assert.NotEmpty(t, m.CurrentDatabase())
	require.ErrorContains(t, m.CreateTable(&Book{}), "already exists")
}

func engineLife(t *testing.T, db *gorm.DB) {
	book := Book{Title: `it's \`, Pages: 3, Author: &Author{Name: "a"}, Tags: []Tag{{Name: "x"}, {Name: "y"}}}
	require.NoError(t, db.Create(&book).Error)
	require.NoError(t, db.Model(&book).Update("pages", gorm.Expr("pages + 1")).Error)
	book.Rare, book.Pages = true, 4
	require.NoError(t, db.Omit(clause.Associations).Save(&book).Error)
	require.NoError(t, db.Model(&book).Clauses(clause.Returning{}).Updates(map[string]any{"pages": gorm.Expr("pages * 2")}).Error)
	assert.EqualValues(t, 8, book.Pages)
	var found Book
	require.NoError(t, db.Preload("Author").First(&found, book.ID).Error)
	assert.Equal(t, book.Title, found.Title)
	assert.EqualValues(t, 8, found.Pages)
	assert.True(t, found.Rare)
	assert.True(t, book.CreatedAt.Equal(found.CreatedAt))
	require.NotNil(t, found.Author)
	assert.Equal(t, "a", found.Author.Name)
	require.NoError(t, db.Delete(&found).Error)
	require.ErrorIs(t, db.First(&Book{}, book.ID).Error, gorm.ErrRecordNotFound)
	require.NoError(t, db.Unscoped().First(&Book{}, book.ID).Error)
	require.NoError(t, db.Model(&book).Association("Tags").Delete(&Tag{Name: "x"}))
	require.NoError(t, db.Model(&book).Association("Loans").Append(&Loan{Reader: "Ann"}))
	require.NoError(t, db.Unscoped().Select("Loans", "Tags").Delete(&book).Error)
	require.ErrorIs(t, db.Unscoped().First(&Book{}, book.ID).Error, gorm.ErrRecordNotFound)
	require.NoError(t, db.Save(&book).Error, "it is there again")
	require.NoError(t, db.Take(&Book{}, "id = ?", book.ID).Error)
}

func engineConflicts(t *testing.T, db *gorm.DB) {
	for _, affected := range []int64{1, 0} {
		made := db.FirstOrCreate(&Author{}, Author{ID: "k"})
		require.NoError(t, made.Error)
		assert.Equal(t, affected, made.RowsAffected)
	}
	require.NoError(t, db.Where(Author{ID: "k"}).Assign(Author{Name: "set"}).FirstOrCreate(&Author{}).Error)
	require.ErrorIs(t, db.Create(&Author{ID: "k"}).Error, gorm.ErrDuplicatedKey)
	require.NoError(t, db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Author{ID: "k", Name: "no"}).Error)
	assert.Equal(t, "set", authorName(t, db, "k"))
	require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create([]Author{{ID: "k", Name: "b"}, {ID: "l"}}).Error)
	assert.Equal(t, "b", authorName(t, db, "k"))
	var two []Author
	require.NoError(t, db.Find(&two, []string{"k", "l", "none"}).Error)
	assert.Len(t, two, 2)

	loans := make([]Loan, 50)
	require.NoError(t, db.CreateInBatches(&loans, 20).Error)
	for _, loan := range loans {
		require.NoError(t, db.First(&Loan{}, loan.ID).Error)
	}
	partly := db.Create([]Loan{{ID: 1}, {ID: loans[0].ID}, {ID: 2}})
	require.ErrorIs(t, partly.Error, gorm.ErrDuplicatedKey)
	assert.EqualValues(t, 2, partly.RowsAffected)
	gone := db.Delete(&Loan{}, []int64{1, 2})
	require.NoError(t, gone.Error)
	assert.EqualValues(t, 2, gone.RowsAffected)
}

func engineKeys(t *testing.T, db *gorm.DB) {
	marks := []Shelfmark{{"a,b", "c", ""}, {"a", "b,c", ""}}
	require.NoError(t, db.Create(&marks).Error)
	require.ErrorIs(t, db.Create(&marks[1]).Error, gorm.ErrDuplicatedKey)
	marks[1].Note = "new"
	require.NoError(t, db.Save(&marks[1]).Error)
	require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&marks).Error)
	assert.EqualValues(t, 2, db.Delete(&marks).RowsAffected)
	editions := []Edition{{Lang: "de"}, {ID: 5, Lang: "de", Printers: []Printer{{Town: "Ghent"}}}}
	require.NoError(t, db.Create(&editions).Error)
	assert.NotZero(t, editions[0].ID)
	require.NoError(t, db.Model(&editions[1]).Association("Printers").Delete(&editions[1].Printers[0]))
}

func engineConditions(t *testing.T, db *gorm.DB) {
	changed := db.Model(&Loan{}).Where("reader = ? OR reader IS NULL", "").Update("reader", "Ann")
	require.NoError(t, changed.Error)
	assert.EqualValues(t, 50, changed.RowsAffected)
	changed = db.Model(&Loan{}).Where("reader LIKE ? AND book_id BETWEEN ? AND ?", "A%", 0, 3).
		Updates(map[string]any{"book_id": gorm.Expr("book_id + ?", 4)})
	require.NoError(t, changed.Error)
	assert.EqualValues(t, 50, changed.RowsAffected)
	require.ErrorIs(t, db.Delete(&Loan{}).Error, gorm.ErrMissingWhereClause)
	require.ErrorIs(t, db.Where("book_id = ?", 4).Limit(1).Delete(&Loan{}).Error, esdriver.ErrUnsupported)
	gone := db.Where("book_id IN ?", []int{3, 4}).Delete(&Loan{})
	require.NoError(t, gone.Error)
	assert.EqualValues(t, 50, gone.RowsAffected)
}

func engineTypes(t *testing.T, db *gorm.DB) {
	r := Reader{Name: "ann", Prefs: map[string]int{"size": 12}, Photo: []byte{0, 255}, Seen: time.Unix(1, 1).UTC()}
	require.NoError(t, db.Create(&r).Error)
	require.NoError(t, db.Model(&r).Update("name", "bea").Error)
	var found Reader
	require.NoError(t, db.Take(&found, "id = ?", "reader-ann").Error)
	assert.Equal(t, []string{"found"}, found.Notes)
	assert.Equal(t, []byte{0, 255}, found.Photo)
	assert.Equal(t, time.Unix(5, 123456789).UTC(), found.Seen.UTC())
	p := Parcel{ID: "a", From: Place{"Ghent", "BE"}, Labels: []string{"x"}, Packed: []int{3}, SentAt: 1e9, Loud: "hey", Numbers: 4}
	require.NoError(t, db.Create(&p).Error)
	got := Parcel{ID: "a"}
	require.NoError(t, db.Take(&got).Error)
	p.Numbers = 8
	assert.Equal(t, p, got)
	var loud string
	require.NoError(t, db.Model(&Parcel{}).Select("loud").Where("id = ?", "a").Scan(&loud).Error)
	assert.Equal(t, "HEY", loud)
}

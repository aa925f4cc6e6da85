package esgorm_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestDryRunAndExplainShowTheStatement(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		dry := db.Session(&gorm.Session{DryRun: true})
		stmt := dry.Where("title = ?", "x").First(&Book{}).Statement
		want := `SELECT * FROM "books" WHERE title = ? AND "books"."deleted_at" IS NULL ORDER BY "books"."id" LIMIT ?`
		assert.Equal(t, want, stmt.SQL.String())
		assert.Equal(t, []any{"x", 1}, stmt.Vars)
		require.NoError(t, dry.Create(&Tag{Name: "never"}).Error)
		assert.Empty(t, fake.Docs("tags"))
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		assert.Equal(t, `a = 'it''s' AND b = 3 AND c = NULL AND d = '2026-01-02 03:04:05'`,
			db.Dialector.Explain("a = ? AND b = ? AND c = ? AND d = ?", "it's", 3, nil, at))
	})
}

func TestChainsMayBeSharedAndRepeated(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		rare := db.Where("rare = ?", true).Session(&gorm.Session{})
		cheap := func(most float64) func(*gorm.DB) *gorm.DB {
			return func(tx *gorm.DB) *gorm.DB { return tx.Where("price <= ?", most) }
		}
		assert.Equal(t, []string{"Emma"}, titles(t, rare.Scopes(cheap(8))))
		assert.Equal(t, []string{"Beloved", "Emma"}, titles(t, rare))
		common := func(tx *gorm.DB) *gorm.DB { return tx.Not("rare") }
		assert.Equal(t, []string{"Amerika", "Candide", "Dracula"}, titles(t, db.Scopes(cheap(10), common)))
		require.NoError(t, db.Connection(func(tx *gorm.DB) error {
			assert.Len(t, titles(t, tx), 5)
			return tx.Exec("UPDATE books SET pages = 1 WHERE title = ?", "Emma").Error
		}))
		value, ok := db.Set("who", "ann").Get("who")
		assert.True(t, ok)
		assert.Equal(t, "ann", value)
	})
}

func TestResultsGoWhereTheyAreWanted(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		books := db.Table("books AS b").Where("b.pages > ?", 300).Order("b.pages").Session(&gorm.Session{})
		var names []struct{ Name string }
		require.NoError(t, books.Select("b.title AS name").Scan(&names).Error)
		assert.Equal(t, "Beloved", names[0].Name)
		var maps []map[string]any
		require.NoError(t, books.Select("b.title", "b.pages").Find(&maps).Error)
		require.Len(t, maps, 3)
		assert.EqualValues(t, 418, maps[1]["pages"])
		var two [2]Book
		require.NoError(t, db.Order("title").Limit(2).Find(&two).Error)
		assert.Equal(t, "Beloved", two[1].Title)
		var pages []sql.NullInt64
		require.NoError(t, db.Model(&Book{}).Select("pages").Where("rare").Order("pages").Scan(&pages).Error)
		assert.EqualValues(t, 474, pages[1].Int64)
		var most, rarest sql.NullInt64
		require.NoError(t, db.Raw("SELECT max(pages), min(pages) FROM books WHERE title = ?", "none").Row().Scan(&most, &rarest))
		assert.False(t, most.Valid)
		var whole []Book
		require.NoError(t, db.Session(&gorm.Session{QueryFields: true}).Not("rare").Order("title").Find(&whole).Error)
		assert.Equal(t, "Amerika", whole[0].Title)
		require.NoError(t, db.Create(&[]Author{{ID: "01"}, {ID: "1"}}).Error)
		var author Author
		require.NoError(t, db.First(&author, "01").Error, "digits may be a text")
		assert.Equal(t, "01", author.ID)
		book := Book{Model: gorm.Model{ID: 1}}
		require.ErrorIs(t, db.First(&book).Error, gorm.ErrRecordNotFound)
		require.NoError(t, db.Limit(1).Find(&book).Error, "Find of nothing is no error")
	})
}

func TestGroupsAreCountedAndScanned(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		var n int64
		require.NoError(t, db.Model(&Book{}).Group("rare").Count(&n).Error)
		assert.EqualValues(t, 2, n)
		require.NoError(t, db.Model(&Book{}).Where("rare").Select("title").Count(&n).Error)
		assert.EqualValues(t, 2, n)
		require.NoError(t, db.Table("books").Where("pages > 400").Limit(1).Count(&n).Error)
		assert.EqualValues(t, 2, n)
		rows, err := db.Model(&Book{}).Select("rare, sum(pages) AS pages").Group("rare").Order("rare").Rows()
		require.NoError(t, err)
		defer rows.Close()
		var sums []int32
		for rows.Next() {
			var b Book
			require.NoError(t, db.ScanRows(rows, &b))
			sums = append(sums, b.Pages)
		}
		assert.Equal(t, []int32{847, 798}, sums)
	})
}

func TestBatchesOfFindStopWhereTheyAreTold(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Create(make([]Loan, 9)).Error)
		var batch []Loan
		seen := 0
		found := db.Limit(5).FindInBatches(&batch, 2, func(tx *gorm.DB, _ int) error {
			seen += len(batch)
			for i := range batch {
				batch[i].Reader = "seen"
			}
			return tx.Save(&batch).Error
		})
		require.NoError(t, found.Error)
		assert.EqualValues(t, 5, found.RowsAffected)
		assert.Equal(t, 5, seen)
		var n int64
		require.NoError(t, db.Model(&Loan{}).Where("reader = ?", "seen").Count(&n).Error)
		assert.EqualValues(t, 5, n)
		errFull := errors.New("full")
		require.ErrorIs(t, db.FindInBatches(&batch, 2, func(*gorm.DB, int) error { return errFull }).Error, errFull)
	})
}

func TestWrongStatementsNameWhatIsWrong(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		require.ErrorIs(t, db.Where("colour = ?", "red").Find(&[]Book{}).Error, esdriver.ErrNoColumn)
		require.ErrorIs(t, db.Where("Title = ?", "Emma").Find(&[]Book{}).Error, esdriver.ErrNoColumn, "letters' case counts")
		require.ErrorIs(t, db.Table("nowhere").Find(&[]map[string]any{}).Error, esdriver.ErrNoTable)
		require.ErrorIs(t, db.Model(&Book{}).Where("colour = ?", 1).Update("title", "").Error, esdriver.ErrNoColumn)
		require.ErrorIs(t, db.Model(&Book{}).Where("rare").Update("colour", 1).Error, esdriver.ErrNoColumn)
		require.ErrorIs(t, db.Model(&Book{}).Where("rare").Updates(map[string]string{"title": "x"}).Error, gorm.ErrInvalidData)
		require.ErrorIs(t, db.Exec("UPDATE books SET").Error, esdriver.ErrSyntax)
		require.ErrorIs(t, db.Where("title = ?; DELETE FROM books", "x").Find(&[]Book{}).Error, esdriver.ErrSyntax)
		assert.Empty(t, titles(t, db.Where("title = ?", "'; DELETE FROM books; --")))
		assert.Len(t, titles(t, db), 5)
	})
}

// TestLimitOfAChangeIsNotPassedOver is about the clauses that GORM leaves out of UPDATE and DELETE for most products.
func TestLimitOfAChangeIsNotPassedOver(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		old := db.Where("pages > ?", 1).Session(&gorm.Session{})
		for what, err := range map[string]error{
			"LIMIT":  old.Limit(1).Delete(&Book{}).Error,
			"LIMIT ": old.Unscoped().Limit(1).Delete(&Book{}).Error,
			"ORDER":  old.Model(&Book{}).Order("pages").Update("rare", true).Error,
		} {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), strings.TrimSpace(what))
		}
		assert.Len(t, fake.Docs("books"), 5)
		assert.Len(t, titles(t, db.Where("rare")), 2)
	})
}

// counted is a table whose name is made at run time.
type counted struct {
	ID string
	N  int `gorm:"index"`
}

func TestOneModelMayHaveManyTables(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		for i := range 2 {
			name := fmt.Sprint("counted_", i)
			table := func(tx *gorm.DB) *gorm.DB { return tx.Table(name) }
			require.NoError(t, db.Scopes(table).AutoMigrate(&counted{}))
			require.NoError(t, db.Scopes(table).Create(&counted{ID: "a", N: i}).Error)
			require.NoError(t, db.Scopes(table).Clauses(clause.OnConflict{UpdateAll: true}).Create(&counted{ID: "a", N: i + 10}).Error)
			assert.True(t, db.Scopes(table).Migrator().HasIndex(&counted{}, "N"))
			var got counted
			require.NoError(t, db.Scopes(table).First(&got, "id = ?", "a").Error)
			assert.Equal(t, i+10, got.N)
			require.NoError(t, db.Table(name).Where("id = ?", "a").Delete(&counted{}).Error)
			assert.Empty(t, fake.Docs(name))
		}
	})
}

package esgorm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestGenericsWork(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		books := gorm.G[Book](db)
		require.NoError(t, books.Create(t.Context(), &Book{Title: "one"}))
		require.NoError(t, books.CreateInBatches(t.Context(), &[]Book{{Title: "two"}, {Title: "three"}}, 1))
		first, err := books.Where("title = ?", "two").First(t.Context())
		require.NoError(t, err)
		n, err := books.Where("id = ?", first.ID).Update(t.Context(), "pages", 5)
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		count, err := books.Count(t.Context(), "*")
		require.NoError(t, err)
		assert.EqualValues(t, 3, count)
		n, err = books.Where("id = ?", first.ID).Delete(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		_, err = books.Where("id = ?", first.ID).First(t.Context())
		require.ErrorIs(t, err, gorm.ErrRecordNotFound)
	})
}

func TestGenericsChooseGroupAndScan(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		ctx, books := t.Context(), gorm.G[Book](db)
		some, err := books.Scopes(func(s *gorm.Statement) { s.Where("pages > ?", 300) }).Not("rare").Or("title = ?", "Emma").
			Order("title DESC").Limit(1).Offset(1).Find(ctx)
		require.NoError(t, err)
		require.Len(t, some, 1)
		assert.Equal(t, "Dracula", some[0].Title)
		var groups []struct {
			Rare  bool
			Total int
		}
		require.NoError(t, books.Select("rare, sum(pages) AS total").Group("rare").Having("count(*) > ?", 2).Scan(ctx, &groups))
		require.Len(t, groups, 1)
		assert.Equal(t, 847, groups[0].Total)
		row, err := gorm.G[map[string]any](db).Table("books").Where("title = ?", "Emma").
			MapColumns(map[string]string{"title": "name"}).Take(ctx)
		require.NoError(t, err)
		assert.Equal(t, "Emma", row["name"])
		most, err := gorm.G[int](db).Raw("SELECT max(pages) FROM books").Find(ctx)
		require.NoError(t, err)
		assert.Equal(t, []int{474}, most)
		var least int
		require.NoError(t, books.Raw("SELECT min(pages) FROM books").Row(ctx).Scan(&least))
		assert.Equal(t, 129, least)
		seen := 0
		require.NoError(t, books.FindInBatches(ctx, 2, func(batch []Book, _ int) error { seen += len(batch); return nil }))
		assert.Equal(t, 5, seen)
		last, err := books.Last(ctx)
		require.NoError(t, err)
		assert.Equal(t, "Emma", last.Title, "keys that the driver makes grow")
		shown := db.ToSQL(func(tx *gorm.DB) *gorm.DB {
			_, err := gorm.G[Book](tx).Where("pages = ?", 1).Find(ctx)
			_ = tx.AddError(err)
			return tx
		})
		assert.Contains(t, shown, "pages = 1")
	})
}

func TestGenericsWriteSetAndTellTheirResult(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		ctx := t.Context()
		result := gorm.WithResult()
		require.NoError(t, gorm.G[Author](db, result).CreateInBatches(ctx, &[]Author{{ID: "a"}, {ID: "b"}}, 2))
		assert.EqualValues(t, 2, result.RowsAffected)
		again := gorm.G[Author](db, clause.OnConflict{DoNothing: true})
		require.NoError(t, again.Create(ctx, &Author{ID: "a", Name: "no"}))
		require.ErrorIs(t, gorm.G[Author](db).Create(ctx, &Author{ID: "a"}), gorm.ErrDuplicatedKey)
		name := func(v any) clause.Assignment { return clause.Assignment{Column: clause.Column{Name: "name"}, Value: v} }
		n, err := gorm.G[Author](db).Where("id = ?", "a").Set(name("one")).Update(ctx)
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		id := clause.Assignment{Column: clause.Column{Name: "id"}, Value: "c"}
		require.NoError(t, gorm.G[Author](db).Set(name("two"), id).Create(ctx))
		n, err = gorm.G[Author](db).Where("name <> ?", "two").Or("name IS NULL").Updates(ctx, Author{Name: "three"})
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		require.NoError(t, gorm.G[Author](db).Exec(ctx, "UPDATE authors SET name = ? WHERE id = ?", "four", "c"))
		assert.Equal(t, "four", authorName(t, db, "c"))
	})
}

func TestGenericsPreloadButNeitherJoinNorLimitEachRow(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		stocked(t, db)
		authors, ctx := gorm.G[Author](db), t.Context()
		found, err := authors.Preload("Books.Loans", nil).Preload("Books", func(b gorm.PreloadBuilder) error {
			b.Where("pages < ?", 3).Order("title")
			return nil
		}).Order("id").Find(ctx)
		require.NoError(t, err)
		require.Len(t, found[2].Books, 2)
		assert.Len(t, found[2].Books[0].Loans, 2)
		errStop := errors.New("enough")
		_, err = authors.Preload("Books", func(gorm.PreloadBuilder) error { return errStop }).Find(ctx)
		require.ErrorIs(t, err, errStop)
		create := func(tx *gorm.DB) error { return gorm.G[Author](tx).Create(ctx, &Author{}) }
		require.ErrorIs(t, db.Transaction(create), esdriver.ErrUnsupported)
		if strings.HasPrefix(fake.DSN(), "elasticsearch") {
			_, err = gorm.G[Book](db).Joins(clause.LeftJoin.Association("Author"), nil).Find(ctx)
			require.ErrorIs(t, err, esdriver.ErrUnsupported)
		}
	})
}

// TestGenericsMakeAssociationsButChangeNoneByCondition is about the operations that GORM writes by sub-queries.
func TestGenericsMakeAssociationsButChangeNoneByCondition(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		stocked(t, db)
		ctx := t.Context()
		set := func(name string, op clause.AssociationOpType, values ...any) error {
			assigned := clause.Association{Association: name, Type: op, Values: values}
			_, err := gorm.G[Book](db).Where("title = ?", "Ulysses").Set(assigned).Update(ctx)
			return err
		}
		require.NoError(t, set("Loans", clause.OpCreate, &Loan{Reader: "Cid"}))
		require.NoError(t, set("Tags", clause.OpCreate, Tag{Name: "long"}))
		var book Book
		require.NoError(t, db.Preload("Loans").Preload("Tags").Take(&book, "title = ?", "Ulysses").Error)
		assert.Len(t, book.Loans, 2)
		assert.Equal(t, []Tag{{Name: "long"}}, book.Tags)
		require.ErrorIs(t, set("Loans", clause.OpUnlink), esdriver.ErrUnsupported)
		require.ErrorIs(t, set("Loans", clause.OpDelete), esdriver.ErrUnsupported)
		require.ErrorIs(t, set("Tags", clause.OpDelete), esdriver.ErrUnsupported)
		require.Error(t, set("Nothing", clause.OpDelete))
		assert.Len(t, fake.Docs("loans"), 4)
	})
}

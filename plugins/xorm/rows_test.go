package esxorm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/xorm"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestRowIsInsertedReadChangedAndDeletedWithANodeLost(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		printed := time.Date(1928, 10, 11, 23, 30, 0, 7e6, time.FixedZone("", -5*3600))
		book := Book{Title: `it's \ "Orlando"`, Pages: 333, Price: 7.5, Author: "woolf", Printed: printed}
		n, err := engine.Insert(&book)
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
		assert.Positive(t, book.ID)
		fake.Node(1).Kill()

		found := Book{}
		has, err := engine.ID(book.ID).Get(&found)
		require.NoError(t, err)
		require.True(t, has)
		assert.Equal(t, book.Title, found.Title)
		assert.Equal(t, 7.5, found.Price)
		assert.True(t, printed.Equal(found.Printed), found.Printed)
		assert.WithinDuration(t, time.Now(), found.Created, time.Minute)
		assert.Equal(t, 1, found.Version)

		found.Pages = 334
		n, err = engine.ID(book.ID).Update(&found)
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
		book.Pages, book.Version = 1, 1
		n, err = engine.ID(book.ID).Update(&book)
		require.NoError(t, err)
		assert.Zero(t, n, "the version is older than the row's")
		_, err = engine.ID(book.ID).Incr("pages", 2).NoVersionCheck().Update(&Book{})
		require.NoError(t, err)

		n, err = engine.ID(book.ID).Delete(&Book{})
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
		has, err = engine.ID(book.ID).Get(&Book{})
		require.NoError(t, err)
		assert.False(t, has, "deleted softly")
		gone := Book{}
		has, err = engine.ID(book.ID).Unscoped().Get(&gone)
		require.NoError(t, err)
		require.True(t, has)
		assert.Equal(t, 336, gone.Pages)
		assert.False(t, gone.Deleted.IsZero())
		_, err = engine.ID(book.ID).Unscoped().Delete(&Book{})
		require.NoError(t, err)
		has, err = engine.ID(book.ID).Unscoped().Get(&Book{})
		require.NoError(t, err)
		assert.False(t, has)
	})
}

func TestRowsAreFoundCountedAndChangedByCondition(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		at := time.Date(2026, 7, 1, 23, 0, 0, 0, time.UTC)
		books := []Book{{Title: "a", Pages: 1}, {Title: "b", Pages: 2}, {Title: "c", Pages: 3, Printed: at}}
		n, err := engine.Insert(&books)
		require.NoError(t, err)
		assert.EqualValues(t, 3, n)

		var found []Book
		require.NoError(t, engine.Where("pages > ?", 0).In("title", "a", "c").Desc("pages").Limit(1).Find(&found))
		require.Len(t, found, 1)
		assert.Equal(t, "c", found[0].Title)
		found = nil
		require.NoError(t, engine.Asc("title").Limit(1, 1).Find(&found))
		require.Len(t, found, 1)
		assert.Equal(t, "b", found[0].Title)
		maps, err := engine.QueryInterface("SELECT title, pages, price, lent, printed FROM book WHERE pages = ?", 3)
		require.NoError(t, err)
		row := map[string]any{"title": "c", "pages": int64(3), "price": 0.0, "lent": false, "printed": at.Local()}
		assert.Equal(t, []map[string]any{row}, maps)
		count, err := engine.Where("pages >= ?", 2).Count(&Book{})
		require.NoError(t, err)
		assert.EqualValues(t, 2, count)
		sum, err := engine.SumInt(&Book{}, "pages")
		require.NoError(t, err)
		assert.EqualValues(t, 6, sum)
		has, err := engine.Exist(&Book{Title: "b"})
		require.NoError(t, err)
		assert.True(t, has)

		n, err = engine.Where("pages < ?", 3).NoVersionCheck().Cols("author").Update(&Book{Author: "x"})
		require.NoError(t, err)
		assert.EqualValues(t, 2, n)
		n, err = engine.Where("author = ?", "x").Unscoped().Delete(&Book{})
		require.NoError(t, err)
		assert.EqualValues(t, 2, n)
	})
}

func TestTimesAreTheSameInEveryZone(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, _ *xorm.Engine) {
		engine := open(t, fake, "refresh=true&time_zone=America/New_York")
		at := time.Date(2026, 7, 1, 23, 0, 0, 0, time.UTC)
		book := Book{Title: "a", Printed: at}
		_, err := engine.Insert(&book)
		require.NoError(t, err)
		utc := open(t, fake, "refresh=true")
		for _, e := range []*xorm.Engine{engine, utc} {
			found := Book{}
			has, err := e.ID(book.ID).Get(&found)
			require.NoError(t, err)
			require.True(t, has)
			assert.True(t, at.Equal(found.Printed), found.Printed)
		}
	})
}

func TestDuplicateKeyIsTheDriversError(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		_, err := engine.Insert(&Author{ID: "woolf", Name: "Virginia Woolf"})
		require.NoError(t, err)
		_, err = engine.Insert(&Author{ID: "woolf"})
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
	})
}

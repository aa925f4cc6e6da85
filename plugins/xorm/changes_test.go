package esxorm_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/xorm"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// TestUpdatesChangeTheColumnsTheySay has the ways in which xorm chooses columns. Each starts from a book of 3 pages.
func TestUpdatesChangeTheColumnsTheySay(t *testing.T) {
	type session = *xorm.Session
	updates := map[string]struct {
		columns func(s session) session
		book    Book
		pages   int
		author  string
		lent    bool
	}{
		"values that are not zero": {func(s session) session { return s }, Book{Pages: 5}, 5, "y", true},
		"Cols":                     {func(s session) session { return s.Cols("pages") }, Book{Author: "z"}, 0, "y", true},
		"MustCols":                 {func(s session) session { return s.MustCols("lent") }, Book{Author: "z"}, 3, "z", false},
		"UseBool":                  {func(s session) session { return s.UseBool("lent") }, Book{Author: "z"}, 3, "z", false},
		"AllCols":                  {func(s session) session { return s.AllCols() }, Book{Title: "c"}, 0, "", false},
		"Omit":                     {func(s session) session { return s.Omit("author") }, Book{Pages: 5, Author: "z"}, 5, "y", true},
		"Nullable":                 {func(s session) session { return s.Nullable("author") }, Book{Pages: 5}, 5, "", true},
		"Decr":                     {func(s session) session { return s.Decr("pages").Decr("price", 0.5) }, Book{}, 2, "y", true},
		"SetExpr":                  {func(s session) session { return s.SetExpr("pages", "pages * 2") }, Book{}, 6, "y", true},
	}
	onBooks(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		fake.Node(1).Kill()
		c := func() session { return engine.Where("title = ?", "c").NoVersionCheck() }
		for name, u := range updates {
			start := &Book{Pages: 3, Author: "y", Lent: true}
			_, err := c().Cols("pages", "author", "lent").Update(start)
			require.NoError(t, err)
			n, err := u.columns(c()).Update(&u.book)
			require.NoError(t, err, name)
			assert.EqualValues(t, 1, n, name)
			got := Book{Title: "c"}
			_, err = engine.Get(&got)
			require.NoError(t, err)
			assert.Equal(t, []any{u.pages, u.author, u.lent}, []any{got.Pages, got.Author, got.Lent}, name)
		}
		n, err := engine.Table(&Book{}).Where("title = ?", "c").Update(map[string]any{"author": nil})
		require.NoError(t, err)
		assert.EqualValues(t, 1, n, "a map")
	})
}

func TestInsertsWriteTheColumnsTheySay(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		_, err := engine.Omit("pages").Insert(&Book{Title: "a", Pages: 4})
		require.NoError(t, err)
		_, err = engine.Table("author").Insert([]map[string]any{{"id": "m", "name": "M"}, {"id": "n", "name": nil}})
		require.NoError(t, err)
		got := Book{Title: "a"}
		_, err = engine.Get(&got)
		require.NoError(t, err)
		assert.Zero(t, got.Pages)
		assert.Positive(t, got.ID)
		assert.Len(t, fake.Docs("author"), 2)
	})
}

// TestEngineTestHoldsForTheFake runs the engine test's parts here, with a node that is lost on the way.
func TestEngineTestHoldsForTheFake(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		lifeOfARow(t, engine)
		versionsAndTimes(t, engine, func() { fake.Node(0).Kill() })
		sliceOfRows(t, engine)
	})
}

func TestOfWritersWithOneVersionOneWins(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		_, err := engine.Insert(&Loan{ID: 1, Reader: "Ann"})
		require.NoError(t, err)
		fake.Node(1).Kill()
		var work sync.WaitGroup
		var won atomic.Int64
		for i := range 8 {
			work.Go(func() {
				n, err := engine.ID(1).Update(&Loan{Reader: fmt.Sprint(i), Version: 1})
				assert.NoError(t, err)
				won.Add(n)
			})
		}
		work.Wait()
		assert.EqualValues(t, 1, won.Load())
		last := Loan{}
		_, err = engine.ID(1).Get(&last)
		require.NoError(t, err)
		assert.Equal(t, 2, last.Version)
	})
}

// TestLostAnswersWriteNothingTwice loses one answer in four after the server has done what it was asked for, while a node
// goes down and comes back.
func TestLostAnswersWriteNothingTwice(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		fake.Inject(fakecluster.Fault{Action: fakecluster.ResetAfterExecute, Chance: 0.25, Match: func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/_bulk")
		}})
		const writers, rows = 4, 4
		var work sync.WaitGroup
		for w := range writers {
			work.Go(func() {
				for i := range rows {
					book := Book{Title: fmt.Sprintf("%d.%d", w, i), Pages: 1}
					if _, err := engine.Insert(&book); !assert.NoError(t, err) {
						return
					}
					n, err := engine.ID(book.ID).Incr("pages").NoVersionCheck().Update(&Book{})
					assert.NoError(t, err)
					assert.EqualValues(t, 1, n)
				}
			})
		}
		fake.Node(2).Kill()
		work.Wait()
		fake.ClearFaults()
		require.NoError(t, fake.Node(2).Start())
		var books []Book
		require.NoError(t, engine.Find(&books))
		assert.Len(t, books, writers*rows)
		for _, b := range books {
			assert.Equal(t, 2, b.Pages, b.Title)
		}
	})
}

// TestWhatIsRefusedChangesNothing has statements that xorm or the driver refuse. xorm's own words name nothing: it knows
// these only for the databases of its own.
func TestWhatIsRefusedChangesNothing(t *testing.T) {
	type change = func() (int64, error)
	onBooks(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		before := fake.Docs("book")
		c := func() *xorm.Session { return engine.Where("title = ?", "c") }
		joined := func() *xorm.Session { return c().Join("INNER", "author", "author.id = book.author") }
		_, err := c().Limit(1).NoVersionCheck().Update(&Book{Pages: 9})
		assert.EqualError(t, err, "not implemented")
		assert.EqualError(t, c().IndexHint("USE", "", "i").Find(&[]Book{}), "Not implemented")
		for what, refused := range map[string]change{
			"LIMIT":                func() (int64, error) { return c().Limit(1).Delete(&Book{}) },
			"ORDER":                func() (int64, error) { return c().Asc("title").Delete(&Book{}) },
			"UPDATE … FROM":        func() (int64, error) { return joined().NoVersionCheck().Update(&Book{Pages: 9}) },
			"DELETE without WHERE": func() (int64, error) { return engine.Truncate(&Author{}) },
			"primary key": func() (int64, error) {
				return engine.Table("author").Where("id = ?", "x").Update(map[string]any{"id": "z"})
			},
		} {
			_, err := refused()
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.ErrorContains(t, err, what)
		}
		assert.Equal(t, before, fake.Docs("book"))
		assert.Len(t, fake.Docs("author"), 2)
	})
}

// TestDeletesOfXormsOwnReachFurtherThanTheySay has two of xorm's ways with every database, which its users must know.
func TestDeletesOfXormsOwnReachFurtherThanTheySay(t *testing.T) {
	onBooks(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		joined := engine.Where("author = ?", "x").Join("INNER", "author", "author.id = 'nobody'")
		n, err := joined.Delete(&Book{})
		require.NoError(t, err)
		assert.EqualValues(t, 2, n, "without the Join")
		n, err = engine.Delete(&Book{})
		require.NoError(t, err)
		assert.EqualValues(t, 1, n, "all that are not deleted")
	})
}

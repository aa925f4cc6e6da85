package esxorm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/builder"
	"xorm.io/xorm"

	"github.com/esdriver/esdriver/fakecluster"
)

// onBooks runs a test with two authors and four books, of which one is deleted softly.
func onBooks(t *testing.T, test func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine)) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		_, err := engine.Insert(
			&[]Author{{"x", "Xenia"}, {"y", "Yvo"}},
			&[]Book{
				{Title: "a", Pages: 1, Author: "x"}, {Title: "b", Pages: 2, Author: "x"},
				{Title: "c", Pages: 3, Author: "y"}, {Title: "d"},
			},
		)
		require.NoError(t, err)
		_, err = engine.Where("title = ?", "d").Delete(&Book{})
		require.NoError(t, err)
		test(t, fake, engine)
	})
}

func TestConditionsChooseTheirRows(t *testing.T) {
	type session = *xorm.Session
	likeOrBetween := builder.Like{"title", "a"}.Or(builder.Between{Col: "pages", LessVal: 3, MoreVal: 9})
	built := builder.Select("title").From("book").Where(builder.Eq{"pages": 2})
	conditions := map[string]struct {
		apply  func(s session) session
		titles string
	}{
		"Or and NotIn":         {func(s session) session { return s.Where("pages = 1").Or("pages = 2").NotIn("title", "b") }, "a"},
		"an empty In":          {func(s session) session { return s.In("title", []string{}) }, ""},
		"Like and Between":     {func(s session) session { return s.Where(likeOrBetween) }, "ac"},
		"an alias":             {func(s session) session { return s.Alias("b").Where("b.title <> ?", "a") }, "bc"},
		"a page":               {func(s session) session { return s.Limit(2, 1) }, "bc"},
		"Unscoped":             {func(s session) session { return s.Unscoped() }, "abcd"},
		"SQL of the program's": {func(s session) session { return s.SQL("SELECT title FROM book WHERE pages = ?", 3) }, "c"},
		"SQL of the builder":   {func(s session) session { return s.SQL(built) }, "b"},
	}
	onBooks(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		fake.Node(2).Kill()
		for name, c := range conditions {
			var books []Book
			require.NoError(t, c.apply(engine.Asc("title")).Find(&books), name)
			assert.Equal(t, c.titles, titles(books), name)
		}
		var all, some []Book
		require.NoError(t, engine.Asc("title").Find(&some, &Book{Title: "a"}))
		require.NoError(t, engine.NoAutoCondition().Asc("title").Find(&all, &Book{Title: "a"}))
		assert.Equal(t, "a", titles(some))
		assert.Equal(t, "abc", titles(all))
	})
}

// titles are those of books, one after the other.
func titles(books []Book) (all string) {
	for _, b := range books {
		all += b.Title
	}
	return all
}

func TestColumnsAreReadAsAsked(t *testing.T) {
	onBooks(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		var some, rest []Book
		require.NoError(t, engine.Cols("title").Asc("title").Find(&some))
		require.NoError(t, engine.Omit("title").Asc("title").Find(&rest))
		assert.Equal(t, Book{Title: "a"}, some[0])
		assert.Empty(t, rest[0].Title)
		assert.Equal(t, 1, rest[0].Pages)
		var pages []int
		require.NoError(t, engine.Table("book").Cols("pages").Asc("title").Limit(2).Find(&pages))
		assert.Equal(t, []int{1, 2}, pages)
		byID := map[int64]Book{}
		require.NoError(t, engine.Find(&byID))
		assert.Len(t, byID, 3)
		var one int
		has, err := engine.Table("book").Where("title = ?", "c").Cols("pages").Get(&one)
		require.NoError(t, err)
		assert.True(t, has)
		assert.Equal(t, 3, one)
	})
}

func TestRowsAreFoundAndCountedAtOnce(t *testing.T) {
	onBooks(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		var books []Book
		n, err := engine.Where("pages > ?", 0).Asc("title").Limit(2).FindAndCount(&books)
		require.NoError(t, err)
		assert.EqualValues(t, 3, n)
		assert.Equal(t, "ab", titles(books))
		books = nil
		n, err = engine.Where("pages > ?", 0).Asc("title").Limit(2, 2).FindAndCount(&books)
		require.NoError(t, err)
		assert.EqualValues(t, 3, n)
		assert.Equal(t, "c", titles(books))
		empty, err := engine.IsTableEmpty(&Book{})
		require.NoError(t, err)
		assert.False(t, empty)
	})
}

func TestRowsAreReadOneByOne(t *testing.T) {
	onBooks(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		for _, size := range []int{0, 2} { // a page at a time
			var books []Book
			require.NoError(t, engine.BufferSize(size).Asc("title").Iterate(&Book{}, func(_ int, bean any) error {
				books = append(books, *bean.(*Book))
				return nil
			}))
			assert.Equal(t, "abc", titles(books))
		}
		fake.Node(0).Kill()
		rows, err := engine.Where("pages > ?", 1).Asc("title").Rows(&Book{})
		require.NoError(t, err)
		defer rows.Close()
		var books []Book
		for rows.Next() {
			book := Book{}
			require.NoError(t, rows.Scan(&book))
			books = append(books, book)
		}
		require.NoError(t, rows.Err())
		assert.Equal(t, "bc", titles(books))
	})
}

func TestGroupsAreSummedUp(t *testing.T) {
	onBooks(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		sum, err := engine.Where("author = ?", "x").SumInt(&Book{}, "pages")
		require.NoError(t, err)
		assert.EqualValues(t, 3, sum)
		sums, err := engine.Sums(&Book{}, "pages", "price")
		require.NoError(t, err)
		assert.Equal(t, []float64{6, 0}, sums)
		sum, err = engine.Where("title = ?", "none").SumInt(&Book{}, "pages")
		require.NoError(t, err)
		assert.Zero(t, sum)
		var groups []struct {
			Author string
			Total  int
		}
		require.NoError(t, engine.Table("book").Select("author, SUM(pages) AS total").Where("pages > 0").GroupBy("author").
			Having("SUM(pages) > 2").Asc("author").Find(&groups))
		require.Len(t, groups, 2)
		assert.Equal(t, "x", groups[0].Author)
		assert.Equal(t, 3, groups[0].Total)
	})
}

func TestStatementsOfTheProgramsOwnTakeArguments(t *testing.T) {
	onBooks(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		bytes, err := engine.Query("SELECT title FROM book WHERE pages = ?", 2)
		require.NoError(t, err)
		assert.Equal(t, []map[string][]byte{{"title": []byte("b")}}, bytes)
		texts, err := engine.QueryString("SELECT title, pages FROM book WHERE pages = ?", 2)
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"title": "b", "pages": "2"}}, texts)
		values, err := engine.QueryInterface("SELECT id, price FROM book WHERE pages = ?", 2)
		require.NoError(t, err)
		assert.IsType(t, int64(0), values[0]["id"])
		assert.IsType(t, float64(0), values[0]["price"])
		result, err := engine.Exec("UPDATE book SET pages = pages + ? WHERE author = ?", 10, "x")
		require.NoError(t, err)
		n, err := result.RowsAffected()
		require.NoError(t, err)
		assert.EqualValues(t, 2, n)
		const script = "INSERT INTO author (id, name) VALUES ('z', 'Zoe');\nDELETE FROM author WHERE id = 'x';"
		_, err = engine.Import(strings.NewReader(script))
		require.NoError(t, err)
		var ids []string
		require.NoError(t, engine.Table("author").Cols("id").Asc("id").Find(&ids))
		assert.Equal(t, []string{"y", "z"}, ids)
	})
}

// TestWhatElasticsearchLacksIsItsError has what OpenSearch's SQL takes and Elasticsearch's names as missing.
func TestWhatElasticsearchLacksIsItsError(t *testing.T) {
	type signed struct {
		Book   `xorm:"extends"`
		Author `xorm:"extends"`
	}
	onBooks(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		var pairs []signed
		joined := engine.Table("book").Join("INNER", "author", "author.id = book.author").Asc("book.title").Find(&pairs)
		var found []Book
		nested := engine.In("author", builder.Select("id").From("author")).Find(&found)
		var authors []string
		distinct := engine.Table("book").Where("pages > 0").Distinct("author").Asc("author").Find(&authors)
		if strings.HasPrefix(fake.DSN(), "elasticsearch") {
			assert.ErrorContains(t, joined, "JOIN")
			assert.ErrorContains(t, nested, "IN query")
			assert.ErrorContains(t, distinct, "DISTINCT")
			return
		}
		require.NoError(t, joined)
		require.Len(t, pairs, 3)
		assert.Equal(t, "a", pairs[0].Title)
		assert.Equal(t, "Xenia", pairs[0].Name)
		require.NoError(t, distinct)
		assert.Equal(t, []string{"x", "y"}, authors)
	})
}

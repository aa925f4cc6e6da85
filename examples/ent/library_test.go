package main

import (
	"database/sql"
	"fmt"
	"testing"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/examples/ent/ent"
	"github.com/esdriver/esdriver/examples/ent/ent/author"
	"github.com/esdriver/esdriver/examples/ent/ent/book"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// each runs a test with a client of a stocked library, on each product.
func each(t *testing.T, params string, test func(t *testing.T, c *ent.Client)) {
	for _, product := range products {
		t.Run(string(product), func(t *testing.T) { test(t, stocked(t, product, params).client) })
	}
}

// stocked opens a library on a cluster of its own.
func stocked(t *testing.T, product fakecluster.Flavor, params string) *library {
	t.Helper()
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Product(product), fakecluster.SQL(sqlite.New()))
	conn, err := sql.Open("esdriver", fake.DSN()+params)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	l, err := newLibrary(t.Context(), conn)
	require.NoError(t, err)
	require.NoError(t, l.stock(t.Context()))
	return l
}

// titled is the key of a book.
func titled(t *testing.T, c *ent.Client, title string) int64 {
	t.Helper()
	id, err := c.Book.Query().Where(book.Title(title)).OnlyID(t.Context())
	require.NoError(t, err)
	return id
}

func TestKeysAreMadeWhereNoneIsGiven(t *testing.T) {
	each(t, "?refresh=true", func(t *testing.T, c *ent.Client) {
		a, err := c.Author.Create().SetName("Anonymous").Save(t.Context())
		require.NoError(t, err)
		assert.Len(t, a.ID, 26, "by the schema's DefaultFunc")
		books, err := c.Book.CreateBulk(c.Book.Create().SetTitle("a"), c.Book.Create().SetTitle("b")).Save(t.Context())
		require.NoError(t, err)
		for _, b := range books {
			assert.Positive(t, b.ID)
			assert.Equal(t, b.Title, c.Book.GetX(t.Context(), b.ID).Title, "each is given its own")
		}
	})
}

func TestRowIsChangedByKeyAndReadBackBeforeSearchesSeeIt(t *testing.T) {
	each(t, "?tx=noop&refresh=false", func(t *testing.T, c *ent.Client) {
		b, err := c.Book.Create().SetTitle("Flush").SetPages(10).SetAuthorID("woolf").Save(t.Context())
		require.NoError(t, err)
		b, err = b.Update().AddPages(2).SetSubjects([]string{"dogs"}).ClearAuthor().Save(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 12, b.Pages)
		assert.Equal(t, []string{"dogs"}, b.Subjects)
		assert.Empty(t, b.AuthorID)
		again, err := c.Book.Get(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, b.String(), again.String())
	})
}

func TestMissingRowIsNotFound(t *testing.T) {
	each(t, "?tx=noop&refresh=true", func(t *testing.T, c *ent.Client) {
		_, err := c.Book.Get(t.Context(), 7)
		assert.True(t, ent.IsNotFound(err), "%v", err)
		err = c.Book.UpdateOneID(7).SetPages(1).Exec(t.Context())
		assert.True(t, ent.IsNotFound(err), "%v", err)
		err = c.Book.DeleteOneID(7).Exec(t.Context())
		assert.True(t, ent.IsNotFound(err), "%v", err)
		exist, err := c.Book.Query().Where(book.ID(7)).Exist(t.Context())
		require.NoError(t, err)
		assert.False(t, exist)
	})
}

func TestTakenKeyIsAConstraintError(t *testing.T) {
	each(t, "?refresh=true", func(t *testing.T, c *ent.Client) {
		again := func() *ent.AuthorCreate { return c.Author.Create().SetID("woolf").SetName("another") }
		alone := again().Exec(t.Context())
		among := c.Author.CreateBulk(c.Author.Create().SetName("new"), again()).Exec(t.Context())
		for _, err := range []error{alone, among} {
			assert.True(t, ent.IsConstraintError(err), "%v", err)
			assert.ErrorIs(t, err, esdriver.ErrDuplicateKey)
		}
		assert.Equal(t, "Virginia Woolf", c.Author.GetX(t.Context(), "woolf").Name)
	})
}

func TestRowOfATakenKeyIsResolvedAsAsked(t *testing.T) {
	each(t, "?refresh=true", func(t *testing.T, c *ent.Client) {
		woolf := func() *ent.AuthorCreate { return c.Author.Create().SetID("woolf").SetName("A. V. Stephen") }
		name := func() string { return c.Author.GetX(t.Context(), "woolf").Name }
		id, err := woolf().OnConflictColumns(author.FieldID).Ignore().ID(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"woolf", "Virginia Woolf"}, []string{id, name()})
		err = woolf().OnConflictColumns(author.FieldID).DoNothing().Exec(t.Context())
		assert.ErrorIs(t, err, sql.ErrNoRows, "as on other databases: nothing was inserted")
		both := c.Author.CreateBulk(woolf(), c.Author.Create().SetID("eliot").SetName("George Eliot"))
		require.NoError(t, both.OnConflictColumns(author.FieldID).UpdateNewValues().Exec(t.Context()))
		assert.Equal(t, []string{"A. V. Stephen", "George Eliot"}, []string{name(), c.Author.GetX(t.Context(), "eliot").Name})

		orlando := titled(t, c, "Orlando")
		longer := func(u *ent.BookUpsert) { u.AddPages(2) }
		again := c.Book.Create().SetID(orlando).SetTitle("x")
		require.NoError(t, again.OnConflictColumns(book.FieldID).Update(longer).Exec(t.Context()))
		b := c.Book.GetX(t.Context(), orlando)
		assert.Equal(t, "Orlando", b.Title)
		assert.Equal(t, 335, b.Pages)
	})
}

func TestEdgesAreSetFromEitherSide(t *testing.T) {
	each(t, "?tx=noop&refresh=true", func(t *testing.T, c *ent.Client) {
		flush := c.Book.Create().SetTitle("Flush").SaveX(t.Context())
		orlando := titled(t, c, "Orlando")
		joyce, err := c.Author.UpdateOneID("joyce").AddBooks(flush).Save(t.Context())
		require.NoError(t, err)
		titles := func() []string {
			return joyce.QueryBooks().Unique(false).Order(book.ByTitle()).Select(book.FieldTitle).StringsX(t.Context())
		}
		assert.Equal(t, []string{"Flush", "Ulysses"}, titles())
		err = joyce.Update().AddBookIDs(orlando).Exec(t.Context())
		assert.True(t, ent.IsConstraintError(err), "it is another's: %v", err)
		require.NoError(t, joyce.Update().RemoveBooks(flush).Exec(t.Context()))
		require.NoError(t, c.Book.UpdateOneID(orlando).SetAuthor(joyce).Exec(t.Context()))
		assert.Equal(t, []string{"Orlando", "Ulysses"}, titles())
		require.NoError(t, joyce.Update().ClearBooks().Exec(t.Context()))
		assert.Empty(t, titles())

		orphans, err := c.Book.Query().Where(book.Not(book.HasAuthor())).Count(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 3, orphans, "an edge that is the row's own column needs no EXISTS")
	})
}

func TestQueriesChooseOrderAndCountAsElsewhere(t *testing.T) {
	each(t, "?refresh=true", func(t *testing.T, c *ent.Client) {
		titles := func(q *ent.BookQuery) []string { return q.Select(book.FieldTitle).StringsX(t.Context()) }
		all := func() *ent.BookQuery { return c.Book.Query().Order(book.ByTitle()) }
		assert.Equal(t, []string{"Orlando", "The Waves"}, titles(all().Offset(1).Limit(2)))
		either := book.Or(book.TitleHasPrefix("Kew"), book.PagesIn(1, 732))
		assert.Equal(t, []string{"Kew Gardens", "Ulysses"}, titles(all().Where(either)))
		assert.Equal(t, []string{"The Waves"}, titles(all().Where(book.TitleContains("Wave"), book.Not(book.AuthorIDIsNil()))))
		assert.Empty(t, titles(all().Where(book.IDIn())))
		assert.Equal(t, 1397, all().Unique(false).Aggregate(ent.Sum(book.FieldPages)).IntX(t.Context()))

		var long []struct {
			AuthorID string `sql:"author_id"`
			Sum      int
		}
		over700 := func(s *entsql.Selector) { s.Having(entsql.GT(entsql.Sum(book.FieldPages), 700)) }
		err := c.Book.Query().Where(over700).GroupBy(book.FieldAuthorID).
			Aggregate(ent.Sum(book.FieldPages)).Scan(t.Context(), &long)
		require.NoError(t, err)
		require.Len(t, long, 1)
		assert.Equal(t, "joyce 732", fmt.Sprint(long[0].AuthorID, " ", long[0].Sum))
	})
}

func TestEagerLoadingGoesBothWaysAndDown(t *testing.T) {
	each(t, "?refresh=true", func(t *testing.T, c *ent.Client) {
		l := &library{client: c}
		require.NoError(t, l.lend(t.Context(), "Ann", "Orlando"))
		o, err := c.Loan.Query().WithBook(func(q *ent.BookQuery) { q.WithAuthor() }).Only(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "Virginia Woolf", o.Edges.Book.Edges.Author.Name)
		a, err := c.Author.Query().Where(author.ID("woolf")).WithBooks(func(q *ent.BookQuery) { q.WithLoans() }).Only(t.Context())
		require.NoError(t, err)
		loans := 0
		for _, b := range a.Edges.Books {
			loans += len(b.Edges.Loans)
		}
		assert.Equal(t, 1, loans)
	})
}

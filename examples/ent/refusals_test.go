package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"testing"

	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/sqljson"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/examples/ent/ent"
	"github.com/esdriver/esdriver/examples/ent/ent/author"
	"github.com/esdriver/esdriver/examples/ent/ent/book"
	"github.com/esdriver/esdriver/fakecluster"
)

// refusal is a use of the client that cannot work.
type refusal struct {
	use   string
	names string // what the error names; empty where each product has a word of its own
	try   func(ctx context.Context, c *ent.Client) error
}

// one drops what comes beside the error.
func one[T any](_ T, err error) error { return err }

// refused are those that both products, or the driver, refuse.
var refused = []refusal{
	{"rows with an edge", "", func(ctx context.Context, c *ent.Client) error {
		return one(c.Author.Query().Where(author.HasBooks()).All(ctx))
	}},
	{"edges with a condition", "", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Where(book.HasAuthorWith(author.Name("x"))).All(ctx))
	}},
	{"delete by an edge", "EXISTS", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Delete().Where(book.HasAuthorWith(author.Name("x"))).Exec(ctx))
	}},
	{"update of one row whose condition does not hold", "", func(ctx context.Context, c *ent.Client) error {
		id := c.Book.Query().Where(book.Title("Orlando")).OnlyIDX(ctx)
		return c.Book.UpdateOneID(id).Where(book.Lent(true)).SetPages(1).Exec(ctx)
	}},
	{"lock", "FOR UPDATE", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Where(func(s *entsql.Selector) { s.ForUpdate() }).All(ctx))
	}},
	{"shared lock", "FOR UPDATE", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Where(func(s *entsql.Selector) { s.ForShare(entsql.WithLockAction(entsql.NoWait)) }).All(ctx))
	}},
	{"append to a JSON field", "CASE", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Update().Where(book.Title("Orlando")).AppendSubjects([]string{"x"}).Save(ctx))
	}},
	{"conflict of another column than the key", "ON CONFLICT", func(ctx context.Context, c *ent.Client) error {
		return c.Book.Create().SetTitle("Orlando").OnConflictColumns(book.FieldTitle).UpdateNewValues().Exec(ctx)
	}},
	{"update of every row", "UPDATE without WHERE", func(ctx context.Context, c *ent.Client) error {
		return c.Book.Update().SetLent(true).Exec(ctx)
	}},
	{"delete of every row", "DELETE without WHERE", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Delete().Exec(ctx))
	}},
	{"transaction of a certain isolation", "isolation level Serializable", func(ctx context.Context, c *ent.Client) error {
		return one(c.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}))
	}},
	{"migration", "no PostgreSQL", func(ctx context.Context, c *ent.Client) error { return c.Schema.Create(ctx) }},
	{"plan of a migration", "no PostgreSQL", func(ctx context.Context, c *ent.Client) error {
		return c.Schema.WriteTo(ctx, io.Discard)
	}},
}

// refusedByElasticsearch are those that OpenSearch has an answer to, in its way.
var refusedByElasticsearch = []refusal{
	{"traversal", "DISTINCT", func(ctx context.Context, c *ent.Client) error {
		return one(c.Author.Query().QueryBooks().All(ctx))
	}},
	{"rows of an edge", "DISTINCT", func(ctx context.Context, c *ent.Client) error {
		return one(c.Author.GetX(ctx, "woolf").QueryBooks().All(ctx))
	}},
	{"row of an edge, backwards", "JOIN", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Where(book.Title("Orlando")).OnlyX(ctx).QueryAuthor().Unique(false).Only(ctx))
	}},
	{"unique rows", "DISTINCT", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Unique(true).All(ctx))
	}},
	{"order by an edge's count", "JOIN", func(ctx context.Context, c *ent.Client) error {
		return one(c.Author.Query().Order(author.ByBooksCount()).All(ctx))
	}},
	{"order by an edge's field", "JOIN", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Order(book.ByAuthorField(author.FieldName)).All(ctx))
	}},
}

// unknown are those that the servers do not understand; their errors name the operator.
var unknown = []refusal{
	{"equality of either case", "ILIKE", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Where(book.TitleEqualFold("ORLANDO")).All(ctx))
	}},
	{"part of a text in either case", "ILIKE", func(ctx context.Context, c *ent.Client) error {
		return one(c.Book.Query().Where(book.TitleContainsFold("LAND")).All(ctx))
	}},
	{"predicate on a JSON field", "@", func(ctx context.Context, c *ent.Client) error {
		in := func(s *entsql.Selector) { s.Where(sqljson.ValueContains(book.FieldSubjects, "time")) }
		return one(c.Book.Query().Where(in).All(ctx))
	}},
}

func TestWhatCannotWorkIsAnErrorThatNamesIt(t *testing.T) {
	each(t, "?tx=noop&refresh=true", func(t *testing.T, c *ent.Client) {
		for _, r := range refused {
			err := r.try(t.Context(), c)
			assert.ErrorIs(t, err, esdriver.ErrUnsupported, r.use)
			assert.ErrorContains(t, err, r.names, r.use)
		}
		for _, r := range unknown {
			assert.ErrorContains(t, r.try(t.Context(), c), r.names, r.use)
		}
		assert.Equal(t, 4, c.Book.Query().Where(book.Lent(false), book.PagesGT(1)).CountX(t.Context()), "nothing has changed")
	})
}

func TestElasticsearchRefusesDistinctAndJoin(t *testing.T) {
	c := stocked(t, fakecluster.Elasticsearch, "?refresh=true").client
	for _, r := range refusedByElasticsearch {
		err := r.try(t.Context(), c)
		assert.ErrorIs(t, err, esdriver.ErrUnsupported, r.use)
		assert.ErrorContains(t, err, r.names, r.use)
	}
}

func TestTransactionIsRefusedUnlessItMayBeNone(t *testing.T) {
	each(t, "?refresh=true", func(t *testing.T, c *ent.Client) {
		_, err := c.Tx(t.Context())
		require.ErrorIs(t, err, esdriver.ErrUnsupported)
		err = c.Author.UpdateOneID("woolf").SetName("x").Exec(t.Context())
		require.ErrorIs(t, err, esdriver.ErrUnsupported, "ent begins one for an update of one row")
		require.ErrorContains(t, err, "tx=noop")
		err = c.Author.Create().SetName("x").AddBookIDs(1).Exec(t.Context())
		require.ErrorIs(t, err, esdriver.ErrUnsupported, "and for an edge whose column is the other table's")
		n, err := c.Author.Update().Where(author.ID("woolf")).SetName("V. Woolf").Save(t.Context())
		require.NoError(t, err, "and none for an update of some")
		assert.Equal(t, 1, n)
	})
}

func TestRollbackOfAWriteIsRefusedAndTheRowStays(t *testing.T) {
	each(t, "?tx=noop&refresh=true", func(t *testing.T, c *ent.Client) {
		tx, err := c.Tx(t.Context())
		require.NoError(t, err)
		require.NoError(t, tx.Author.Create().SetID("eliot").SetName("George Eliot").Exec(t.Context()))
		require.ErrorIs(t, tx.Rollback(), esdriver.ErrRollbackUnsupported)
		assert.Equal(t, "George Eliot", c.Author.GetX(t.Context(), "eliot").Name)

		tx, err = c.Tx(t.Context())
		require.NoError(t, err)
		require.NoError(t, tx.Author.DeleteOneID("eliot").Exec(t.Context()))
		require.NoError(t, tx.Commit())
	})
}

func TestHookThatFailsKeepsTheRowUnwritten(t *testing.T) {
	each(t, "?tx=noop&refresh=true", func(t *testing.T, c *ent.Client) {
		closed := errors.New("closed")
		c.Book.Use(func(ent.Mutator) ent.Mutator {
			return ent.MutateFunc(func(context.Context, ent.Mutation) (ent.Value, error) { return nil, closed })
		})
		require.ErrorIs(t, c.Book.Create().SetTitle("x").Exec(t.Context()), closed)
		assert.Equal(t, 4, c.Book.Query().CountX(t.Context()))
	})
}

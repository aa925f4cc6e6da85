package esbun_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// TestLifeOfARowGoesOnWhenANodeIsLost is the whole of what a program does with rows, with a node that is lost on the way.
func TestLifeOfARowGoesOnWhenANodeIsLost(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		author := Author{Name: `O'Brien \' Flann`, Born: pointer(time.Date(1911, 10, 5, 0, 0, 0, 0, time.UTC))}
		insert(t, db, &author)
		require.Len(t, author.ID, 20, "the driver makes the key")
		book := Book{Title: "At Swim-Two-Birds", Pages: 320, Price: 12.5, AuthorID: &author.ID, Notes: map[string]string{"shelf": `a\b`}}
		insert(t, db, &book)
		require.NotZero(t, book.ID)
		require.WithinDuration(t, time.Now(), book.CreatedAt, time.Minute, "the default comes back")

		found := Book{ID: book.ID}
		require.NoError(t, db.NewSelect().Model(&found).WherePK().Scan(t.Context()))
		assert.Equal(t, book.Title, found.Title)
		assert.Equal(t, book.Notes, found.Notes)
		assert.True(t, book.CreatedAt.Equal(found.CreatedAt))

		fake.Node(1).Kill()

		found.Title = "The Third Policeman"
		_, err := db.NewUpdate().Model(&found).Column("title").WherePK().Exec(t.Context())
		require.NoError(t, err)
		var pages int32
		_, err = db.NewUpdate().Model((*Book)(nil)).Set("pages = pages + ?", 12).Where("id = ?", book.ID).Returning("pages").Exec(t.Context(), &pages)
		require.NoError(t, err)
		assert.EqualValues(t, 332, pages)

		n, err := db.NewSelect().Model((*Book)(nil)).Where("created_at > ?", time.Now().Add(-time.Hour)).Count(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
		n, err = db.NewSelect().Model((*Book)(nil)).Where("created_at > ?", time.Now().Add(time.Minute)).Count(t.Context())
		require.NoError(t, err)
		assert.Zero(t, n)

		loans := []Loan{{BookID: book.ID, Reader: "Ann"}, {BookID: book.ID, Reader: "Bea"}}
		insert(t, db, &loans)
		loans[1].Reader = "Cid"
		_, err = db.NewInsert().Model(&loans[1]).On("CONFLICT (id) DO UPDATE").Exec(t.Context())
		require.NoError(t, err)
		authors := []Author{{ID: author.ID}}
		require.NoError(t, db.NewSelect().Model(&authors).Relation("Books.Loans").Scan(t.Context()))
		require.Len(t, authors[0].Books, 1)
		assert.Len(t, authors[0].Books[0].Loans, 2)
		require.NoError(t, esbun.Load(t.Context(), db, &loans, "Book"))
		assert.Equal(t, found.Title, loans[1].Book.Title)
		n, err = db.NewSelect().Model((*Loan)(nil)).Where("reader = ?", "Cid").Count(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)

		_, err = db.NewDelete().Model(&found).WherePK().Exec(t.Context())
		require.NoError(t, err)
		require.ErrorIs(t, db.NewSelect().Model(&found).WherePK().Scan(t.Context()), sql.ErrNoRows)
		require.NoError(t, db.NewSelect().Model(&found).WherePK().WhereAllWithDeleted().Scan(t.Context()))
		assert.False(t, found.DeletedAt.IsZero())
		_, err = db.NewDelete().Model(&found).WherePK().ForceDelete().Exec(t.Context())
		require.NoError(t, err)
		assert.Empty(t, fake.Docs("books"))

		var all []Author
		require.NoError(t, db.NewSelect().Model(&all).Where("name = ?", author.Name).Scan(t.Context()))
		require.Len(t, all, 1)
		assert.Equal(t, author.Name, all[0].Name)
		assert.True(t, author.Born.Equal(*all[0].Born))
	})
}

func TestBatchesGiveEachRowItsKey(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		books := make([]Book, 25)
		for i := range books {
			books[i].Title = fmt.Sprint("volume ", i)
		}
		insert(t, db, &books)
		fake.Node(0).Kill()
		for i, b := range books {
			var title string
			require.NoError(t, db.NewSelect().Model((*Book)(nil)).Column("title").Where("id = ?", b.ID).Scan(t.Context(), &title))
			assert.Equal(t, fmt.Sprint("volume ", i), title)
		}
		var page []Book
		n, err := db.NewSelect().Model(&page).Order("id").Limit(5).Offset(20).ScanAndCount(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 25, n)
		require.Len(t, page, 5)
		assert.Equal(t, "volume 20", page[0].Title)
	})
}

func TestOnConflictDoesWhatItSays(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		insert(t, db, &Author{ID: "a", Name: "one"})
		_, err := db.NewInsert().Model(&Author{ID: "a", Name: "two"}).Exec(t.Context())
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
		result, err := db.NewInsert().Model(&Author{ID: "a", Name: "three"}).Ignore().Exec(t.Context())
		require.NoError(t, err)
		n, err := result.RowsAffected()
		require.NoError(t, err)
		assert.Zero(t, n)
		fake.Node(2).Kill()
		_, err = db.NewInsert().Model(&[]Author{{ID: "a", Name: "four"}, {ID: "b", Name: "five"}}).
			On("CONFLICT (id) DO UPDATE").Set("name = EXCLUDED.name").Exec(t.Context())
		require.NoError(t, err)
		var names []string
		require.NoError(t, db.NewSelect().Model((*Author)(nil)).Column("name").Order("id").Scan(t.Context(), &names))
		assert.Equal(t, []string{"four", "five"}, names)
	})
}

func TestChangesByConditionCountTheirRows(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		insert(t, db, &[]Book{{Title: "a", Pages: 10}, {Title: "b", Pages: 20}, {Title: "c", Pages: 30}})
		result, err := db.NewUpdate().Model((*Book)(nil)).Set("rare = ?", true).Where("pages > ?", 15).Exec(t.Context())
		require.NoError(t, err)
		n, err := result.RowsAffected()
		require.NoError(t, err)
		assert.EqualValues(t, 2, n)
		_, err = db.NewDelete().Model((*Book)(nil)).Where("title IN (?)", bun.List([]string{"b", "x"})).ForceDelete().Exec(t.Context())
		require.NoError(t, err)
		rest, err := db.NewSelect().Model((*Book)(nil)).Where("rare").Count(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, rest)
		_, err = db.NewTruncateTable().Model((*Book)(nil)).Exec(t.Context())
		require.NoError(t, err)
		rest, err = db.NewSelect().Model((*Book)(nil)).Count(t.Context())
		require.NoError(t, err)
		assert.Zero(t, rest)
	})
}

func TestMapsCanBeWrittenAndRead(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		_, err := db.NewInsert().Model(&map[string]any{"book_id": 4, "reader": `Ann \`}).TableExpr("loans").Exec(t.Context())
		require.NoError(t, err)
		var rows []map[string]any
		require.NoError(t, db.NewSelect().TableExpr("loans").Column("book_id", "reader").Scan(t.Context(), &rows))
		require.Len(t, rows, 1)
		assert.Equal(t, map[string]any{"book_id": int64(4), "reader": `Ann \`}, rows[0])
	})
}

func TestColumnsAreAddedAndOtherChangesRefused(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		_, err := db.NewAddColumn().Model((*Tag)(nil)).ColumnExpr("colour VARCHAR(20)").Exec(t.Context())
		require.NoError(t, err)
		for what, err := range map[string]error{
			"DROP COLUMN":      second(db.NewDropColumn().Model((*Tag)(nil)).Column("colour").Exec(t.Context())),
			"CREATE INDEX":     second(db.NewCreateIndex().Model((*Tag)(nil)).Index("i").Column("name").Exec(t.Context())),
			"a transaction":    db.RunInTx(t.Context(), nil, nil),
			"a primary key of": second(db.NewCreateTable().Model((*pair)(nil)).Exec(t.Context())),
		} {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), what)
		}
		_, err = db.NewDropTable().Model((*Tag)(nil)).IfExists().Exec(t.Context())
		require.NoError(t, err)
	})
}

// pair has a key of two columns.
type pair struct {
	A, B string `bun:",pk"`
}

func second[T any](_ T, err error) error { return err }

package esbun_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// fill inserts two authors, three books, and what belongs to them.
func fill(t *testing.T, db *bun.DB) (books []Book) {
	t.Helper()
	insert(t, db, &[]Author{{ID: "w", Name: "Woolf"}, {ID: "j", Name: "Joyce"}})
	books = []Book{{Title: "Orlando", AuthorID: pointer("w")}, {Title: "Ulysses", AuthorID: pointer("j")}, {Title: "Anonymous"}}
	insert(t, db, &books)
	insert(t, db, &[]Loan{{BookID: books[0].ID, Reader: "Ann"}, {BookID: books[0].ID, Reader: "Bea"}, {BookID: books[1].ID, Reader: "Cid"}})
	insert(t, db, &[]Tag{{Name: "novel"}, {Name: "1928"}})
	insert(t, db, &[]BookTag{
		{Key: "1", BookID: books[0].ID, TagName: "novel"}, {Key: "2", BookID: books[0].ID, TagName: "1928"}, {Key: "3", BookID: books[1].ID, TagName: "novel"},
	})
	return books
}

func TestLoadFillsRelationsOfEveryKind(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		fill(t, db)
		var books []*Book
		require.NoError(t, db.NewSelect().Model(&books).Order("title").Scan(t.Context()))
		require.NoError(t, esbun.Load(t.Context(), db, &books, "Author"))
		require.NoError(t, esbun.Load(t.Context(), db, &books, "Tags"))
		require.NoError(t, esbun.Load(t.Context(), db, &books, "Loans", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("reader DESC") }))
		anonymous, orlando, ulysses := books[0], books[1], books[2]
		assert.Nil(t, anonymous.Author)
		assert.Empty(t, anonymous.Tags)
		assert.Equal(t, "Woolf", orlando.Author.Name)
		assert.Equal(t, "Joyce", ulysses.Author.Name)
		assert.ElementsMatch(t, []Tag{{Name: "novel"}, {Name: "1928"}}, orlando.Tags)
		assert.Equal(t, []Tag{{Name: "novel"}}, ulysses.Tags)
		require.Len(t, orlando.Loans, 2)
		assert.Equal(t, "Bea", orlando.Loans[0].Reader)

		orlando.Author = &Author{Name: "old"}
		orlando.AuthorID = nil
		require.NoError(t, esbun.Load(t.Context(), db, orlando, "Author"))
		assert.Nil(t, orlando.Author, "what was there is replaced")

		loan := Loan{BookID: orlando.ID}
		require.NoError(t, esbun.Load(t.Context(), db, &loan, "Book"))
		assert.Equal(t, "Orlando", loan.Book.Title)
	})
}

// Room has an unsigned key, and Desk refers to it by another type.
type Room struct {
	ID    uint16  `bun:",pk"`
	Desks []*Desk `bun:"rel:has-many,join:id=room_id"`
}

// Desk is in a room.
type Desk struct {
	ID     int64 `bun:",pk"`
	RoomID *int64
	Room   *Room `bun:"rel:belongs-to,join:room_id=id"`
}

func TestLoadJoinsKeysOfOtherIntegerTypes(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		for _, model := range []any{(*Room)(nil), (*Desk)(nil)} {
			require.NoError(t, second(db.NewCreateTable().Model(model).Exec(t.Context())))
		}
		insert(t, db, &Room{ID: 7})
		desks := []Desk{{ID: 1, RoomID: pointer(int64(7))}, {ID: 2}}
		insert(t, db, &desks)
		require.NoError(t, esbun.Load(t.Context(), db, &desks, "Room"))
		require.NotNil(t, desks[0].Room)
		assert.EqualValues(t, 7, desks[0].Room.ID)
		assert.Nil(t, desks[1].Room)
		rooms := []Room{{ID: 7}, {ID: 8}}
		require.NoError(t, esbun.Load(t.Context(), db, &rooms, "Desks"))
		assert.Len(t, rooms[0].Desks, 1)
		assert.Empty(t, rooms[1].Desks)
	})
}

func TestHasManyRelationsAreBunsOwnWork(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		fill(t, db)
		var authors []Author
		require.NoError(t, db.NewSelect().Model(&authors).Relation("Books").Relation("Books.Loans").Order("id").Scan(t.Context()))
		require.Len(t, authors, 2)
		require.Len(t, authors[1].Books, 1)
		assert.Equal(t, "Orlando", authors[1].Books[0].Title)
		assert.Len(t, authors[1].Books[0].Loans, 2)
	})
}

func TestLoadSaysWhatItCannot(t *testing.T) {
	db := bun.NewDB(nil, esbun.New())
	db.RegisterModel((*BookTag)(nil))
	require.ErrorContains(t, esbun.Load(t.Context(), db, &Book{}, "Publisher"), "no relation Publisher")
	require.ErrorContains(t, esbun.Load(t.Context(), db, Book{}, "Author"), "needs a pointer")
	require.ErrorContains(t, esbun.Load(t.Context(), db, &[]string{"x"}, "Author"), "needs a pointer")
	require.NoError(t, esbun.Load(t.Context(), db, &[]Book{}, "Author"))
	require.NoError(t, esbun.Load(t.Context(), db, &Book{}, "Author"), "a NULL asks nobody")
}

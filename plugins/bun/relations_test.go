package esbun_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// Deck has a key that may be NULL by its type, and cards that refer to it in two ways.
type Deck struct {
	ID    *int64  `bun:",pk"`
	Cards []*Card `bun:"rel:has-many,join:id=deck_id"`
	Lost  *Card   `bun:"rel:has-one,join:id=lost_of"`
}

// Card is in a deck.
type Card struct {
	ID     string `bun:",pk"`
	DeckID *int64
	Suit   string
	Deck   *Deck `bun:"rel:belongs-to,join:deck_id=id"`
	LostOf sql.NullInt64
	From   *Deck   `bun:"rel:belongs-to,join:lost_of=id"`
	Under  *string // the card that it lies on
	Lower  *Card   `bun:"rel:belongs-to,join:under=id"`
}

func TestRelationsGoByPointersToTheSameTableAndWithConditions(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		require.NoError(t, db.ResetModel(t.Context(), (*Deck)(nil), (*Card)(nil)))
		decks := []Deck{{ID: pointer(int64(1))}, {ID: pointer(int64(2))}}
		insert(t, db, &decks)
		insert(t, db, &[]Card{
			{ID: "a", DeckID: decks[0].ID, Suit: "hearts"},
			{ID: "b", DeckID: decks[0].ID, Suit: "clubs", Under: pointer("a")},
			{ID: "c", LostOf: sql.NullInt64{Int64: 2, Valid: true}},
		})
		fake.Node(2).Kill()
		require.NoError(t, db.NewSelect().Model(&decks).Relation("Cards", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("suit = ?", "clubs").ExcludeColumn("under")
		}).Order("id").Scan(t.Context()))
		require.Len(t, decks[0].Cards, 1)
		assert.Equal(t, "b", decks[0].Cards[0].ID)
		assert.Empty(t, decks[1].Cards)
		decks = nil
		require.NoError(t, db.NewSelect().Model(&decks).RelationWithOpts("Cards", bun.RelationOpts{
			Apply: func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("id") },
		}).Order("id").Scan(t.Context()))
		require.Len(t, decks[0].Cards, 2)

		var cards []Card
		require.NoError(t, db.NewSelect().Model(&cards).Order("id").Scan(t.Context()))
		require.NoError(t, esbun.Load(t.Context(), db, &cards, "Lower"))
		require.NoError(t, esbun.Load(t.Context(), db, &cards, "Deck"))
		require.NoError(t, esbun.Load(t.Context(), db, &cards, "From"))
		require.NoError(t, esbun.Load(t.Context(), db, &decks, "Lost"))
		assert.Equal(t, "hearts", cards[1].Lower.Suit)
		assert.Nil(t, cards[0].Lower)
		assert.EqualValues(t, 1, *cards[0].Deck.ID)
		assert.Nil(t, cards[2].Deck)
		assert.Nil(t, cards[0].From)
		assert.EqualValues(t, 2, *cards[2].From.ID)
		assert.Equal(t, "c", decks[1].Lost.ID)
		assert.Nil(t, decks[0].Lost)
	})
}

// Catalogued is a book with what a query adds. Its table and its relations are the book's.
type Catalogued struct {
	bun.BaseModel `bun:"table:books,alias:book"`
	*Book
	Extra int `bun:",scanonly"`
}

func TestLoadNarrowsAndFollowsAnEmbeddedModel(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		fill(t, db)
		var books []Catalogued
		require.NoError(t, db.NewSelect().Model(&books).Where("title = ?", "Orlando").Scan(t.Context()))
		require.Len(t, books, 1)
		require.NoError(t, esbun.Load(t.Context(), db, &books, "Tags", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("name = ?", "1928")
		}))
		assert.Equal(t, []Tag{{Name: "1928"}}, books[0].Tags)
		require.NoError(t, esbun.Load(t.Context(), db, &books, "Author", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Column("id")
		}))
		assert.Equal(t, "w", books[0].Author.ID)
		assert.Empty(t, books[0].Author.Name)
	})
}

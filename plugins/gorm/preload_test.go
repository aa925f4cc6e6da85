package esgorm_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver/fakecluster"
)

// stocked writes two authors with three books, their loans and tags.
func stocked(t *testing.T, db *gorm.DB) {
	t.Helper()
	require.NoError(t, db.Create([]Author{
		{ID: "w", Name: "Woolf", Books: []Book{
			{Title: "Flush", Pages: 1, Loans: []Loan{{Reader: "Ann"}, {Reader: "Bea"}}, Tags: []Tag{{Name: "dog"}, {Name: "poet"}}},
			{Title: "Orlando", Pages: 2, Tags: []Tag{{Name: "poet"}}},
		}},
		{ID: "j", Name: "Joyce", Books: []Book{{Title: "Ulysses", Pages: 3, Loans: []Loan{{Reader: "Ann"}}}}},
		{ID: "n", Name: "Nobody"},
	}).Error)
}

func TestPreloadGoesAsDeepAndAsNarrowAsItIsTold(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		stocked(t, db)
		var authors []*Author
		byTitle := func(tx *gorm.DB) *gorm.DB { return tx.Where("pages < ?", 3).Order("title DESC") }
		require.NoError(t, db.Preload("Books", byTitle).Preload("Books.Loans", "reader <> ?", "Bea").Preload("Books.Tags").
			Preload("Books."+clause.Associations).Order("id").Find(&authors).Error)
		require.Len(t, authors, 3)
		assert.Empty(t, authors[0].Books, "Ulysses has too many pages")
		assert.NotNil(t, authors[1].Books, "an empty list, not none")
		require.Len(t, authors[2].Books, 2)
		assert.Equal(t, "Orlando", authors[2].Books[0].Title)
		flush := authors[2].Books[1]
		require.Len(t, flush.Loans, 1)
		assert.Equal(t, "Ann", flush.Loans[0].Reader)
		assert.Len(t, flush.Tags, 2)
		require.NotNil(t, flush.Author)
		assert.Equal(t, "w", flush.Author.ID)
	})
}

func TestPreloadOfNothingOfOtherModelsAndOfDeletedRows(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		stocked(t, db)
		var none []Book
		require.NoError(t, db.Preload("Author").Preload("Loans").Where("title = ?", "none").Find(&none).Error)
		assert.Empty(t, none)
		var narrow struct {
			ID    uint
			Title string
			Loans []Loan `gorm:"foreignKey:BookID"`
		}
		require.NoError(t, db.Model(&Book{}).Preload("Loans").Where("title = ?", "Flush").First(&narrow).Error)
		assert.Len(t, narrow.Loans, 2)

		require.NoError(t, db.Where("title = ?", "Flush").Delete(&Book{}).Error)
		var author Author
		require.NoError(t, db.Preload("Books").Take(&author, "id = ?", "w").Error)
		assert.Len(t, author.Books, 1)
		unscoped := func(tx *gorm.DB) *gorm.DB { return tx.Unscoped() }
		require.NoError(t, db.Preload("Books", unscoped).Take(&author, "id = ?", "w").Error)
		assert.Len(t, author.Books, 2)
		errStop := errors.New("enough")
		stop := func(tx *gorm.DB) *gorm.DB { _ = tx.AddError(errStop); return tx }
		require.ErrorIs(t, db.Preload("Books", stop).Find(&[]Author{}).Error, errStop)
	})
}

// Desk is embedded, and has an owner.
type Desk struct {
	OwnerID *string
	Owner   *Author
	Guests  []Note `gorm:"polymorphic:Owner;polymorphicValue:desk"`
}

// Room has a desk.
type Room struct {
	ID   string
	Desk *Desk `gorm:"embedded;embeddedPrefix:desk_"`
	Sign Note  `gorm:"polymorphic:Owner;polymorphicValue:sign"`
}

func TestPreloadReachesEmbeddedModelsAndNamedOwners(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Room{}, &Note{}))
		desk := Desk{Owner: &Author{ID: "o"}, Guests: []Note{{Text: "hello"}}}
		require.NoError(t, db.Create(&Room{ID: "r", Desk: &desk, Sign: Note{Text: "way out"}}).Error)
		require.NoError(t, db.Create(&Note{Text: "of another", OwnerID: "r", OwnerType: "rooms"}).Error)
		var room Room
		require.NoError(t, db.Preload("Desk.Owner").Preload("Desk.Guests").Preload("Sign").Take(&room, "id = ?", "r").Error)
		assert.Equal(t, "o", room.Desk.Owner.ID)
		require.Len(t, room.Desk.Guests, 1)
		assert.Equal(t, "desk", room.Desk.Guests[0].OwnerType)
		assert.Equal(t, "way out", room.Sign.Text)
		require.NoError(t, db.Model(&room).Association("Sign").Replace(&Note{Text: "way in"}))
		assert.EqualValues(t, 1, db.Model(&room).Association("Sign").Count())
	})
}

func TestOneSessionPreloadsForMany(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		stocked(t, db)
		shared := db.Preload("Books.Loans").Where("name <> ?", "Nobody").Session(&gorm.Session{})
		fake.Node(0).Kill()
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				var authors []Author
				if assert.NoError(t, shared.Order("id").Find(&authors).Error) && assert.Len(t, authors, 2) {
					assert.Len(t, authors[1].Books, 2)
				}
			})
		}
		work.Wait()
	})
}

package esgorm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestAssociationsAreSavedAndPreloaded(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		book := Book{
			Title: "Orlando", Author: &Author{Name: "Woolf"}, Tags: []Tag{{Name: "novel"}, {Name: "1928"}},
			Loans: []Loan{{Reader: "Ann", Due: time.Unix(1, 0)}, {Reader: "Bea", Due: time.Unix(2, 0)}},
		}
		require.NoError(t, db.Create(&book).Error)
		require.NotNil(t, book.AuthorID)

		var found Book
		require.NoError(t, db.Preload("Author").Preload("Loans", func(tx *gorm.DB) *gorm.DB { return tx.Order("reader") }).
			Preload("Tags").First(&found, book.ID).Error)
		require.NotNil(t, found.Author)
		assert.Equal(t, "Woolf", found.Author.Name)
		require.Len(t, found.Loans, 2)
		assert.Equal(t, "Ann", found.Loans[0].Reader)
		assert.ElementsMatch(t, book.Tags, found.Tags)

		var authors []Author
		require.NoError(t, db.Preload("Books.Loans").Find(&authors).Error)
		require.Len(t, authors, 1)
		require.Len(t, authors[0].Books, 1)
		assert.Len(t, authors[0].Books[0].Loans, 2)
	})
}

func TestRowsWithSeveralKeysAreThereOnce(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Title: "a", Tags: []Tag{{Name: "x,y"}, {Name: "z"}}}
		require.NoError(t, db.Create(&book).Error)
		require.NoError(t, db.Model(&book).Association("Tags").Append(&Tag{Name: "z"}, &Tag{Name: "new"}))
		assert.Len(t, fake.Docs("book_tags"), 3)
		var found Book
		require.NoError(t, db.Preload("Tags").First(&found, book.ID).Error)
		assert.Len(t, found.Tags, 3)
		require.NoError(t, db.Model(&book).Association("Tags").Delete(&Tag{Name: "x,y"}))
		require.NoError(t, db.Model(&book).Association("Tags").Replace(&Tag{Name: "only"}))
		assert.Len(t, fake.Docs("book_tags"), 1)
		require.NoError(t, db.Model(&book).Association("Tags").Clear())
		assert.Empty(t, fake.Docs("book_tags"))
	})
}

// Shelfmark has two keys.
type Shelfmark struct {
	Room  string `gorm:"primaryKey"`
	Place string `gorm:"primaryKey"`
	Note  string
}

func TestOnConflictKnowsRowsWithSeveralKeys(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Shelfmark{}))
		require.NoError(t, db.Create([]Shelfmark{{"a,b", "c", ""}, {"a", "b,c", ""}}).Error, "commas keep their places")
		require.ErrorIs(t, db.Create(&Shelfmark{Room: "a", Place: "b,c"}).Error, gorm.ErrDuplicatedKey)
		keys := []clause.Column{{Name: "place"}, {Name: "room"}}
		require.NoError(t, db.Clauses(clause.OnConflict{Columns: keys, UpdateAll: true}).Create(&Shelfmark{"a", "b,c", "new"}).Error)
		require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Shelfmark{"d", "e", "first"}).Error)
		assert.Len(t, fake.Docs("shelfmarks"), 3)
		require.NoError(t, db.Save(&Shelfmark{"d", "e", "second"}).Error)
		var got Shelfmark
		require.NoError(t, db.Where("room = ? AND place = ?", "d", "e").Take(&got).Error)
		assert.Equal(t, "second", got.Note)
		require.NoError(t, db.Delete(&got).Error)
		assert.Len(t, fake.Docs("shelfmarks"), 2)
		assert.Zero(t, db.Where("note = ?", "none").Delete(&[]Shelfmark{{Room: "a,b", Place: "c"}, {Room: "a", Place: "b,c"}}).RowsAffected)
		gone := db.Delete(&[]Shelfmark{{Room: "a,b", Place: "c"}, {Room: "a", Place: "b,c"}})
		require.NoError(t, gone.Error)
		assert.EqualValues(t, 2, gone.RowsAffected)
	})
}

func TestHasManyAssociationModeWorks(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		author := Author{Name: "a", Books: []Book{{Title: "one"}, {Title: "two"}}}
		require.NoError(t, db.Create(&author).Error)
		require.NoError(t, db.Model(&author).Association("Books").Append(&Book{Title: "three"}))
		var books []Book
		require.NoError(t, db.Model(&author).Association("Books").Find(&books))
		require.Len(t, books, 3)
		require.NoError(t, db.Model(&author).Association("Books").Delete(&books[0]))
		assert.EqualValues(t, 2, db.Model(&author).Association("Books").Count())
	})
}

func TestManyToManyAssociationModeReadsByJoinWhichElasticsearchRefuses(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Title: "a", Tags: []Tag{{Name: "x"}}}
		require.NoError(t, db.Create(&book).Error)
		err := db.Model(&book).Association("Tags").Find(&[]Tag{})
		if strings.HasPrefix(fake.DSN(), "opensearch") {
			require.NoError(t, err)
			return
		}
		require.ErrorIs(t, err, esdriver.ErrUnsupported)
		assert.Contains(t, err.Error(), "JOIN")
	})
}

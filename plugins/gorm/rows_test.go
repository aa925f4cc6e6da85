package esgorm_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// TestLifeOfARowGoesOnWhenANodeIsLost is the whole of what a program does with rows, with a node that is lost on the way.
func TestLifeOfARowGoesOnWhenANodeIsLost(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		author := Author{Name: `O'Brien \ Flann`, Born: pointer(time.Date(1911, 10, 5, 0, 0, 0, 0, time.UTC))}
		require.NoError(t, db.Create(&author).Error)
		require.NotEmpty(t, author.ID)

		book := Book{Title: "At Swim-Two-Birds", Pages: 320, Price: 12.5, Rare: true, AuthorID: &author.ID}
		require.NoError(t, db.Create(&book).Error)
		require.NotZero(t, book.ID)

		var found Book
		require.NoError(t, db.First(&found, book.ID).Error)
		assert.Equal(t, book.Title, found.Title)
		assert.True(t, book.CreatedAt.Equal(found.CreatedAt), "%s %s", book.CreatedAt, found.CreatedAt)
		assert.Equal(t, 12.5, found.Price)
		assert.True(t, found.Rare)

		fake.Node(1).Kill()

		require.NoError(t, db.Model(&found).Updates(Book{Title: "The Third Policeman", Pages: 200}).Error)
		require.NoError(t, db.Model(&found).Update("pages", gorm.Expr("pages + ?", 12)).Error)
		require.NoError(t, db.First(&found, book.ID).Error)
		assert.Equal(t, "The Third Policeman", found.Title)
		assert.EqualValues(t, 212, found.Pages)

		found.Rare = false
		require.NoError(t, db.Save(&found).Error)
		fresh := Book{Title: "new by Save"}
		require.NoError(t, db.Save(&fresh).Error)
		require.NotZero(t, fresh.ID)

		var count int64
		require.NoError(t, db.Model(&Book{}).Where("rare = ?", false).Count(&count).Error)
		assert.EqualValues(t, 2, count)

		result := db.Delete(&fresh)
		require.NoError(t, result.Error)
		assert.EqualValues(t, 1, result.RowsAffected)
		require.ErrorIs(t, db.First(&Book{}, fresh.ID).Error, gorm.ErrRecordNotFound)
		require.NoError(t, db.Unscoped().First(&fresh, fresh.ID).Error)
		assert.True(t, fresh.DeletedAt.Valid)
		require.NoError(t, db.Model(&Book{}).Count(&count).Error)
		assert.EqualValues(t, 1, count)
		require.NoError(t, db.Unscoped().Delete(&fresh).Error)
		require.NoError(t, db.Unscoped().Model(&Book{}).Count(&count).Error)
		assert.EqualValues(t, 1, count)

		var with Author
		require.NoError(t, db.Preload("Books").First(&with, "id = ?", author.ID).Error)
		require.Len(t, with.Books, 1)
		assert.Equal(t, author.Name, with.Name)
		assert.True(t, author.Born.Equal(*with.Born))

		again := Author{}
		require.NoError(t, db.FirstOrCreate(&again, Author{Name: author.Name}).Error)
		assert.Equal(t, author.ID, again.ID)
		require.NoError(t, db.FirstOrCreate(&Author{}, Author{ID: "new", Name: "new"}).Error)
		loans := make([]Loan, 7)
		require.NoError(t, db.CreateInBatches(&loans, 3).Error)
		loans[0].Reader = "Ann"
		require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&loans).Error)
		require.NoError(t, db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Loan{ID: loans[0].ID, Reader: "Bea"}).Error)
		require.NoError(t, db.Model(&Loan{}).Where("reader = ?", "Ann").Count(&count).Error)
		assert.EqualValues(t, 1, count)
		assert.Len(t, fake.Docs("loans"), 7)
	})
}

func TestFirstOrCreateMakesARowOnce(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		var first, again Author
		made := db.Where(Author{Name: "Woolf"}).Attrs(Author{Born: pointer(time.Unix(0, 0))}).FirstOrCreate(&first)
		require.NoError(t, made.Error)
		assert.EqualValues(t, 1, made.RowsAffected)
		require.NoError(t, db.Where(Author{Name: "Woolf"}).FirstOrCreate(&again).Error)
		assert.Equal(t, first.ID, again.ID)
		require.NoError(t, db.Where(Author{Name: "Woolf"}).Assign(Author{Name: "V. Woolf"}).FirstOrCreate(&again).Error)
		assert.Equal(t, "V. Woolf", again.Name)

		var none Author
		require.NoError(t, db.Where(Author{Name: "Nobody"}).FirstOrInit(&none).Error)
		assert.Empty(t, none.ID)
		assert.Equal(t, "Nobody", none.Name)
	})
}

func TestBatchesGiveEachRowItsKey(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		books := make([]Book, 25)
		for i := range books {
			books[i].Title = fmt.Sprint("volume ", i)
		}
		books[3].ID = 7 // keys of one's own and made ones in one statement
		created := db.CreateInBatches(&books, 10)
		require.NoError(t, created.Error)
		assert.EqualValues(t, 25, created.RowsAffected)
		for i, b := range books {
			var found Book
			require.NoError(t, db.First(&found, b.ID).Error)
			assert.Equal(t, fmt.Sprint("volume ", i), found.Title)
		}
		assert.EqualValues(t, 7, books[3].ID)

		fake.Node(0).Kill()
		seen := 0
		var page []Book
		require.NoError(t, db.FindInBatches(&page, 7, func(tx *gorm.DB, batch int) error {
			seen += len(page)
			return nil
		}).Error)
		assert.Equal(t, 25, seen)

		var third []Book
		require.NoError(t, db.Order("title desc").Limit(5).Offset(10).Find(&third).Error)
		require.Len(t, third, 5)
	})
}

func TestOnConflictDoesWhatItSays(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Create(&Author{ID: "a", Name: "one"}).Error)
		err := db.Create(&Author{ID: "a", Name: "two"}).Error
		require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
		var duplicate *esdriver.DuplicateKeyError
		require.True(t, errors.As(err, &duplicate))
		assert.Equal(t, "a", duplicate.Key)

		skipped := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Author{ID: "a", Name: "three"})
		require.NoError(t, skipped.Error)
		assert.Zero(t, skipped.RowsAffected)
		assert.Equal(t, "one", authorName(t, db, "a"))

		fake.Node(2).Kill()
		require.NoError(t, db.Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name"}),
		}).Create([]Author{{ID: "a", Name: "four"}, {ID: "b", Name: "five"}}).Error)
		assert.Equal(t, "four", authorName(t, db, "a"))
		assert.Equal(t, "five", authorName(t, db, "b"))

		require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Author{ID: "a", Name: "six"}).Error)
		assert.Equal(t, "six", authorName(t, db, "a"))
		require.NoError(t, db.Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.Assignments(map[string]any{"name": "fixed"}),
		}).Create(&Author{ID: "a"}).Error)
		assert.Equal(t, "fixed", authorName(t, db, "a"))
	})
}

func authorName(t *testing.T, db *gorm.DB, id string) string {
	t.Helper()
	var a Author
	require.NoError(t, db.Take(&a, "id = ?", id).Error)
	return a.Name
}

func TestReturningGivesWhatWasWritten(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Title: "a", Pages: 1}
		require.NoError(t, db.Create(&book).Error)
		changed := Book{Model: gorm.Model{ID: book.ID}}
		require.NoError(t, db.Model(&changed).Clauses(clause.Returning{}).Updates(map[string]any{"pages": gorm.Expr("pages + 1")}).Error)
		assert.EqualValues(t, 2, changed.Pages)
		assert.Equal(t, "a", changed.Title)

		gone := []Book{{Model: gorm.Model{ID: book.ID}}}
		require.NoError(t, db.Unscoped().Clauses(clause.Returning{Columns: []clause.Column{{Name: "title"}}}).Delete(&gone).Error)
		require.Len(t, gone, 1)
		assert.Equal(t, "a", gone[0].Title)
	})
}

func TestChangesByConditionCountTheirRows(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Create([]Book{{Title: "a", Pages: 10}, {Title: "b", Pages: 20}, {Title: "c", Pages: 30}}).Error)
		changed := db.Model(&Book{}).Where("pages > ?", 15).Updates(map[string]any{"pages": gorm.Expr("pages * ?", 2), "rare": true})
		require.NoError(t, changed.Error)
		assert.EqualValues(t, 2, changed.RowsAffected)
		var pages []int32
		require.NoError(t, db.Model(&Book{}).Order("pages").Pluck("pages", &pages).Error)
		assert.Equal(t, []int32{10, 40, 60}, pages)

		require.NoError(t, db.Where("rare = ? AND title IN ?", true, []string{"b", "x"}).Delete(&Book{}).Error)
		require.NoError(t, db.Model(&Book{}).Pluck("pages", &pages).Error)
		assert.Len(t, pages, 2)
		require.ErrorIs(t, db.Model(&Book{}).Update("pages", 1).Error, gorm.ErrMissingWhereClause)
	})
}

func TestMapsCanBeWrittenAndRead(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Model(&Loan{}).Create(map[string]any{"book_id": 4, "reader": "Ann", "due": time.Unix(100, 0)}).Error)
		row := map[string]any{}
		require.NoError(t, db.Model(&Loan{}).Where("reader = ?", "Ann").Take(&row).Error)
		assert.EqualValues(t, 4, row["book_id"])
		var sum struct{ N, Most int64 }
		require.NoError(t, db.Model(&Loan{}).Select("count(*) AS n, max(book_id) AS most").Scan(&sum).Error)
		assert.EqualValues(t, 1, sum.N)
		assert.EqualValues(t, 4, sum.Most)
	})
}

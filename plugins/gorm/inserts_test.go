package esgorm_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// Line has no key.
type Line struct {
	Text string
	N    int
}

func TestRowsOfEveryShapeAreInserted(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Line{}, &Shelf{}))
		require.NoError(t, db.Create(&[]*Line{{"a", 1}, {"b", 2}}).Error)
		require.NoError(t, db.Create(&[2]Line{{"c", 3}, {"d", 4}}).Error)
		require.NoError(t, db.Table("lines").Create(map[string]any{"text": "e", "n": 5}).Error)
		require.NoError(t, db.Model(&Line{}).Create(&[]map[string]any{{"text": "f"}, {"n": 7}}).Error)
		var last Line
		require.NoError(t, db.Order("n DESC").Where("n > 0").Take(&last).Error)
		assert.Equal(t, Line{"", 7}, last)
		assert.Len(t, fake.Docs("lines"), 7)
		require.NoError(t, db.Create(&Shelf{}).Error, "nothing but what is made")

		many := make([]Line, 5)
		batched := db.Session(&gorm.Session{CreateBatchSize: 2}).Create(&many)
		require.NoError(t, batched.Error)
		assert.EqualValues(t, 5, batched.RowsAffected)
		shelves := []Shelf{{Name: "a"}, {Name: "b", Room: "hall"}, {Name: "c"}}
		require.NoError(t, db.Clauses(clause.Returning{}).CreateInBatches(&shelves, 2).Error)
		assert.Equal(t, []string{"attic", "hall", "attic"}, []string{shelves[0].Room, shelves[1].Room, shelves[2].Room})
	})
}

func TestWhatIsNoRowIsNotInserted(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		var nobody *Author
		require.ErrorIs(t, db.Create(nobody).Error, gorm.ErrInvalidValue)
		require.ErrorIs(t, db.Create(&[]Author{}).Error, gorm.ErrEmptySlice)
		require.ErrorIs(t, db.Create([]Author{}).Error, gorm.ErrEmptySlice)
		require.Error(t, db.Create(&[]int{1, 2}).Error)
		require.ErrorIs(t, db.FirstOrCreate(&Shelf{}).Error, esdriver.ErrNoTable)
		name := db.Model(&Author{}).Select("name")
		require.ErrorIs(t, db.Model(&Book{}).Create(map[string]any{"title": name}).Error, esdriver.ErrUnsupported)
		assert.Empty(t, fake.Docs("authors"))
	})
}

func TestTimesKeysAndColumnsMayBeTheProgramsOwn(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		then := time.Date(2020, 2, 29, 1, 2, 3, 4e6, time.UTC)
		book := Book{Model: gorm.Model{ID: 9, CreatedAt: then, UpdatedAt: then}, Title: "a", Pages: 3}
		require.NoError(t, db.Create(&book).Error)
		at := func() time.Time { return then.Add(time.Hour) }
		require.NoError(t, db.Session(&gorm.Session{NowFunc: at}).Create(&Book{Model: gorm.Model{ID: 10}}).Error)
		require.NoError(t, db.Select("ID", "Title").Create(&Book{Model: gorm.Model{ID: 11}, Title: "b", Pages: 3}).Error)
		require.NoError(t, db.Omit("Title").Create(&Book{Model: gorm.Model{ID: 12}, Title: "c", Pages: 3}).Error)
		var books []Book
		require.NoError(t, db.Order("id").Find(&books, []uint{9, 10, 11, 12}).Error)
		require.Len(t, books, 4)
		assert.True(t, books[0].UpdatedAt.Equal(then))
		assert.True(t, books[1].CreatedAt.Equal(at()))
		assert.Equal(t, "b", books[2].Title)
		assert.Zero(t, books[2].Pages)
		assert.Empty(t, books[3].Title)
		assert.EqualValues(t, 3, books[3].Pages)
	})
}

func TestSaveWritesAllOfARowWhoeverMadeIt(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Model: gorm.Model{ID: 5}, Title: "a"}
		for range 2 {
			require.NoError(t, db.Save(&book).Error)
		}
		assert.Len(t, fake.Docs("books"), 1)
		loans := []Loan{{ID: 1, Reader: "Ann"}, {ID: 2, Reader: "Bea"}, {Reader: "Cid"}}
		require.NoError(t, db.Save(&loans).Error)
		loans[0].Reader = "Ann 2"
		saved := db.Save(&loans)
		require.NoError(t, saved.Error)
		assert.EqualValues(t, 3, saved.RowsAffected)
		assert.Len(t, fake.Docs("loans"), 3)
		assert.NotZero(t, loans[2].ID)
		require.ErrorIs(t, db.Save(&Line{}).Error, gorm.ErrMissingWhereClause)
		require.ErrorIs(t, db.Model(&Book{}).Select("title").Updates(Book{}).Error, gorm.ErrMissingWhereClause)
	})
}

func TestFirstOrCreateByKeyAndCondition(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		a := Author{ID: "k"}
		require.EqualValues(t, 1, db.FirstOrCreate(&a, Author{ID: "k"}).RowsAffected)
		found := db.FirstOrCreate(&Author{}, Author{ID: "k"})
		require.NoError(t, found.Error)
		assert.Zero(t, found.RowsAffected)
		kept := db.Where(Author{ID: "k"}).Assign(map[string]any{"name": "set"}).FirstOrCreate(&a)
		require.NoError(t, kept.Error)
		assert.EqualValues(t, 1, kept.RowsAffected)
		assert.Equal(t, "set", authorName(t, db, "k"))
		var fresh Author
		require.NoError(t, db.Where("name = ?", "text is no value").Attrs("name", "other").FirstOrCreate(&fresh).Error)
		assert.Equal(t, "other", fresh.Name)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, db.WithContext(ctx).FirstOrCreate(&Author{}, Author{ID: "late"}).Error, context.Canceled)
		assert.Len(t, fake.Docs("authors"), 2)
	})
}

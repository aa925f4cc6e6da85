package esgorm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver/fakecluster"
)

var lock = clause.Locking{Strength: "UPDATE"}

// Reader makes its own key, and notes what happens to it.
type Reader struct {
	ID    string
	Name  string
	Prefs map[string]int `gorm:"serializer:json;type:text"`
	Photo []byte
	Seen  time.Time `gorm:"precision:9"`
	Notes []string  `gorm:"-"`
}

// BeforeCreate makes the key.
func (r *Reader) BeforeCreate(*gorm.DB) error {
	if r.Name == "" {
		return errNameless
	}
	r.ID = "reader-" + r.Name
	return nil
}

// AfterCreate takes a note.
func (r *Reader) AfterCreate(*gorm.DB) error { r.Notes = append(r.Notes, "created"); return nil }

// BeforeUpdate changes a column.
func (r *Reader) BeforeUpdate(tx *gorm.DB) error {
	tx.Statement.SetColumn("Seen", time.Unix(5, 123456789).UTC())
	return nil
}

// AfterFind takes a note.
func (r *Reader) AfterFind(*gorm.DB) error { r.Notes = append(r.Notes, "found"); return nil }

// AfterDelete takes a note.
func (r *Reader) AfterDelete(*gorm.DB) error { r.Notes = append(r.Notes, "deleted"); return nil }

var errNameless = errors.New("a reader has a name")

func TestHooksRunAndMakeKeys(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Reader{}))
		require.ErrorIs(t, db.Create(&Reader{}).Error, errNameless)
		r := Reader{Name: "ann", Prefs: map[string]int{"size": 12}, Photo: []byte{0, 255}, Seen: time.Unix(1, 1).UTC()}
		require.NoError(t, db.Create(&r).Error)
		assert.Equal(t, "reader-ann", r.ID)
		assert.Equal(t, []string{"created"}, r.Notes)
		require.NoError(t, db.Model(&r).Update("name", "bea").Error)

		var found Reader
		require.NoError(t, db.First(&found, "id = ?", r.ID).Error)
		assert.Equal(t, []string{"found"}, found.Notes)
		assert.Equal(t, map[string]int{"size": 12}, found.Prefs)
		assert.Equal(t, []byte{0, 255}, found.Photo)
		assert.Equal(t, time.Unix(5, 123456789).UTC(), found.Seen.UTC())
		require.NoError(t, db.Delete(&found).Error)
		assert.Equal(t, []string{"found", "deleted"}, found.Notes)
	})
}

func TestContextEndsAStatement(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, db.WithContext(ctx).Create(&Tag{Name: "x"}).Error, context.Canceled)
		require.ErrorIs(t, db.WithContext(ctx).Find(&[]Tag{}).Error, context.Canceled)
	})
}

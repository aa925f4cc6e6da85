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

// Visit counts itself on its reader's row.
type Visit struct {
	ID     string
	Reader string
	Length int
	Fails  bool `gorm:"-"`
}

var errFails = errors.New("it fails")

// AfterCreate writes with the session that it is given.
func (v *Visit) AfterCreate(tx *gorm.DB) error {
	if v.Fails {
		return errFails
	}
	return tx.Model(&Author{}).Where("id = ?", v.Reader).Update("name", gorm.Expr("CONCAT(name, ?)", "+")).Error
}

// BeforeUpdate looks at what changes.
func (v *Visit) BeforeUpdate(tx *gorm.DB) error {
	if tx.Statement.Changed("Length") {
		tx.Statement.SetColumn("Reader", "changed")
	}
	return nil
}

func TestHooksMayWriteAndHaveNothingTakenBack(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Visit{}))
		require.NoError(t, db.Create(&Author{ID: "a", Name: "n"}).Error)
		require.NoError(t, db.Create(&[]Visit{{Reader: "a"}, {Reader: "a"}}).Error)
		assert.Equal(t, "n++", authorName(t, db, "a"))
		require.NoError(t, db.Session(&gorm.Session{SkipHooks: true}).Create(&Visit{ID: "v", Reader: "a"}).Error)
		require.ErrorIs(t, db.Create(&Visit{Fails: true}).Error, errFails)
		assert.Len(t, fake.Docs("visits"), 4, "what is written stays")
		v := Visit{ID: "v"}
		require.NoError(t, db.Model(&v).UpdateColumn("length", 1).Error)
		require.NoError(t, db.Model(&v).Updates(Visit{Length: 2}).Error)
		require.NoError(t, db.Take(&v).Error)
		assert.Equal(t, "changed", v.Reader)
	})
}

func TestCallbacksMayBeAddedReplacedAndRemoved(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, _ *gorm.DB) {
		db := open(t, fake, "refresh=true")
		var seen []string
		note := func(what string) func(*gorm.DB) { return func(*gorm.DB) { seen = append(seen, what) } }
		calls := db.Callback().Create()
		require.NoError(t, calls.After("esgorm:keys").Register("test:key", func(tx *gorm.DB) {
			_, zero := tx.Statement.Schema.PrioritizedPrimaryField.ValueOf(tx.Statement.Context, tx.Statement.ReflectValue)
			assert.False(t, zero, "the key is made")
			seen = append(seen, "key")
		}))
		require.NoError(t, calls.Before("gorm:create").Register("test:before", note("before")))
		require.NoError(t, calls.Replace("test:before", note("instead")))
		require.NoError(t, db.Create(&Author{}).Error)
		assert.ElementsMatch(t, []string{"key", "instead"}, seen)
		require.NotNil(t, calls.Get("test:before"))
		require.NoError(t, calls.Remove("test:before"))
		require.NoError(t, calls.Remove("test:key"))
		require.NoError(t, db.Create(&Author{}).Error)
		assert.Len(t, seen, 2)
	})
}

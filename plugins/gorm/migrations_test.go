package esgorm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// These are models of one table, which changes from the first to the second and cannot become the others.
type (
	oldBox struct {
		ID    uint
		Bonus float64 `gorm:"not null"`
		Stock float64
		Inner inner `gorm:"embedded;embeddedPrefix:left_"`
	}
	newBox struct {
		ID    uint
		Bonus float64
		Stock float64 `gorm:"not null"`
		Inner inner   `gorm:"embedded;embeddedPrefix:left_"`
		Other inner   `gorm:"embedded;embeddedPrefix:right_"`
	}
	otherBox struct {
		ID    uint
		Inner struct{ Count string } `gorm:"embedded;embeddedPrefix:left_"`
		Other inner                  `gorm:"embedded;embeddedPrefix:right_"`
	}
	strictBox struct {
		ID    uint
		Fresh int `gorm:"not null"`
	}
	filledBox struct {
		ID   uint
		Full int `gorm:"default:3"`
	}
	inner struct{ Count int }
)

func (oldBox) TableName() string    { return "boxes" }
func (newBox) TableName() string    { return "boxes" }
func (otherBox) TableName() string  { return "boxes" }
func (strictBox) TableName() string { return "boxes" }
func (filledBox) TableName() string { return "boxes" }

func TestAutoMigrateTellsWhatAColumnStays(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		log := &said{Interface: db.Logger}
		logged := db.Session(&gorm.Session{Logger: log})
		require.NoError(t, logged.AutoMigrate(&oldBox{}))
		require.NoError(t, logged.AutoMigrate(&oldBox{}))
		assert.Empty(t, log.warnings)
		require.NoError(t, logged.AutoMigrate(&newBox{}))
		assert.ElementsMatch(t, []string{
			"esgorm: boxes: column bonus stays NOT NULL", "esgorm: boxes: column stock stays nullable",
		}, log.warnings)
		types, err := db.Migrator().ColumnTypes("boxes")
		require.NoError(t, err)
		var names []string
		for _, c := range types {
			names = append(names, c.Name())
		}
		assert.Equal(t, []string{"id", "bonus", "stock", "left_count", "right_count"}, names)
		for model, column := range map[any]string{
			&otherBox{}: "a keyword in the long left_count", &strictBox{}: "NOT NULL of a column", &filledBox{}: "DEFAULT of a column",
		} {
			err := db.AutoMigrate(model)
			require.ErrorIs(t, err, esdriver.ErrUnsupported)
			assert.Contains(t, err.Error(), column)
		}
	})
}

func TestDefaultOfTheTimeIsTheTimeOfTheInsert(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		type stamped struct {
			ID string
			At time.Time `gorm:"default:CURRENT_TIMESTAMP"`
		}
		require.NoError(t, db.AutoMigrate(&stamped{}))
		rows := []stamped{{ID: "a"}, {ID: "b", At: time.Unix(1, 0)}}
		require.NoError(t, db.Create(&rows).Error)
		assert.WithinDuration(t, time.Now(), rows[0].At, time.Minute)
		assert.EqualValues(t, 1, rows[1].At.Unix())
	})
}

func TestModelsAreMigratedAloneOrWithWhatTheyBelongTo(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		m := db.Migrator()
		kind, err := m.TableType(&Book{})
		require.NoError(t, err)
		assert.Equal(t, "TABLE", kind.Type())
		_, err = m.TableType("nowhere")
		require.ErrorIs(t, err, gorm.ErrRecordNotFound)
		require.ErrorContains(t, m.CreateTable(&Book{}), "already exists")
		require.ErrorContains(t, m.CreateTable("name"), "model")

		require.NoError(t, m.DropTable(&Author{}, &Book{}, "book_tags"))
		alone := open(t, fake, "refresh=true")
		alone.Config.IgnoreRelationshipsWhenMigrating = true
		require.NoError(t, alone.AutoMigrate(&Book{}))
		assert.False(t, m.HasTable(&Author{}) || m.HasTable("book_tags"))
		require.NoError(t, db.AutoMigrate(&Book{}))
		assert.True(t, m.HasTable(&Author{}) && m.HasTable("book_tags"), "what a model belongs to is made with it")
	})
}

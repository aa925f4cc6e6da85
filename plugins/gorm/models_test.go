package esgorm_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/esdriver/esdriver/fakecluster"
)

// Address is embedded with a prefix.
type Address struct{ Street, Town string }

// Note belongs to whatever has notes.
type Note struct {
	ID        string
	Text      string `gorm:"type:text"`
	OwnerID   string
	OwnerType string
}

// Card is a reader's card: one for a member.
type Card struct {
	ID       string
	MemberID string
	Number   int
}

// Member has one of most things that a model can have.
type Member struct {
	Code    string  `gorm:"primaryKey;column:member_code"`
	Home    Address `gorm:"embedded;embeddedPrefix:home_"`
	Level   string  `gorm:"default:basic"`
	Joined  time.Time
	Left    sql.NullTime
	Fines   sql.NullInt64
	Visits  uint8
	Ignored string `gorm:"-"`
	Card    Card   `gorm:"foreignKey:MemberID"`
	Notes   []Note `gorm:"polymorphic:Owner"`
	BossID  *string
	Boss    *Member
	Version int `gorm:"column:edition"`
}

func TestModelsOfManyShapesAreKept(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Member{}, &Card{}, &Note{}))
		boss := Member{Home: Address{"1 Main St", "Ghent"}, Visits: 255, Joined: time.Unix(1e9, 0), Left: sql.NullTime{Time: time.Unix(2e9, 0), Valid: true}}
		require.NoError(t, db.Create(&boss).Error)
		assert.Equal(t, "basic", boss.Level)
		m := Member{
			Level: "gold", Joined: time.Unix(1e9, 0), Fines: sql.NullInt64{Int64: 3, Valid: true}, Card: Card{Number: 7},
			Notes: []Note{{Text: "long words, searched"}, {Text: "another"}}, BossID: &boss.Code,
		}
		require.NoError(t, db.Create(&m).Error)

		var got Member
		require.NoError(t, db.Preload("Card").Preload("Notes").Preload("Boss").First(&got, "member_code = ?", m.Code).Error)
		assert.Equal(t, 7, got.Card.Number)
		assert.Len(t, got.Notes, 2)
		assert.Equal(t, "Ghent", got.Boss.Home.Town)
		assert.EqualValues(t, 255, got.Boss.Visits)
		assert.True(t, got.Boss.Left.Valid)
		assert.False(t, got.Left.Valid)
		assert.EqualValues(t, 3, got.Fines.Int64)
		assert.Equal(t, "gold", got.Level)
	})
}

func TestVersionColumnLetsOneOfTwoWritersThrough(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Member{}, &Card{}, &Note{}))
		m := Member{Joined: time.Unix(1, 0)}
		require.NoError(t, db.Omit("Card").Create(&m).Error)
		write := func() int64 {
			r := db.Model(&m).Where("edition = ?", 0).Updates(map[string]any{"level": "x", "edition": gorm.Expr("edition + 1")})
			require.NoError(t, r.Error)
			return r.RowsAffected
		}
		assert.EqualValues(t, 1, write())
		assert.Zero(t, write())
	})
}

package esgorm_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"github.com/esdriver/esdriver/fakecluster"
)

// Permits has fields that not every statement may touch, and times that are numbers.
type Permits struct {
	ID       string
	Once     string `gorm:"<-:create"`
	Later    string `gorm:"<-:update"`
	Secret   string `gorm:"->:false;<-"`
	ReadOnly string `gorm:"->"`
	Hidden   string `gorm:"-"`
	Shown    string `gorm:"column:hidden"`
	Made     int32  `gorm:"autoCreateTime"`
	Changed  uint64 `gorm:"autoUpdateTime:nano"`
}

func TestFieldsHaveTheirPermitsAndTimes(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Permits{}))
		p := Permits{ID: "a", Once: "1", Later: "1", Secret: "1", ReadOnly: "1", Hidden: "1", Shown: "shown"}
		require.NoError(t, db.Create(&p).Error)
		var got Permits
		require.NoError(t, db.Take(&got, "secret = ?", "1").Error)
		assert.Equal(t, Permits{ID: "a", Once: "1", Shown: "shown", Made: got.Made, Changed: got.Changed}, got)
		assert.NotZero(t, got.Made)
		assert.Greater(t, got.Changed, uint64(1e18))

		got.Once, got.Later, got.ReadOnly = "2", "2", "2"
		require.NoError(t, db.Save(&got).Error)
		got = Permits{}
		require.NoError(t, db.Take(&got, "id = ?", "a").Error)
		assert.Equal(t, []string{"1", "2", ""}, []string{got.Once, got.Later, got.ReadOnly})
		require.NoError(t, db.Table("permits").Where("id = ?", "a").UpdateColumn("read_only", "by hand").Error)
		require.NoError(t, db.Take(&got, &Permits{ID: "a", ReadOnly: "by hand"}).Error)
	})
}

// Place scans and values itself as a text; it is whatever stands before the comma.
type Place struct{ Town, Land string }

// Value fails for a place in no land.
func (p Place) Value() (driver.Value, error) {
	if p.Land == "" {
		return nil, errNoLand
	}
	return p.Town + "," + p.Land, nil
}

// Scan takes what Value gave.
func (p *Place) Scan(v any) error {
	town, land, ok := strings.Cut(fmt.Sprint(v), ",")
	if !ok {
		return fmt.Errorf("no place: %v", v)
	}
	*p = Place{town, land}
	return nil
}

// GormDataType is a short text.
func (Place) GormDataType() string { return "string" }

var errNoLand = errors.New("a place is in a land")

// Pages is written by an expression.
type Pages int

// GormValue doubles what is there.
func (p Pages) GormValue(context.Context, *gorm.DB) clause.Expr {
	return clause.Expr{SQL: "? * 2", Vars: []any{int(p)}}
}

// shout is a serializer of the program's own.
type shout struct{}

// Scan takes the shout back.
func (shout) Scan(ctx context.Context, f *schema.Field, row reflect.Value, v any) error {
	return f.Set(ctx, row, strings.ToLower(fmt.Sprint(v)))
}

// Value shouts.
func (shout) Value(_ context.Context, _ *schema.Field, _ reflect.Value, v any) (any, error) {
	return strings.ToUpper(fmt.Sprint(v)), nil
}

// Parcel has fields of types that make their own values.
type Parcel struct {
	ID      string
	From    Place
	To      *Place
	Labels  []string       `gorm:"serializer:json"`
	Extra   map[string]any `gorm:"serializer:json;type:text"`
	Packed  []int          `gorm:"serializer:gob;type:bytes"`
	SentAt  int64          `gorm:"serializer:unixtime;type:timestamp"`
	Loud    string         `gorm:"serializer:shout"`
	Numbers Pages
}

func TestTypesMakeTheirOwnValues(t *testing.T) {
	schema.RegisterSerializer("shout", shout{})
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Parcel{}))
		p := Parcel{
			ID: "a", From: Place{"Ghent", "BE"}, Labels: []string{"x"}, Extra: map[string]any{"n": 1.5}, Packed: []int{3, 4},
			SentAt: 1e9, Loud: "hey", Numbers: 4,
		}
		require.NoError(t, db.Create(&p).Error)
		require.NoError(t, db.Create(&Parcel{ID: "zero", From: Place{"", "BE"}}).Error)
		var got Parcel
		require.NoError(t, db.Take(&got, Parcel{From: Place{"Ghent", "BE"}}).Error)
		p.Numbers = 8
		assert.Equal(t, p, got)
		assert.Contains(t, string(fake.Docs("parcels")[0].Source), `"HEY"`)
		require.NoError(t, db.Model(&got).Updates(Parcel{Labels: []string{"y"}, To: &Place{"Bath", "UK"}}).Error)
		got = Parcel{ID: "a"}
		require.NoError(t, db.Take(&got).Error)
		assert.Equal(t, []string{"y"}, got.Labels)
		assert.Equal(t, &Place{"Bath", "UK"}, got.To)

		require.ErrorIs(t, db.Create(&Parcel{ID: "b"}).Error, errNoLand)
		require.ErrorIs(t, db.Model(&got).Update("from", Place{}).Error, errNoLand)
		require.NoError(t, db.Where(Parcel{ID: "c"}).
			Assign(Parcel{From: Place{"a", "b"}, Labels: []string{"z"}}).FirstOrCreate(&Parcel{}).Error)
		require.ErrorContains(t, db.Model(&Parcel{}).Where("packed = ?", []byte{1}).Update("loud", "").Error, "binary")
	})
}

// The mark of a deleted row is a value like others: it is marshalled, asked for with OR, and taken back.
func TestSoftDeleteIsAMark(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Title: "a"}
		require.NoError(t, db.Create(&book).Error)
		require.NoError(t, db.Delete(&book).Error)
		text, err := json.Marshal(book)
		require.NoError(t, err)
		var same Book
		require.NoError(t, json.Unmarshal(text, &same))
		assert.True(t, same.DeletedAt.Time.Equal(book.DeletedAt.Time))
		assert.Empty(t, titles(t, db.Where("title = ?", "a").Or("title = ?", "b")))
		require.NoError(t, db.Unscoped().Model(&book).Update("deleted_at", nil).Error)
		assert.Equal(t, []string{"a"}, titles(t, db))
	})
}

// Scored has columns of every number, and NULL in each.
type Scored struct {
	ID      uint64
	Small   *int8
	Precise float32
	Huge    uint64  `gorm:"type:unsigned_long"`
	Money   float64 `gorm:"type:decimal(10,2)"`
	At      *time.Time
	Text    *string `gorm:"default:NULL"`
}

func TestNullIsReadAsNothing(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		if strings.Contains(t.Name(), "OpenSearch_2") {
			return // it has no unsigned_long
		}
		require.NoError(t, db.AutoMigrate(&Scored{}))
		s := Scored{
			Small: pointer(int8(-3)), Precise: 1.5, Huge: 1 << 40, Money: 0.1,
			At: pointer(time.Unix(1, 0).UTC()), Text: pointer("x"),
		}
		require.NoError(t, db.Create(&s).Error)
		require.NoError(t, db.Model(&s).Select("*").Omit("ID").Updates(Scored{}).Error)
		got := Scored{ID: s.ID}
		require.NoError(t, db.Take(&got).Error)
		assert.Equal(t, Scored{ID: s.ID}, got)
		require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}, clause.Returning{}).Create(&got).Error)
		assert.Equal(t, Scored{ID: s.ID}, got)
		var texts []sql.NullString
		require.NoError(t, db.Model(&Scored{}).Pluck("text", &texts).Error)
		assert.Equal(t, []sql.NullString{{}}, texts)
	})
}

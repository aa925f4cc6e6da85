package esgorm_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// Firm, Worker, Skill and Badge are models as programs for other databases have them, with all that those keep.
type Firm struct {
	ID      uint   `gorm:"primaryKey;autoIncrement;comment:counts"`
	Name    string `gorm:"uniqueIndex;size:100;not null"`
	Workers []Worker
}

// Worker belongs to a firm.
type Worker struct {
	gorm.Model
	Email  string `gorm:"uniqueIndex:idx_email;not null;type:varchar(255)"`
	Name   string `gorm:"index;default:'nobody'"`
	Age    uint8  `gorm:"default:18;check:age > 13"`
	Active bool   `gorm:"default:true"`
	Score  sql.NullFloat64
	FirmID *uint
	Firm   *Firm   `gorm:"constraint:OnUpdate:CASCADE,OnDelete:SET NULL"`
	Skills []Skill `gorm:"many2many:worker_skills"`
	Badge  Badge
}

// Skill is of many workers.
type Skill struct {
	ID   uint
	Name string `gorm:"unique;not null"`
}

// Badge is of one worker.
type Badge struct {
	ID       uint
	WorkerID uint              `gorm:"uniqueIndex"`
	Prefs    map[string]string `gorm:"serializer:json"`
	Pay      float64           `gorm:"type:decimal(10,2)"`
}

// hired migrates and creates as such a program does.
func hired(t *testing.T, db *gorm.DB) *Worker {
	t.Helper()
	require.NoError(t, db.AutoMigrate(&Firm{}, &Worker{}, &Skill{}, &Badge{}))
	w := Worker{
		Email: "a@x", Firm: &Firm{Name: "Acme"}, Skills: []Skill{{Name: "sew"}, {Name: "cut"}},
		Badge: Badge{Prefs: map[string]string{"k": "v"}, Pay: 3.25},
	}
	require.NoError(t, db.Create(&w).Error)
	return &w
}

func TestProgramOfAnotherDatabaseWorks(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		w := hired(t, db)
		var got Worker
		require.NoError(t, db.Preload(clause.Associations).First(&got, w.ID).Error)
		assert.Equal(t, []any{"nobody", uint8(18), true}, []any{got.Name, got.Age, got.Active})
		assert.Equal(t, "Acme", got.Firm.Name)
		assert.Len(t, got.Skills, 2)
		assert.Equal(t, w.Badge, got.Badge)
		assert.False(t, got.Score.Valid)
		for _, q := range []*gorm.DB{
			db.Last(&Worker{}), db.Take(&Worker{}, "email = ?", "a@x"), db.Where("lower(name) LIKE ?", "%bod%").Take(&Worker{}),
			db.Where("COALESCE(score, 0) < ?", 1).Take(&Worker{}), db.Order("age DESC, id").Limit(3).Offset(0).Take(&Worker{}),
			db.Model(&Worker{}).Select("CASE WHEN age > 10 THEN 'old' ELSE 'young' END AS kind").Take(&map[string]any{}),
			db.Model(w).Updates(map[string]any{"age": gorm.Expr("age * ? + ?", 2, 1), "active": false}),
			db.Model(w).Update("name", gorm.Expr("upper(name)")), db.Model(&Worker{}).Where("age > ?", 3).Update("active", true),
			db.Clauses(clause.Insert{Modifier: "IGNORE"}).Create(&Skill{ID: w.Skills[0].ID, Name: "twice"}),
			db.Save(w), db.Select("Badge", "Skills").Delete(w), db.Exec("TRUNCATE TABLE badges"), db.Delete(&Skill{}, []int{1, 2}),
		} {
			require.NoError(t, q.Error, q.Statement.SQL.String())
		}
		require.NoError(t, db.Create(&Skill{Name: "sew"}).Error, "no column but the key is unique, as AutoMigrate warns")
		m := db.Migrator()
		assert.True(t, m.HasTable(&Worker{}) && m.HasColumn("workers", "email") && m.HasIndex(&Worker{}, "idx_email"))
		assert.False(t, m.HasConstraint(&Worker{}, "Firm") || m.HasIndex(&Worker{}, "none") || m.HasColumn(&Worker{}, "none"))
	})
}

// refusals is what such a program does besides, and the words by which it is told that there is no such thing.
func refusals(db *gorm.DB, w *Worker) map[string]error {
	email := []clause.Column{{Name: "email"}}
	m, average := db.Migrator(), db.Model(&Worker{}).Select("avg(age)")
	return map[string]error{
		"FOR UPDATE":               db.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Find(&[]Worker{}).Error,
		"FOR SHARE":                db.Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Find(&[]Worker{}).Error,
		"a lock":                   db.Raw("SELECT * FROM workers FOR UPDATE").Scan(&[]Worker{}).Error,
		"a transaction":            db.Transaction(func(*gorm.DB) error { return nil }),
		"LIMIT":                    db.Where("age > 3").Limit(1).Delete(&Worker{}).Error,
		"a sub-query":              db.Model(w).Update("name", db.Model(&Firm{}).Select("name")).Error,
		"IN (SELECT":               db.Where("firm_id IN (?)", db.Model(&Firm{}).Select("id")).Delete(&Worker{}).Error,
		"CASE":                     db.Model(w).Update("name", gorm.Expr("CASE WHEN age > 3 THEN 'a' ELSE 'b' END")).Error,
		"UPDATE … FROM":            db.Exec("UPDATE workers SET name = firms.name FROM firms").Error,
		"RETURNING":                db.Model(&[]Worker{}).Clauses(clause.Returning{}).Where("age > 1").Update("name", "z").Error,
		"not the primary key":      db.Clauses(clause.OnConflict{Columns: email, DoNothing: true}).Create(&Worker{}).Error,
		"a constraint":             db.Clauses(clause.OnConflict{OnConstraint: "idx_email", DoNothing: true}).Create(&Worker{}).Error,
		"SET":                      db.Exec("SET search_path TO x").Error,
		"CREATE INDEX":             db.Exec("CREATE INDEX i ON workers (name)").Error,
		"dropping column name":     m.DropColumn(&Worker{}, "Name"),
		"renaming column name":     m.RenameColumn(&Worker{}, "name", "full_name"),
		"changing column name":     m.AlterColumn(&Worker{}, "Name"),
		"a second column name":     m.AddColumn(&Worker{}, "Name"),
		"renaming a table":         m.RenameTable("workers", "people"),
		"view v":                   m.CreateView("v", gorm.ViewOption{Query: average}),
		"GEN_RANDOM_UUID":          db.AutoMigrate(&Token{}),
		"DisableNestedTransaction": db.Session(&gorm.Session{}).SavePoint("s").Error,
	}
}

// Token has a key that its database makes.
type Token struct {
	ID string `gorm:"type:uuid;default:gen_random_uuid()"`
}

func TestProgramOfAnotherDatabaseIsToldWhatThereIsNot(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		for what, err := range refusals(db, hired(t, db)) {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), what)
		}
		require.ErrorContains(t, db.AutoMigrate(&Token{}), "table tokens")
		require.ErrorContains(t, db.Migrator().CreateIndex(&Worker{}, "none"), "none")
	})
}

func TestReadsThatElasticsearchLacksAreNamed(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		w := hired(t, db)
		average := db.Model(&Worker{}).Select("avg(age)")
		reads := map[string]error{
			"JOIN":      db.Joins("Firm").Find(&[]Worker{}).Error,
			"JOIN ":     db.Model(w).Association("Skills").Find(&[]Skill{}),
			"DISTINCT":  db.Model(&Worker{}).Distinct("name", "age").Find(&[]Worker{}).Error,
			"sub-query": db.Where("age > (?)", average).Find(&[]Worker{}).Error,
			"IN query":  db.Where("firm_id IN (?)", db.Model(&Firm{}).Select("id")).Find(&[]Worker{}).Error,
			"EXISTS":    db.Where("EXISTS (?)", average).Find(&[]Worker{}).Error,
		}
		for what, err := range reads {
			what = strings.TrimSpace(what)
			switch {
			case strings.HasPrefix(fake.DSN(), "elasticsearch"):
				require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
				assert.Contains(t, err.Error(), what)
			case what == "sub-query", what == "EXISTS":
				require.Error(t, err, what)
			case what != "IN query":
				require.NoError(t, err, what)
			}
		}
	})
}

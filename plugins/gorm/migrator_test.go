package esgorm_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esgorm "github.com/esdriver/esdriver/plugins/gorm"
)

// Shelf is a table that grows.
type Shelf struct {
	ID   string
	Room string `gorm:"size:20;not null;default:attic"`
	Name string `gorm:"uniqueIndex"`
}

// WideShelf is the same table with another column.
type WideShelf struct {
	Shelf
	Width int16
}

// TableName is Shelf's.
func (WideShelf) TableName() string { return "shelves" }

// NumberedShelf is the same table with a column of another type.
type NumberedShelf struct {
	ID   string
	Room int
}

// TableName is Shelf's.
func (NumberedShelf) TableName() string { return "shelves" }

// said collects what is logged.
type said struct {
	logger.Interface
	infos, warnings []string
	errors          int
}

func (s *said) Error(context.Context, string, ...any) { s.errors++ }

func (s *said) Info(_ context.Context, format string, args ...any) {
	s.infos = append(s.infos, fmt.Sprintf(format, args...))
}

func (s *said) Warn(_ context.Context, format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

func TestAutoMigrateMakesTablesAndAddsColumns(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		m := db.Migrator()
		assert.False(t, m.HasTable(&Shelf{}))
		log := &said{Interface: db.Logger}
		require.NoError(t, db.Session(&gorm.Session{Logger: log}).AutoMigrate(&Shelf{}))
		assert.Len(t, log.warnings, 1, "what is not kept is said")
		assert.True(t, m.HasTable("shelves"))
		assert.True(t, m.HasIndex(&Shelf{}, "Name"))
		assert.False(t, m.HasColumn(&WideShelf{}, "Width"))
		require.NoError(t, db.AutoMigrate(&WideShelf{}), "a column more")
		require.NoError(t, db.AutoMigrate(&WideShelf{}), "nothing new")
		assert.True(t, m.HasColumn(&WideShelf{}, "Width"))

		shelf := WideShelf{Width: 90}
		require.NoError(t, db.Create(&shelf).Error)
		assert.Equal(t, "attic", shelf.Room)
		tables, err := m.GetTables()
		require.NoError(t, err)
		assert.Equal(t, []string{"authors", "book_tags", "books", "loans", "shelves", "tags"}, tables)
		assert.NotEmpty(t, m.CurrentDatabase())
		require.NoError(t, m.DropTable(&Shelf{}))
		require.NoError(t, m.DropTable(&Shelf{}), "it is gone already")
		assert.False(t, m.HasTable(&Shelf{}))
	})
}

// Daily is a table with dots in its name, as indices of one day have.
type Daily struct {
	ID string
	N  int `gorm:"index"`
}

// TableName has a dot, which GORM takes for the end of a schema's name.
func (Daily) TableName() string { return "daily-2026.11" }

func TestNamesWithADotAreWhole(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Daily{}))
		require.NoError(t, db.AutoMigrate(&Daily{}), "it is there")
		assert.True(t, db.Migrator().HasIndex(&Daily{}, "N"))
		row := Daily{N: 1}
		require.NoError(t, db.Create(&row).Error)
		assert.Len(t, fake.Docs("daily-2026.11"), 1)
		require.NoError(t, db.Model(&row).Update("n", 2).Error)
		var got Daily
		require.NoError(t, db.First(&got, "id = ?", row.ID).Error)
		assert.Equal(t, 2, got.N)
		require.NoError(t, db.Delete(&got).Error)
		require.NoError(t, db.Table("daily-2026.12").AutoMigrate(&Daily{}))
		assert.True(t, db.Migrator().HasTable("daily-2026.12"))
		require.NoError(t, db.Table("daily-2026.12").Create(&Daily{N: 3}).Error)
		err := db.Table("daily-2026.12").Where("n = ?", 3).Take(&Daily{}).Error
		if strings.Contains(t.Name(), "Elasticsearch") {
			require.ErrorIs(t, err, esdriver.ErrSyntax, "its SQL knows no name of two parts, and GORM takes it apart")
		} else {
			require.NoError(t, err)
		}
	})
}

func TestColumnTypesAreThoseOfTheMapping(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Shelf{}))
		types, err := db.Migrator().ColumnTypes(&Shelf{})
		require.NoError(t, err)
		require.Len(t, types, 3)
		room := types[1]
		assert.Equal(t, "room", room.Name())
		assert.Equal(t, "keyword", room.DatabaseTypeName())
		spelled, _ := room.ColumnType()
		assert.Equal(t, "VARCHAR(20)", spelled)
		nullable, _ := room.Nullable()
		assert.False(t, nullable)
		fallback, ok := room.DefaultValue()
		assert.True(t, ok)
		assert.Equal(t, "attic", fallback)
		key, _ := types[0].PrimaryKey()
		assert.True(t, key)

		types, err = db.Migrator().ColumnTypes(&Book{})
		require.NoError(t, err)
		got := map[string]string{}
		for _, c := range types {
			got[c.Name()] = c.DatabaseTypeName()
		}
		assert.Equal(t, map[string]string{
			"id": "long", "created_at": "date", "updated_at": "date", "deleted_at": "date", "title": "keyword",
			"pages": "integer", "price": "double", "rare": "boolean", "author_id": "keyword",
		}, got)
		indexes, err := db.Migrator().GetIndexes(&Book{})
		require.NoError(t, err)
		require.Len(t, indexes, 1)
		assert.Equal(t, []string{"id"}, indexes[0].Columns())
	})
}

func TestWhatAMappingCannotChangeIsRefusedByName(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Shelf{}))
		m := db.Migrator()
		for what, err := range map[string]error{
			"dropping column room":       m.DropColumn(&Shelf{}, "Room"),
			"changing column room":       m.AlterColumn(&Shelf{}, "Room"),
			"renaming column room":       m.RenameColumn(&Shelf{}, "Room", "Hall"),
			"renaming a table":           m.RenameTable(&Shelf{}, "racks"),
			"view v":                     m.CreateView("v", gorm.ViewOption{}),
			"a long in the keyword room": db.AutoMigrate(&NumberedShelf{}),
			"a lock (FOR UPDATE)":        db.Clauses(lock).First(&Shelf{}).Error,
			"a transaction":              db.Begin().Error,
		} {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), what)
		}
	})
}

func TestTransactionsWithNoopProtectNothingAndSaySo(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, _ *gorm.DB) {
		db := open(t, fake, "refresh=true&tx=noop")
		require.NoError(t, db.Transaction(func(tx *gorm.DB) error { return tx.Create(&Tag{Name: "kept"}).Error }))
		tx := db.Begin()
		require.NoError(t, tx.Error)
		require.NoError(t, tx.Create(&Tag{Name: "kept too"}).Error)
		require.ErrorIs(t, tx.SavePoint("s").Error, esdriver.ErrUnsupported)
		require.ErrorIs(t, tx.Rollback().Error, esdriver.ErrRollbackUnsupported)
		assert.Len(t, fake.Docs("tags"), 2)

		nested := func(tx *gorm.DB) error {
			return tx.Transaction(func(tx *gorm.DB) error { return tx.Create(&Tag{Name: "nested"}).Error })
		}
		require.ErrorContains(t, db.Transaction(nested), "DisableNestedTransaction")
		require.NoError(t, db.Session(&gorm.Session{DisableNestedTransaction: true}).Transaction(nested))
		assert.Len(t, fake.Docs("tags"), 3)
	})
}

func TestConnIsUsedAsItIs(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, _ *gorm.DB) {
		cluster, err := esdriver.Open(esdriver.Config{Seeds: []string{fake.Node(0).Addr()}, Refresh: "true"})
		require.NoError(t, err)
		defer func() { assert.NoError(t, cluster.Close(context.Background())) }()
		conn := esdriver.OpenDB(cluster)
		defer conn.Close()
		db, err := gorm.Open(esgorm.New(esgorm.Config{Conn: conn}), &gorm.Config{Logger: logger.Discard})
		require.NoError(t, err)
		require.NoError(t, db.Create(&Loan{Reader: "Ann", Due: time.Unix(3, 0)}).Error)
		var loan Loan
		require.NoError(t, db.Where("reader = ?", "Ann").Take(&loan).Error)
		assert.True(t, db.Migrator().HasTable(&Loan{}))
	})
}

// TestPreparedStatementsWork has no look at goroutines: GORM's cache of statements has one that never ends.
func TestPreparedStatementsWork(t *testing.T) {
	fake := fakecluster.Run(t, fakecluster.SQL(sqlite.New()))
	db := open(t, fake, "refresh=true").Session(&gorm.Session{PrepareStmt: true})
	require.NoError(t, db.AutoMigrate(&Tag{}))
	var work sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		work.Go(func() {
			assert.NoError(t, db.Create(&Tag{Name: name}).Error)
			assert.NoError(t, db.Where("name = ?", name).Take(&Tag{}).Error)
		})
	}
	work.Wait()
}

func TestConnectionsOfOtherDriversCannotMigrate(t *testing.T) {
	conn, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	defer conn.Close()
	db, err := gorm.Open(esgorm.New(esgorm.Config{Conn: conn}), &gorm.Config{Logger: logger.Discard})
	require.NoError(t, err)
	_, err = db.Migrator().GetTables()
	require.ErrorContains(t, err, "not one of the driver esdriver")
	_, err = gorm.Open(esgorm.Open("elasticsearch://h?colour=red"), &gorm.Config{Logger: logger.Discard})
	require.ErrorContains(t, err, "colour")
}

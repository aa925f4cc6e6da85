package esxorm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/xorm"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	esxorm "github.com/esdriver/esdriver/plugins/xorm"
)

// shelved is a book with a column more.
type shelved struct {
	ID    int64 `xorm:"'id' pk autoincr"`
	Title string
	Shelf string
}

func (shelved) TableName() string { return "book" }

func TestSyncMakesTablesAndAddsColumns(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		require.NoError(t, engine.Sync(&Author{}, &Book{}), "nothing new")
		require.NoError(t, engine.Sync(&shelved{}))
		_, err := engine.Insert(&shelved{Title: "a", Shelf: "b"})
		require.NoError(t, err)
		tables, err := engine.DBMetas()
		require.NoError(t, err)
		require.Equal(t, []string{"author", "book", "loan"}, tableNames(tables))
		assert.Equal(t, []string{"id"}, tables[1].PrimaryKeys)
		assert.Equal(t, "id", tables[1].AutoIncrement)
		assert.Equal(t, "DATETIME", tables[1].GetColumn("printed").SQLType.Name)
		assert.Equal(t, "shelf", tables[1].ColumnsSeq()[10])
		version, err := engine.DBVersion()
		require.NoError(t, err)
		assert.NotEmpty(t, version.Number)
		session := engine.NewSession()
		defer session.Close()
		require.NoError(t, session.DropTable(&Book{}))
		has, err := engine.IsTableExist(&Book{})
		require.NoError(t, err)
		assert.False(t, has)
	})
}

// unique has what an index cannot keep.
type unique struct {
	ID   string `xorm:"'id' pk"`
	Name string `xorm:"unique"`
}

// pair has a key of two columns.
type pair struct {
	A string `xorm:"pk"`
	B string `xorm:"pk"`
}

func TestWhatCannotBeIsAnErrorThatNamesIt(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		err := engine.Sync(&unique{})
		require.ErrorIs(t, err, esdriver.ErrUnsupported)
		assert.ErrorContains(t, err, "UNIQUE INDEX")
		require.NoError(t, open(t, fake, "ddl_unsupported=ignore").Sync(&unique{}))

		session := engine.NewSession()
		defer session.Close()
		require.ErrorIs(t, session.Begin(), esdriver.ErrUnsupported)
		require.ErrorIs(t, engine.DropTables(&Book{}), esdriver.ErrUnsupported, "xorm makes it a transaction")

		err = engine.Sync(&pair{})
		require.ErrorIs(t, err, esdriver.ErrUnsupported)
		assert.ErrorContains(t, err, "primary key of several columns")

		_, err = engine.Where("title = ?", "a").Limit(1).Unscoped().Delete(&Book{})
		require.Error(t, err)
		assert.ErrorContains(t, err, "LIMIT")
		assert.ErrorContains(t, session.ForUpdate().Find(&[]Book{}), "for update")
	})
}

func TestWrongDSNIsAnErrorOfOpen(t *testing.T) {
	_, err := esxorm.Open("elasticsearch://h1?refrsh=true")
	var wrong *esdriver.ConfigError
	require.ErrorAs(t, err, &wrong)
}

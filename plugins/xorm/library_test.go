package esxorm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/xorm"
	"xorm.io/xorm/schemas"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
	esxorm "github.com/esdriver/esdriver/plugins/xorm"
)

// Author has a key of the caller's.
type Author struct {
	ID   string `xorm:"'id' pk"`
	Name string
}

// Book has a key that the driver makes, a version, and is deleted softly.
type Book struct {
	ID      int64 `xorm:"'id' pk autoincr"`
	Title   string
	Pages   int
	Price   float64
	Lent    bool
	Author  string
	Printed time.Time `xorm:"DATETIME(3)"`
	Created time.Time `xorm:"created"`
	Deleted time.Time `xorm:"deleted"`
	Version int       `xorm:"version"`
}

// Loan has a key that the driver makes, a version, and the times of its first and last writing.
type Loan struct {
	ID      int64 `xorm:"'id' pk autoincr"`
	Reader  string
	Created time.Time `xorm:"created"`
	Updated time.Time `xorm:"updated"`
	Version int       `xorm:"version"`
}

// tableNames are the names of tables.
func tableNames(tables []*schemas.Table) (names []string) {
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

var servers = []struct {
	name    string
	options []fakecluster.Option
}{
	{"Elasticsearch 8.19.7", nil},
	{"OpenSearch 2.19.6", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("2.19.6")}},
	{"OpenSearch 3.8.0", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("3.8.0")}},
}

// onEachServer runs a test on a cluster of each kind, whose tables are made.
func onEachServer(t *testing.T, test func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine)) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			leaktest.Check(t)
			fake := fakecluster.Run(t, append([]fakecluster.Option{fakecluster.Nodes(3), fakecluster.SQL(sqlite.New())}, server.options...)...)
			engine := open(t, fake, "refresh=true")
			require.NoError(t, engine.Sync(&Author{}, &Book{}, &Loan{}))
			test(t, fake, engine)
		})
	}
}

func open(t *testing.T, fake *fakecluster.Cluster, params string) *xorm.Engine {
	t.Helper()
	engine, err := esxorm.Open(fake.DSN() + "?" + params)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Close()) })
	return engine
}

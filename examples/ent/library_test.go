package main

import (
	"database/sql"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// open prepares a library on a cluster of its own.
func open(t *testing.T, params string) *library {
	t.Helper()
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.SQL(sqlite.New()))
	conn, err := sql.Open("esdriver", fake.DSN()+"?"+params)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	l := &library{entsql.OpenDB(dialect.Postgres, conn)}
	require.NoError(t, l.prepare(t.Context()))
	return l
}

func TestTransactionIsRefusedUnlessItMayBeNone(t *testing.T) {
	l := open(t, "refresh=true")
	_, err := l.db.Tx(t.Context())
	require.ErrorIs(t, err, esdriver.ErrUnsupported)
}

func TestRollbackOfAWriteIsRefusedAndTheRowStays(t *testing.T) {
	l := open(t, "refresh=true&tx=noop")
	tx, err := l.db.Tx(t.Context())
	require.NoError(t, err)
	_, err = exec(t.Context(), tx, build.Insert("authors").Columns("id", "name").Values("a", "b"))
	require.NoError(t, err)
	require.ErrorIs(t, tx.Rollback(), esdriver.ErrRollbackUnsupported)
	var authors []Author
	require.NoError(t, query(t.Context(), l.db, build.Select("id", "name").From(build.Table("authors")), &authors))
	assert.Equal(t, []Author{{"a", "b"}}, authors)
}

func TestRowIsUpdatedByItsOldValueAndReadBackAsEntDoes(t *testing.T) {
	l := open(t, "tx=noop&refresh=false")
	require.NoError(t, l.stock(t.Context()))
	tx, err := l.db.Tx(t.Context())
	require.NoError(t, err)
	added := build.Insert("books").Columns("title", "pages").Values("Kew Gardens", 10).Returning("id")
	var ids []int64
	require.NoError(t, query(t.Context(), tx, added, &ids))
	n, err := exec(t.Context(), tx, build.Update("books").Add("pages", 2).Where(entsql.EQ("id", ids[0])))
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	var pages []int
	read := build.Select("pages").From(build.Table("books")).Where(entsql.EQ("id", ids[0]))
	require.NoError(t, query(t.Context(), tx, read, &pages))
	require.NoError(t, tx.Commit())
	assert.Equal(t, []int{12}, pages)
}

func TestConflictingRowIsReplaced(t *testing.T) {
	l := open(t, "refresh=true")
	for _, name := range []string{"a", "b"} {
		insert := build.Insert("authors").Columns("id", "name").Values("1", name).
			OnConflict(entsql.ConflictColumns("id"), entsql.ResolveWithNewValues())
		_, err := exec(t.Context(), l.db, insert)
		require.NoError(t, err)
	}
	var authors []Author
	require.NoError(t, query(t.Context(), l.db, build.Select("id", "name").From(build.Table("authors")), &authors))
	assert.Equal(t, []Author{{"1", "b"}}, authors)
}

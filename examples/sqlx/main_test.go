package main

import (
	"bytes"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

const want = `James Joyce
  Ulysses, 732 pages
Virginia Woolf
  Orlando, 333 pages
  The Waves, 324 pages
-- a node is lost
Ann takes Orlando home
Bea does not get Orlando: it is lent already
Bea takes Ulysses home
Cid does not get Emma: sql: no rows in result set
Bea has Ulysses
all or nothing? sqlapi: a transaction is not supported: tx=noop accepts them and protects nothing
`

func TestLibraryGoesOnWhenANodeIsLost(t *testing.T) {
	leaktest.Check(t)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, ""))
	assert.Equal(t, want, out.String())
}

func TestLibraryIsTheSameOnOpenSearch(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.Product(fakecluster.OpenSearch), fakecluster.SQL(sqlite.New()))
	var out bytes.Buffer
	require.NoError(t, keep(t.Context(), &out, fake.DSN()+"?refresh=true", func() {
		out.WriteString("-- a node is lost\n")
		fake.Node(1).Kill()
	}))
	assert.Equal(t, want, out.String())
}

// TestWhatDoesNotWorkIsNamed has what the README says does not work.
func TestWhatDoesNotWorkIsNamed(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.SQL(sqlite.New()))
	l := &library{sqlx.MustOpen("esdriver", fake.DSN()+"?refresh=true")}
	t.Cleanup(func() { assert.NoError(t, l.db.Close()) })
	require.NoError(t, l.prepare(t.Context()))
	_, begun := l.db.Beginx()
	assert.ErrorIs(t, begun, esdriver.ErrUnsupported)
	_, copied := l.db.Exec("INSERT INTO authors (id) SELECT author_id FROM books")
	assert.ErrorIs(t, copied, esdriver.ErrUnsupported)
	assert.ErrorIs(t, l.db.Get(&Book{}, "SELECT title FROM books FOR UPDATE"), esdriver.ErrUnsupported)
	var names []string
	assert.ErrorContains(t, l.db.Select(&names, "SELECT name FROM authors a JOIN books b ON b.author_id = a.id"), "JOIN")
	assert.ErrorContains(t, l.db.Select(&names, "SELECT DISTINCT name FROM authors"), "DISTINCT")
	assert.ErrorContains(t, l.in(t.Context(), &names, "SELECT name FROM authors WHERE id IN (?)", []string{}), "empty slice")
}

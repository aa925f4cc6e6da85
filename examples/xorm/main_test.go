package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
Cid does not get Emma: there is no such book
Bea has Ulysses
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

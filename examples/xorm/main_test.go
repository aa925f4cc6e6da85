package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

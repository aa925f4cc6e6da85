package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

const want = `James Joyce
  Ulysses, 732 pages [time]
Virginia Woolf
  Orlando, 333 pages [time sex]
  The Waves, 324 pages []
-- a node is lost
long: Ulysses
long: Orlando
Ann takes Orlando home
Bea does not get Orlando: it is lent already
Bea takes Ulysses home
Cid does not get Emma: ent: book not found
Bea has Ulysses
novel: 3, 1389 pages
story: 1, 8 pages
lent: 1, nameless authors: false, writes: map[Author:3 Book:8 Loan:3]
`

// products are those that each test runs on.
var products = []fakecluster.Flavor{fakecluster.Elasticsearch, fakecluster.OpenSearch}

func TestLibraryGoesOnWhenANodeIsLost(t *testing.T) {
	for _, product := range products {
		t.Run(string(product), func(t *testing.T) {
			leaktest.Check(t)
			var out bytes.Buffer
			require.NoError(t, embedded(t.Context(), &out, product))
			assert.Equal(t, want, out.String())
		})
	}
}

package sqlparse_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func cached(t testing.TB, c *sqlparse.Cache, flavor sqlparse.Flavor, text string) *sqlparse.Statement {
	t.Helper()
	s, err := c.Parse(flavor, text)
	require.NoError(t, err)
	return s
}

func TestCacheKeepsTheStatementsUsedLast(t *testing.T) {
	c := sqlparse.NewCache(2)
	a := cached(t, c, sqlparse.Elasticsearch, "SELECT 1")
	cached(t, c, sqlparse.Elasticsearch, "SELECT 2")
	assert.Same(t, a, cached(t, c, sqlparse.Elasticsearch, "SELECT 1"))
	cached(t, c, sqlparse.Elasticsearch, "SELECT 3")
	assert.Same(t, a, cached(t, c, sqlparse.Elasticsearch, "SELECT 1"), "used after SELECT 2, so kept")
	assert.Equal(t, 2, c.Len())
}

func TestCacheKeepsFlavorsApartAndNoErrorsAndNoLongTexts(t *testing.T) {
	c := sqlparse.NewCache(8)
	es := cached(t, c, sqlparse.Elasticsearch, "SELECT score FROM x")
	os := cached(t, c, sqlparse.OpenSearch, "SELECT score FROM x")
	assert.Equal(t, sqlparse.Elasticsearch, es.Flavor())
	assert.Equal(t, sqlparse.OpenSearch, os.Flavor())
	_, err := c.Parse(sqlparse.Elasticsearch, "SELECT 'x")
	require.Error(t, err)
	cached(t, c, sqlparse.Elasticsearch, "SELECT '"+strings.Repeat("x", 1<<15)+"'")
	assert.Equal(t, 2, c.Len())
	none := sqlparse.NewCache(0)
	cached(t, none, sqlparse.Elasticsearch, "SELECT 1")
	assert.Zero(t, none.Len())
}

func TestCacheServesManyGoroutines(t *testing.T) {
	c := sqlparse.NewCache(4)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				text := fmt.Sprintf("SELECT %d FROM x WHERE a = ?", (g+i)%6)
				s, err := c.Parse(sqlparse.Elasticsearch, text)
				if assert.NoError(t, err) {
					assert.Equal(t, text, s.Text())
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 4, c.Len())
}

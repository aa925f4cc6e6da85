package sqlite_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
)

// page is an answer of either flavor.
type page struct {
	Columns, Schema []struct{ Name, Type string }
	Rows, Datarows  [][]any
	Cursor          string
	Error           struct{ Type, Reason string }
	Succeeded       bool
}

// ask posts a body to the cluster's SQL path.
func ask(t *testing.T, c *fakecluster.Cluster, path string, body any) (int, page) {
	t.Helper()
	b, err := json.Marshal(body)
	require.NoError(t, err)
	tr := &http.Transport{DialContext: c.DialContext}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: tr}).Post(c.Node(0).URL()+path, "application/json", strings.NewReader(string(b)))
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	var p page
	require.NoError(t, json.Unmarshal(text, &p), "%s", text)
	return resp.StatusCode, p
}

// numbers is a cluster whose index "numbers" holds n documents with n = 0, 1, 2, …
func numbers(t *testing.T, n int, opts ...fakecluster.Option) *fakecluster.Cluster {
	t.Helper()
	c := fakecluster.Run(t, append(opts, fakecluster.SQL(sqlite.New()))...)
	for i := range n {
		require.NoError(t, c.Put("numbers", fmt.Sprint(i), map[string]any{"n": i, "s": fmt.Sprintf("row %d", i)}))
	}
	return c
}

func TestElasticsearchPagesGiveEachRowOnceAndNamesColumnsOnce(t *testing.T) {
	c := numbers(t, 25)
	status, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT n FROM numbers ORDER BY n", "fetch_size": 10})
	require.Equal(t, 200, status)
	assert.Equal(t, "long", p.Columns[0].Type)
	assert.Equal(t, 1, c.OpenCursors())
	var got []any
	for pages := 1; ; pages++ {
		for _, r := range p.Rows {
			got = append(got, r[0])
		}
		if p.Cursor == "" {
			assert.Equal(t, 3, pages)
			break
		}
		_, p = ask(t, c, "/_sql", map[string]any{"cursor": p.Cursor})
		assert.Empty(t, p.Columns)
	}
	assert.Len(t, got, 25)
	assert.EqualValues(t, 24, got[24])
	assert.Zero(t, c.OpenCursors())
}

func TestElasticsearchCursorSentTwiceRepeatsThePageSince83AndSkipsOneBefore(t *testing.T) {
	for version, second := range map[string]float64{"8.19.7": 10, "8.2.0": 20} {
		c := numbers(t, 40, fakecluster.Version(version))
		_, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT n FROM numbers ORDER BY n", "fetch_size": 10})
		ask(t, c, "/_sql", map[string]any{"cursor": p.Cursor})
		_, again := ask(t, c, "/_sql", map[string]any{"cursor": p.Cursor})
		assert.Equal(t, second, again.Rows[0][0], version)
	}
}

func TestOpenSearchCursorServesOnce(t *testing.T) {
	c := numbers(t, 30, fakecluster.Product(fakecluster.OpenSearch))
	_, p := ask(t, c, "/_plugins/_sql", map[string]any{"query": "SELECT n FROM numbers ORDER BY n", "fetch_size": 10})
	status, next := ask(t, c, "/_plugins/_sql", map[string]any{"cursor": p.Cursor})
	require.Equal(t, 200, status)
	assert.EqualValues(t, 10, next.Datarows[0][0])
	assert.NotEmpty(t, next.Schema)
	status, again := ask(t, c, "/_plugins/_sql", map[string]any{"cursor": p.Cursor})
	assert.Equal(t, 404, status)
	assert.Equal(t, "SearchContextMissingException", again.Error.Type)
}

func TestClosedCursorIsGone(t *testing.T) {
	c := numbers(t, 30)
	_, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT n FROM numbers", "fetch_size": 10})
	_, closed := ask(t, c, "/_sql/close", map[string]any{"cursor": p.Cursor})
	assert.True(t, closed.Succeeded)
	assert.Zero(t, c.OpenCursors())
	_, closed = ask(t, c, "/_sql/close", map[string]any{"cursor": p.Cursor})
	assert.False(t, closed.Succeeded)
	status, gone := ask(t, c, "/_sql", map[string]any{"cursor": p.Cursor})
	assert.Equal(t, 404, status)
	assert.Equal(t, "search_phase_execution_exception", gone.Error.Type)
}

func TestUnknownNamesAreTypedErrors(t *testing.T) {
	elastic := numbers(t, 1)
	open := numbers(t, 1, fakecluster.Product(fakecluster.OpenSearch))
	for _, test := range []struct {
		c      *fakecluster.Cluster
		path   string
		query  string
		status int
		kind   string
	}{
		{elastic, "/_sql", "SELECT x FROM numbers", 400, "verification_exception"},
		{elastic, "/_sql", "SELECT x FROM nowhere", 400, "verification_exception"},
		{elastic, "/_sql", "SELEC n FROM numbers", 400, "parsing_exception"},
		{elastic, "/_sql", "SELECT FOO(n) FROM numbers", 400, "verification_exception"},
		{elastic, "/_sql", "SELECT n FROM numbers LIMIT 1 OFFSET 1", 400, "parsing_exception"},
		{open, "/_plugins/_sql", "SELECT x FROM numbers", 400, "SemanticCheckException"},
		{open, "/_plugins/_sql", "SELECT x FROM nowhere", 404, "IndexNotFoundException"},
		{open, "/_plugins/_sql", "SELECT FOO(n) FROM numbers", 200, "UnsupportedOperationException"},
	} {
		status, p := ask(t, test.c, test.path, map[string]any{"query": test.query})
		assert.Equal(t, test.status, status, test.query)
		assert.Equal(t, test.kind, p.Error.Type, test.query)
	}
}

func TestQuotesMeanWhatTheFlavorSays(t *testing.T) {
	elastic := numbers(t, 1)
	_, p := ask(t, elastic, "/_sql", map[string]any{"query": `SELECT "n", 'it''s' AS q FROM "numbers" WHERE "s" = 'row 0'`})
	assert.Equal(t, [][]any{{0.0, "it's"}}, p.Rows)
	open := numbers(t, 1, fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("3.8.0"))
	_, p = ask(t, open, "/_plugins/_sql", map[string]any{"query": "SELECT `n`, \"it's\" AS q, 'a\\'b' AS e FROM `numbers` WHERE s = \"row 0\""})
	assert.Equal(t, [][]any{{0.0, "it's", "a'b"}}, p.Datarows)
}

func TestParametersReachTheStatement(t *testing.T) {
	c := numbers(t, 5)
	_, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT n FROM numbers WHERE n > ? AND s <> ? ORDER BY n", "params": []any{1, "row 3"}})
	assert.Equal(t, [][]any{{2.0}, {4.0}}, p.Rows)
}

func TestWritesAreSeenAfterARefreshOnly(t *testing.T) {
	c := numbers(t, 1)
	count := func() any {
		_, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT COUNT(*) FROM numbers"})
		return p.Rows[0][0]
	}
	require.Equal(t, 1.0, count())
	ask(t, c, "/numbers/_doc/new", map[string]any{"n": 7})
	assert.Equal(t, 1.0, count())
	c.Refresh()
	assert.Equal(t, 2.0, count())
}

func TestArraysAreRefusedUnlessLenient(t *testing.T) {
	c := numbers(t, 0)
	require.NoError(t, c.Put("t", "1", map[string]any{"tags": []string{"a", "b"}}))
	status, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT tags FROM t"})
	assert.Equal(t, 400, status)
	assert.Contains(t, p.Error.Reason, "Arrays (returned by [tags]) are not supported")
	_, p = ask(t, c, "/_sql", map[string]any{"query": "SELECT tags FROM t", "field_multi_value_leniency": true})
	assert.Equal(t, [][]any{{"a"}}, p.Rows)
}

func TestTimesCompareAndKeepTheirZone(t *testing.T) {
	c := numbers(t, 0)
	require.NoError(t, c.Put("t", "1", map[string]any{"at": "2026-01-02T03:04:05.678Z"}))
	_, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT at FROM t WHERE at > '2026-01-01' AND at < ?", "params": []any{"2026-01-03T00:00:00Z"}, "time_zone": "+05:30"})
	assert.Equal(t, [][]any{{"2026-01-02T08:34:05.678+05:30"}}, p.Rows)
	assert.Equal(t, "datetime", p.Columns[0].Type)
}

func TestMissingValuesMatchInequalityOnElasticsearchAlone(t *testing.T) {
	for flavor, want := range map[fakecluster.Flavor]int{fakecluster.Elasticsearch: 1, fakecluster.OpenSearch: 0} {
		c := numbers(t, 0, fakecluster.Product(flavor))
		require.NoError(t, c.Put("t", "1", map[string]any{"a": 1}))
		require.NoError(t, c.Put("t", "2", map[string]any{"b": 1}))
		path := map[fakecluster.Flavor]string{fakecluster.Elasticsearch: "/_sql", fakecluster.OpenSearch: "/_plugins/_sql"}[flavor]
		_, p := ask(t, c, path, map[string]any{"query": "SELECT b FROM t WHERE a <> 1"})
		assert.Len(t, append(p.Rows, p.Datarows...), want, flavor)
	}
}

func TestEngineWorksInABubbleAndServesManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := numbers(t, 100, fakecluster.InMemory())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				_, p := ask(t, c, "/_sql", map[string]any{"query": "SELECT SUM(n) FROM numbers"})
				assert.Equal(t, [][]any{{4950.0}}, p.Rows)
			})
		}
		wg.Wait()
	})
}

func BenchmarkQuery(b *testing.B) {
	c, err := fakecluster.Start(fakecluster.Nodes(1), fakecluster.SQL(sqlite.New()))
	require.NoError(b, err)
	defer c.Close()
	for i := range 1000 {
		require.NoError(b, c.Put("numbers", fmt.Sprint(i), map[string]any{"n": i}))
	}
	b.Run("select/1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			resp, err := http.Post(c.Node(0).URL()+"/_sql", "application/json", strings.NewReader(`{"query":"SELECT n FROM numbers"}`))
			require.NoError(b, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}

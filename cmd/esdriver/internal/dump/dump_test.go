package dump_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/dump"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// rows are more than two pages.
const rows = 4500

// full is a cluster with a table of rows.
func full(t *testing.T, opts ...fakecluster.Option) *fakecluster.Cluster {
	t.Helper()
	leaktest.Check(t)
	c := fakecluster.Run(t, opts...)
	for i := range rows {
		require.NoError(t, c.Put("rows", fmt.Sprint(i), map[string]any{"n": i}))
	}
	return c
}

// requireAll fails unless the lines hold each row once.
func requireAll(t *testing.T, text string) {
	t.Helper()
	seen := make([]int, rows)
	for line := range strings.Lines(text) {
		var document struct{ N int }
		require.NoError(t, json.Unmarshal([]byte(line), &document))
		seen[document.N]++
	}
	for n, times := range seen {
		require.Equal(t, 1, times, "row %d", n)
	}
}

func TestDumpHasEachRowOnce(t *testing.T) {
	for name, opts := range map[string][]fakecluster.Option{
		"elasticsearch":     nil,
		"old elasticsearch": {fakecluster.Version("7.10.2")},
		"opensearch":        {fakecluster.Product(fakecluster.OpenSearch)},
	} {
		t.Run(name, func(t *testing.T) {
			c := full(t, opts...)
			var out, problems bytes.Buffer
			require.NoError(t, dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: &out, Problems: &problems}))
			requireAll(t, out.String())
			assert.Equal(t, "4500 rows\n", problems.String())
			assert.Zero(t, c.OpenContexts(), "what the server has kept is given back")
		})
	}
}

func TestNodesThatFailInAnAnswerDoNotEndADumpOfElasticsearch(t *testing.T) {
	c := full(t, fakecluster.Nodes(2))
	c.Node(0).Inject(fakecluster.Fault{Path: "/_search", Times: 1, Action: fakecluster.ResetAfterExecute})
	c.Node(1).Inject(fakecluster.Fault{Path: "/_search", Times: 1, Action: fakecluster.CutBody(100)})
	var out bytes.Buffer
	err := dump.Run(t.Context(), dump.Config{DSN: c.DSN() + "?balancer=roundrobin", Table: "rows", Out: &out, Problems: io.Discard})
	require.NoError(t, err)
	requireAll(t, out.String())
}

func TestNodeThatCutsEveryAnswerEndsADump(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	require.NoError(t, c.Put("rows", "1", map[string]any{"n": 1}))
	c.Inject(fakecluster.Fault{Path: "/_search", Action: fakecluster.CutBody(10)})
	err := dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: io.Discard, Problems: io.Discard})
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestFileIsCompressedAndAppearsWhenItIsComplete(t *testing.T) {
	c := full(t)
	name := filepath.Join(t.TempDir(), "rows.ndjson.gz")
	require.NoError(t, dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", File: name, Problems: io.Discard}))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(unzip)
	require.NoError(t, err)
	requireAll(t, string(text))
}

func TestFailedDumpLeavesNoFile(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	require.NoError(t, c.Put("rows", "1", map[string]any{"n": 1}))
	cut := `{"timed_out":false,"_shards":{"total":2,"failed":1,"failures":[{"reason":{"type":"node_not_connected_exception","reason":"gone"}}]},"hits":{"hits":[{"_source":{"n":1}}]}}`
	c.Inject(fakecluster.Fault{Path: "/_search", Action: fakecluster.Status(200, cut, nil)})
	name := filepath.Join(t.TempDir(), "rows.csv")
	err := dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", File: name, Problems: io.Discard})
	assert.ErrorContains(t, err, "1 shards did not answer, and rows are missing: node_not_connected_exception: gone")
	assert.NoFileExists(t, name)
	assert.NoFileExists(t, name+".part")
}

func TestCSVHasAColumnForEachField(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	require.NoError(t, c.Put("rows", "1", map[string]any{"s": "a,\"b\"\nc", "n": 1.5, "o": map[string]any{"x": true}, "list": []int{1, 2}}))
	require.NoError(t, c.Put("rows", "2", map[string]any{"s": nil, "o.x": false}))
	name := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", File: name, Problems: io.Discard}))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"list", "n", "o.x", "s"},
		{"[1,2]", "1.5", "true", "a,\"b\"\nc"},
		{"", "", "false", ""},
	}, records)
}

func TestTableThatIsNotThereIsAnError(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	err := dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: io.Discard, Problems: io.Discard})
	assert.ErrorContains(t, err, "index_not_found_exception")
}

func TestEndingThatTellsNoFormatIsAnError(t *testing.T) {
	for _, name := range []string{"rows", "rows.txt", "rows.gz"} {
		err := dump.Run(t.Context(), dump.Config{DSN: "http://127.0.0.1:1", Table: "rows", File: name, Problems: io.Discard})
		assert.ErrorContains(t, err, "tells no format", name)
	}
}

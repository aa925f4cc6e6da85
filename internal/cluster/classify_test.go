package cluster

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

func TestMethodAndPathDecideTheClass(t *testing.T) {
	for _, c := range []struct {
		method, path, query string
		want                pool.Class
	}{
		{"POST", "/_bulk", "", pool.Bulk},
		{"POST", "/i/_bulk", "", pool.Bulk},
		{"PUT", "/i/t/_bulk", "", pool.Bulk},
		{"POST", "/_reindex", "", pool.Recovery},
		{"POST", "/i/_update_by_query", "", pool.Recovery},
		{"POST", "/a,b/_delete_by_query", "", pool.Recovery},
		{"PUT", "/_snapshot/r/s", "", pool.Recovery},
		{"POST", "/i/_forcemerge", "", pool.Recovery},
		{"GET", "/_tasks/n:1", "wait_for_completion=true", pool.Recovery},
		{"GET", "/_tasks/n:1", "", pool.State},
		{"GET", "/_cluster/health", "", pool.State},
		{"GET", "/_nodes/_all/http", "", pool.State},
		{"GET", "/_cat/indices", "", pool.State},
		{"GET", "/i/_mapping", "", pool.State},
		{"PUT", "/i", "", pool.State},
		{"HEAD", "/i", "", pool.State},
		{"GET", "/", "", pool.Ping},
		{"HEAD", "", "", pool.Ping},
		{"POST", "/i/_search", "", pool.Reg},
		{"POST", "/_all/_search", "", pool.Reg},
		{"GET", "/i/_doc/_cluster", "", pool.Reg},
		{"PUT", "/i/_doc/1", "", pool.Reg},
		{"GET", "/i/type/1", "", pool.Reg},
		{"POST", "/i", "", pool.Reg},
		{"POST", "/_sql", "", pool.Reg},
		{"POST", "/_plugins/_sql", "", pool.Reg},
		{"POST", "/_opendistro/_sql", "", pool.Reg},
		{"GET", "/_plugins/_ism/explain", "", pool.State},
	} {
		assert.Equal(t, c.want, classOf(c.method, c.path, c.query), "%s %s", c.method, c.path)
	}
}

func TestTellingTheClassAllocatesNothing(t *testing.T) {
	allocs := testing.AllocsPerRun(100, func() {
		classOf("POST", "/index-a,index-b/_search", "size=1")
		classOf("POST", "/_plugins/_sql", "")
		classOf("GET", "/", "")
	})
	require.Zero(t, allocs)
}

func TestOperationTableDecidesWhatMayBeSentTwice(t *testing.T) {
	bulkGuarded := "{\"create\":{\"_id\":\"1\"}}\n{}\n{\"index\":{\"_id\":\"2\",\"if_seq_no\":1,\"if_primary_term\":1}}\n{}\n{\"delete\":{\"_id\":\"3\",\"version\":4,\"version_type\":\"external\"}}\n"
	for _, c := range []struct {
		method, url, body string
		want              bool
	}{
		{"GET", "/i/_doc/1", "", true},
		{"HEAD", "/i", "", true},
		{"POST", "/i/_search", "{}", true},
		{"POST", "/_msearch", "{}\n{}\n", true},
		{"POST", "/i/_count", "", true},
		{"POST", "/_mget", "{}", true},
		{"GET", "/_search/scroll", "", false},
		{"POST", "/_search/scroll", "{}", false},
		{"POST", "/i/_search/point_in_time", "", false},
		{"POST", "/i/_pit", "", false},
		{"POST", "/_sql", `{"query":"SELECT 1"}`, true},
		{"POST", "/_sql", `{"query":"  (select 1)"}`, true},
		{"POST", "/_sql", `{"cursor":"abc"}`, false},
		{"POST", "/_plugins/_sql", `{"query":"DELETE FROM t"}`, false},
		{"POST", "/_plugins/_sql", `{"query":"SHOW TABLES LIKE '%'"}`, true},
		{"POST", "/_sql/close", `{"cursor":"abc"}`, true},
		{"POST", "/_plugins/_sql/close", `{"cursor":"abc"}`, true},
		{"POST", "/_sql", `not json`, false},
		{"POST", "/_query", `{"query":"FROM i"}`, true},
		{"POST", "/_query/async", `{"query":"FROM i"}`, false},
		{"POST", "/_bulk", bulkGuarded, true},
		{"POST", "/_bulk", bulkGuarded + "{\"index\":{\"_id\":\"9\"}}\n{}\n", false},
		{"POST", "/_bulk", "{\"create\":{}}\n{}\n", false},
		{"POST", "/_bulk", "{\"delete\":{\"_id\":\"1\"}}\n", false},
		{"POST", "/_bulk", "{\"update\":{\"_id\":\"1\"}}\n{}\n", false},
		{"POST", "/_bulk", "garbage\n", false},
		{"PUT", "/i/_doc/1", "{}", false},
		{"POST", "/i/_doc", "{}", false},
		{"POST", "/i/_doc?op_type=create", "{}", false},
		{"PUT", "/i/_doc/1?op_type=create", "{}", true},
		{"PUT", "/i/_create/1", "{}", true},
		{"POST", "/i/_create/1", "{}", true},
		{"PUT", "/i/_doc/1?if_seq_no=3&if_primary_term=1", "{}", true},
		{"DELETE", "/i/_doc/1?if_seq_no=3&if_primary_term=1", "", true},
		{"DELETE", "/i/_doc/1", "", false},
		{"PUT", "/i/t/1?op_type=create", "{}", true},
		{"POST", "/i/_update/1", "{}", false},
		{"POST", "/i/_update/1?if_seq_no=3&if_primary_term=1", "{}", false},
		{"POST", "/i/_update_by_query", "{}", false},
		{"POST", "/_reindex", "{}", false},
		{"DELETE", "/i", "", false},
		{"DELETE", "/_eql/search/abc", "", false},
		{"PUT", "/i/_explain/1", "{}", false},
		{"PATCH", "/i/_search", "{}", false},
		{"OPTIONS", "/", "", true},
		{"PUT", "/i", "{}", false},
	} {
		req, err := http.NewRequest(c.method, c.url, strings.NewReader(c.body))
		require.NoError(t, err)
		got, why := idempotency(req)
		assert.Equal(t, c.want, got, "%s %s %s: %s", c.method, c.url, c.body, why)
	}
}

func TestCallersMarkGoesBeforeTheOperationTable(t *testing.T) {
	req, err := http.NewRequest("POST", "/i/_doc", strings.NewReader("{}"))
	require.NoError(t, err)
	req.Header.Set("Idempotency-Key", "k")
	yes, _ := idempotency(req)
	assert.True(t, yes)
	yes, _ = idempotency(req.WithContext(WithIdempotent(context.Background(), false)))
	assert.False(t, yes)
}

func TestBodyThatIsReadOnceIsNotJudgedByReadingIt(t *testing.T) {
	req, err := http.NewRequest("POST", "/_bulk", strings.NewReader("{\"create\":{\"_id\":\"1\"}}\n{}\n"))
	require.NoError(t, err)
	req.GetBody = nil
	yes, _ := idempotency(req)
	assert.False(t, yes)
	length := req.ContentLength
	n, _ := req.Body.Read(make([]byte, 100))
	assert.EqualValues(t, length, n, "the body was touched")
}

func FuzzIdempotentBulk(f *testing.F) {
	f.Add("{\"create\":{\"_id\":\"1\"}}\n{}\n")
	f.Add("{\"delete\":{\"_id\":\"1\",\"version\":1}}")
	f.Fuzz(func(t *testing.T, body string) {
		req, err := http.NewRequest("POST", "/_bulk", strings.NewReader(body))
		require.NoError(t, err)
		if yes, _ := idempotency(req); yes {
			requireEveryActionHasAnID(t, body)
		}
	})
}

// requireEveryActionHasAnID reads a bulk in its own way: a line, and another one unless it deletes.
func requireEveryActionHasAnID(t *testing.T, body string) {
	lines := strings.Split(body, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		var action map[string]map[string]any
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &action), lines[i])
		for kind, fields := range action {
			require.NotEmpty(t, fields["_id"], lines[i])
			if kind != "delete" {
				i++
			}
		}
	}
}

package sqlapi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// toNode sends requests to one node of a fake cluster.
type toNode struct {
	base   *url.URL
	client *http.Client
}

func (d toNode) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = d.base.Scheme, d.base.Host
	return d.client.Transport.RoundTrip(r)
}

// onFake is a client over one node of a fake cluster.
func onFake(t testing.TB, product Product, options ...fakecluster.Option) *Client {
	t.Helper()
	fake := fakecluster.Run(t, append([]fakecluster.Option{fakecluster.Nodes(1)}, options...)...)
	base, err := url.Parse(fake.URLs()[0])
	require.NoError(t, err)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := NewClient(Config{Doer: toNode{base, &http.Client{Transport: transport}}, Product: product})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

const predicateMapping = `{"mappings":{"properties":{
	"n":{"type":"long"},"i":{"type":"integer"},"d":{"type":"double"},"f":{"type":"float"},"b":{"type":"boolean"},
	"k":{"type":"keyword"},"x":{"type":"text","fields":{"keyword":{"type":"keyword"}}},
	"t":{"type":"date"},"u":{"type":"date","format":"yyyy-MM-dd HH:mm:ss"},"v":{"type":"date_nanos"},
	"a":{"type":"ip"},"o":{"properties":{"k":{"type":"keyword"},"n":{"type":"long"}}},"bare":{"type":"text"},
	"s":{"type":"nested","properties":{"k":{"type":"keyword"}}},"y":{"type":"binary"}}}}`

// samples are the values of columns, as documents and statements have them.
var samples = map[string][]any{
	"n": {int64(-1), int64(0), int64(1), int64(2), int64(9007199254740993)},
	"i": {int64(-1), int64(0), int64(1), int64(2)},
	"d": {-1.5, 0.0, 0.1, 1.0, 2.5},
	"f": {-1.5, 0.0, 0.1, 0.3, 2.5},
	"b": {true, false},
	"k": {"", "a", "b", "ab", "a*b", `a\b`, "ä", "A", "_", "%"},
	"x": {"", "a", "b", "ab", "a b", "Ab"},
	"t": {"2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2026-01-02T00:00:00.000Z", "1969-12-31T23:59:59.999Z"},
	"u": {"2026-01-01 00:00:00", "2026-01-01 00:00:01", "2026-01-02 00:00:00"},
	"v": {"2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:00.000000002Z", "2026-01-01T00:00:00.000000000Z"},
	"a": {"10.0.0.1", "10.0.0.2", "::1", "2001:db8::1"},
}

var sampleColumns = []string{"n", "i", "d", "f", "b", "k", "x", "t", "u", "v", "a", "o.k", "o.n"}

// valuesOf are a column's samples; those of o.k are of k.
func valuesOf(column string) []any { return samples[column[strings.LastIndexByte(column, '.')+1:]] }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// randomDocument leaves columns out, makes them null, or gives them a value or two.
func randomDocument(r *rand.Rand) map[string]any {
	doc := map[string]any{}
	for _, column := range sampleColumns {
		switch r.IntN(6) {
		case 0:
		case 1:
			setAt(doc, column, nil)
		case 2:
			setAt(doc, column, []any{pick(r, valuesOf(column)), pick(r, valuesOf(column))})
		default:
			setAt(doc, column, pick(r, valuesOf(column)))
		}
	}
	return doc
}

// predicates writes random predicates; arguments go to args.
type predicates struct {
	r    *rand.Rand
	args []sqlparse.Arg
}

func (p *predicates) any(depth int) string {
	if depth > 0 {
		switch p.r.IntN(6) {
		case 0, 1:
			return "(" + p.any(depth-1) + " AND " + p.any(depth-1) + ")"
		case 2, 3:
			return "(" + p.any(depth-1) + " OR " + p.any(depth-1) + ")"
		case 4:
			return "NOT (" + p.any(depth-1) + ")"
		}
	}
	return p.leaf()
}

func (p *predicates) leaf() string {
	column := pick(p.r, sampleColumns)
	not := pick(p.r, []string{"", "NOT "})
	switch p.r.IntN(9) {
	case 0:
		return column + " IS " + not + "NULL"
	case 1:
		list := make([]string, 1+p.r.IntN(3))
		for i := range list {
			list[i] = p.value(column)
		}
		return column + " " + not + "IN (" + strings.Join(list, ", ") + ")"
	case 2:
		return column + " " + not + "BETWEEN " + p.value(column) + " AND " + p.value(column)
	case 3:
		return pick(p.r, []string{"k", "x", "o.k"}) + " " + not + pick(p.r, []string{"LIKE ", "ILIKE "}) + p.pattern()
	case 4:
		return not + "b"
	case 5:
		return pick(p.r, []string{"1 = 1", "1 = 0", "NULL = 1", "TRUE", "FALSE", "1 + 1 = 2", "'a' LIKE 'b'"})
	case 6:
		return p.value(column) + " " + pick(p.r, []string{"=", "<>", "<", "<=", ">", ">="}) + " " + column
	}
	return column + " " + pick(p.r, []string{"=", "<>", "<", "<=", ">", ">="}) + " " + p.value(column)
}

// value is one of a column's values, NULL, or a number beside them.
func (p *predicates) value(column string) string {
	var v any = pick(p.r, valuesOf(column))
	switch {
	case p.r.IntN(8) == 0:
		v = nil
	case column == "n" && p.r.IntN(4) == 0:
		v = pick(p.r, []any{0.5, 1e30, -1e30, 1.0, uint64(1) << 63})
	case column == "i" && p.r.IntN(4) == 0:
		v = pick(p.r, []any{0.5, int64(1) << 40, -int64(1) << 40})
	}
	p.args = append(p.args, sqlparse.Arg{Ordinal: len(p.args) + 1, Value: v})
	return "?"
}

func (p *predicates) pattern() string {
	text := pick(p.r, []string{"a", "%", "a%", "%b", "_", "a_b", "%a%", "", "!%", "!_", "A%", "%b!%%", `a\%`, "a*%", "__", "%%"})
	v := any(text)
	if p.r.IntN(10) == 0 {
		v = nil
	}
	p.args = append(p.args, sqlparse.Arg{Ordinal: len(p.args) + 1, Value: v})
	return "? ESCAPE '!'"
}

// found are the rows that a query finds on the cluster.
func (c *Client) found(t testing.TB, q query) []string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": q, "size": 1000, "_source": false})
	require.NoError(t, err)
	var answer struct {
		Hits struct {
			Hits []struct {
				ID string `json:"_id"`
			} `json:"hits"`
		} `json:"hits"`
	}
	require.NoError(t, c.call(t.Context(), request{method: "POST", path: "/p/_search", body: body}, &answer), "%s", body)
	var ids []string
	for _, hit := range answer.Hits.Hits {
		ids = append(ids, hit.ID)
	}
	slices.SortFunc(ids, func(a, b string) int { x, _ := strconv.Atoi(a); y, _ := strconv.Atoi(b); return x - y })
	return ids
}

// TestQueryFindsTheRowsThatThePredicateHoldsOf compares both meanings of a predicate: the query that a server runs, and
// the evaluation over one document.
func TestQueryFindsTheRowsThatThePredicateHoldsOf(t *testing.T) {
	leaktest.Check(t)
	c := onFake(t, OpenSearch, fakecluster.Product(fakecluster.OpenSearch))
	require.NoError(t, c.put(t.Context(), "/p", jsonText(predicateMapping)))
	r := rand.New(rand.NewPCG(1, 2))
	docs := loadDocuments(t, c, r, 60)
	table, err := c.table(t.Context(), "p")
	require.NoError(t, err)
	for range 500 {
		p := &predicates{r: r}
		text := "DELETE FROM p WHERE " + p.any(3)
		s, err := sqlparse.Parse(sqlparse.OpenSearch, text)
		require.NoError(t, err, text)
		scope, err := newScope(s, table, "", p.args)
		require.NoError(t, err)
		where := s.Tree().(*sqlparse.DeleteStatement).Where
		q, err := scope.where(where)
		require.NoError(t, err, text)
		var want []string
		for i, doc := range docs {
			held, err := scope.holds(where, doc)
			require.NoError(t, err, text)
			if held == verity {
				want = append(want, strconv.Itoa(i))
			}
		}
		if !assert.Equal(t, want, c.found(t, q), "%s %v", text, p.args) {
			shown, _ := json.Marshal(q)
			t.Fatalf("%s", shown)
		}
	}
}

// jsonText is JSON that stands for itself.
type jsonText string

func (j jsonText) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// loadDocuments writes random documents and returns them as the cluster gives them back.
func loadDocuments(t testing.TB, c *Client, r *rand.Rand, n int) []map[string]any {
	t.Helper()
	var body strings.Builder
	var docs []map[string]any
	for i := range n {
		source, err := json.Marshal(randomDocument(r))
		require.NoError(t, err)
		doc, err := decodeDocument(source)
		require.NoError(t, err)
		docs = append(docs, doc)
		fmt.Fprintf(&body, "{\"index\":{\"_id\":\"%d\"}}\n%s\n", i, source)
	}
	var answer struct {
		Errors bool `json:"errors"`
	}
	require.NoError(t, c.call(context.Background(), request{method: "POST", path: "/p/_bulk", query: "refresh=true", body: []byte(body.String())}, &answer))
	require.False(t, answer.Errors)
	return docs
}

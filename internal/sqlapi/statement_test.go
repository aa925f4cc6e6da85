package sqlapi_test

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/internal/sqlapi"
	"github.com/esdriver/esdriver/internal/sqlparse"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// script answers requests by a function of path and body, and keeps what was sent.
type script struct {
	answer func(path, body string) (status int, answer string)
	mu     sync.Mutex // guards sent
	sent   []string   // "METHOD path?query body"
	last   *http.Request
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	s.mu.Lock()
	s.sent, s.last = append(s.sent, r.Method+" "+r.URL.RequestURI()+" "+string(body)), r
	s.mu.Unlock()
	status, answer := s.answer(r.URL.Path, string(body))
	return reply(r, status, answer)
}

const oneRow = `{"columns":[{"name":"a","type":"integer"}],"rows":[[1]]}`
const oneRowOpenSearch = `{"schema":[{"name":"a","type":"integer"}],"datarows":[[1]],"total":1,"size":1,"status":200}`

func named(values ...any) []driver.NamedValue {
	list := make([]driver.NamedValue, len(values))
	for i, v := range values {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}

func TestParametersAreSentInTheFormThatTheServerTakes(t *testing.T) {
	server := &script{}
	server.answer = func(_, body string) (int, string) {
		if !strings.Contains(body, `{"type":"keyword","value":"x"}`) {
			return 400, `{"error":{"type":"x_content_parse_exception","reason":"[1:67] [params] Expected START_OBJECT but was: END_ARRAY"},"status":400}`
		}
		return 200, oneRow
	}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	for range 2 {
		_, _, err := readAll(context.Background(), client, "SELECT a FROM t WHERE s = ? AND l = ? AND d = ? AND n = ? AND b = ?", named("x", int64(1), 2.0, nil, true))
		require.NoError(t, err)
	}
	require.Len(t, server.sent, 3, "the form is learned once")
	assert.Contains(t, server.sent[0], `"params":["x",1,2.0,null,true]`)
	assert.Contains(t, server.sent[2], `{"type":"integer","value":1},{"type":"double","value":2.0},{"type":"null","value":null},{"type":"boolean","value":true}`)
}

func TestNothingIsSentThatCannotArriveAsItIs(t *testing.T) {
	for _, value := range []any{"\xff", uint64(1) << 63} {
		for _, product := range []sqlapi.Product{sqlapi.Elasticsearch, sqlapi.OpenSearch} {
			server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
			client := newClient(t, sqlapi.Config{Doer: server, Product: product})
			_, _, err := readAll(context.Background(), client, "SELECT COUNT(*) FROM t WHERE s = ?", named(value))
			require.Error(t, err)
			assert.Empty(t, server.sent, "%v", value)
		}
	}
}

func TestBackslashIsWrittenByTheServersVersion(t *testing.T) {
	for length, want := range map[int]string{2: `'C:\\dir'`, 1: `'C:\\\\dir'`} { // as JSON
		server := &script{}
		server.answer = func(path, body string) (int, string) {
			switch {
			case path == "/":
				return 403, `{"error":{"type":"security_exception","reason":"no permissions for [cluster:monitor/main]"},"status":403}`
			case strings.Contains(body, "LENGTH("):
				return 200, fmt.Sprintf(`{"schema":[{"name":"n","type":"integer"}],"datarows":[[%d]],"total":1,"size":1,"status":200}`, length)
			}
			return 200, oneRowOpenSearch
		}
		client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
		for range 2 {
			_, _, err := readAll(context.Background(), client, "SELECT COUNT(*) FROM t WHERE s = ?", named(`C:\dir`))
			require.NoError(t, err)
		}
		require.Len(t, server.sent, 4, "the version is asked for once, and by a statement once")
		assert.Contains(t, server.sent[1], `SELECT LENGTH('\\\\') AS n`)
		assert.Contains(t, server.sent[3], want)
	}
}

func TestProductIsFoundOutByAUserWithoutRights(t *testing.T) {
	for want, answer := range map[string]string{
		"/_sql":          `{"error":"no handler found for uri [/_plugins/_sql] and method [POST]"}`,
		"/_plugins/_sql": oneRowOpenSearch,
	} {
		server := &script{}
		server.answer = func(path, body string) (int, string) {
			switch {
			case path == "/":
				return 403, `{"error":{"type":"security_exception","reason":"no"},"status":403}`
			case path == "/_plugins/_sql" && want == "/_sql":
				return 400, answer
			case path == "/_sql":
				return 200, oneRow
			}
			return 200, answer
		}
		client := newClient(t, sqlapi.Config{Doer: server})
		_, rows, err := readAll(context.Background(), client, "SELECT 1 AS a", nil)
		require.NoError(t, err)
		assert.Equal(t, [][]driver.Value{{int64(1)}}, rows)
		assert.Contains(t, server.sent[len(server.sent)-1], "POST "+want)
	}
}

func TestVersionOfTheTopologySavesTheQuestion(t *testing.T) {
	server := &script{answer: func(path, _ string) (int, string) { return 200, oneRowOpenSearch }}
	topology := func() sampler.Topology {
		return sampler.Topology{Nodes: []*sampler.Node{{Version: "3.8.0"}, {Version: "2.19.6"}, {}}}
	}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch, Topology: topology})
	_, _, err := readAll(context.Background(), client, "SELECT a FROM t", nil)
	require.NoError(t, err)
	require.Len(t, server.sent, 1)
	assert.Contains(t, server.sent[0], "_id", "by the rule of the oldest node")
}

func TestFetchSizeIsSentToOpenSearchForPlainSelectsOnly(t *testing.T) {
	server := &script{answer: func(string, string) (int, string) { return 200, oneRowOpenSearch }}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
	for _, text := range []string{"SELECT COUNT(*) FROM t", "SELECT a FROM t LIMIT 5", "SELECT DISTINCT a FROM t", "SELECT a FROM t GROUP BY a", "SELECT 1"} {
		_, _, err := readAll(context.Background(), client, text, nil)
		require.NoError(t, err)
		assert.NotContains(t, server.sent[len(server.sent)-1], "fetch_size", text)
	}
	_, _, err := readAll(sqlapi.WithCall(context.Background(), sqlapi.Call{FetchSize: -1}), client, "SELECT a FROM t", nil)
	require.NoError(t, err)
	assert.NotContains(t, server.sent[len(server.sent)-1], "fetch_size", "paging is off")
	_, _, err = readAll(context.Background(), client, "SELECT a FROM t WHERE b = 1", nil)
	require.NoError(t, err)
	assert.Contains(t, server.sent[len(server.sent)-1], `"fetch_size":1000`)
}

func TestCallOptionsGoWithTheirStatementAlone(t *testing.T) {
	server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{Arrays: sqlapi.ArraysFirst, Catalog: "other"}})
	session := client.Conn()
	ctx := sqlapi.WithCall(context.Background(), sqlapi.Call{FetchSize: 7, Filter: json.RawMessage(`{"term":{"a":1}}`), RequestID: "r1"})
	ctx = pool.WithClass(ctx, pool.Bulk)
	for _, c := range []context.Context{ctx, context.Background()} {
		rows, err := session.QueryContext(c, "SELECT a FROM t", nil)
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		class, _ := pool.ClassFrom(server.last.Context())
		if c == ctx {
			assert.Equal(t, "r1", server.last.Header.Get("X-Opaque-Id"))
			assert.Equal(t, pool.Bulk, class)
		} else {
			assert.Empty(t, server.last.Header.Get("X-Opaque-Id"))
			assert.Equal(t, pool.Reg, class)
		}
	}
	assert.Equal(t, `POST /_sql {"query":"SELECT a FROM t","fetch_size":7,"catalog":"other","filter":{"term":{"a":1}},"time_zone":"UTC","field_multi_value_leniency":true}`, server.sent[0])
	assert.Equal(t, `POST /_sql {"query":"SELECT a FROM t","fetch_size":1000,"catalog":"other","time_zone":"UTC","field_multi_value_leniency":true}`, server.sent[1])
}

func TestWhatAServerCannotDoIsRefused(t *testing.T) {
	for _, c := range []struct {
		product sqlapi.Product
		call    sqlapi.Call
		text    string
	}{
		{sqlapi.OpenSearch, sqlapi.Call{Filter: json.RawMessage(`{}`)}, "SELECT a FROM t"},
		{sqlapi.OpenSearch, sqlapi.Call{Async: time.Second}, "SELECT a FROM t"},
		{sqlapi.Elasticsearch, sqlapi.Call{Routing: "x"}, "SELECT a FROM t"},
		{sqlapi.Elasticsearch, sqlapi.Call{Preference: "_local"}, "SELECT a FROM t"},
		{sqlapi.OpenSearch, sqlapi.Call{}, "/* esql */ FROM t"},
		{sqlapi.Elasticsearch, sqlapi.Call{}, "/* ppl */ source=t"},
		{sqlapi.OpenSearch, sqlapi.Call{}, "ROLLBACK"},
		{sqlapi.Elasticsearch, sqlapi.Call{}, "SELECT a FROM t WHERE a = 1 FOR UPDATE"},
		{sqlapi.OpenSearch, sqlapi.Call{}, "SELECT a FROM t LIMIT 1 FOR SHARE SKIP LOCKED"},
		{sqlapi.Elasticsearch, sqlapi.Call{}, "SHOW server_version_num"},
	} {
		server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
		client := newClient(t, sqlapi.Config{Doer: server, Product: c.product})
		_, err := client.Conn().ExecContext(sqlapi.WithCall(context.Background(), c.call), c.text, nil)
		require.ErrorIs(t, err, sqlapi.ErrUnsupported, c.text)
		assert.Empty(t, server.sent)
	}
}

func TestESQLAndPPLPassByTheirPrefix(t *testing.T) {
	server := &script{answer: func(path, _ string) (int, string) {
		if path == "/_query" {
			return 200, `{"took":1,"is_partial":false,"columns":[{"name":"a","type":"integer"}],"values":[[1]]}`
		}
		return 200, `{"schema":[{"name":"name","type":"string"}],"datarows":[["ann"]],"total":1,"size":1}`
	}}
	elastic := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	_, rows, err := readAll(context.Background(), elastic, "/* esql */ FROM t | WHERE a == ?", named(int64(1)))
	require.NoError(t, err)
	assert.Equal(t, [][]driver.Value{{int64(1)}}, rows)
	assert.Contains(t, server.sent[0], "POST /_query")
	openSearch := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
	_, rows, err = readAll(context.Background(), openSearch, "/* ppl */ source=t", nil)
	require.NoError(t, err)
	assert.Equal(t, [][]driver.Value{{"ann"}}, rows)
	assert.Contains(t, server.sent[1], "POST /_plugins/_ppl")
}

func TestStrictLimitsReportAResultThatWasCut(t *testing.T) {
	rows := func(n int) string {
		return `{"schema":[{"name":"a","type":"integer"}],"datarows":[` + strings.TrimSuffix(strings.Repeat("[1],", n), ",") + `],"status":200}`
	}
	for _, c := range []struct {
		version, text string
		rows          int
		cut           bool
	}{
		{"2.19.6", "SELECT a FROM t GROUP BY a", 1000, true},
		{"3.8.0", "SELECT a FROM t GROUP BY a", 1000, false},
		{"3.8.0", "SELECT a FROM t GROUP BY a", 10000, true},
		{"2.19.6", "SELECT a FROM t LIMIT 1000", 1000, false},
		{"3.8.0", "SELECT a FROM t LIMIT 20000", 10000, true},
		{"2.19.6", "SELECT a FROM t GROUP BY a", 999, false},
	} {
		for _, strict := range []bool{true, false} {
			server := &script{answer: func(path, _ string) (int, string) {
				if path == "/" {
					return 200, fmt.Sprintf(`{"version":{"distribution":"opensearch","number":%q}}`, c.version)
				}
				return 200, rows(c.rows)
			}}
			client := newClient(t, sqlapi.Config{Doer: server, Options: sqlapi.Options{StrictLimits: strict}})
			_, got, err := readAll(context.Background(), client, c.text, nil)
			assert.Len(t, got, c.rows)
			if !strict || !c.cut {
				require.NoError(t, err)
				continue
			}
			var limit *sqlapi.LimitError
			require.ErrorAs(t, err, &limit, "%+v", c)
		}
	}
}

func TestAsyncStatementIsAskedForUntilItHasEndedAndIsDeleted(t *testing.T) {
	asked := 0
	server := &script{}
	server.answer = func(path, _ string) (int, string) {
		switch path {
		case "/_sql":
			return 200, `{"id":"abc=","is_partial":true,"is_running":true,"rows":[]}`
		case "/_sql/async/abc=":
			if asked++; asked < 3 {
				return 200, `{"id":"abc=","is_partial":true,"is_running":true,"rows":[]}`
			}
			return 200, `{"id":"abc=","is_partial":false,"is_running":false,"columns":[{"name":"a","type":"integer"}],"rows":[[1]]}`
		}
		return 200, `{"acknowledged":true}`
	}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	ctx := sqlapi.WithCall(context.Background(), sqlapi.Call{Async: 2 * time.Second})
	_, rows, err := readAll(ctx, client, "SELECT a FROM t", nil)
	require.NoError(t, err)
	assert.Equal(t, [][]driver.Value{{int64(1)}}, rows)
	require.Len(t, server.sent, 5)
	assert.Contains(t, server.sent[0], `"wait_for_completion_timeout":"2000ms"`)
	assert.Equal(t, "GET /_sql/async/abc=?wait_for_completion_timeout=2000ms ", server.sent[1])
	assert.Equal(t, "DELETE /_sql/async/delete/abc= ", server.sent[4])
}

func TestCancelledAsyncStatementIsDeletedOnTheServer(t *testing.T) {
	leaktest.Check(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(sqlapi.WithCall(context.Background(), sqlapi.Call{Async: time.Second}))
		deleted := make(chan struct{})
		doer := doerFunc(func(r *http.Request) (*http.Response, error) {
			switch {
			case r.Method == http.MethodDelete:
				close(deleted)
				return reply(r, 200, `{"acknowledged":true}`)
			case r.Method == http.MethodGet:
				cancel()
				<-r.Context().Done() // the server waits
				return nil, context.Cause(r.Context())
			}
			return reply(r, 200, `{"id":"abc","is_partial":true,"is_running":true,"rows":[]}`)
		})
		client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})
		_, _, err := readAll(ctx, client, "SELECT a FROM t", nil)
		require.ErrorIs(t, err, context.Canceled)
		<-deleted
		client.Close()
	})
}

// watcher is a hook.
type watcher struct {
	mu     sync.Mutex
	events []string
	panics bool
}

func (w *watcher) StatementStart(ctx context.Context, s plugins.Statement) context.Context {
	if w.panics {
		panic("hook")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf("start %s %d", s.Text, s.Args))
	return context.WithValue(ctx, w, "kept")
}

func (w *watcher) StatementEnd(ctx context.Context, _ plugins.Statement, rows int64, err error) {
	if w.panics {
		panic("hook")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf("end %v %d %v", ctx.Value(w), rows, err))
}

func TestHooksSeeStatementsAndTheirPanicsBreakNothing(t *testing.T) {
	server := &script{answer: func(_, body string) (int, string) {
		if strings.Contains(body, "bad") {
			return 400, `{"error":{"type":"parsing_exception","reason":"bad"},"status":400}`
		}
		return 200, oneRow
	}}
	seen, panicking := &watcher{}, &watcher{panics: true}
	var panics []error
	client := newClient(t, sqlapi.Config{
		Doer: server, Product: sqlapi.Elasticsearch, Hooks: []plugins.Hook{panicking, seen, struct{}{}},
		HookPanicked: func(err error) { panics = append(panics, err) },
	})
	_, _, err := readAll(context.Background(), client, "SELECT a FROM t WHERE a = ?", named(int64(5)))
	require.NoError(t, err)
	_, _, err = readAll(context.Background(), client, "SELECT bad FROM t", nil)
	require.ErrorIs(t, err, sqlapi.ErrSyntax)
	assert.Equal(t, []string{
		"start SELECT a FROM t WHERE a = ? 1", "end kept 1 <nil>",
		"start SELECT bad FROM t 0", "end kept 0 " + err.Error(),
	}, seen.events)
	assert.Len(t, panics, 4)
}

func TestArgumentsOfEveryKindAreTaken(t *testing.T) {
	type id uint64
	for in, want := range map[any]any{
		uint64(7): int64(7), uint64(1) << 63: uint64(1) << 63, id(9): int64(9), uint8(1): int64(1),
	} {
		v := &driver.NamedValue{Ordinal: 1, Value: in}
		require.NoError(t, (&sqlapi.Conn{}).CheckNamedValue(v))
		assert.Equal(t, want, v.Value)
	}
	raw := &driver.NamedValue{Ordinal: 1, Value: json.RawMessage(`{"a":1}`)}
	require.NoError(t, (&sqlapi.Stmt{}).CheckNamedValue(raw))
	assert.Equal(t, `{"a":1}`, raw.Value)
	for _, other := range []any{"x", int(1), 1.5, time.Now(), []byte("x"), nil} {
		assert.Equal(t, driver.ErrSkip, (&sqlapi.Conn{}).CheckNamedValue(&driver.NamedValue{Value: other}), "%v", other)
	}
}

func TestNamedArgumentsAreMatchedByName(t *testing.T) {
	server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	stmt, err := client.Conn().PrepareContext(context.Background(), "SELECT a FROM t WHERE a = :x AND b = :y OR c = :x")
	require.NoError(t, err)
	assert.Equal(t, -1, stmt.NumInput())
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), []driver.NamedValue{
		{Ordinal: 1, Name: "y", Value: "why"}, {Ordinal: 2, Name: "x", Value: int64(1)},
	})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	assert.Contains(t, server.sent[0], `"params":[1,"why",1]`)
}

func TestClosedClusterIsABadConnectionAndNothingElseIs(t *testing.T) {
	for _, c := range []struct {
		err error
		bad bool
	}{
		{cluster.ErrClosed, true},
		{fmt.Errorf("%w: %w", cluster.ErrClosed, &plugins.AttemptError{Wrote: true, Err: io.EOF}), false},
		{cluster.ErrMaybeExecuted, false},
		{cluster.ErrNoNode, false},
		{io.ErrUnexpectedEOF, false},
	} {
		client := newClient(t, sqlapi.Config{Product: sqlapi.Elasticsearch, Doer: doerFunc(func(*http.Request) (*http.Response, error) { return nil, c.err })})
		err := client.Conn().Ping(context.Background())
		require.Error(t, err)
		assert.Equal(t, c.bad, err == driver.ErrBadConn, "%v", c.err)
	}
}

func TestTimeoutOfACallEndsItsStatement(t *testing.T) {
	leaktest.Check(t)
	synctest.Test(t, func(t *testing.T) {
		doer := doerFunc(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		})
		client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})
		ctx := sqlapi.WithCall(context.Background(), sqlapi.Call{Timeout: 10 * time.Millisecond})
		_, _, err := readAll(ctx, client, "SELECT a FROM t", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestSyntaxErrorsAreFoundBeforeAnythingIsSent(t *testing.T) {
	server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	_, _, err := readAll(context.Background(), client, "SELECT 'unterminated", nil)
	var syntax *sqlparse.SyntaxError
	require.ErrorAs(t, err, &syntax)
	assert.Empty(t, server.sent)
}

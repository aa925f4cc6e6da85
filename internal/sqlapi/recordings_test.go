package sqlapi_test

import (
	"bufio"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// recording is one request and its answer, of either layout of ../../../shared/recordings.
type recording struct {
	N             int            `json:"n"`
	Group         string         `json:"group"`
	Name          string         `json:"name"`
	Request       string         `json:"request"`
	File          string         `json:"file"`
	Version       string         `json:"version"`
	Release       string         `json:"release"`
	Method        string         `json:"method"`
	Path          string         `json:"path"`
	Query         string         `json:"query"`
	RequestBody   *string        `json:"request_body"`
	RequestHeader map[string]any `json:"request_headers"`
	Status        int            `json:"status"`
	Headers       any            `json:"headers"`
	Body          *string        `json:"body"`
	ResponseBody  *string        `json:"response_body"`

	product sqlapi.Product
	sent    sentJSON
	answer  string
}

type sentJSON struct {
	Query     *string           `json:"query"`
	Cursor    *string           `json:"cursor"`
	FetchSize int               `json:"fetch_size"`
	Params    []json.RawMessage `json:"params"`
	OSParams  []struct {
		Type  string
		Value json.RawMessage
	} `json:"parameters"`
	TimeZone string          `json:"time_zone"`
	Filter   json.RawMessage `json:"filter"`
	Catalog  string          `json:"catalog"`
	Lenient  bool            `json:"field_multi_value_leniency"`
}

func (r *recording) name() string {
	if r.File != "" {
		return r.File
	}
	return fmt.Sprintf("%03d %s %s", r.N, r.Group, r.Name)
}

var recordedServers = []struct {
	file    string
	product sqlapi.Product
	version string // where the lines do not tell it
}{
	{"answers/opensearch-2.19.6.jsonl", sqlapi.OpenSearch, ""},
	{"answers/opensearch-3.8.0.jsonl", sqlapi.OpenSearch, ""},
	{"answers/elasticsearch-7.3.0.jsonl", sqlapi.Elasticsearch, ""},
	{"answers/more-sql-failures-elasticsearch-7.3.0.jsonl", sqlapi.Elasticsearch, "7.3.0"},
	{"elasticsearch/recordings.jsonl", sqlapi.Elasticsearch, ""},
	{"opensearch/recordings.jsonl", sqlapi.OpenSearch, ""},
}

// TestRecordedStatementsGiveTheirRowsOrTheirError runs every recorded statement against a server that gives the
// recorded answer, and the recorded pages after it.
func TestRecordedStatementsGiveTheirRowsOrTheirError(t *testing.T) {
	for _, server := range recordedServers {
		t.Run(filepath.ToSlash(server.file), func(t *testing.T) {
			recordings := readRecordings(t, server.file, server.product)
			pages := pagesByCursor(recordings)
			results := asyncResults(recordings)
			var run int
			for _, r := range recordings {
				if r.Version == "" {
					r.Version = server.version
				}
				if why := notAStatement(r); why != "" {
					continue
				}
				run++
				t.Run(r.name(), func(t *testing.T) { replay(t, r, pages, results) })
			}
			t.Logf("%d of %d exchanges are statements", run, len(recordings))
		})
	}
}

func readRecordings(t *testing.T, file string, product sqlapi.Product) []*recording {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "recordings", filepath.FromSlash(file)))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the recordings of real servers are not in ../../../shared/recordings")
	}
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	var all []*recording
	for lines.Scan() {
		r := &recording{product: product}
		require.NoError(t, json.Unmarshal(lines.Bytes(), r))
		r.Version = strings.TrimLeft(r.Version+r.Release, "abcdefghijklmnopqrstuvwxyz-")
		for _, body := range []*string{r.Body, r.ResponseBody} {
			if body != nil {
				r.answer = *body
			}
		}
		if r.RequestBody != nil {
			_ = json.Unmarshal([]byte(*r.RequestBody), &r.sent) // some are not JSON on purpose
		}
		all = append(all, r)
	}
	require.NoError(t, lines.Err())
	return all
}

var statementPaths = []string{"/_sql", "/_plugins/_sql", "/_query", "/_plugins/_ppl"}

// text is the statement as a program writes it.
func (r *recording) text() string {
	switch r.Path {
	case "/_query":
		return "/* esql */ " + *r.sent.Query
	case "/_plugins/_ppl":
		return "/* ppl */ " + *r.sent.Query
	}
	return *r.sent.Query
}

// notAStatement says why an exchange is not one that this driver would have; empty when it is.
func notAStatement(r *recording) string {
	switch {
	case r.Method != http.MethodPost || !slices.Contains(statementPaths, r.Path):
		return "another endpoint"
	case r.sent.Query == nil || r.sent.Cursor != nil:
		return "a cursor's page, or no statement"
	case !isRead(r):
		return "a write, or of the BEGIN family: neither is sent as SQL"
	case strings.Contains(r.Query, "format=") && !strings.Contains(r.Query, "format=json") && !strings.Contains(r.Query, "format=jdbc"):
		return "another format"
	case r.product == sqlapi.OpenSearch && strings.Contains(r.Query, "format=json"):
		return "a search answer"
	case r.product == sqlapi.OpenSearch && len(r.sent.Filter) > 0:
		return "no filter is ever sent"
	case strings.Contains(r.answer, `"is_running":true`) && strings.Contains(*r.RequestBody, "Math.sin"):
		return "deleted before it had a result"
	case r.sent.TimeZone == "Nowhere/X":
		return "no client is made with an unknown time zone"
	case r.answer == "":
		return "a binary answer"
	}
	return ""
}

// isRead reports whether the statement is one that a server is sent, wrong ones included.
func isRead(r *recording) bool {
	flavor := sqlparse.Elasticsearch
	if r.product == sqlapi.OpenSearch {
		flavor = sqlparse.OpenSearch
	}
	s, err := sqlparse.Parse(flavor, r.text())
	return err != nil || s.Kind().Reads() || s.Kind() == sqlparse.Constant
}

// pagesByCursor lists the answers to each cursor, in the order in which they were given.
func pagesByCursor(all []*recording) map[string][]*recording {
	pages := map[string][]*recording{}
	for _, r := range all {
		if r.sent.Cursor != nil && !strings.HasSuffix(r.Path, "/close") {
			pages[*r.sent.Cursor] = append(pages[*r.sent.Cursor], r)
		}
	}
	return pages
}

// asyncResults are the answers to GET /_sql/async/{id} by their paths, the first one for each.
func asyncResults(all []*recording) map[string]*recording {
	results := map[string]*recording{}
	for _, r := range all {
		if r.Method == http.MethodGet && strings.HasPrefix(r.Path, "/_sql/async/") && results[r.Path] == nil {
			results[r.Path] = r
		}
	}
	return results
}

// different are the recordings whose rows or error a user of this driver does not see, and why.
var different = map[string]string{
	`010 column SELECT id, "id" FROM people WHERE id IN (1,2,3,4,8) ORDER BY id`: "one cell a row for two columns: it is not said which",
	"elasticsearch-9.5.3-081-post---sql.json":                                    "the server clamps an integer beyond int64 in silence",
	"elasticsearch-9.5.3-085-post---sql.json":                                    "the server ignores an argument too many in silence",
	"opensearch-3.9.0-148-post---plugins--sql.json":                              "the server ignores an argument too many in silence",
	"153 select SELECT DATABASE()":                                               "programs ask for it when they connect; OpenSearch has no such function",
	"163 select SELECT id FROM people FOR UPDATE":                                "OpenSearch passes over the lock, and the program would believe itself alone",
	"154 select SELECT VERSION()":                                                "programs ask for it when they connect; neither product has such a function",
}

func replay(t *testing.T, r *recording, pages map[string][]*recording, results map[string]*recording) {
	doer := &replayed{first: r, pages: pages, results: results, asked: map[string]int{}}
	client := newClient(t, sqlapi.Config{Doer: doer, Product: r.product, Options: sqlapi.Options{
		FetchSize: r.sent.FetchSize, TimeZone: r.sent.TimeZone, Catalog: r.sent.Catalog, ReadAhead: -1, Arrays: sqlapi.ArraysJSON,
	}})
	call := sqlapi.Call{Filter: r.sent.Filter}
	if strings.Contains(*r.RequestBody, "wait_for_completion_timeout") {
		call.Async = time.Second
	}
	columns, rows, err := readAll(sqlapi.WithCall(context.Background(), call), client, r.text(), r.args(t))
	if why := different[r.name()]; why != "" && len(doer.shown) == 0 && err == nil {
		require.Len(t, rows, 1, why)
		return
	} else if why != "" && err != nil {
		assertWanted(t, err, why)
		return
	}
	if len(doer.shown) == 0 {
		assertLocal(t, r, err)
		return
	}
	last := doer.shown[len(doer.shown)-1]
	if status, typ := recordedError(t, last); status != 0 {
		assertError(t, err, status, typ)
		return
	}
	var notRecorded *sqlapi.Error
	if errors.As(err, &notRecorded) && notRecorded.Type == "not_recorded" {
		err = nil // the last page of the statement was not recorded
	}
	require.NoError(t, err)
	assertRows(t, doer.shown, columns, rows)
}

// assertWanted checks the error of a difference that is wanted.
func assertWanted(t *testing.T, err error, why string) {
	var answer *sqlapi.AnswerError
	var local *sqlapi.StatementError
	var unsupported *sqlapi.UnsupportedError
	known := errors.As(err, &answer) || errors.As(err, &local) || errors.As(err, &unsupported)
	require.True(t, known, "%s: %v", why, err)
}

// assertError compares an error with the recorded one.
func assertError(t *testing.T, err error, status int, typ string) {
	var failed *sqlapi.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, status, failed.Status)
	assert.Equal(t, typ, failed.Type)
	assert.Equal(t, "127.0.0.1:9200", failed.Node)
	assert.Len(t, failed.SQLState, 5)
	if status != http.StatusNotAcceptable && status != http.StatusInternalServerError {
		assert.NotEqual(t, "HY000", failed.SQLState, "%v", err)
	}
}

// args are the recorded parameters as a program would give them.
func (r *recording) args(t *testing.T) []driver.NamedValue {
	var args []driver.NamedValue
	raws := r.sent.Params
	for _, p := range r.sent.OSParams {
		raws = append(raws, p.Value)
	}
	for i, raw := range raws {
		args = append(args, driver.NamedValue{Ordinal: i + 1, Value: goValue(t, raw)})
	}
	return args
}

func goValue(t *testing.T, raw json.RawMessage) any {
	if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return u
	}
	var v any
	require.NoError(t, json.Unmarshal(raw, &v))
	switch v.(type) {
	case map[string]any, []any:
		return string(raw)
	}
	return v
}

// assertLocal checks an error that came up before anything was sent.
func assertLocal(t *testing.T, r *recording, err error) {
	var (
		syntax      *sqlparse.SyntaxError
		args        *sqlparse.ArgError
		literal     *sqlparse.LiteralError
		unsupported *sqlparse.UnsupportedError
		ours        *sqlapi.UnsupportedError
	)
	known := errors.As(err, &syntax) || errors.As(err, &args) || errors.As(err, &literal) ||
		errors.As(err, &unsupported) || errors.As(err, &ours)
	require.True(t, known, "%T %v", err, err)
	status, _ := recordedError(t, r)
	require.NotZero(t, status, "refused before it is sent, answered by the server: %v", err)
}

// recordedError returns status and type of an answer that is an error.
func recordedError(t *testing.T, r *recording) (status int, typ string) {
	var body struct {
		Error  json.RawMessage `json:"error"`
		Status int             `json:"status"`
	}
	if json.Unmarshal([]byte(r.answer), &body) != nil || body.Error == nil {
		if r.Status != 200 {
			return r.Status, ""
		}
		return 0, ""
	}
	var object struct{ Type string }
	_ = json.Unmarshal(body.Error, &object)
	if r.Status == 200 {
		return body.Status, object.Type
	}
	return r.Status, object.Type
}

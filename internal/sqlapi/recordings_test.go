package sqlapi_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
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
			var run int
			for _, r := range recordings {
				if r.Version == "" {
					r.Version = server.version
				}
				if why := notAStatement(r); why != "" {
					continue
				}
				run++
				t.Run(r.name(), func(t *testing.T) { replay(t, r, pages) })
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

// notAStatement says why an exchange is not one that this driver would have; empty when it is.
func notAStatement(r *recording) string {
	switch {
	case r.Method != http.MethodPost || r.Path != "/_sql" && r.Path != "/_plugins/_sql":
		return "another endpoint"
	case r.sent.Query == nil || r.sent.Cursor != nil:
		return "a cursor's page, or no statement"
	case strings.Contains(r.Query, "format=") && !strings.Contains(r.Query, "format=json") && !strings.Contains(r.Query, "format=jdbc"):
		return "another format"
	case r.product == sqlapi.OpenSearch && strings.Contains(r.Query, "format=json"):
		return "a search answer"
	case r.product == sqlapi.OpenSearch && len(r.sent.Filter) > 0:
		return "no filter is ever sent"
	case strings.Contains(*r.RequestBody, `"columnar"`), strings.Contains(*r.RequestBody, "wait_for_completion_timeout"):
		return "a member that is never sent, or async"
	case r.sent.TimeZone == "Nowhere/X":
		return "no client is made with an unknown time zone"
	case r.answer == "":
		return "a binary answer"
	}
	return ""
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

// replayed answers with the recording, and cursors with their recorded pages.
type replayed struct {
	first *recording
	pages map[string][]*recording
	asked map[string]int
	shown []*recording // the answers that were given
}

func (d *replayed) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := func(status int, header http.Header, body string) (*http.Response, error) {
		sent := req.Clone(req.Context())
		sent.URL.Host = "127.0.0.1:9200"
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: sent}, nil
	}
	if req.URL.Path == "/" {
		return answer(200, http.Header{}, fmt.Sprintf(`{"version":{"number":%q}}`, d.first.Version))
	}
	if strings.HasSuffix(req.URL.Path, "/close") {
		return answer(200, http.Header{}, `{"succeeded":true}`)
	}
	raw, _ := io.ReadAll(req.Body)
	var sent sentJSON
	if err := json.Unmarshal(raw, &sent); err != nil {
		return nil, err
	}
	r := d.first
	if sent.Cursor != nil {
		list, n := d.pages[*sent.Cursor], d.asked[*sent.Cursor]
		if n >= len(list) {
			return answer(404, http.Header{}, `{"error":{"type":"not_recorded","reason":"page not recorded"},"status":404}`)
		}
		d.asked[*sent.Cursor]++
		r = list[n]
	}
	d.shown = append(d.shown, r)
	return answer(r.Status, r.header(), r.answer)
}

func (r *recording) header() http.Header {
	h := http.Header{}
	headers, _ := r.Headers.(map[string]any)
	for name, value := range headers {
		if text, ok := value.(string); ok {
			h.Set(name, text)
		} else if list, ok := value.([]any); ok && len(list) > 0 {
			h.Set(name, fmt.Sprint(list[0]))
		}
	}
	return h
}

// different are the recordings whose rows or error a user of this driver does not see, and why.
var different = map[string]string{
	`010 column SELECT id, "id" FROM people WHERE id IN (1,2,3,4,8) ORDER BY id`: "one cell a row for two columns: it is not said which",
}

func replay(t *testing.T, r *recording, pages map[string][]*recording) {
	doer := &replayed{first: r, pages: pages, asked: map[string]int{}}
	client := newClient(t, sqlapi.Config{Doer: doer, Product: r.product, Options: sqlapi.Options{
		FetchSize: r.sent.FetchSize, TimeZone: r.sent.TimeZone, Catalog: r.sent.Catalog, ReadAhead: -1, Arrays: sqlapi.ArraysJSON,
	}})
	ctx := sqlapi.WithCall(context.Background(), sqlapi.Call{Filter: r.sent.Filter})
	columns, rows, err := readAll(ctx, client, *r.sent.Query, r.args(t))
	if why := different[r.name()]; why != "" {
		var answer *sqlapi.AnswerError
		require.ErrorAs(t, err, &answer, why)
		return
	}
	if len(doer.shown) == 0 && err == nil {
		t.Log("answered by the driver: ", rows)
		require.Contains(t, []string{"SELECT DATABASE()", "SELECT VERSION()"}, *r.sent.Query)
		return
	}
	if len(doer.shown) == 0 {
		require.NotNil(t, err)
		assertLocal(t, r, err)
		return
	}
	last := doer.shown[len(doer.shown)-1]
	if status, typ := recordedError(t, last); status != 0 {
		var failed *sqlapi.Error
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, status, failed.Status)
		assert.Equal(t, typ, failed.Type)
		assert.Equal(t, "127.0.0.1:9200", failed.Node)
		assert.Len(t, failed.SQLState, 5)
		if status != http.StatusNotAcceptable && status != http.StatusInternalServerError {
			assert.NotEqual(t, "HY000", failed.SQLState, "%v", err)
		}
		return
	}
	var notRecorded *sqlapi.Error
	if errors.As(err, &notRecorded) && notRecorded.Type == "not_recorded" {
		err = nil // the last page of the statement was not recorded
	}
	require.NoError(t, err)
	assertRows(t, doer.shown, columns, rows)
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
	if status, _ := recordedError(t, r); status == 0 {
		t.Logf("refused before it is sent, answered by the server: %v", err)
		var request *sqlparse.ArgError
		require.True(t, errors.As(err, &request) || errors.As(err, &literal), "%v", err)
	}
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

type recordedPage struct {
	Columns, Schema []struct{ Name, Alias, Type string }
	Rows, DataRows  [][]json.RawMessage
}

// assertRows compares what was read with what the recorded pages say, by an own reading of JSON.
func assertRows(t *testing.T, shown []*recording, columns []string, rows [][]driver.Value) {
	var names, types []string
	var cells [][]json.RawMessage
	for i, r := range shown {
		var p recordedPage
		require.NoError(t, json.Unmarshal([]byte(r.answer), &p))
		cells = append(cells, append(p.Rows, p.DataRows...)...)
		for _, c := range append(p.Columns, p.Schema...) {
			if i > 0 {
				break
			}
			name := c.Name
			if c.Alias != "" {
				name = c.Alias
			}
			names, types = append(names, name), append(types, c.Type)
		}
	}
	assert.Equal(t, names, columns)
	require.Len(t, rows, len(cells))
	for i, row := range rows {
		for j, v := range row {
			require.True(t, sameValue(types[j], cells[i][j], v), "row %d column %s %s: recorded %s, read %T %v",
				i, names[j], types[j], cells[i][j], v, v)
		}
	}
}

// sameValue says whether a value is what the recorded cell stands for.
func sameValue(typ string, cell json.RawMessage, v driver.Value) bool {
	switch v := v.(type) {
	case nil:
		return string(cell) == "null"
	case bool:
		return strconv.FormatBool(v) == string(cell)
	case int64:
		f, err := strconv.ParseFloat(string(cell), 64)
		return strconv.FormatInt(v, 10) == string(cell) || err == nil && strings.Contains(string(cell), ".") && f == float64(v)
	case uint64:
		return typ == "unsigned_long" && strconv.FormatUint(v, 10) == string(cell)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strings.Contains(string(cell), map[bool]string{true: "NaN", false: "Infinity"}[math.IsNaN(v)])
		}
		f, err := strconv.ParseFloat(string(cell), 64)
		return err == nil && f == v && !isWhole(typ)
	case string:
		var s string
		return json.Unmarshal(cell, &s) == nil && s == v && !isTime(typ)
	case time.Time:
		return sameTime(typ, cell, v)
	case []byte:
		var s string
		if json.Unmarshal(cell, &s) == nil {
			raw, err := base64.StdEncoding.DecodeString(s)
			return err == nil && typ == "binary" && bytes.Equal(raw, v)
		}
		return bytes.Equal(cell, v)
	}
	return false
}

func isWhole(typ string) bool { return typ == "long" || typ == "integer" || typ == "unsigned_long" }
func isTime(typ string) bool  { return typ == "datetime" || typ == "timestamp" || typ == "date" }

func sameTime(typ string, cell json.RawMessage, v time.Time) bool {
	var s string
	if !isTime(typ) || json.Unmarshal(cell, &s) != nil {
		return false
	}
	if strings.HasPrefix(s, "+10000-") || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "+09:18:59") {
		return true // beyond package time's layouts; see TestTimesOfEveryShapeAreRead
	}
	if typ == "date" && strings.Contains(s, "T") && strings.HasSuffix(s, "00:00.000"+s[23:]) {
		day, err := time.Parse(time.DateOnly, s[:10])
		return err == nil && day.Equal(v)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if want, err := time.Parse(layout, s); err == nil {
			return want.Equal(v)
		}
	}
	return false
}

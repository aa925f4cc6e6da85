package sqlapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// table is a server with one table of two columns, id (unique) and n (with ties), spread over shards, that pages as
// the real servers do: Elasticsearch before 8.3 by scroll (a cursor moves on each time it is sent), from then on by a
// point in time (a cursor gives the same page again), OpenSearch by cursors that serve once, and 2.18 to 2.19 with
// the loss of rows that compare equal at the end of a page.
type table struct {
	product sqlapi.Product
	version string
	size    int
	// fail, when not nil, is asked before each page (from 1, of all statements together) and may answer in its place.
	fail func(page int, r *http.Request) (*http.Response, error)
	// hold, when not nil, is called before a page is answered.
	hold func(page int)

	mu       sync.Mutex // guards what follows
	pages    int
	contexts map[int]*tableCursor // what statements hold open, by number
	opened   int
	sent     []string // bodies of all requests
	paths    []string
}

type tableCursor struct {
	number int // of the context
	after  int // rows given so far
	fetch  int
	served map[int]bool // pages given, by the rows before them: OpenSearch gives each once
	rows   [][2]int
}

func (s *table) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.contexts)
}

func (s *table) opens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func (s *table) requests() (paths, bodies []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths), slices.Clone(s.sent)
}

// RoundTrip carries the request out even when its context has ended by then, as a server does whose client has gone.
func (s *table) RoundTrip(req *http.Request) (*http.Response, error) {
	var raw []byte
	if req.Body != nil {
		raw, _ = io.ReadAll(req.Body)
	}
	var sent sentJSON
	_ = json.Unmarshal(raw, &sent)
	s.mu.Lock()
	s.sent, s.paths = append(s.sent, string(raw)), append(s.paths, req.Method+" "+req.URL.Path)
	s.mu.Unlock()
	resp, err := s.answer(req, sent)
	if err == nil && req.Context().Err() != nil {
		return nil, context.Cause(req.Context())
	}
	return resp, err
}

func (s *table) answer(req *http.Request, sent sentJSON) (*http.Response, error) {
	switch {
	case req.URL.Path == "/":
		distribution := ""
		if s.product == sqlapi.OpenSearch {
			distribution = `"distribution":"opensearch",`
		}
		return reply(req, 200, fmt.Sprintf(`{"version":{%s"number":%q}}`, distribution, s.version))
	case strings.HasSuffix(req.URL.Path, "/close"):
		return s.close(req, *sent.Cursor)
	}
	s.mu.Lock()
	s.pages++
	page := s.pages
	s.mu.Unlock()
	if s.hold != nil {
		s.hold(page)
	}
	if s.fail != nil {
		if resp, err := s.fail(page, req); resp != nil || err != nil {
			return resp, err
		}
	}
	if sent.Cursor != nil {
		return s.next(req, *sent.Cursor)
	}
	return s.first(req, sent)
}

func reply(req *http.Request, status int, body string) (*http.Response, error) {
	sent := req.Clone(req.Context())
	sent.URL.Host = "127.0.0.1:9200"
	return &http.Response{
		StatusCode: status, Header: http.Header{}, Request: sent,
		Body: &contextBody{Reader: strings.NewReader(body), ctx: req.Context()},
	}, nil
}

// contextBody is a body that ends with its request's context, as a transport's does.
type contextBody struct {
	io.Reader
	ctx context.Context
}

func (b *contextBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.Reader.Read(p)
}

func (*contextBody) Close() error { return nil }

// rows are the table's rows in the order of the statement; without ORDER BY by shard, as segments come.
func (s *table) rows(text string) [][2]int {
	rows := make([][2]int, s.size)
	for i := range rows {
		rows[i] = [2]int{i + 1, (i + 1) % 5}
	}
	if strings.Contains(text, "ORDER BY n") {
		slices.SortStableFunc(rows, func(a, b [2]int) int { return cmp.Compare(a[1], b[1]) })
	}
	return rows
}

func (s *table) first(req *http.Request, sent sentJSON) (*http.Response, error) {
	rows := s.rows(*sent.Query)
	if _, after, ok := strings.Cut(*sent.Query, " LIMIT "); ok {
		n, _ := strconv.Atoi(strings.TrimSpace(after))
		rows = rows[:min(n, len(rows))]
	}
	c := &tableCursor{fetch: sent.FetchSize, rows: rows, served: map[int]bool{}}
	if c.fetch == 0 {
		c.fetch = len(rows) + 1
	}
	if s.loses(*sent.Query) {
		c.rows = withoutTies(rows, c.fetch)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.fetch < len(c.rows) || s.product == sqlapi.OpenSearch && sent.FetchSize == len(c.rows) {
		s.opened++
		c.number = s.opened
		if s.contexts == nil {
			s.contexts = map[int]*tableCursor{}
		}
		s.contexts[c.number] = c
	}
	return reply(req, 200, s.page(c, 0, true))
}

// loses reports whether the statement is paged without a key that tells all rows apart.
func (s *table) loses(text string) bool {
	return s.product == sqlapi.OpenSearch && strings.HasPrefix(s.version, "2.19") && !strings.Contains(text, "_id")
}

// withoutTies drops, after each page, the rows that sort equal to its last one, as search-after on n alone does.
func withoutTies(rows [][2]int, fetch int) [][2]int {
	var kept [][2]int
	for len(rows) > 0 {
		page := rows[:min(fetch, len(rows))]
		kept, rows = append(kept, page...), rows[len(page):]
		for len(rows) > 0 && rows[0][1] == page[len(page)-1][1] {
			rows = rows[1:]
		}
	}
	return kept
}

// next answers a cursor, number/after.
func (s *table) next(req *http.Request, cursor string) (*http.Response, error) {
	number, after := cutCursor(cursor)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.contexts[number]
	switch {
	case c == nil, s.product == sqlapi.OpenSearch && c.served[after]:
		return reply(req, 404, `{"error":{"type":"search_context_missing_exception","reason":"No search context found"},"status":404}`)
	case s.scrolls():
		after = c.after
	}
	return reply(req, 200, s.page(c, after, false))
}

func (s *table) scrolls() bool {
	return s.product == sqlapi.Elasticsearch && strings.HasPrefix(s.version, "7.")
}

func cutCursor(cursor string) (number, after int) {
	a, b, _ := strings.Cut(cursor, "/")
	number, _ = strconv.Atoi(a)
	after, _ = strconv.Atoi(b)
	return number, after
}

// page writes the page after so many rows. The last page has no cursor: Elasticsearch ends with a full page,
// OpenSearch with an empty one.
func (s *table) page(c *tableCursor, after int, first bool) string {
	rows := c.rows[after:min(after+c.fetch, len(c.rows))]
	c.served[after], c.after = true, after+len(rows)
	cells, _ := json.Marshal(rows)
	if len(rows) == 0 {
		cells = []byte("[]")
	}
	more := c.after < len(c.rows) || s.product == sqlapi.OpenSearch && len(rows) == c.fetch
	cursor := ""
	if more && c.number > 0 {
		cursor = fmt.Sprintf(`,"cursor":"%d/%d"`, c.number, c.after)
	} else {
		delete(s.contexts, c.number)
	}
	columns := `[{"name":"id","type":"long"},{"name":"n","type":"integer"}]`
	if s.product == sqlapi.OpenSearch {
		return fmt.Sprintf(`{"schema":%s,"datarows":%s,"total":%d,"size":%d,"status":200%s}`, columns, cells, len(rows), len(rows), cursor)
	}
	if !first {
		return fmt.Sprintf(`{"rows":%s%s}`, cells, cursor)
	}
	return fmt.Sprintf(`{"columns":%s,"rows":%s%s}`, columns, cells, cursor)
}

func (s *table) close(req *http.Request, cursor string) (*http.Response, error) {
	number, _ := cutCursor(cursor)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.contexts, number)
	return reply(req, 200, `{"succeeded":true}`)
}

package sqlapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// plan is one execution of a statement: what is sent, and how the answer is read.
type plan struct {
	client    *Client
	statement *sqlparse.Statement
	args      []sqlparse.Arg
	call      Call
	options   Options
	server    server

	query   sqlparse.Query
	first   request
	path    string // of further pages, and with /close of their end; empty where there are none
	reading reading
	pages   bool               // the answer may have a cursor
	ends    bool               // the caller's context can end, or the call has a timeout
	stop    context.CancelFunc // ends the statement's context; nil where that is the caller's own
}

// run sends the first request and returns its rows.
func (p *plan) run(ctx context.Context) (*Rows, error) {
	p.reading.zone, p.reading.columns, p.reading.arrays = p.client.zone, &p.client.columns, p.options.Arrays
	ctx = p.ownContext(ctx)
	first, err := p.client.firstPage(ctx, p)
	if err == nil {
		if err = p.refusal(first); err != nil {
			p.discard(first, "")
		}
	}
	if err != nil {
		p.end()
		return nil, err
	}
	return newRows(ctx, p, first), nil
}

// ownContext is a context that end can end, for further pages that are fetched after the call. A statement with a
// timeout has one already. A single page hangs on its answer's body alone, and does without.
func (p *plan) ownContext(ctx context.Context) context.Context {
	if p.call.Timeout == 0 && p.turns() {
		ctx, p.stop = context.WithCancel(ctx)
	}
	return ctx
}

// end ends the statement's context where it is our own.
func (p *plan) end() {
	if p.stop != nil {
		p.stop()
	}
}

// refusal is what keeps the answer from being given: its very first row cannot be read, or OpenSearch before 3.0 has
// answered from its legacy engine, whose lexer reads a backslash in an argument otherwise (Druid's MySqlLexer). Which
// statements go there is the server's to know, so it is found out by the answer.
func (p *plan) refusal(first *page) error {
	switch {
	case first.fault != nil && first.rows == 0:
		return first.fault
	case first.legacy && p.hasBackslash() && !p.server.version.AtLeast(3, 0):
		return &UnsupportedError{
			Construct: "a backslash in an argument of this statement",
			Why:       "OpenSearch before 3.0 has run it on its legacy engine, which reads another value",
		}
	}
	return nil
}

func (p *plan) hasBackslash() bool {
	return slices.ContainsFunc(p.args, func(a sqlparse.Arg) bool {
		text, ok := a.Value.(string)
		return ok && strings.Contains(text, `\`)
	})
}

// post makes a request of the statement.
func (p *plan) post(path string, body []byte, r repeat) request {
	return request{method: http.MethodPost, path: path, body: body, id: p.call.RequestID, repeat: r}
}

// next is the request for the page that a cursor leads to.
func (p *plan) next(cursor string) request {
	b := newBody()
	b.text("cursor", cursor)
	if p.server.product == Elasticsearch {
		p.elasticFormat(b)
	}
	again := repeatNo
	if p.client.known.Load().repeatsPages() {
		again = repeatYes
	}
	return p.post(p.path, b.done(), again)
}

// fetchNext fetches the page that a cursor leads to.
func (p *plan) fetchNext(ctx context.Context, cursor string, columns []column) (*page, error) {
	if p.server.product == Elasticsearch {
		// The version decides whether the page may be asked for twice; not knowing it is as good as an old one.
		_, _ = p.client.versioned(ctx)
	}
	return p.fetch(ctx, p.next(cursor), columns)
}

// closing is the request that ends a cursor.
func (p *plan) closing(cursor string) request {
	b := newBody()
	b.text("cursor", cursor)
	return p.post(p.path+"/close", b.done(), repeatYes)
}

// fetch sends a request and opens its answer. columns are those of the first page, nil for itself.
func (p *plan) fetch(ctx context.Context, r request, columns []column) (*page, error) {
	resp, err := p.client.send(ctx, r)
	if err != nil {
		return nil, err
	}
	return openPage(resp, &p.reading, columns, p.options.chunk())
}

// begin fetches the first page.
func (p *plan) begin(ctx context.Context) (*page, error) {
	first, err := p.fetch(ctx, p.first, nil)
	if err != nil && len(p.query.Params) > 0 && p.client.learnParams(err) {
		first, err = p.again(ctx)
	}
	if err == nil && first.asyncID != "" {
		return p.awaitAsync(ctx, first)
	}
	return first, err
}

// again sends the statement with its parameters in the other form. The server has refused the first request
// before it looked at the statement.
func (p *plan) again(ctx context.Context) (*page, error) {
	if err := p.elastic(); err != nil {
		return nil, err
	}
	return p.fetch(ctx, p.first, nil)
}

// learnParams finds out from an error in which form the server takes parameters, and reports whether it is not
// the one that was sent.
func (c *Client) learnParams(err error) bool {
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		return false
	}
	switch typed := c.typedParams.Load(); {
	case !typed && strings.Contains(refused.Reason, "[params] Expected START_OBJECT"):
		c.typedParams.Store(true)
	case typed && strings.Contains(refused.Reason, "no objects supported"):
		c.typedParams.Store(false)
	default:
		return false
	}
	return true
}

// cut reports whether the server has probably cut the result: it has exactly as many rows as are given at most
// for such a statement, or it came with a cursor that nobody had asked for (OpenSearch 3.9, whose next page is empty).
func (p *plan) cut(rows int64, first, last *page) bool {
	switch {
	case p.statement.Kind() == sqlparse.ESQL:
		// The warning says that the server has added a LIMIT of its own (recorded on 9.5.3).
		return rows == esqlLimit && strings.Contains(last.resp.Header.Get("Warning"), "No limit defined")
	case p.server.product != OpenSearch || p.statement.Kind() != sqlparse.Select || p.pages:
		return false
	case strings.HasPrefix(first.cursor, "n:"):
		return true
	}
	limit := p.statement.Limit()
	if limit.Set && !limit.All && p.limitValue(limit) <= rows {
		return false
	}
	v := p.client.known.Load().version
	return rows == sizeLimit ||
		rows == groups2x && !v.AtLeast(3, 0) ||
		rows == legacyLimit && (last.legacy || !v.AtLeast(2, 17))
}

// Numbers of rows at which servers cut results without a word.
const (
	esqlLimit   = 1000   // ES|QL without LIMIT
	sizeLimit   = 10_000 // plugins.query.size_limit since OpenSearch 2.17, plugins.query.buckets in 3.x
	groups2x    = 1000   // groups in OpenSearch 2.x
	legacyLimit = 200    // size_limit before OpenSearch 2.17; LIMIT of the legacy engine
)

// turns reports whether there may be a second page. OpenSearch sends a cursor sometimes that nobody has asked for.
func (p *plan) turns() bool { return p.server.product == OpenSearch || p.pages && !p.onePage() }

// onePage reports whether LIMIT keeps the result to less than a page.
func (p *plan) onePage() bool {
	limit := p.statement.Limit()
	return limit.Set && !limit.All && p.limitValue(limit)+p.query.Offset < int64(p.options.fetchSize())
}

// limitValue is the number of rows in LIMIT; the largest number when it is not a number.
func (p *plan) limitValue(limit sqlparse.Bound) int64 {
	if limit.Param == 0 {
		return limit.Value
	}
	if limit.Param <= len(p.args) {
		if n, ok := p.args[limit.Param-1].Value.(int64); ok {
			return n
		}
	}
	return math.MaxInt32
}

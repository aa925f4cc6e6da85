package sqlapi

import (
	"context"
	"errors"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

const (
	pathOpenSearch = "/_plugins/_sql"
	pathPPL        = "/_plugins/_ppl"
)

// openSearch makes the first request for OpenSearch. Only the members query and fetch_size may be in it: any
// other sends the statement to the legacy engine (SQLQueryRequest.isSupported).
func (p *plan) openSearch(ctx context.Context) error {
	if err := p.refuseElastic(); err != nil {
		return err
	}
	p.pages = p.statement.Plain() && p.options.fetchSize() > 0
	if err := p.write(ctx); err != nil {
		return err
	}
	b := newBody()
	b.text("query", p.query.Text)
	if p.pages {
		b.number("fetch_size", p.options.fetchSize())
	}
	p.path = pathOpenSearch
	if p.statement.Kind() == sqlparse.PPL {
		p.path = pathPPL
	}
	p.first = p.post(p.path, b.done(), repeatByTable)
	return b.err
}

// refuseElastic refuses what only Elasticsearch has.
func (p *plan) refuseElastic() error {
	switch {
	case p.statement.Kind() == sqlparse.ESQL:
		return &UnsupportedError{Construct: "ES|QL on OpenSearch"}
	case len(p.call.Filter) > 0:
		return &UnsupportedError{Construct: "a query filter on OpenSearch", Why: "it would be answered by the legacy engine"}
	case p.call.Async > 0:
		return &UnsupportedError{Construct: "an async search on OpenSearch"}
	}
	return nil
}

// write writes the statement with its arguments as literals. The version is asked for when it matters: for the
// sort key of a paged statement, and for a backslash.
func (p *plan) write(ctx context.Context) (err error) {
	if p.pages {
		if p.server, err = p.client.versioned(ctx); err != nil {
			return err
		}
	}
	p.query, err = p.statement.OpenSearch(p.args, p.dialect())
	if !errors.Is(err, sqlparse.ErrVersionUnknown) {
		return err
	}
	if p.server, err = p.client.versioned(ctx); err != nil {
		return err
	}
	if p.server.version.IsZero() {
		if err = p.client.askBackslash(ctx); err != nil {
			return err
		}
		p.server = *p.client.known.Load()
	}
	p.query, err = p.statement.OpenSearch(p.args, p.dialect())
	return err
}

func (p *plan) dialect() sqlparse.OpenSearchOptions {
	return sqlparse.OpenSearchOptions{
		Version: p.server.version, TieBreak: p.pages && p.server.losesRows(), MaxOffset: p.options.MaxOffset,
	}
}

package sqlapi

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// lookup is a SELECT that names rows by their primary keys. The documents are read, which are up to date, instead of
// searched, which sees a write only after a refresh. It is answered here only if the server would give the same columns
// and values; what is not certain is left to the server.
type lookup struct {
	client  *Client
	call    Call
	scope   *scope
	keyed   keyed
	columns []column
	fields  []*field
	offset  int64
	limit   int64 // negative for none
}

// realtime answers a SELECT by primary key. It returns nil and no error when the server has to.
func (c *Client) realtime(ctx context.Context, s *sqlparse.Statement, args []sqlparse.Arg, call Call) (*Rows, error) {
	sel := s.Select()
	if !c.options.RealtimeGet || sel == nil || call.Filter != nil || call.Async > 0 || !mayNameKey(sel.Where) {
		return nil, nil
	}
	t := c.lookedUp(ctx, sel.Table.Name.String())
	if t == nil {
		return nil, nil
	}
	l := lookup{client: c, call: call}
	var err error
	if l.scope, err = newScope(s, t, sel.Table.Alias, args); err != nil || !l.plan(s, sel) {
		return nil, nil // what is wrong with the arguments the ordinary way tells
	}
	return l.run(ctx, s)
}

// mayNameKey reports whether a predicate has a term that could be about a primary key: it saves the question for the
// mapping.
func mayNameKey(where sqlparse.Expr) bool {
	switch e := where.(type) {
	case *sqlparse.And:
		return slices.ContainsFunc(e.Terms, mayNameKey)
	case *sqlparse.Compare:
		return e.Op == "="
	case *sqlparse.In:
		return !e.Not
	}
	return false
}

// misses remembers the names of tables whose mapping could not be had, for tableAge: patterns, names of several
// indices, users without the right.
type misses struct {
	mu    sync.Mutex // guards until
	until map[string]time.Time
}

func (m *misses) has(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.until[name])
}

func (m *misses) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.until == nil || len(m.until) >= cachedTables {
		m.until = map[string]time.Time{}
	}
	m.until[name] = time.Now().Add(tableAge)
}

// lookedUp is what is known of a table; nil when that is nothing.
func (c *Client) lookedUp(ctx context.Context, name string) *table {
	if c.misses.has(name) {
		return nil
	}
	t, err := c.table(ctx, name)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, ErrNoTable) {
			c.misses.add(name)
		}
		return nil
	}
	return t
}

// plan reports whether the statement can be answered here.
func (l *lookup) plan(s *sqlparse.Statement, sel *sqlparse.SelectStatement) bool {
	var ok bool
	var err error
	if l.keyed, ok, err = l.scope.keyed(sel.Where); err != nil || !ok || len(l.keyed.ids) > maxReadIDs {
		return false
	}
	if s.HasOrderBy() && len(l.keyed.ids) > 1 || !l.agreed(l.keyed.rest) || !l.bounds(s) {
		return false
	}
	for _, o := range sel.Outputs {
		if !l.output(o) {
			return false
		}
	}
	return true
}

// agreed reports whether every server understands the rest of the predicate as holds does: IS NULL, IS NOT NULL, and
// equality with a constant on columns whose values are compared as they are.
func (l *lookup) agreed(rest sqlparse.Expr) bool {
	switch e := rest.(type) {
	case nil:
		return true
	case *sqlparse.And:
		return !slices.ContainsFunc(e.Terms, func(e sqlparse.Expr) bool { return !l.agreed(e) })
	case *sqlparse.IsNull:
		f := l.scope.fieldOf(e.X)
		return f != nil && !f.altered
	case *sqlparse.Compare:
		f := l.scope.fieldOf(e.X)
		return e.Op == "=" && f != nil && !f.altered && !readsRow(e.Y) && (f.typ == "keyword" || f.kind == wholeField || f.kind == boolField)
	}
	return false
}

// bounds reads LIMIT and OFFSET.
func (l *lookup) bounds(s *sqlparse.Statement) bool {
	var a, b bool
	l.limit, a = l.bound(s.Limit(), -1)
	l.offset, b = l.bound(s.Offset(), 0)
	return a && b
}

func (l *lookup) bound(b sqlparse.Bound, none int64) (int64, bool) {
	switch {
	case !b.Set || b.All:
		return none, true
	case b.Param == 0:
		return b.Value, true
	case b.Param > len(l.scope.args):
		return 0, false
	}
	n, ok := l.scope.args[b.Param-1].(int64)
	return n, ok && n >= 0
}

// output adds the columns of one item of the SELECT list.
func (l *lookup) output(o sqlparse.Output) bool {
	if o.Star {
		all := slices.SortedFunc(slices.Values(l.scope.table.fields), func(a, b *field) int { return cmp.Compare(a.name, b.name) })
		for _, f := range all {
			if !l.add(f, f.name) || l.client.product() == OpenSearch && top(f.name) != f.name {
				return false
			}
		}
		return len(all) > 0
	}
	f, err := l.scope.column(o.Column)
	return err == nil && l.add(f, o.Alias)
}

// add adds a column, if it is certain how the product gives it.
func (l *lookup) add(f *field, name string) bool {
	p := l.client.product()
	if f == idField || f.nested || !f.certain(p) {
		return false
	}
	l.fields = append(l.fields, f)
	l.columns = append(l.columns, newColumn(name, "", f.sqlType(p)))
	return true
}

// certain reports whether a value of the field is the same in a document and in the product's SQL.
func (f *field) certain(p Product) bool {
	if f.altered {
		return false
	}
	switch f.typ {
	case "keyword", "text", "long", "integer", "short", "byte", "double", "float", "boolean", "ip", "binary":
		return true
	case "date", "date_nanos":
		return p == Elasticsearch || len(f.formats) == 0
	case "unsigned_long", "scaled_float", "version", "wildcard", "constant_keyword":
		return p == Elasticsearch
	}
	return false
}

// run reads the documents.
func (l *lookup) run(ctx context.Context, s *sqlparse.Statement) (*Rows, error) {
	only := &page{columns: l.columns}
	var docs []stored
	var err error
	if len(l.keyed.ids) > 0 {
		docs, err = l.client.readBack(ctx, l.scope.table.name, l.keyed.ids, l.call)
	}
	if refused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		cells, ok := l.row(doc)
		if !ok {
			return nil, nil
		}
		if cells != nil && l.counts() {
			only.cells, only.rows = append(only.cells, cells...), only.rows+1
		}
	}
	return newRows(ctx, &plan{client: l.client, statement: s, server: *l.client.known.Load()}, only), nil
}

// refused reports whether the server does not let documents be read, which says nothing of SQL. A server that is too busy
// is no reason to search, which does not see every write.
func refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests
}

// counts reports whether a row is between OFFSET and LIMIT.
func (l *lookup) counts() bool {
	switch {
	case l.offset > 0:
		l.offset--
		return false
	case l.limit == 0:
		return false
	case l.limit > 0:
		l.limit--
	}
	return true
}

// row gives a document's cells, nil when the predicate is not true of it. It reports false when the server has to answer.
func (l *lookup) row(doc stored) ([]driver.Value, bool) {
	if !doc.found {
		return nil, true
	}
	fields, err := decodeDocument(doc.source)
	if err != nil || fields == nil {
		return nil, false
	}
	fits, err := l.scope.chooses(l.keyed.rest, fields)
	if err != nil || !fits {
		return nil, err == nil
	}
	cells := make([]driver.Value, len(l.fields))
	for i, f := range l.fields {
		var ok bool
		if cells[i], ok = f.sqlCell(valueAt(fields, f.name), l.client.zone); !ok {
			return nil, false
		}
	}
	return cells, true
}

// sqlCell is the value that SQL gives for what a document holds. It reports false when that is not certain.
func (f *field) sqlCell(v any, zone *time.Location) (driver.Value, bool) {
	if v == nil {
		return nil, true
	}
	if f.kind == binaryField {
		text, _ := v.(string)
		raw, err := base64.StdEncoding.DecodeString(text)
		return raw, err == nil
	}
	x, err := f.stored(v)
	if err != nil {
		return nil, false
	}
	switch x := x.(type) {
	case time.Time:
		return x.In(zone), true
	case netip.Addr:
		text, ok := v.(string)
		return text, ok
	case string:
		return x, f.typ == "text" || f.ignoreAbove == 0 || len(x) <= f.ignoreAbove
	case float64:
		if f.typ == "float" {
			x, err = strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64)
		}
		return x, err == nil || errors.Is(err, strconv.ErrRange)
	}
	return x, true
}

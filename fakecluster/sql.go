package fakecluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
)

// SQLEngine executes statements for /_sql and /_plugins/_sql. The fake gives it text, values and tables, and
// turns its rows into the flavor's pages, cursors, types and errors. fakecluster/sqlite is one. Query may be
// called from many goroutines; an error that is not a [*SQLError] is answered as status 500.
type SQLEngine interface {
	Query(ctx context.Context, q SQLQuery) (SQLResult, error)
}

// SQLQuery is one statement.
type SQLQuery struct {
	Text     string
	Params   []any // nil, bool, int64, float64 or string, in the order of the ? in the text
	Flavor   Flavor
	Version  string
	Cluster  string         // the cluster's name: the catalog of SHOW TABLES
	TimeZone *time.Location // never nil
	// Tables finds an index, alias or pattern by its name as the statement spells it.
	Tables func(name string) (*Table, bool)
	// Names lists every index (false) and alias (true).
	Names func() map[string]bool
}

// SQLResult is a statement's result.
type SQLResult struct {
	Columns []SQLColumn
	Rows    [][]any // nil, bool, int64, uint64, float64, string, time.Time, []byte, []any or a JSON object
	Unpaged bool    // OpenSearch answers such a result whole, whatever fetch_size says: groups, LIMIT, joins
}

// SQLColumn is a column of a result.
type SQLColumn struct {
	Name  string // Elasticsearch's column name; OpenSearch's expression text
	Alias string // OpenSearch only: what AS gave, if anything
	Type  string // in the flavor's words: long, keyword, datetime (Elasticsearch), timestamp (OpenSearch), …
}

// SQLError is an error in the flavor's words.
type SQLError struct {
	Status     int    // in the body, and of HTTP unless HTTPStatus is set
	HTTPStatus int    // OpenSearch answers some errors with HTTP 200 and the status in the body only
	Type       string // verification_exception, SemanticCheckException, …
	Reason     string // OpenSearch's details
}

// Error returns type and reason.
func (e *SQLError) Error() string { return "fakecluster: " + e.Type + ": " + e.Reason }

// Table is the documents a statement reads, as searches see them at the moment it was asked for.
type Table struct {
	Name    string
	Fields  []TableField // by name; fields of objects have dotted names; objects and nested fields are left out
	Version string       // changes with every visible change of documents or mapping
	docs    []*document
	fields  []*field
}

// TableField is a mapped field.
type TableField struct {
	Name   string
	Type   string // the mapping's type
	Format string // of a date, as the mapping has it
	Sub    bool   // a sub-field of another field, such as name.keyword
}

// TableDoc is a document of a [Table].
type TableDoc struct {
	ID     string
	Values []any // in the order of Fields: nil, one value, or []any if the field has several
}

// Docs converts the documents; the work is done at each call.
func (t *Table) Docs() []TableDoc {
	docs := make([]TableDoc, 0, len(t.docs))
	for _, d := range t.docs {
		docs = append(docs, TableDoc{d.id, t.row(d)})
	}
	return docs
}

func (t *Table) row(d *document) []any {
	row := make([]any, len(t.fields))
	for i, f := range t.fields {
		switch vs := f.values(d); len(vs) {
		case 0:
		case 1:
			row[i] = vs[0]
		default:
			row[i] = vs
		}
	}
	return row
}

// table reads what an expression names. Indices of a pattern share one table; a field's type is that of the
// first index that has it.
func (c *Cluster) sqlTable(name string) (*Table, bool) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(name, false)
	if err != nil || len(ts) == 0 {
		return nil, false
	}
	c.data.refreshDue(ts, c.now())
	t := &Table{Name: name}
	seen := map[string]bool{}
	for _, tg := range ts {
		t.add(tg, seen)
	}
	return t, true
}

func (t *Table) add(tg target, seen map[string]bool) {
	ix := tg.index
	t.Version += fmt.Sprintf("%s:%d;", ix.uuid, ix.changes)
	for _, f := range ix.mapping.leaves() {
		if !seen[f.path] {
			seen[f.path] = true
			t.fields = append(t.fields, f)
			format, _ := f.def["format"].(string)
			t.Fields = append(t.Fields, TableField{f.path, f.kind(), format, f.path != f.source})
		}
	}
	m, err := snapshot{target: tg}.matcher(nil)
	for _, d := range ix.snapshot() {
		if err == nil && m(d) {
			t.docs = append(t.docs, d)
		}
	}
}

func (c *Cluster) sqlNames() map[string]bool {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	names := map[string]bool{}
	for name, ix := range c.data.indices {
		names[name] = false
		for alias := range ix.aliases {
			names[alias] = true
		}
	}
	return names
}

// query runs a statement on the engine.
func (c *Cluster) query(ctx context.Context, text string, params []any, loc *time.Location) (SQLResult, error) {
	if c.cfg.engine == nil {
		return SQLResult{}, &SQLError{Status: 400, Type: "fakecluster_no_sql_engine", Reason: "the fake cluster was started without a SQL engine; pass fakecluster.SQL(sqlite.New()) of the module fakecluster/sqlite"}
	}
	return c.cfg.engine.Query(ctx, SQLQuery{
		Text: text, Params: params, Flavor: c.cfg.flavor, Version: c.cfg.version, Cluster: c.cfg.name, TimeZone: loc,
		Tables: c.sqlTable, Names: c.sqlNames,
	})
}

// sqlError is the error as the fake answers it.
func sqlError(err error) *SQLError {
	if e, ok := errors.AsType[*SQLError](err); ok {
		return e
	}
	return &SQLError{Status: 500, Type: "fakecluster_engine_error", Reason: err.Error()}
}

// sqlParam turns a JSON value into a parameter; integers beyond int64 are clamped, as Elasticsearch does.
func sqlParam(v any) (any, bool) {
	switch v := v.(type) {
	case nil, bool, string:
		return v, true
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, true
		}
		x, err := v.Float64()
		if _, isWhole := new(big.Int).SetString(v.String(), 10); isWhole {
			return int64(math.MaxInt64), true
		}
		return x, err == nil
	}
	return nil, false
}

// number32 is the shortest text of a 32-bit number, which float and half_float columns have.
func number32(x float64) json.Number {
	return json.Number(strconv.FormatFloat(x, 'g', -1, 32))
}

package sqlparse

import (
	"slices"
	"strings"
)

// SelectStatement is a plain SELECT of columns, as far as the client itself can answer it. ORDER BY and LIMIT are
// told by the Statement.
type SelectStatement struct {
	At
	Outputs []Output
	Table   Table
	Where   Expr // nil when there is none
}

// Select returns the parsed form of a plain SELECT (its LIMIT left aside) of columns alone, whose WHERE holds nothing
// but what a write's may hold; calls of functions are among that, and mean what the server makes of them. For every other statement it is nil. The tree is shared: do not change it.
func (s *Statement) Select() *SelectStatement { return s.sel }

// parseSelect reads a plain SELECT, or returns nil. A column that could be a placeholder, and a backslash that the
// server's version decides about, are left to the server.
func (s *Statement) parseSelect(ts tokens) *SelectStatement {
	soft := slices.ContainsFunc(s.params, func(p param) bool { return p.soft })
	if !s.shape.plain || soft || s.flavor == OpenSearch && strings.Contains(s.text, `\`) {
		return nil
	}
	p := parser{s: s, ts: ts, i: 1}
	n := &SelectStatement{At: At(ts.list[0].start)}
	p.accept("ALL")
	p.list(func() { n.Outputs = append(n.Outputs, p.output()) })
	p.expect("FROM")
	n.Table = p.table()
	n.Where = p.where()
	atEnd := p.i == ts.len() || p.word("ORDER") || p.word("LIMIT") || p.word("OFFSET")
	if p.err != nil || !atEnd {
		return nil
	}
	return n
}

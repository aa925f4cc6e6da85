package sqlapi

import (
	"strings"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// scope is what the names and placeholders of one statement's expressions stand for.
type scope struct {
	statement *sqlparse.Statement
	table     *table
	alias     string    // of the table, or empty
	args      []any     // what Statement.Bind gives
	now       time.Time // what CURRENT_TIMESTAMP is, all through the statement
	// proposed is the row that an INSERT has proposed, for excluded.c; nil elsewhere.
	proposed map[string]any
}

// newScope binds the arguments. The error is one of the arguments'.
func newScope(s *sqlparse.Statement, t *table, alias string, args []sqlparse.Arg) (*scope, error) {
	values, err := s.Bind(args)
	if err != nil {
		return nil, statementError(err)
	}
	return &scope{statement: s, table: t, alias: alias, args: values, now: time.Now()}, nil
}

// column returns the field that a name means: a column, a dotted path, or either after the table's name or alias.
// The name _id means the document's id.
func (s *scope) column(n sqlparse.Name) (*field, error) {
	name := n.String()
	if f := s.table.field(name); f != nil {
		return f, nil
	}
	first, rest, dotted := strings.Cut(name, ".")
	if dotted && s.qualifies(first) {
		name = rest
	} else if rest, ok := strings.CutPrefix(name, s.table.name+"."); ok {
		name = rest
	}
	if name == idField.name {
		return idField, nil
	}
	if f := s.table.field(name); f != nil {
		return f, nil
	}
	return nil, s.columnError(n, name, stateNoColumn, "there is no such column")
}

func (s *scope) qualifies(name string) bool {
	last := s.table.name[strings.LastIndexByte(s.table.name, '.')+1:]
	return name == s.alias || name == s.table.name || name == last
}

// columnError is an error about a column, or about the value it is given, at a place in the statement.
func (s *scope) columnError(at sqlparse.Node, name, state, msg string) error {
	line, column := s.statement.Position(at)
	return &ColumnError{Table: s.table.name, Name: name, Line: line, Column: column, State: state, Msg: msg}
}

// unsupported is an error that names a construct and its place.
func (s *scope) unsupported(at sqlparse.Node, construct string) error {
	line, column := s.statement.Position(at)
	return statementError(&sqlparse.UnsupportedError{Construct: construct, Line: line, Column: column})
}

// placed gives an error of a value its column and its place.
func (s *scope) placed(at sqlparse.Node, f *field, err error) error {
	wrong, ok := err.(*valueError)
	if !ok {
		return err
	}
	return s.columnError(at, f.name, wrong.state, wrong.msg)
}

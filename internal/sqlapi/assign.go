package sqlapi

import (
	"math"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// assigned gives what an assignment puts into a document: the column and its value as the document holds it. A computed
// number with a fraction is rounded where the column holds integers, half away from zero; one that the statement gives
// as it is must fit. A column that is copied keeps its form, also when it has several values.
func (s *scope) assigned(a sqlparse.Assignment, doc map[string]any) (*field, any, error) {
	f, err := s.column(a.Column)
	if err != nil {
		return nil, nil, err
	}
	if err := s.assignable(a, f); err != nil {
		return nil, nil, err
	}
	if other, ok := s.copied(a.Value, f); ok {
		v := verbatim(rawAt(doc, other.name))
		return f, v, s.notNull(a, f, v)
	}
	v, err := s.newValue(a.Value, f, doc)
	if err != nil {
		return nil, nil, err
	}
	if err := s.notNull(a, f, v); err != nil {
		return nil, nil, err
	}
	x, err := f.encode(v)
	return f, x, s.placed(a.Value, f, err)
}

// copied is the column that an expression is, if its values can be the other column's as they are.
func (s *scope) copied(e sqlparse.Expr, f *field) (*field, bool) {
	other := s.fieldOf(e)
	return other, other != nil && sameForm(other, f)
}

func (s *scope) notNull(a sqlparse.Assignment, f *field, v any) error {
	if v == nil && f.column.NotNull {
		return s.columnError(a, f.name, stateNotNull, "it cannot be NULL")
	}
	return nil
}

// newValue computes a new value for a column.
func (s *scope) newValue(e sqlparse.Expr, f *field, doc map[string]any) (any, error) {
	if _, ok := e.(*sqlparse.Default); ok {
		if f.column.Default == nil {
			return nil, nil
		}
		return f.column.Default.value(s.now), nil
	}
	v, err := s.compute(e, doc)
	if r, ok := v.(float64); ok && f.kind == wholeField && !isGiven(e) {
		v = math.Round(r)
	}
	return v, err
}

// isGiven reports whether the statement gives a value itself, as a constant or an argument.
func isGiven(e sqlparse.Expr) bool {
	switch e.(type) {
	case *sqlparse.Literal, *sqlparse.Param:
		return true
	}
	return false
}

// assignable refuses columns that no assignment can change.
func (s *scope) assignable(a sqlparse.Assignment, f *field) error {
	switch {
	case f == idField:
		return s.unsupported(a, "a change of _id")
	case f.typ == "nested" || f.nested && f.typ != "nested":
		return s.unsupported(a, "a change inside of nested objects")
	case f.typ == "alias":
		return s.unsupported(a, "a change of a field alias")
	}
	return nil
}

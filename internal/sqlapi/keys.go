package sqlapi

import (
	"slices"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// keyed is a predicate that chooses rows by their primary keys.
type keyed struct {
	ids  []string      // each once
	rest sqlparse.Expr // what else must hold; nil when that is all
}

// keyed looks for key = value or key IN (values) among the terms of a predicate. It reports false when there is neither,
// when a value cannot be a key of the table, and when an alias hides rows, which a query alone respects.
func (s *scope) keyed(where sqlparse.Expr) (keyed, bool, error) {
	if s.table.hides {
		return keyed{}, false, nil
	}
	terms := []sqlparse.Expr{where}
	if and, ok := where.(*sqlparse.And); ok {
		terms = and.Terms
	}
	for i, term := range terms {
		values, ok := s.keyValues(term)
		if !ok {
			continue
		}
		ids, ok, err := s.ids(values)
		if err != nil || !ok {
			return keyed{}, false, err
		}
		return keyed{ids, conjunction(slices.Concat(terms[:i], terms[i+1:]))}, true, nil
	}
	return keyed{}, false, nil
}

func conjunction(terms []sqlparse.Expr) sqlparse.Expr {
	switch len(terms) {
	case 0:
		return nil
	case 1:
		return terms[0]
	}
	return &sqlparse.And{At: sqlparse.At(terms[0].Pos()), Terms: terms}
}

// keyValues are the values that a term allows the key to have.
func (s *scope) keyValues(term sqlparse.Expr) ([]sqlparse.Expr, bool) {
	switch e := term.(type) {
	case *sqlparse.Compare:
		switch {
		case e.Op != "=":
		case s.isKey(e.X) && !readsRow(e.Y):
			return []sqlparse.Expr{e.Y}, true
		case s.isKey(e.Y) && !readsRow(e.X):
			return []sqlparse.Expr{e.X}, true
		}
	case *sqlparse.In:
		if !e.Not && s.isKey(e.X) && !slices.ContainsFunc(e.List, readsRow) {
			return e.List, true
		}
	}
	return nil, false
}

func (s *scope) isKey(e sqlparse.Expr) bool {
	c, ok := e.(*sqlparse.Column)
	if !ok {
		return false
	}
	f, err := s.column(c.Name)
	return err == nil && f == s.table.keyField()
}

// ids are the documents' ids of keys, NULL left out, which no key equals. It reports false when a value is none that the
// key's type has.
func (s *scope) ids(values []sqlparse.Expr) ([]string, bool, error) {
	ids, seen := make([]string, 0, len(values)), make(map[string]bool, len(values))
	for _, e := range values {
		v, err := s.compute(e, nil)
		if err != nil {
			return nil, false, err
		}
		if v == nil {
			continue
		}
		id, err := s.id(v)
		if err != nil {
			return nil, false, nil
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, true, nil
}

// id is the document's id of one key.
func (s *scope) id(v any) (string, error) {
	x, err := s.table.keyField().encode(v)
	if err != nil {
		return "", err
	}
	return idText(x)
}

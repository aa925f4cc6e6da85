package sqlapi

import (
	"net/netip"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// term is the clause for one value.
func (s *scope) term(at sqlparse.Expr, f *field, v any) (query, error) {
	switch x := v.(type) {
	case time.Time:
		return s.ranged(at, f, map[string]any{">=": x, "<=": x})
	case float64:
		if f.kind == wholeField {
			return nothing, nil // a fraction, or beyond 64 bits
		}
	case netip.Addr:
		return query{"term": query{f.exact: query{"value": x.String()}}}, nil
	case string:
		if err := s.seen(at, f, x); err != nil {
			return nil, err
		}
	}
	if f.inRange(v) != nil {
		return nothing, nil
	}
	return query{"term": query{f.exact: query{"value": v}}}, nil
}

// seen refuses a text that the exact sub-field leaves out for its length: whether a row has it cannot be told.
func (s *scope) seen(at sqlparse.Expr, f *field, text string) error {
	if f.ignoreAbove > 0 && len([]rune(text)) > f.ignoreAbove {
		return s.columnError(at, f.name, stateUnsupported, "the value is longer than ignore_above, up to which texts can be searched for")
	}
	return nil
}

// rangeNames are the operators' names in a range clause.
var rangeNames = map[string]string{">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}

// ranged is the clause for values within bounds, given by operator.
func (s *scope) ranged(at sqlparse.Expr, f *field, limits map[string]any) (query, error) {
	if f.typ == "version" {
		return nil, s.unsupported(at, "an order of the values of a version")
	}
	clause := query{}
	for op, v := range limits {
		switch x := v.(type) {
		case time.Time:
			text, err := f.iso(x)
			if err != nil {
				return nil, s.placed(at, f, err)
			}
			clause["format"] = "strict_date_optional_time"
			v = text
		case netip.Addr:
			v = x.String()
		}
		if f.kind == wholeField {
			side, none := f.bounded(op, v)
			if none {
				return nothing, nil
			}
			if side == nil {
				continue // every number of the type is within
			}
			v = side
		}
		clause[rangeNames[op]] = v
	}
	if len(clause) == 0 {
		return query{"exists": query{"field": f.name}}, nil
	}
	return query{"range": query{f.exact: clause}}, nil
}

// bounded fits a bound to what the type has room for, as servers refuse numbers that it has not: none is true if no
// number of the type fits, and the bound is nil if all do.
func (f *field) bounded(op string, v any) (bound any, none bool) {
	r := f.bounds()
	below, above := compareNumbers(v, r.low) < 0, compareNumbers(v, r.high) > 0
	upper := op == "<" || op == "<="
	switch {
	case below:
		return nil, upper
	case above:
		return nil, !upper
	}
	return v, false
}

// anyTerm joins terms of one field to one clause.
func anyTerm(f *field, clauses []query) query {
	values := make([]any, 0, len(clauses))
	for _, q := range clauses {
		term, ok := q["term"].(query)
		if !ok {
			continue
		}
		values = append(values, term[f.exact].(query)["value"])
	}
	rest := make([]query, 0, len(clauses)-len(values)+1)
	for _, q := range clauses {
		if !q.is("term") {
			rest = append(rest, q)
		}
	}
	if len(values) > 0 {
		rest = append(rest, query{"terms": query{f.exact: values}})
	}
	return either(rest...)
}

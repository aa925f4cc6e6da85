package sqlapi

import "github.com/esdriver/esdriver/internal/sqlparse"

// where translates a predicate into a query that finds the rows of which it is true, and no others: not those of which
// it is false and not those of which it is unknown, because a column is NULL or missing. Nil is every row.
//
// A comparison with one column is a leaf. It is true where its clause matches, and false where the column exists and
// the clause does not match. NOT exchanges the two; AND and OR are made of their terms' truth or falsehood, so that no
// negation is ever put over a clause that would then match what is unknown.
func (s *scope) where(e sqlparse.Expr) (query, error) {
	if e == nil {
		return everything, nil
	}
	return s.find(e, true)
}

// find is the query for the rows of which a predicate is true, or those of which it is false.
func (s *scope) find(e sqlparse.Expr, want bool) (query, error) {
	if isConstant(e) {
		return s.findConstant(e, want)
	}
	switch e := e.(type) {
	case *sqlparse.And:
		return s.findChain(e.Terms, want, want)
	case *sqlparse.Or:
		return s.findChain(e.Terms, want, !want)
	case *sqlparse.Not:
		return s.find(e.X, !want)
	case *sqlparse.Compare:
		return s.findCompared(e, want)
	case *sqlparse.Between:
		return s.findBetween(e, want != e.Not)
	case *sqlparse.In:
		return s.findIn(e, want != e.Not)
	case *sqlparse.Like:
		return s.findLike(e, want != e.Not)
	case *sqlparse.IsNull:
		return s.findNull(e, want != e.Not)
	case *sqlparse.Column:
		return s.findBool(e, want)
	}
	return nil, s.unsupported(e, "WHERE with "+construct(e))
}

// findConstant is a predicate that is the same for every row.
func (s *scope) findConstant(e sqlparse.Expr, want bool) (query, error) {
	t, err := s.holds(e, nil)
	if err != nil {
		return nil, err
	}
	if t == truthOf(want) {
		return everything, nil
	}
	return nothing, nil
}

// findChain joins the terms of AND and OR.
func (s *scope) findChain(terms []sqlparse.Expr, want, all bool) (query, error) {
	clauses := make([]query, len(terms))
	for i, e := range terms {
		var err error
		if clauses[i], err = s.find(e, want); err != nil {
			return nil, err
		}
	}
	if all {
		return both(clauses...), nil
	}
	return either(clauses...), nil
}

// leaf is the query of a comparison whose clause is the given one.
func leaf(clause query, exists string, want bool) query {
	switch {
	case want:
		return clause
	case exists == idField.name:
		return everything.without(clause)
	}
	return query{"exists": query{"field": exists}}.without(clause)
}

// operand finds the column of a comparison; others are refused, as a query can look for nothing but a column's values.
func (s *scope) operandOf(e sqlparse.Expr) (*field, error) {
	c, ok := e.(*sqlparse.Column)
	if !ok {
		return nil, s.unsupported(e, "WHERE with "+construct(e))
	}
	f, err := s.column(c.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case f.nested:
		return nil, s.unsupported(e, "WHERE on a field inside of nested objects")
	case f.typ == "alias":
		return nil, s.unsupported(e, "WHERE on a field alias")
	}
	return f, nil
}

// searchable is operandOf for comparisons with values.
func (s *scope) searchable(e sqlparse.Expr) (*field, error) {
	f, err := s.operandOf(e)
	switch {
	case err != nil:
		return nil, err
	case f.kind == otherField || f.kind == binaryField:
		return nil, s.unsupported(e, "WHERE on column "+f.name+" of type "+f.typ)
	case f.exact == "":
		return nil, s.unsupported(e, "WHERE on column "+f.name+", a text without a keyword sub-field,")
	}
	return f, nil
}

// construct names what an expression is.
func construct(e sqlparse.Expr) string {
	switch e := e.(type) {
	case *sqlparse.Call:
		return e.Function + " of a column"
	case *sqlparse.Arithmetic:
		return e.Op + " on a column"
	case *sqlparse.Negate:
		return "- on a column"
	case *sqlparse.Cast:
		return "a cast of a column"
	case *sqlparse.Column:
		return "a column in the place of a value"
	case *sqlparse.Excluded:
		return "excluded"
	case *sqlparse.Default:
		return "DEFAULT"
	}
	return "a predicate inside of another"
}

// flipped are the operators with their sides exchanged.
var flipped = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (s *scope) findCompared(e *sqlparse.Compare, want bool) (query, error) {
	x, y, op := e.X, e.Y, e.Op
	if isConstant(x) {
		x, y, op = y, x, flipped[op]
	}
	if !isConstant(y) {
		if _, column := y.(*sqlparse.Column); column {
			return nil, s.unsupported(y, "WHERE with a comparison of two columns")
		}
		return nil, s.unsupported(y, "WHERE with "+construct(y))
	}
	f, err := s.searchable(x)
	if err != nil {
		return nil, err
	}
	v, err := s.wanted(f, y)
	if err != nil || v == nil {
		return nothing, err
	}
	if op == "<>" {
		op, want = "=", !want
	}
	return s.compareField(e, f, op, v, want)
}

// wanted is the value that a column is compared with, read as the column's.
func (s *scope) wanted(f *field, e sqlparse.Expr) (any, error) {
	v, err := s.compute(e, nil)
	if err != nil {
		return nil, err
	}
	v, err = f.operand(v)
	return v, s.placed(e, f, err)
}

// compareField is the leaf of column op value.
func (s *scope) compareField(at sqlparse.Expr, f *field, op string, v any, want bool) (query, error) {
	if op == "=" {
		clause, err := s.term(at, f, v)
		return leaf(clause, f.name, want), err
	}
	clause, err := s.ranged(at, f, map[string]any{op: v})
	return leaf(clause, f.exact, want), err
}

func (s *scope) findBetween(e *sqlparse.Between, want bool) (query, error) {
	f, err := s.searchable(e.X)
	if err != nil {
		return nil, err
	}
	limits, null := map[string]any{}, false
	for op, bound := range map[string]sqlparse.Expr{">=": e.Low, "<=": e.High} {
		if !isConstant(bound) {
			return nil, s.unsupported(bound, "WHERE with "+construct(bound))
		}
		v, err := s.wanted(f, bound)
		if err != nil {
			return nil, err
		}
		if null = null || v == nil; v != nil {
			limits[op] = v
		}
	}
	if null && (want || len(limits) == 0) {
		return nothing, nil // a bound that is NULL leaves it unknown whether a value within the other is between
	}
	clause, err := s.ranged(e, f, limits)
	return leaf(clause, f.exact, want), err
}

func (s *scope) findIn(e *sqlparse.In, want bool) (query, error) {
	f, err := s.searchable(e.X)
	if err != nil {
		return nil, err
	}
	var clauses []query
	null := false
	for _, item := range e.List {
		if !isConstant(item) {
			return nil, s.unsupported(item, "WHERE with "+construct(item))
		}
		v, err := s.wanted(f, item)
		if err != nil {
			return nil, err
		}
		if v == nil {
			null = true
			continue
		}
		clause, err := s.term(item, f, v)
		if err != nil {
			return nil, err
		}
		clauses = append(clauses, clause)
	}
	if null && !want {
		return nothing, nil // of a list with NULL it is never known that it lacks a value
	}
	return leaf(anyTerm(f, clauses), f.name, want), nil
}

func (s *scope) findLike(e *sqlparse.Like, want bool) (query, error) {
	f, err := s.searchable(e.X)
	if err != nil {
		return nil, err
	}
	if f.kind != textField || f.typ == "version" {
		return nil, s.unsupported(e, "LIKE on a column of type "+f.typ)
	}
	p, null, err := s.pattern(e)
	if err != nil || null {
		return nothing, err
	}
	if text, ok := p.plain(); ok && !p.fold {
		return s.compareField(e, f, "=", text, want)
	}
	if f == idField {
		return nil, s.unsupported(e, "LIKE on _id")
	}
	clause := query{"value": p.wildcard()}
	if p.fold {
		clause["case_insensitive"] = true
	}
	return leaf(query{"wildcard": query{f.exact: clause}}, f.exact, want), nil
}

func (s *scope) findNull(e *sqlparse.IsNull, want bool) (query, error) {
	f, err := s.operandOf(e.X)
	if err != nil {
		return nil, err
	}
	exists := query{"exists": query{"field": f.name}}
	if f == idField {
		exists = everything
	}
	if want {
		return everything.without(exists), nil
	}
	return exists, nil
}

// findBool is a column in the place of a predicate.
func (s *scope) findBool(e *sqlparse.Column, want bool) (query, error) {
	f, err := s.searchable(e)
	if err != nil {
		return nil, err
	}
	if f.kind != boolField {
		return nil, s.unsupported(e, "a column of type "+f.typ+" in the place of a predicate")
	}
	return leaf(query{"term": query{f.exact: query{"value": true}}}, f.name, want), nil
}

package sqlapi

import "slices"

// query is a clause of the servers' query DSL. It becomes JSON by package json, never by joining texts.
type query map[string]any

var (
	everything = query{"match_all": query{}}
	nothing    = query{"match_none": query{}}
)

func (q query) is(name string) bool { _, ok := q[name]; return ok }

// both is the conjunction.
func both(list ...query) query {
	var clauses []query
	for _, q := range list {
		switch inner, isBoth := q.conjunction(); {
		case q.is("match_none"):
			return nothing
		case isBoth:
			clauses = append(clauses, inner...)
		case !q.is("match_all"):
			clauses = append(clauses, q)
		}
	}
	switch len(clauses) {
	case 0:
		return everything
	case 1:
		return clauses[0]
	}
	return query{"bool": query{"filter": clauses}}
}

// conjunction takes apart what both has made, so that a deep AND does not become a deep query: the servers bound the
// depth (indices.query.bool.max_nested_depth).
func (q query) conjunction() ([]query, bool) {
	inner, _ := q["bool"].(query)
	clauses, ok := inner["filter"].([]query)
	return clauses, ok && len(inner) == 1
}

// either is the disjunction.
func either(list ...query) query {
	var clauses []query
	for _, q := range list {
		switch inner, isEither := q.disjunction(); {
		case q.is("match_all"):
			return everything
		case isEither:
			clauses = append(clauses, inner...)
		case !q.is("match_none"):
			clauses = append(clauses, q)
		}
	}
	switch len(clauses) {
	case 0:
		return nothing
	case 1:
		return clauses[0]
	}
	return query{"bool": query{"should": clauses, "minimum_should_match": 1}}
}

func (q query) disjunction() ([]query, bool) {
	inner, _ := q["bool"].(query)
	clauses, ok := inner["should"].([]query)
	return clauses, ok
}

// without is q and none of the others.
func (q query) without(others ...query) query {
	others = slices.DeleteFunc(others, func(o query) bool { return o.is("match_none") })
	switch {
	case slices.ContainsFunc(others, func(o query) bool { return o.is("match_all") }), q.is("match_none"):
		return nothing
	case len(others) == 0:
		return q
	case q.is("match_all"):
		return query{"bool": query{"must_not": others}}
	}
	return query{"bool": query{"filter": []query{q}, "must_not": others}}
}

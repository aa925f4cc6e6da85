package sqlapi

import (
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// truth is one of SQL's three truth values. They are ordered: AND is the lowest of its terms, OR the highest, NOT the
// opposite.
type truth int8

const (
	untrue  truth = -1
	unknown truth = 0
	verity  truth = 1
)

func truthOf(b bool) truth {
	if b {
		return verity
	}
	return untrue
}

// holds tells whether a predicate is true of a document, as where.go's queries do: a field with several values fits a
// comparison if one of them does. The document is a decoded _source with numbers as json.Number, int64, uint64 or
// float64; its member _id, where there is one, is the document's id.
func (s *scope) holds(e sqlparse.Expr, doc map[string]any) (truth, error) {
	switch e := e.(type) {
	case *sqlparse.And:
		return s.chain(e.Terms, doc, untrue)
	case *sqlparse.Or:
		return s.chain(e.Terms, doc, verity)
	case *sqlparse.Not:
		t, err := s.holds(e.X, doc)
		return -t, err
	case *sqlparse.Compare:
		return s.compared(e, doc)
	case *sqlparse.Between:
		t, err := s.between(e, doc)
		return negateIf(e.Not, t), err
	case *sqlparse.In:
		t, err := s.in(e, doc)
		return negateIf(e.Not, t), err
	case *sqlparse.Like:
		t, err := s.like(e, doc)
		return negateIf(e.Not, t), err
	case *sqlparse.IsNull:
		return s.isNull(e, doc)
	}
	return s.truthOfValue(e, doc)
}

func negateIf(not bool, t truth) truth {
	if not {
		return -t
	}
	return t
}

// chain is AND and OR: the strongest truth value ends it, and what is neither that nor its opposite leaves it unknown.
// Every term is looked at, so that an error in one does not depend on the document.
func (s *scope) chain(terms []sqlparse.Expr, doc map[string]any, strongest truth) (truth, error) {
	result := -strongest
	for _, e := range terms {
		t, err := s.holds(e, doc)
		if err != nil {
			return unknown, err
		}
		if t == strongest || t == unknown && result != strongest {
			result = t
		}
	}
	return result, nil
}

// truthOfValue is a value in the place of a predicate: a boolean column, TRUE, a parameter.
func (s *scope) truthOfValue(e sqlparse.Expr, doc map[string]any) (truth, error) {
	v, err := s.value(e, doc)
	if err != nil {
		return unknown, err
	}
	return s.anyOf(v, func(v any) (truth, error) {
		switch v {
		case true, int64(1):
			return verity, nil
		case false, int64(0):
			return untrue, nil
		}
		return unknown, s.unsupported(e, "a value that is no truth value in the place of a predicate")
	})
}

// anyOf tries a value, or each of several: true if one fits, unknown if there is none.
func (s *scope) anyOf(v any, fits func(any) (truth, error)) (truth, error) {
	result, some := untrue, false
	for _, one := range each(v) {
		t, err := fits(one)
		if err != nil {
			return unknown, err
		}
		some = true
		result = max(result, t)
	}
	if !some {
		return unknown, nil
	}
	return result, nil
}

func (s *scope) isNull(e *sqlparse.IsNull, doc map[string]any) (truth, error) {
	v, err := s.value(e.X, doc)
	return truthOf((len(each(v)) == 0) != e.Not), err
}

func (s *scope) compared(e *sqlparse.Compare, doc map[string]any) (truth, error) {
	op, not := e.Op, e.Op == "<>"
	if not {
		op = "="
	}
	x, y, err := s.sides(e.X, e.Y, doc)
	if err != nil {
		return unknown, err
	}
	t, err := s.anyOf(x, func(a any) (truth, error) {
		return s.anyOf(y, func(b any) (truth, error) {
			order, err := s.order(e, a, b)
			return truthOf(fitsOrder(op, order)), err
		})
	})
	return negateIf(not, t), err
}

// fitsOrder reports whether x op y, for an order of x to y as cmp.Compare gives it.
func fitsOrder(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// sides are the values of two expressions that are compared. A value beside a column is read as the column's.
func (s *scope) sides(x, y sqlparse.Expr, doc map[string]any) (a, b any, err error) {
	if a, err = s.value(x, doc); err != nil {
		return nil, nil, err
	}
	if b, err = s.value(y, doc); err != nil {
		return nil, nil, err
	}
	f, g := s.fieldOf(x), s.fieldOf(y)
	switch {
	case f != nil && g == nil:
		b, err = f.operand(b)
		return a, b, s.placed(y, f, err)
	case g != nil && f == nil:
		a, err = g.operand(a)
		return a, b, s.placed(x, g, err)
	}
	return a, b, nil
}

// fieldOf is the field of a column; nil for other expressions and for columns that there are not.
func (s *scope) fieldOf(e sqlparse.Expr) *field {
	if c, ok := e.(*sqlparse.Column); ok {
		f, _ := s.column(c.Name)
		return f
	}
	return nil
}

func (s *scope) between(e *sqlparse.Between, doc map[string]any) (truth, error) {
	x, low, err := s.sides(e.X, e.Low, doc)
	if err != nil {
		return unknown, err
	}
	_, high, err := s.sides(e.X, e.High, doc)
	if err != nil {
		return unknown, err
	}
	return s.anyOf(x, func(x any) (truth, error) {
		above, err := s.bound(e, x, low, ">=")
		if err != nil {
			return unknown, err
		}
		below, err := s.bound(e, x, high, "<=")
		return min(above, below), err
	})
}

func (s *scope) bound(at sqlparse.Expr, x, bound any, op string) (truth, error) {
	if bound == nil {
		return unknown, nil
	}
	order, err := s.order(at, x, bound)
	return truthOf(fitsOrder(op, order)), err
}

func (s *scope) in(e *sqlparse.In, doc map[string]any) (truth, error) {
	result := untrue
	for _, item := range e.List {
		x, y, err := s.sides(e.X, item, doc)
		if err != nil {
			return unknown, err
		}
		t, err := s.anyOf(x, func(a any) (truth, error) { return s.bound(e, a, y, "=") })
		if err != nil {
			return unknown, err
		}
		result = max(result, t)
	}
	return result, nil
}

func (s *scope) like(e *sqlparse.Like, doc map[string]any) (truth, error) {
	x, err := s.value(e.X, doc)
	if err != nil {
		return unknown, err
	}
	p, null, err := s.pattern(e)
	if err != nil || null {
		return unknown, err
	}
	if f := s.fieldOf(e.X); f != nil && f.kind != textField {
		return unknown, s.unsupported(e, "LIKE on a column of type "+f.typ)
	}
	return s.anyOf(x, func(v any) (truth, error) {
		text, ok := v.(string)
		if !ok {
			return unknown, s.unsupported(e, "LIKE on what is no text")
		}
		return truthOf(p.matches(text)), nil
	})
}

// value computes an expression; a column's values are read as its type says.
func (s *scope) value(e sqlparse.Expr, doc map[string]any) (any, error) {
	c, ok := e.(*sqlparse.Column)
	if !ok {
		return s.compute(e, doc)
	}
	f, err := s.column(c.Name)
	if err != nil {
		return nil, err
	}
	return s.read(c, f, doc)
}

// read returns a column's value in a document; a list when there are several.
func (s *scope) read(at sqlparse.Node, f *field, doc map[string]any) (any, error) {
	raw := valuesAt(doc, f.name)
	if f.kind == otherField || f.kind == binaryField {
		return valueAt(doc, f.name), nil
	}
	values := make([]any, 0, len(raw))
	for _, v := range raw {
		x, err := f.stored(v)
		if err != nil {
			return nil, s.placed(at, f, err)
		}
		values = append(values, x)
	}
	switch len(values) {
	case 0:
		return nil, nil
	case 1:
		return values[0], nil
	}
	return values, nil
}

// timeLiteral reads DATE '…' and TIMESTAMP '…'.
func (s *scope) timeLiteral(e *sqlparse.Literal) (any, error) {
	text, _ := e.Value.(string)
	if e.Type == "TIME" {
		return text, nil
	}
	t, ok := parseTimeIn(text, s.table.zone)
	if !ok {
		return nil, &StatementError{State: stateTimeText, Err: s.unsupported(e, "the text of a "+e.Type)}
	}
	return t.In(time.UTC), nil
}

package sqlapi

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// compute gives the value of an expression over a document: nil, bool, int64, uint64, float64, string, time.Time or
// netip.Addr; for a column of another type what the document holds. NULL in makes NULL out, but for COALESCE. A column
// with several values is an error where one is needed.
func (s *scope) compute(e sqlparse.Expr, doc map[string]any) (any, error) {
	switch e := e.(type) {
	case *sqlparse.Literal:
		return s.literal(e)
	case *sqlparse.Param:
		return s.argument(e)
	case *sqlparse.Column:
		return s.single(e, doc)
	case *sqlparse.Excluded:
		return s.excluded(e)
	case *sqlparse.Arithmetic:
		return s.arithmetic(e, doc)
	case *sqlparse.Negate:
		x, err := s.compute(e.X, doc)
		if err != nil {
			return nil, err
		}
		return s.calculate(e, "-", int64(0), x)
	case *sqlparse.Cast:
		x, err := s.compute(e.X, doc)
		if err != nil {
			return nil, err
		}
		return s.cast(e, x)
	case *sqlparse.Call:
		return s.call(e, doc)
	case *sqlparse.Default:
		return nil, s.unsupported(e, "DEFAULT inside an expression")
	}
	t, err := s.holds(e, doc)
	if err != nil || t == unknown {
		return nil, err
	}
	return t == verity, nil
}

func (s *scope) literal(e *sqlparse.Literal) (any, error) {
	if e.Type != "" {
		return s.timeLiteral(e)
	}
	return e.Value, nil
}

// argument is the value of a placeholder.
func (s *scope) argument(e *sqlparse.Param) (any, error) {
	if e.Index >= len(s.args) {
		return nil, s.unsupported(e, "a placeholder without an argument")
	}
	return plainNumber(s.args[e.Index]), nil
}

func (s *scope) excluded(e *sqlparse.Excluded) (any, error) {
	f := s.table.field(e.Column)
	if f == nil {
		return nil, s.columnError(e, e.Column, stateNoColumn, "there is no such column")
	}
	return s.one(e, f, s.proposed)
}

// single is a column's one value.
func (s *scope) single(e *sqlparse.Column, doc map[string]any) (any, error) {
	f, err := s.column(e.Name)
	if err != nil {
		return nil, err
	}
	return s.one(e, f, doc)
}

func (s *scope) one(at sqlparse.Node, f *field, doc map[string]any) (any, error) {
	v, err := s.read(at, f.unrounded(), doc)
	if _, several := v.([]any); several && err == nil && f.kind != otherField {
		return nil, s.columnError(at, f.name, stateArray, "the row holds several values, and an expression has room for one")
	}
	return v, err
}

func (s *scope) arithmetic(e *sqlparse.Arithmetic, doc map[string]any) (any, error) {
	x, err := s.compute(e.X, doc)
	if err != nil {
		return nil, err
	}
	y, err := s.compute(e.Y, doc)
	if err != nil {
		return nil, err
	}
	if e.Op == "||" {
		return s.concat(e, x, y)
	}
	return s.calculate(e, e.Op, x, y)
}

// concat joins texts and integers. How a fraction or a time is written differs from product to product.
func (s *scope) concat(at sqlparse.Expr, values ...any) (any, error) {
	var b strings.Builder
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			return nil, nil
		case string:
			b.WriteString(v)
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case uint64:
			b.WriteString(strconv.FormatUint(v, 10))
		default:
			return nil, s.unsupported(at, "joining what is neither text nor integer")
		}
	}
	return b.String(), nil
}

// calculate is + - * / and %. Integers stay integers, and overflow is an error; a division of integers drops the rest.
func (s *scope) calculate(at sqlparse.Expr, op string, x, y any) (any, error) {
	if x == nil || y == nil {
		return nil, nil
	}
	a, aWhole := x.(int64)
	b, bWhole := y.(int64)
	if aWhole && bWhole {
		return s.whole(at, op, a, b)
	}
	f, fok := asFloat(x)
	g, gok := asFloat(y)
	if !fok || !gok {
		return nil, s.unsupported(at, op+" on what is no number")
	}
	if g == 0 && (op == "/" || op == "%") {
		return nil, s.failed(at, stateDivision, "a division by zero")
	}
	return s.finite(at, realResult(op, f, g))
}

func realResult(op string, f, g float64) float64 {
	switch op {
	case "+":
		return f + g
	case "-":
		return f - g
	case "*":
		return f * g
	case "/":
		return f / g
	}
	return math.Mod(f, g)
}

func (s *scope) finite(at sqlparse.Expr, f float64) (any, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, s.failed(at, stateNumeric, "a number out of range")
	}
	return f, nil
}

// failed is an error of a computation.
func (s *scope) failed(at sqlparse.Expr, state, what string) error {
	line, column := s.statement.Position(at)
	return &StatementError{State: state, Err: &placeError{what: what, line: line, column: column}}
}

// placeError is what was wrong and where.
type placeError struct {
	what         string
	line, column int
}

// Error names both.
func (e *placeError) Error() string {
	return "sqlapi: line " + strconv.Itoa(e.line) + ", column " + strconv.Itoa(e.column) + ": " + e.what
}

func (s *scope) whole(at sqlparse.Expr, op string, a, b int64) (any, error) {
	if b == 0 && (op == "/" || op == "%") {
		return nil, s.failed(at, stateDivision, "a division by zero")
	}
	result, ok := wholeResult(op, a, b)
	if !ok {
		return nil, s.failed(at, stateNumeric, "an integer beyond 64 bits")
	}
	return result, nil
}

// wholeResult reports false on overflow.
func wholeResult(op string, a, b int64) (int64, bool) {
	switch op {
	case "+":
		return a + b, (a+b > a) == (b > 0)
	case "-":
		return a - b, (a-b < a) == (b > 0)
	case "*":
		product := a * b
		return product, a == 0 || product/a == b && !(a == -1 && b == math.MinInt64)
	case "/":
		return a / b, !(a == math.MinInt64 && b == -1)
	}
	if b == -1 {
		return 0, true
	}
	return a % b, true
}

// cast is CAST. It takes the types that a value of a statement is written with: a column's value needs none.
func (s *scope) cast(e *sqlparse.Cast, x any) (any, error) {
	def, err := typeOf(e.Type)
	if err != nil || e.Type.Array {
		return nil, s.unsupported(e, "a cast to "+e.Type.Name)
	}
	f := newField("", def.mapping, s.table.zone)
	if r, ok := x.(float64); ok && f.kind == wholeField {
		x = math.Round(r)
	}
	v, err := f.operand(x)
	if wrong, ok := err.(*valueError); ok {
		return nil, s.failed(e, wrong.state, wrong.msg)
	}
	return v, err
}

// call is a call of one of the functions that scripts know too, and of those that give the time.
func (s *scope) call(e *sqlparse.Call, doc map[string]any) (any, error) {
	if now, ok := s.clock(e); ok {
		return now, nil
	}
	if arity, ok := functions[e.Function]; !ok || !arity.takes(len(e.Args)) || e.Star || e.Distinct {
		return nil, s.unsupported(e, "the function "+e.Function)
	}
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = s.compute(a, doc); err != nil {
			return nil, err
		}
	}
	return s.apply(e, args)
}

// clock gives the time of the functions that tell it. All through a statement it is the same.
func (s *scope) clock(e *sqlparse.Call) (any, bool) {
	if len(e.Args) > 0 || e.Star {
		return nil, false
	}
	switch e.Function {
	case "CURRENT_TIMESTAMP", "NOW", "LOCALTIMESTAMP":
		return s.now, true
	case "CURRENT_DATE", "CURDATE", "TODAY":
		year, month, day := s.now.In(s.zone()).Date()
		return time.Date(year, month, day, 0, 0, 0, 0, s.zone()), true
	}
	return nil, false
}

func (s *scope) zone() *time.Location {
	if s.table.zone == nil {
		return time.UTC
	}
	return s.table.zone
}

// arity is how many arguments a function takes.
type arity struct{ least, most int }

func (a arity) takes(n int) bool { return n >= a.least && n <= a.most }

const many = 1 << 10

// functions are those that expressions of a write may call.
var functions = map[string]arity{
	"COALESCE": {1, many}, "IFNULL": {2, 2}, "NVL": {2, 2}, "NULLIF": {2, 2}, "CONCAT": {1, many},
	"LOWER": {1, 1}, "UPPER": {1, 1}, "LCASE": {1, 1}, "UCASE": {1, 1}, "ABS": {1, 1},
}

func (s *scope) apply(e *sqlparse.Call, args []any) (any, error) {
	switch e.Function {
	case "COALESCE", "IFNULL", "NVL":
		for _, v := range args {
			if v != nil {
				return v, nil
			}
		}
		return nil, nil
	case "NULLIF":
		return s.nullIf(e, args[0], args[1])
	case "CONCAT":
		return s.concat(e, args...)
	case "ABS":
		return s.absolute(e, args[0])
	}
	return s.letters(e, args[0])
}

func (s *scope) nullIf(e *sqlparse.Call, x, y any) (any, error) {
	if x == nil || y == nil {
		return x, nil
	}
	order, err := s.order(e, x, y)
	if err != nil || order == 0 {
		return nil, err
	}
	return x, nil
}

func (s *scope) absolute(e *sqlparse.Call, x any) (any, error) {
	if f, ok := asFloat(x); x == nil || ok && f >= 0 {
		return x, nil
	}
	return s.calculate(e, "-", int64(0), x)
}

func (s *scope) letters(e *sqlparse.Call, x any) (any, error) {
	text, ok := x.(string)
	switch {
	case x == nil:
		return nil, nil
	case !ok:
		return nil, s.unsupported(e, e.Function+" of what is no text")
	case e.Function == "LOWER" || e.Function == "LCASE":
		return strings.ToLower(text), nil
	}
	return strings.ToUpper(text), nil
}

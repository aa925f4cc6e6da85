package sqlapi

import (
	"strings"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// expression computes an expression in the script.
func (w *scriptWriter) expression(e sqlparse.Expr) (scriptValue, error) {
	if isConstant(e) {
		return w.constantValue(e)
	}
	switch e := e.(type) {
	case *sqlparse.Column:
		return w.column(e)
	case *sqlparse.Arithmetic:
		return w.arithmetic(e)
	case *sqlparse.Negate:
		x, err := w.expression(e.X)
		if err != nil {
			return x, err
		}
		return w.operation(e, "-", w.zero(), x)
	case *sqlparse.Call:
		return w.call(e)
	}
	return scriptValue{}, w.scope.unsupported(e, "SET with "+construct(e))
}

func (w *scriptWriter) zero() scriptValue {
	return scriptValue{code: w.param(int64(0)), kind: wholeField}
}

// constantValue is a parameter.
func (w *scriptWriter) constantValue(e sqlparse.Expr) (scriptValue, error) {
	v, err := w.scope.compute(e, nil)
	if err != nil {
		return scriptValue{}, err
	}
	kind := otherField
	switch x := v.(type) {
	case nil:
	case int64:
		kind = wholeField
	case float64:
		kind = realField
	case bool:
		kind = boolField
	case string:
		if w.target.kind == timeField {
			return w.timeValue(e, x)
		}
		kind = textField
	case time.Time:
		return w.timeValue(e, x)
	default:
		return scriptValue{}, w.scope.unsupported(e, "SET with a value beyond 64 bits in an expression")
	}
	return scriptValue{code: w.param(v), kind: kind, null: v == nil}, nil
}

// timeValue is a time, or the text of one, in the form of the column that is assigned to.
func (w *scriptWriter) timeValue(e sqlparse.Expr, t any) (scriptValue, error) {
	if w.target.kind != timeField {
		return scriptValue{}, w.scope.unsupported(e, "SET with a time in an expression")
	}
	v, err := w.target.encode(t)
	if err != nil {
		return scriptValue{}, w.scope.placed(e, w.target, err)
	}
	return scriptValue{code: w.param(v), kind: timeField}, nil
}

// column reads a column, once in a script.
func (w *scriptWriter) column(e *sqlparse.Column) (scriptValue, error) {
	f, err := w.scope.column(e.Name)
	switch {
	case err != nil:
		return scriptValue{}, err
	case f == idField, f.nested, f.kind == otherField, f.kind == binaryField, f.kind == addrField, f.typ == "unsigned_long":
		return scriptValue{}, w.scope.unsupported(e, "SET with column "+f.name+" of type "+f.typ+" in an expression")
	case f.kind == timeField && !sameForm(f, w.target):
		return scriptValue{}, w.scope.unsupported(e, "SET with a time in an expression")
	}
	if v, ok := w.columns[f.name]; ok {
		return v, nil
	}
	name := w.variable(load(f.name))
	w.throwIf(name+" instanceof List", "column "+f.name+" holds several values")
	switch f.kind {
	case wholeField:
		name = w.variable(name + " == null ? null : " + name + ".longValue()")
	case realField:
		name = w.variable(name + " == null ? null : " + name + ".doubleValue()")
	case textField:
		name = w.variable(name + " == null ? null : '' + " + name)
	}
	v := scriptValue{code: name, kind: f.kind}
	w.columns[f.name] = v
	return v, nil
}

func (w *scriptWriter) arithmetic(e *sqlparse.Arithmetic) (scriptValue, error) {
	x, err := w.expression(e.X)
	if err != nil {
		return x, err
	}
	y, err := w.expression(e.Y)
	if err != nil {
		return y, err
	}
	if e.Op == "||" {
		return w.joined(e, []scriptValue{x, y})
	}
	return w.operation(e, e.Op, x, y)
}

// operation is + - * / and %: of integers, with overflow as an error, or of floating point numbers.
func (w *scriptWriter) operation(e sqlparse.Expr, op string, x, y scriptValue) (scriptValue, error) {
	if !x.numeric() || !y.numeric() {
		return scriptValue{}, w.scope.unsupported(e, op+" on what is no number")
	}
	present := x.code + " != null && " + y.code + " != null"
	zero := y.code + " == 0"
	if op == "/" || op == "%" {
		w.throwIf(present+" && "+zero, "a division by zero")
	}
	if x.kind == realField || y.kind == realField {
		code := x.code + ".doubleValue() " + op + " " + y.code + ".doubleValue()"
		return scriptValue{code: w.variable(ifPresent(x, y) + code), kind: realField}, nil
	}
	if op != "%" {
		inReal := "(" + x.code + " * 1.0 " + op + " " + y.code + ")"
		w.throwIf(present+" && ("+inReal+" > "+wholeLimit+" || "+inReal+" < -"+wholeLimit+")", "an integer beyond 64 bits")
	}
	return scriptValue{code: w.variable(ifPresent(x, y) + x.code + ".longValue() " + op + " " + y.code + ".longValue()"), kind: wholeField}, nil
}

func (v scriptValue) numeric() bool { return v.null || v.kind == wholeField || v.kind == realField }

// ifPresent begins an expression that is null when one of the values is.
func ifPresent(values ...scriptValue) string {
	tests := make([]string, len(values))
	for i, v := range values {
		tests[i] = v.code + " == null"
	}
	return strings.Join(tests, " || ") + " ? null : "
}

// joined concatenates texts and integers.
func (w *scriptWriter) joined(e sqlparse.Expr, values []scriptValue) (scriptValue, error) {
	code := "''"
	for _, v := range values {
		if !v.null && v.kind != textField && v.kind != wholeField {
			return scriptValue{}, w.scope.unsupported(e, "joining what is neither text nor integer")
		}
		code += " + " + v.code
	}
	return scriptValue{code: w.variable(ifPresent(values...) + code), kind: textField}, nil
}

func (w *scriptWriter) call(e *sqlparse.Call) (scriptValue, error) {
	if arity, ok := functions[e.Function]; !ok || !arity.takes(len(e.Args)) || e.Star || e.Distinct {
		return scriptValue{}, w.scope.unsupported(e, "the function "+e.Function)
	}
	args := make([]scriptValue, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = w.expression(a); err != nil {
			return scriptValue{}, err
		}
	}
	switch e.Function {
	case "COALESCE", "IFNULL", "NVL":
		return w.coalesced(e, args)
	case "NULLIF":
		return w.nullIf(e, args[0], args[1])
	case "CONCAT":
		return w.joined(e, args)
	case "ABS":
		return w.absolute(e, args[0])
	}
	return w.letters(e, args[0])
}

// coalesced is the first that is not null. Their kinds must agree, or be numbers.
func (w *scriptWriter) coalesced(e *sqlparse.Call, args []scriptValue) (scriptValue, error) {
	kind, codes := otherField, make([]string, len(args))
	for i, v := range args {
		codes[i] = v.code
		switch {
		case v.null || kind == v.kind:
		case kind == otherField:
			kind = v.kind
		case v.numeric() && (kind == wholeField || kind == realField):
			kind = realField
		default:
			return scriptValue{}, w.scope.unsupported(e, e.Function+" of values of different types")
		}
	}
	return scriptValue{code: w.variable(strings.Join(codes, " ?: ")), kind: kind, null: kind == otherField}, nil
}

func (w *scriptWriter) nullIf(e *sqlparse.Call, x, y scriptValue) (scriptValue, error) {
	known := !x.null && !y.null
	if known && x.kind != y.kind && !(x.numeric() && y.numeric()) || x.kind == timeField {
		return scriptValue{}, w.scope.unsupported(e, "a comparison of values of different types")
	}
	return scriptValue{code: w.variable(x.code + " == " + y.code + " ? null : " + x.code), kind: x.kind, null: x.null}, nil
}

func (w *scriptWriter) absolute(e *sqlparse.Call, x scriptValue) (scriptValue, error) {
	if !x.numeric() {
		return x, w.scope.unsupported(e, "ABS of what is no number")
	}
	negative, err := w.operation(e, "-", w.zero(), x)
	if err != nil {
		return x, err
	}
	code := x.code + " == null || " + x.code + " >= 0 ? " + x.code + " : " + negative.code
	return scriptValue{code: w.variable(code), kind: x.kind, null: x.null}, nil
}

func (w *scriptWriter) letters(e *sqlparse.Call, x scriptValue) (scriptValue, error) {
	if !x.null && x.kind != textField {
		return x, w.scope.unsupported(e, e.Function+" of what is no text")
	}
	method := ".toUpperCase(Locale.ROOT)"
	if e.Function == "LOWER" || e.Function == "LCASE" {
		method = ".toLowerCase(Locale.ROOT)"
	}
	return scriptValue{code: w.variable(ifPresent(x) + x.code + method), kind: textField, null: x.null}, nil
}

package sqlapi

import (
	"strconv"
	"strings"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// script is what an UPDATE by query runs on each row, in Painless. Its text depends on the statement alone and not on
// its arguments, which are parameters, so that a server compiles it once.
type script struct {
	Lang   string         `json:"lang"`
	Source string         `json:"source"`
	Params map[string]any `json:"params"`
}

// scriptWriter writes the script of a SET. Every expression is computed before anything is assigned, since all of them
// are about the row as it was.
type scriptWriter struct {
	scope   *scope
	target  *field // the column that is assigned to
	lines   []string
	params  map[string]any
	columns map[string]scriptValue // those that were read
	names   int
}

// scriptValue is a variable or parameter of the script, and the kind of its values when they are not null. A null
// constant has no kind.
type scriptValue struct {
	code string
	kind fieldKind
	null bool
}

// script translates SET.
func (s *scope) script(set []sqlparse.Assignment) (*script, error) {
	w := &scriptWriter{scope: s, params: map[string]any{}, columns: map[string]scriptValue{}}
	var assign []string
	given := map[*field]bool{}
	for _, a := range set {
		line, err := w.assignment(a)
		if given[w.target] {
			return nil, s.columnError(a, w.target.name, stateSyntax, "it is given two values")
		}
		given[w.target] = true
		if err != nil {
			return nil, err
		}
		assign = append(assign, line)
	}
	return &script{Lang: "painless", Source: strings.Join(append(w.lines, assign...), "\n"), Params: w.params}, nil
}

// assignment computes a value, and returns the line that assigns it.
func (w *scriptWriter) assignment(a sqlparse.Assignment) (string, error) {
	f, err := w.scope.column(a.Column)
	if err != nil {
		return "", err
	}
	if f == w.scope.table.key {
		return "", w.scope.unsupported(a, "a change of the primary key")
	}
	if err := w.scope.assignable(a, f); err != nil {
		return "", err
	}
	w.target = f
	if isConstant(a.Value) {
		return w.constant(a, f)
	}
	code, err := w.fitted(a.Value, f)
	if err != nil {
		return "", err
	}
	if f.column.NotNull {
		w.throwIf(code+" == null", "column "+f.name+" cannot be NULL")
	}
	return store(f.name, code), nil
}

// constant assigns what is the same for every row.
func (w *scriptWriter) constant(a sqlparse.Assignment, f *field) (string, error) {
	_, v, err := w.scope.assigned(a, nil)
	if err != nil {
		return "", err
	}
	return store(f.name, w.param(v)), nil
}

// fitted computes an expression and makes of it what the column holds.
func (w *scriptWriter) fitted(e sqlparse.Expr, f *field) (string, error) {
	if other, ok := w.scope.copied(e, f); ok {
		return w.variable(load(other.name)), nil
	}
	v, err := w.expression(e)
	switch {
	case err != nil:
		return "", err
	case v.null || v.kind == f.kind && f.kind != otherField && f.kind != binaryField,
		v.kind == wholeField && f.kind == realField:
		return v.code, nil
	case v.kind == realField && f.kind == wholeField:
		return w.rounded(v), nil
	case v.kind == wholeField && f.kind == textField:
		return w.variable(v.code + " == null ? null : '' + " + v.code), nil
	}
	return "", w.scope.unsupported(e, "a value of another type for column "+f.name+" of type "+f.typ)
}

// sameForm reports whether a value of one column can be one of the other as it is.
func sameForm(a, b *field) bool {
	return a.typ == b.typ && strings.Join(a.formats, "||") == strings.Join(b.formats, "||") && a != idField
}

// rounded rounds half away from zero.
func (w *scriptWriter) rounded(v scriptValue) string {
	w.throwIf(v.code+" != null && ("+v.code+" > "+wholeLimit+" || "+v.code+" < -"+wholeLimit+")", "an integer beyond 64 bits")
	return w.variable(v.code + " == null ? null : " + v.code + " < 0 ? -Math.round(-" + v.code + ") : Math.round(" + v.code + ")")
}

// wholeLimit is a little under 2^63: beyond it a sum that was computed in floating point may have been cut off.
const wholeLimit = "9.223372036854774E18"

// variable gives an expression a name.
func (w *scriptWriter) variable(code string) string {
	name := "v" + strconv.Itoa(w.names)
	w.names++
	w.lines = append(w.lines, "def "+name+" = "+code+";")
	return name
}

// param is a parameter with that value.
func (w *scriptWriter) param(v any) string {
	name := "p" + strconv.Itoa(len(w.params))
	w.params[name] = v
	return "params." + name
}

// throwIf ends the statement with a message.
func (w *scriptWriter) throwIf(condition, message string) {
	w.lines = append(w.lines, "if ("+condition+") { throw new IllegalArgumentException("+painlessText(message)+"); }")
}

// painlessText is a string literal.
func painlessText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
}

// load reads a field of the document: under its dotted name if it stands there so, else inside of objects.
func load(path string) string {
	whole := "ctx._source[" + painlessText(path) + "]"
	first, rest, dotted := strings.Cut(path, ".")
	if !dotted {
		return whole
	}
	inner := "ctx._source[" + painlessText(first) + "]"
	for part := range strings.SplitSeq(rest, ".") {
		inner += "?.get(" + painlessText(part) + ")"
	}
	return whole + " ?: " + inner
}

// store assigns to a field of the document, in the place where it has one.
func store(path, code string) string {
	whole := "ctx._source[" + painlessText(path) + "]"
	if !strings.Contains(path, ".") {
		return whole + " = " + code + ";"
	}
	parts := strings.Split(path, ".")
	at, makes := "ctx._source", ""
	for _, part := range parts[:len(parts)-1] {
		at += "[" + painlessText(part) + "]"
		makes += "if (" + at + " == null) { " + at + " = [:]; } "
	}
	at += "[" + painlessText(parts[len(parts)-1]) + "]"
	return "if (ctx._source.containsKey(" + painlessText(path) + ")) { " + whole + " = " + code + "; } else { " + makes + at + " = " + code + "; }"
}

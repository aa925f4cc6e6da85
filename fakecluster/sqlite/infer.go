package sqlite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/esdriver/esdriver/fakecluster"
)

// columns names and types the result's columns; a type that only the values tell stays empty.
func (st *statement) columns() []fakecluster.SQLColumn {
	var out []fakecluster.SQLColumn
	for _, it := range st.items {
		if it.star != "" {
			st.eachStar(it, func(_ string, c column) {
				out = append(out, fakecluster.SQLColumn{Name: c.name, Type: c.wire})
			})
			continue
		}
		out = append(out, st.columnOf(it))
	}
	return out
}

func (st *statement) columnOf(it item) fakecluster.SQLColumn {
	ts := st.tokens[it.from:it.to]
	name := st.query.Text[ts[0].at:ts[len(ts)-1].end]
	if _, c, ok := st.resolve(ts[0]); ok && len(ts) == 1 {
		name = c.name
	}
	col := fakecluster.SQLColumn{Name: name, Type: st.infer(ts)}
	switch {
	case it.alias == "":
	case st.elastic():
		col.Name = it.alias
	default:
		col.Alias = it.alias
	}
	return col
}

// infer tells the type of an expression from its tokens.
func (st *statement) infer(ts []token) string {
	if len(ts) == 1 {
		return st.inferOne(ts[0])
	}
	if w := ts[0].word(); w != "" && ts[1].is("(") && closesAtEnd(ts) {
		return st.inferCall(w, ts)
	}
	if ts[0].is("(") && closesAtEnd(append([]token{{}}, ts...)) {
		return st.infer(ts[1 : len(ts)-1])
	}
	return st.inferOperators(ts)
}

// closesAtEnd says whether the parenthesis at 1 is closed by the last token.
func closesAtEnd(ts []token) bool {
	depth := 0
	for i := 1; i < len(ts); i++ {
		if depth += depthOf(ts[i]); depth == 0 {
			return i == len(ts)-1
		}
	}
	return false
}

func (st *statement) inferOne(t token) string {
	switch {
	case t.kind == text:
		return "keyword"
	case t.kind == number:
		return numberType(t.raw)
	case t.word() == "TRUE" || t.word() == "FALSE":
		return "boolean"
	case t.word() == "CURRENT_TIMESTAMP":
		return st.timestamp()
	case t.kind == param:
		return st.paramType(t)
	}
	return st.wireOf(t)
}

func numberType(raw string) string {
	if strings.ContainsAny(raw, ".eE") {
		return "double"
	}
	if _, err := strconv.ParseInt(raw, 10, 32); err == nil {
		return "integer"
	}
	return "long"
}

func (st *statement) timestamp() string {
	if st.elastic() {
		return "datetime"
	}
	return "timestamp"
}

// paramType is the type of the value given for the placeholder.
func (st *statement) paramType(t token) string {
	n := 0
	for _, other := range st.tokens {
		if other.kind == param && other.at < t.at {
			n++
		}
	}
	if n >= len(st.query.Params) {
		return ""
	}
	switch v := st.query.Params[n].(type) {
	case bool:
		return "boolean"
	case int64:
		return numberType(strconv.FormatInt(v, 10))
	case float64:
		return "double"
	case string:
		return "keyword"
	}
	return ""
}

// inferCall is the type of a function's result.
func (st *statement) inferCall(w string, ts []token) string {
	argument := func() string { return st.infer(ts[2 : len(ts)-1]) }
	switch w {
	case "COUNT":
		if !st.elastic() && strings.HasPrefix(st.query.Version, "2.") {
			return "integer"
		}
		return "long"
	case "AVG", "SQRT", "EXP", "POW", "POWER", "LN", "LOG", "SIN", "COS", "PI":
		return "double"
	case "SUM":
		return st.sumType(argument())
	case "MIN", "MAX", "ABS", "NULLIF", "COALESCE", "IFNULL", "ROUND":
		first := slices.IndexFunc(ts, func(t token) bool { return t.is(",") })
		if first > 0 {
			return st.infer(ts[2:first])
		}
		return argument()
	case "LENGTH", "CHAR_LENGTH", "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "DAY_OF_MONTH", "DAY_OF_WEEK", "FLOOR", "CEIL":
		return "integer"
	case "UPPER", "LOWER", "UCASE", "LCASE", "CONCAT", "SUBSTRING", "SUBSTR", "TRIM", "LTRIM", "RTRIM", "REPLACE", "DATABASE":
		return "keyword"
	case "NOW":
		if !st.elastic() && strings.HasPrefix(st.query.Version, "2.") {
			return "datetime"
		}
		return st.timestamp()
	case "CAST":
		return st.castType(ts[len(ts)-2].word())
	}
	return ""
}

// sumType is long for whole numbers; Elasticsearch 7 and OpenSearch keep the field's type.
func (st *statement) sumType(argument string) string {
	if !slices.Contains([]string{"long", "integer", "short", "byte"}, argument) {
		return "double"
	}
	if st.elastic() && !strings.HasPrefix(st.query.Version, "7.") {
		return "long"
	}
	return argument
}

func (st *statement) castType(w string) string {
	switch w {
	case "INT", "INTEGER":
		return "integer"
	case "LONG", "BIGINT":
		return "long"
	case "DOUBLE", "FLOAT", "REAL":
		return "double"
	case "KEYWORD", "VARCHAR", "STRING", "TEXT":
		return "keyword"
	case "BOOLEAN":
		return "boolean"
	case "DATETIME", "TIMESTAMP":
		return st.timestamp()
	case "DATE":
		return "date"
	}
	return ""
}

// inferOperators is the type of an expression with operators outside of parentheses.
func (st *statement) inferOperators(ts []token) string {
	depth, wide, real := 0, false, false
	for _, t := range ts {
		if depth += depthOf(t); depth > 0 {
			continue
		}
		switch {
		case comparison(t) || slices.Contains([]string{"AND", "OR", "NOT", "IS", "IN", "LIKE", "BETWEEN"}, t.word()):
			return "boolean"
		case t.is("||"):
			return "keyword"
		case t.word() == "CASE":
			return ""
		}
		one := st.inferOne(t)
		wide = wide || one == "long"
		real = real || one == "double" || one == "float" || one == "scaled_float" || one == "half_float"
	}
	switch {
	case real:
		return "double"
	case wide:
		return "long"
	}
	return "integer"
}

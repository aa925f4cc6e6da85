package sqlite

import (
	"slices"
	"strings"
)

// rewrite writes the statement for SQLite.
func (st *statement) rewrite() (string, error) {
	var out []string
	top := ""
	for i := 0; i < len(st.tokens); i++ {
		piece, next, err := st.piece(i)
		if err != nil {
			return "", err
		}
		if st.tokens[i].word() == "TOP" && i == 1 && i+1 < len(st.tokens) {
			top = " LIMIT " + st.tokens[i+1].raw
			i++
			continue
		}
		out = append(out, piece)
		i = next
	}
	return strings.Join(out, " ") + top, nil
}

// piece rewrites one token, or several that belong together; next is the last token it used.
func (st *statement) piece(i int) (s string, next int, err error) {
	t := st.tokens[i]
	role := st.role[i]
	switch {
	case role == "skip":
		return "", i, nil
	case role == "alias":
		return quote(t.value), i, nil
	case strings.HasPrefix(role, "table:"):
		return strings.TrimPrefix(role, "table:"), i, nil
	case t.kind == text:
		return st.value(i, literal(t.value)), i, nil
	case t.kind == param:
		return st.value(i, "?"), i, nil
	case t.kind == name:
		return st.word(i)
	case st.elastic() && (t.is("<>") || t.is("!=")):
		return "IS NOT", i, nil // Elasticsearch translates it to must_not: missing values match
	case t.is("*") && st.starAt(i) != nil:
		return st.expand(*st.starAt(i)), i, nil
	}
	return t.raw, i, nil
}

func (st *statement) starAt(i int) *item {
	for _, it := range st.items {
		if it.from == i && it.star != "" {
			return &it
		}
	}
	return nil
}

// expand lists the columns of a star.
func (st *statement) expand(it item) string {
	var list []string
	st.eachStar(it, func(alias string, c column) { list = append(list, quote(alias)+"."+quote(c.name)) })
	return strings.Join(list, ", ")
}

func (st *statement) eachStar(it item, do func(alias string, c column)) {
	for _, alias := range st.order {
		if it.star != "*" && it.star != alias {
			continue
		}
		for _, c := range st.tables[alias].fields {
			if !c.sub && !c.meta {
				do(alias, c)
			}
		}
	}
}

// value rewrites a literal or parameter; beside a time it becomes a time.
func (st *statement) value(i int, s string) string {
	if st.besideTime(i) {
		return "es_time(" + s + ")"
	}
	return s
}

// besideTime says whether the value is compared with a time column: by an operator, IN or BETWEEN, on
// either side.
func (st *statement) besideTime(i int) bool {
	if i > 0 && slices.Contains([]string{"DATE", "TIME", "TIMESTAMP"}, st.tokens[i-1].word()) {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		t := st.tokens[j]
		if t.kind == name && !slices.Contains(keywords, t.word()) {
			return isTime(st.wireOf(t)) && !(j > 0 && st.called(j))
		}
		if !passes(t) {
			break
		}
	}
	if i+2 < len(st.tokens) && comparison(st.tokens[i+1]) {
		return isTime(st.wireOf(st.tokens[i+2]))
	}
	return false
}

// passes are the tokens that may stand between a column and a value compared with it.
func passes(t token) bool {
	return comparison(t) || t.is("(") || t.is(",") || t.kind == text || t.kind == param || t.kind == number ||
		slices.Contains([]string{"IN", "NOT", "BETWEEN", "AND", "IS", "DATE", "TIME", "TIMESTAMP"}, t.word())
}

func comparison(t token) bool {
	return slices.ContainsFunc([]string{"=", "<", ">", "<=", ">=", "<>", "!="}, t.is)
}

func (st *statement) called(i int) bool {
	return i+1 < len(st.tokens) && st.tokens[i+1].is("(")
}

// renamed are functions and types with another name in SQLite.
var renamed = map[string]string{
	"UCASE": "upper", "LCASE": "lower", "CHAR_LENGTH": "length", "CHARACTER_LENGTH": "length", "CEILING": "ceil",
	"SUBSTRING": "substr", "TRUNCATE": "trunc", "POWER": "pow", "CURRENT_TIMESTAMP": "now()", "CURDATE": "current_date",
	"CURTIME": "current_time", "LONG": "INTEGER", "BIGINT": "INTEGER", "KEYWORD": "TEXT", "VARCHAR": "TEXT", "STRING": "TEXT",
	"DOUBLE": "REAL", "FLOAT": "REAL", "BOOLEAN": "INTEGER",
}

// word rewrites a name: a keyword, a function, a type or a column.
func (st *statement) word(i int) (string, int, error) {
	t := st.tokens[i]
	w := t.word()
	if it := st.starAt(i); it != nil {
		return st.expand(*it), i, nil
	}
	if s, next, ok, err := st.construct(i, w); ok || err != nil {
		return s, next, err
	}
	switch {
	case slices.Contains(keywords, w):
		return t.raw, i, nil
	case w != "" && (st.called(i) || st.typeName(i) || w == "CURRENT_TIMESTAMP"):
		if to, ok := renamed[w]; ok {
			return to, i, nil
		}
		return t.raw, i, nil
	}
	s, err := st.column(t)
	return s, i, err
}

// construct rewrites what spans tokens; ok is false if nothing of the kind begins here.
func (st *statement) construct(i int, w string) (s string, next int, ok bool, err error) {
	switch {
	case w == "NOT" && i+1 < len(st.tokens):
		if s, next, err = st.negated(i); s != "" || err != nil {
			return s, next, true, err
		}
	case w == "LIKE" && i+1 < len(st.tokens):
		s, next, err = st.like(i)
		return s, next, true, err
	case w == "DATABASE" && st.called(i) && st.elastic():
		return literal(st.query.Cluster), st.closing(i + 1), true, nil
	case w == "CAST" && st.called(i):
		return st.cast(i)
	case (w == "DATE" || w == "TIMESTAMP") && i+1 < len(st.tokens) && (st.tokens[i+1].kind == text || st.tokens[i+1].kind == param):
		return "", i, true, nil // the literal behind it becomes a time
	case w == "ORDER" && st.elastic() && i+1 < len(st.tokens):
		s, next, err = st.orderBy(i)
		return s, next, true, err
	}
	return "", i, false, nil
}

// negated writes NOT (…), NOT IN (…), NOT BETWEEN, NOT a = b and, for Elasticsearch, NOT LIKE so that missing
// values match, as must_not does. It returns "" for others.
func (st *statement) negated(i int) (string, int, error) {
	end := st.negatedEnd(i + 1)
	if end < 0 {
		return "", i, nil
	}
	inner, err := st.span(i+1, end+1)
	return inner + " IS NOT TRUE", end, err
}

// negatedEnd is the last token of what NOT before from negates; -1 if it is nothing to rewrite.
func (st *statement) negatedEnd(from int) int {
	t := st.tokens[from]
	end := -1
	switch {
	case t.is("("):
		end = st.closing(from)
	case t.word() == "IN":
		end = st.closing(from + 1)
	case t.word() == "BETWEEN":
		end = from + 3
	case t.word() == "LIKE" && st.elastic():
		end = st.likeEnd(from)
	case t.kind == name && from+2 < len(st.tokens) && comparison(st.tokens[from+1]):
		end = from + 2
	}
	return min(end, len(st.tokens)-1)
}

// likeEnd is the last token of LIKE 'pattern' [ESCAPE 'c'].
func (st *statement) likeEnd(i int) int {
	if i+2 < len(st.tokens) && st.tokens[i+2].word() == "ESCAPE" {
		return i + 3
	}
	return i + 1
}

// like writes a LIKE; OpenSearch takes a backslash as its escape character.
func (st *statement) like(i int) (string, int, error) {
	end := st.likeEnd(i)
	inner, err := st.span(i+1, min(end+1, len(st.tokens)))
	if end == i+1 && !st.elastic() {
		inner += ` ESCAPE '\'`
	}
	return "LIKE " + inner, end, err
}

// closing finds the parenthesis that closes the one at open.
func (st *statement) closing(open int) int {
	depth := 0
	for i := open; i < len(st.tokens); i++ {
		if depth += depthOf(st.tokens[i]); depth == 0 {
			return i
		}
	}
	return len(st.tokens) - 1
}

// span rewrites tokens[from:to].
func (st *statement) span(from, to int) (string, error) {
	var out []string
	for i := from; i < to; i++ {
		s, next, err := st.piece(i)
		if err != nil {
			return "", err
		}
		out = append(out, s)
		i = next
	}
	return strings.Join(out, " "), nil
}

// casts are the functions that cast and complain; SQLite's own cast makes 0 of any text.
var casts = map[string]string{
	"DATETIME": "es_time", "TIMESTAMP": "es_time", "DATE": "es_time",
	"INT": "es_int", "INTEGER": "es_int", "LONG": "es_int", "BIGINT": "es_int",
}

func (st *statement) cast(i int) (string, int, bool, error) {
	end := st.closing(i + 1)
	function, ok := casts[st.tokens[end-1].word()]
	if !ok || st.tokens[end-2].word() != "AS" {
		return "", i, false, nil
	}
	inner, err := st.span(i+2, end-2)
	return function + "(" + inner + ")", end, true, err
}

// typeName says whether the token is the type of a CAST.
func (st *statement) typeName(i int) bool {
	return i > 0 && st.tokens[i-1].word() == "AS" && i+1 < len(st.tokens) && st.tokens[i+1].is(")")
}

// orderBy puts missing values where Elasticsearch does: last in ascending order, first in descending; the
// other way round for groups.
func (st *statement) orderBy(i int) (string, int, error) {
	out := []string{"ORDER BY"}
	from, end := i+2, i+2
	for depth := 0; ; end++ {
		last := end >= len(st.tokens) || depth == 0 && st.tokens[end].word() == "LIMIT" || depth == 0 && st.tokens[end].is(")")
		if last || depth == 0 && st.tokens[end].is(",") {
			s, err := st.sortItem(from, end)
			if err != nil {
				return "", 0, err
			}
			out = append(out, s)
			from = end + 1
		}
		if last {
			return out[0] + " " + strings.Join(out[1:], ", "), end - 1, nil
		}
		depth += depthOf(st.tokens[end])
	}
}

func (st *statement) sortItem(from, to int) (string, error) {
	s, err := st.span(from, min(to, len(st.tokens)))
	words := strings.Fields(strings.ToUpper(s))
	switch {
	case err != nil || slices.Contains(words, "NULLS") || st.grouped:
		return s, err // groups come as SQLite has them: missing values first
	case len(words) > 0 && words[len(words)-1] == "DESC":
		return s + " NULLS FIRST", nil
	}
	return s + " NULLS LAST", nil
}

// column resolves a name to a column or to an alias of the select list.
func (st *statement) column(t token) (string, error) {
	if alias, c, ok := st.resolve(t); ok {
		return quote(alias) + "." + quote(c.name), nil
	}
	if st.named[t.value] || st.derived {
		return strings.ReplaceAll(quote(t.value), ".", `"."`), nil
	}
	return "", unknownColumn(st.query, t)
}

// resolve finds the column a name means, with or without a table before it.
func (st *statement) resolve(t token) (alias string, c column, ok bool) {
	for _, alias := range st.order {
		for _, c := range st.tables[alias].fields {
			if c.name == t.value || alias+"."+c.name == t.value {
				return alias, c, true
			}
		}
	}
	return "", column{}, false
}

func (st *statement) wireOf(t token) string {
	_, c, _ := st.resolve(t)
	return c.wire
}

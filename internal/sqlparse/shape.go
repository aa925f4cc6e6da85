package sqlparse

import (
	"slices"
	"strings"
)

// shape is what the token scan finds out about a read.
type shape struct {
	plain    bool   // as Statement.Plain, LIMIT and OFFSET left aside
	table    string // the one index of a SELECT
	orderBy  bool
	tieBreak string // what makes the sort keys tell any two rows apart; empty when they do
	legacy   bool   // OpenSearch before 3.7 answers from its legacy engine
	locks    bool   // see Statement.Locks
	constant string // see Statement.Constant
}

// unpaged are the functions that OpenSearch cannot page over: aggregates, and those whose nodes CanPaginateVisitor.java
// does not visit. A window function is found by its OVER.
var unpaged = wordSet(`COUNT SUM AVG MIN MAX VAR_POP VAR_SAMP VARIANCE STD STDDEV STDDEV_POP STDDEV_SAMP PERCENTILE
	PERCENTILES PERCENTILE_APPROX PERCENTILE_RANK FIRST LAST FIRST_VALUE LAST_VALUE KURTOSIS MAD SKEWNESS
	SUM_OF_SQUARES TAKE STATS EXTENDED_STATS HISTOGRAM DATE_HISTOGRAM TOPHITS TERMS RANGE ROW_NUMBER RANK DENSE_RANK
	NESTED REVERSE_NESTED HIGHLIGHT SCORE SCOREQUERY SCORE_QUERY MULTI_MATCH MULTIMATCH MULTIMATCHQUERY QUERY_STRING
	SIMPLE_QUERY_STRING EXISTS OVER FILTER`)

// legacyWords stand in statements that OpenSearch's own grammar did not take before 3.7, wherever they stand.
var legacyWords = wordSet(`JOIN UNION MINUS EXCEPT INTERSECT EXISTS`)

// unplainWords make a statement other than plain when they stand outside parentheses, between FROM and the end.
var unplainWords = wordSet(`GROUP HAVING UNION MINUS EXCEPT INTERSECT JOIN WINDOW PIVOT FETCH FOR WITH SELECT ORDER`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// clauses are the places, among the significant tokens, where the parts of a SELECT start. A part that is absent
// starts where the next one does.
type clauses struct {
	from, table, tableEnd, where, order, limit int
}

// describe scans a read.
func describe(flavor Flavor, kind Kind, ts tokens) shape {
	sh := shape{constant: constantOf(flavor, ts)}
	if kind != Select && kind != Explain {
		return sh
	}
	sh.orderBy = topOrder(ts) >= 0
	sh.legacy = needsLegacy(ts)
	sh.locks = locks(ts)
	if c, ok := findClauses(flavor, ts); ok {
		sh.table = tableName(ts, c)
		sh.plain = plainSelect(ts, c)
		sh.tieBreak = tieBreak(ts, c, sh.table)
	}
	return sh
}

// topLevel calls f with the place of every token outside parentheses.
func topLevel(ts tokens, f func(i int) (more bool)) {
	depth := 0
	for i := range ts.list {
		switch {
		case ts.isOp(i, "(") || ts.isOp(i, "{"):
			depth++
		case ts.isOp(i, ")") || ts.isOp(i, "}"):
			depth--
		case depth == 0:
			if !f(i) {
				return
			}
		}
	}
}

// topWord returns the place of the first such word outside parentheses, or -1.
func topWord(ts tokens, word string) int {
	at := -1
	topLevel(ts, func(i int) bool {
		if ts.isWord(i, word) && !ts.isOp(i-1, ".") {
			at = i
		}
		return at < 0
	})
	return at
}

// topOrder returns the place of the outermost ORDER BY, or -1.
func topOrder(ts tokens) int {
	at := -1
	topLevel(ts, func(i int) bool {
		if ts.isWord(i, "ORDER") && ts.isWord(i+1, "BY") {
			at = i
		}
		return true
	})
	return at
}

// needsLegacy reports whether the statement holds syntax that OpenSearch before 3.7 sends to its legacy engine.
func needsLegacy(ts tokens) bool {
	selects := 0
	for i := range ts.list {
		word := ts.word(i)
		if legacyWords[word] || word == "FOR" && ts.isWord(i+1, "UPDATE") {
			return true
		}
		if word == "SELECT" {
			selects++
		}
	}
	return selects > 1 || commaFrom(ts)
}

// locks reports whether the outermost SELECT ends in FOR UPDATE or FOR SHARE.
func locks(ts tokens) bool {
	at := topWord(ts, "FOR")
	return ts.isWord(at+1, "UPDATE") || ts.isWord(at+1, "SHARE")
}

// commaFrom reports whether FROM names more than one table.
func commaFrom(ts tokens) bool {
	from := topWord(ts, "FROM")
	if from < 0 {
		return false
	}
	for i := from + 1; i < ts.len(); i++ {
		switch {
		case ts.isOp(i, ","):
			return true
		case ts.isOp(i, "("), clauseWords[ts.word(i)]:
			return false
		}
	}
	return false
}

var clauseWords = wordSet(`WHERE GROUP HAVING ORDER LIMIT OFFSET FOR FETCH`)

// findClauses finds the parts of a SELECT that reads one table by name.
func findClauses(flavor Flavor, ts tokens) (clauses, bool) {
	c := clauses{from: topWord(ts, "FROM")}
	if !ts.isWord(0, "SELECT") || c.from < 0 {
		return c, false
	}
	c.table = c.from + 1
	c.tableEnd = tableEnd(flavor, ts, c.table)
	if c.tableEnd == c.table {
		return c, false
	}
	c.where = skipAlias(ts, c.tableEnd)
	c.limit = ts.len()
	if l := findLimit(ts, Select); l.present() {
		c.limit = l.from
	}
	c.order = c.limit
	if at := topOrder(ts); at >= c.where && at < c.limit {
		c.order = at
	}
	return c, c.where == ts.len() || clauseWords[ts.word(c.where)]
}

// tableEnd returns where the table's name ends that starts at token i; i when there is none.
// On OpenSearch a bare name may hold - and *, but no part of it may start with a digit, or the statement goes to the
// legacy engine (recorded: logs-2026.11.29).
func tableEnd(flavor Flavor, ts tokens, i int) int {
	start := i
	if flavor == OpenSearch && ts.isOp(i, ".") && ts.adjacent(i) {
		i++
	}
	if ts.kind(i) != tokQuoted && ts.kind(i) != tokWord || clauseWords[ts.word(i)] {
		return start
	}
	for i++; ts.adjacent(i-1) && isNamePart(flavor, ts, i); i++ {
		if ts.kind(i) == tokNumber && (ts.isOp(i-1, ".") || strings.Contains(ts.str(i), ".")) {
			return start
		}
	}
	return i
}

// isNamePart reports whether token i can go on with a table's name.
func isNamePart(flavor Flavor, ts tokens, i int) bool {
	switch ts.kind(i) {
	case tokWord, tokQuoted, tokNumber:
		return true
	case tokOp:
		return flavor == OpenSearch && strings.Contains(".-*", ts.str(i)) || ts.str(i) == "." || ts.str(i) == ":"
	}
	return false
}

func skipAlias(ts tokens, i int) int {
	if ts.isWord(i, "AS") {
		return i + 2
	}
	if ts.kind(i) == tokQuoted || ts.kind(i) == tokWord && !clauseWords[ts.word(i)] {
		return i + 1
	}
	return i
}

// tableName joins the parts of the name, without their quotes.
func tableName(ts tokens, c clauses) string {
	var name strings.Builder
	for i := c.table; i < c.tableEnd; i++ {
		if ts.kind(i) == tokQuoted {
			name.WriteString(unquote(ts.str(i)))
		} else {
			name.WriteString(ts.str(i))
		}
	}
	return name.String()
}

// plainSelect reports whether OpenSearch can page the statement, its LIMIT left aside.
func plainSelect(ts tokens, c clauses) bool {
	if ts.isWord(1, "DISTINCT") || ts.isWord(1, "TOP") || ts.isOp(c.from-1, "*") && ts.isOp(c.from-2, ".") {
		return false
	}
	for i := range ts.list {
		if i > 0 && ts.isWord(i, "SELECT") || ts.isOp(i+1, "(") && unpaged[ts.word(i)] {
			return false
		}
	}
	unplain := false
	topLevel(ts, func(i int) bool {
		unplain = i >= c.where && i < c.order && unplainWords[ts.word(i)] && !ts.isOp(i-1, ".")
		return !unplain
	})
	return !unplain && plainOrder(ts, c) && c.endsAt(ts)
}

// endsAt reports whether nothing follows the LIMIT clause.
func (c clauses) endsAt(ts tokens) bool {
	l := findLimit(ts, Select)
	return !l.present() && c.limit == ts.len() || l.present() && l.to == ts.len()
}

// plainOrder reports whether the sort keys are columns.
func plainOrder(ts tokens, c clauses) bool {
	if c.order == c.limit {
		return true
	}
	for i := c.order + 2; ; i++ {
		end := columnEnd(ts, i)
		if end == i {
			return false
		}
		i = skipDirection(ts, end)
		if i >= c.limit {
			return i == c.limit
		}
		if !ts.isOp(i, ",") {
			return false
		}
	}
}

// columnEnd returns where the dotted name ends that starts at token i; i when there is none.
func columnEnd(ts tokens, i int) int {
	for at := i; ; at += 2 {
		if !isColumnPart(ts, at) {
			return i
		}
		if !ts.isOp(at+1, ".") {
			return at + 1
		}
	}
}

// isColumnPart reports whether token i can be part of a column's name. @timestamp looks like a placeholder.
func isColumnPart(ts tokens, i int) bool {
	switch ts.kind(i) {
	case tokWord, tokQuoted:
		return true
	case tokParam:
		return ts.str(i)[0] == '@'
	}
	return false
}

// skipDirection moves past ASC, DESC, NULLS FIRST and NULLS LAST.
func skipDirection(ts tokens, i int) int {
	if ts.isWord(i, "ASC") || ts.isWord(i, "DESC") {
		i++
	}
	if ts.isWord(i, "NULLS") && (ts.isWord(i+1, "FIRST") || ts.isWord(i+1, "LAST")) {
		i += 2
	}
	return i
}

// tieBreak returns the sort keys that are missing for any two rows to differ in one: the document's id, and its index
// where the name is a pattern, since two indices may have the same id. Sorted by _id alone, rows of two indices are lost
// at the end of a page (tried on OpenSearch 2.19.6).
func tieBreak(ts tokens, c clauses, table string) string {
	keys := []string{"_id"}
	if strings.ContainsAny(table, "*,") {
		keys = append(keys, "_index")
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return sortsBy(ts, c, key) })
	switch {
	case len(keys) == 0:
		return ""
	case c.order == c.limit:
		return " ORDER BY " + strings.Join(keys, ", ")
	}
	return ", " + strings.Join(keys, ", ")
}

// sortsBy reports whether the column is one of the sort keys.
func sortsBy(ts tokens, c clauses, column string) bool {
	for i := c.order; i < c.limit; i++ {
		switch ts.str(i) {
		case column, "`" + column + "`", `"` + column + `"`:
			return true
		}
	}
	return false
}

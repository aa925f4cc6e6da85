package sqlite

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/fakecluster"
)

// statement is a SELECT on its way to SQLite.
type statement struct {
	engine  *Engine
	query   fakecluster.SQLQuery
	tokens  []token
	tables  map[string]*loaded // by the name or alias the statement uses
	order   []string           // the keys of tables, in the order of the statement
	role    map[int]string     // token index -> "table:<sql>", "alias", "skip"
	named   map[string]bool    // aliases of the select list
	items   []item
	grouped bool // there is a GROUP BY
	unpaged bool // see fakecluster.SQLResult
	derived bool // there is a sub-select in FROM, whose columns are not checked
}

// item is an element of the select list.
type item struct {
	from, to int // its expression: tokens[from:to]
	alias    string
	star     string // "" or the qualifier of a star; "*" without one
}

// keywords are words that are no columns.
var keywords = strings.Fields(`SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET AS AND OR NOT IN IS NULL LIKE ESCAPE
BETWEEN EXISTS CASE WHEN THEN ELSE END ASC DESC NULLS FIRST LAST DISTINCT ALL TOP TRUE FALSE JOIN INNER LEFT RIGHT OUTER CROSS
ON UNION CAST INTERVAL DATE TIME TIMESTAMP OVER PARTITION RLIKE USING`)

func parse(e *Engine, q fakecluster.SQLQuery, tokens []token) (*statement, error) {
	st := &statement{engine: e, query: q, tokens: tokens, tables: map[string]*loaded{}, role: map[int]string{}, named: map[string]bool{}}
	for _, step := range []func() error{st.check, st.findTables, st.findItems} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return st, nil
}

func (st *statement) elastic() bool { return st.query.Flavor == fakecluster.Elasticsearch }

// check refuses what the flavor refuses.
func (st *statement) check() error {
	last := len(st.tokens) - 1
	if st.tokens[last].is(";") {
		if st.elastic() {
			return st.parseError(last, "extraneous input ';' expecting <EOF>")
		}
		st.tokens = st.tokens[:last]
	}
	if err := st.checkLock(); err != nil {
		return err
	}
	for i, t := range st.tokens {
		switch w := t.word(); {
		case t.is(";"):
			return st.parseError(i, "mismatched input ';' expecting <EOF>")
		case w == "JOIN" && st.elastic():
			return st.visitorError(st.joined(i), "Queries with JOIN are not yet supported")
		case w == "OFFSET" && st.elastic():
			return st.parseError(i, "mismatched input 'OFFSET' expecting <EOF>")
		case w == "DISTINCT" && i == 1 && st.elastic():
			return problem(st.query, st.tokens[0].end+1, "SELECT DISTINCT is not yet supported")
		case w == "SELECT" && i > 0:
			if err := st.checkSubSelect(i); err != nil {
				return err
			}
		case w == "UNION":
			return st.parseError(i, "UNION is not supported")
		}
		st.unpaged = st.unpaged || slices.Contains([]string{"GROUP", "LIMIT", "DISTINCT", "JOIN", "HAVING", "COUNT", "SUM", "AVG", "MIN", "MAX"}, t.word())
		st.grouped = st.grouped || t.word() == "GROUP"
	}
	return nil
}

// checkLock refuses FOR UPDATE on Elasticsearch; OpenSearch's legacy engine passes over it and answers whole.
func (st *statement) checkLock() error {
	last := len(st.tokens) - 1
	if last < 2 || st.tokens[last].word() != "UPDATE" || st.tokens[last-1].word() != "FOR" {
		return nil
	}
	if st.elastic() {
		return st.parseError(last, "extraneous input 'UPDATE' expecting <EOF>")
	}
	st.tokens, st.unpaged = st.tokens[:last-1], true
	return nil
}

func (st *statement) parseError(i int, why string) error {
	return parseError(st.query.Flavor, st.query.Text, st.tokens[i].at, why)
}

// findTables loads what follows FROM, JOIN and the commas between.
func (st *statement) findTables() error {
	for i := 0; i < len(st.tokens); i++ {
		if w := st.tokens[i].word(); w != "FROM" && w != "JOIN" {
			continue
		}
		for {
			next, err := st.table(i + 1)
			if err != nil {
				return err
			}
			i = next - 1
			if next >= len(st.tokens) || !st.tokens[next].is(",") || st.elastic() {
				break
			}
			i = next
		}
	}
	st.unpaged = st.unpaged || len(st.tables) == 0
	return nil
}

// table reads a table name and its alias and returns the index of the token behind.
func (st *statement) table(i int) (int, error) {
	if i >= len(st.tokens) {
		return i, parseError(st.query.Flavor, st.query.Text, len(st.query.Text), "no viable alternative at input '<EOF>'")
	}
	if st.tokens[i].is("(") {
		st.derived = true
		return i + 1, nil // its own FROM comes later
	}
	t, next := st.tableName(i)
	if dot := schemaDot(t); dot >= 0 && st.elastic() {
		return i, parseError(st.query.Flavor, st.query.Text, t.at+dot, "mismatched input '.' expecting <EOF>")
	}
	table, ok := st.query.Tables(t.value)
	if !ok {
		return i, unknownIndex(st.query, t)
	}
	l, err := st.engine.load(st.query, table)
	if err != nil {
		return i, err
	}
	alias := t.value
	at := next
	if at < len(st.tokens) && st.tokens[at].word() == "AS" {
		st.role[at] = "skip"
		at++
	}
	if at < len(st.tokens) && st.tokens[at].kind == name && !slices.Contains(keywords, st.tokens[at].word()) {
		alias = st.tokens[at].value
		st.role[at] = "skip"
		at++
	}
	st.role[i] = "table:" + l.sqlName + " AS " + quote(alias)
	st.tables[alias] = l
	st.order = append(st.order, alias)
	return at, nil
}

// joined is where the words of the JOIN at i begin.
func (st *statement) joined(i int) int {
	for slices.Contains([]string{"LEFT", "RIGHT", "FULL", "INNER", "OUTER", "NATURAL"}, st.tokens[i-1].word()) {
		i--
	}
	return i
}

// visitorError is a parseError for what parses and is refused thereafter: recorded columns are counted from 2.
func (st *statement) visitorError(i int, why string) error {
	return parseError(st.query.Flavor, st.query.Text, st.tokens[i].at+1, why)
}

// schemaDot is where the dot between a schema and a table stands in a name; -1 if it is a table alone.
func schemaDot(t token) int {
	before, _, found := strings.Cut(t.raw, ".")
	if strings.HasPrefix(t.raw, `"`) {
		before, _, found = strings.Cut(t.raw, `".`)
		before += `"`
	}
	if !found {
		return -1
	}
	return len(before)
}

// tableName joins the tokens of a name such as logs-2026.11.29, which OpenSearch takes without quotes.
func (st *statement) tableName(i int) (token, int) {
	t := st.tokens[i]
	next := i + 1
	for !st.elastic() && !t.quoted && next < len(st.tokens) && st.tokens[next].at == st.tokens[next-1].end {
		n := st.tokens[next]
		if !n.is("-") && !n.is("*") && !n.is(".") && n.kind != number && n.kind != name {
			break
		}
		st.role[next] = "skip"
		next++
	}
	t.value = strings.TrimSuffix(st.query.Text[t.at:st.tokens[next-1].end], "")
	if st.tokens[i].quoted && next == i+1 {
		t.value = st.tokens[i].value
	}
	return t, next
}

// findItems splits the select list of the outermost SELECT.
func (st *statement) findItems() error {
	start := 1
	for start < len(st.tokens) && slices.Contains([]string{"DISTINCT", "ALL"}, st.tokens[start].word()) {
		start++
	}
	if start+1 < len(st.tokens) && st.tokens[start].word() == "TOP" {
		start += 2
	}
	depth, from := 0, start
	for i := start; ; i++ {
		done := i == len(st.tokens) || depth == 0 && slices.Contains([]string{"FROM", "WHERE", "ORDER", "GROUP", "LIMIT"}, st.tokens[i].word())
		if done || depth == 0 && st.tokens[i].is(",") {
			if i == from {
				return st.parseError(min(i, len(st.tokens)-1), "mismatched input in the select list")
			}
			st.items = append(st.items, st.item(from, i))
			from = i + 1
		}
		if done {
			return st.checkItems()
		}
		depth += depthOf(st.tokens[i])
	}
}

func depthOf(t token) int {
	switch {
	case t.is("("):
		return 1
	case t.is(")"):
		return -1
	}
	return 0
}

func (st *statement) item(from, to int) item {
	it := item{from: from, to: to}
	last := st.tokens[to-1]
	switch {
	case to-from == 1 && last.is("*"):
		it.star = "*"
	case to-from == 1 && strings.HasSuffix(last.value, ".*") && last.kind == name:
		it.star = strings.TrimSuffix(last.value, ".*")
	case to-from >= 3 && st.tokens[to-2].word() == "AS":
		it.alias, it.to = last.value, to-2
		st.role[to-1], st.named[last.value] = "alias", true
	case to-from >= 2 && last.kind == name && !slices.Contains(keywords, last.word()) && endsValue(st.tokens[to-2]):
		it.alias, it.to = last.value, to-1
		st.role[to-1], st.named[last.value] = "alias", true
	}
	return it
}

// endsValue says whether a value can end with the token, so that a name behind it is an alias.
func endsValue(t token) bool {
	return t.kind != symbol && !slices.Contains([]string{"NOT", "AND", "OR", "LIKE", "CASE", "WHEN", "THEN", "ELSE"}, t.word()) || t.is(")")
}

// checkItems refuses plain columns beside aggregates without GROUP BY.
func (st *statement) checkItems() error {
	if err := st.checkTwice(); err != nil {
		return err
	}
	aggregates := slices.ContainsFunc(st.items, st.aggregate)
	for _, it := range st.items {
		if !aggregates || st.grouped || st.aggregate(it) || it.star != "" {
			continue
		}
		for _, t := range st.tokens[it.from:it.to] {
			if t.kind == name && !slices.Contains(keywords, t.word()) {
				return st.notGrouped(t)
			}
		}
	}
	return nil
}

// checkTwice refuses two equal columns, as OpenSearch does.
func (st *statement) checkTwice() error {
	seen := map[string]bool{}
	for _, it := range st.items {
		if st.elastic() || it.star != "" {
			continue
		}
		col := st.columnOf(it)
		label := cmp.Or(col.Alias, col.Name)
		if seen[label] {
			return &fakecluster.SQLError{Status: 400, Type: "IllegalArgumentException", Reason: "Multiple entries with same key: " + label}
		}
		seen[label] = true
	}
	return nil
}

func (st *statement) notGrouped(t token) error {
	if st.elastic() {
		return problem(st.query, t.at, "Cannot use non-grouped column ["+t.value+"], expected []")
	}
	return problem(st.query, t.at, "Explicit GROUP BY clause is required because expression ["+t.value+"] contains non-aggregated column")
}

func (st *statement) aggregate(it item) bool {
	return slices.ContainsFunc(st.tokens[it.from:it.to], func(t token) bool {
		return slices.Contains([]string{"COUNT", "SUM", "AVG", "MIN", "MAX"}, t.word())
	})
}

// args are the parameters for SQLite.
func (st *statement) args() []driver.NamedValue {
	var args []driver.NamedValue
	for i, p := range st.query.Params {
		args = append(args, driver.NamedValue{Ordinal: i + 1, Value: stored(p)})
	}
	return args
}

// read takes the rows and gives the columns their names and types.
func (st *statement) read(rows driver.Rows) (fakecluster.SQLResult, error) {
	result := fakecluster.SQLResult{Columns: st.columns(), Unpaged: st.unpaged, Rows: [][]any{}}
	row := make([]driver.Value, len(rows.Columns()))
	for {
		err := rows.Next(row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return result, err
		}
		out := make([]any, len(row))
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			out[i] = v
		}
		result.Rows = append(result.Rows, out)
	}
	st.finish(&result)
	return result, nil
}

// finish types columns that only their values tell, and converts the values.
func (st *statement) finish(r *fakecluster.SQLResult) {
	for i := range r.Columns {
		if r.Columns[i].Type == "" {
			r.Columns[i].Type = st.typeOfValues(r.Rows, i)
		}
		for _, row := range r.Rows {
			row[i] = shown(row[i], r.Columns[i].Type)
		}
	}
}

func (st *statement) typeOfValues(rows [][]any, i int) string {
	for _, row := range rows {
		switch row[i].(type) {
		case int64:
			return "long"
		case float64:
			return "double"
		case string:
			return "keyword"
		}
	}
	if st.elastic() {
		return "null"
	}
	return "undefined"
}

package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	_ "github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

const predicateRows = 50

// randomValues are what the columns hold; nil among them is NULL.
var randomValues = map[string][]any{
	"n": {nil, nil, -2, -1, 0, 1, 2, 3, 2147483647},
	"d": {nil, nil, -1.5, 0.0, 0.1, 0.5, 1.0, 1e300},
	"k": {nil, nil, "", "a", "b", "ab", "abc", "a%b", "a_b", "a*b", "a?b", `a\b`, "A", "ä", "it's", "a\nb"},
	"b": {nil, true, false},
	"t": {nil, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2026-01-02T00:00:00.000Z", "1969-12-31T23:59:59.999Z"},
}

var predicateColumns = []string{"n", "d", "k", "b", "t"}

// grammar writes random predicates with arguments.
type grammar struct {
	r    *rand.Rand
	args []any
}

func choose[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (g *grammar) predicate(depth int) string {
	if depth == 0 {
		return g.leaf()
	}
	switch g.r.IntN(6) {
	case 0, 1:
		return "(" + g.predicate(depth-1) + " AND " + g.predicate(depth-1) + ")"
	case 2, 3:
		return "(" + g.predicate(depth-1) + " OR " + g.predicate(depth-1) + ")"
	case 4:
		return "NOT (" + g.predicate(depth-1) + ")"
	}
	return g.leaf()
}

func (g *grammar) leaf() string {
	column, not := choose(g.r, predicateColumns), choose(g.r, []string{"", "NOT "})
	compare := choose(g.r, []string{"=", "<>", "<", "<=", ">", ">="})
	switch g.r.IntN(8) {
	case 0:
		return column + " IS " + not + "NULL"
	case 1:
		list := make([]string, 1+g.r.IntN(4))
		for i := range list {
			list[i] = g.value(column)
		}
		return column + " " + not + "IN (" + strings.Join(list, ", ") + ")"
	case 2:
		return column + " " + not + "BETWEEN " + g.value(column) + " AND " + g.value(column)
	case 3:
		return "k " + not + "LIKE " + g.pattern()
	case 4:
		return not + choose(g.r, []string{"b", "TRUE", "FALSE", "(1 = 1)", "(NULL = 1)", "(2 > 1 + 1)"})
	case 5:
		return g.value(column) + " " + compare + " " + column
	case 6:
		return "n " + compare + " " + choose(g.r, []string{"0.5", "-1", "3000000000", "-3e9", "1.0", "NULL"})
	}
	return column + " " + compare + " " + g.value(column)
}

func (g *grammar) value(column string) string { return g.arg(choose(g.r, randomValues[column])) }

func (g *grammar) arg(v any) string {
	g.args = append(g.args, v)
	return "?"
}

func (g *grammar) pattern() string {
	p := choose(g.r, []string{"a", "", "%", "_", "a%", "%b", "a_b", "_b%", "%a%", "!%", "a!%b", "a!_b", "%!!%", "A%", "a*b", `a\b`, "__", "a%%b", "ä", "%\n%"})
	if g.r.IntN(12) == 0 {
		return g.arg(nil) + " ESCAPE '!'"
	}
	return g.arg(p) + " ESCAPE '!'"
}

// rowsOf are random rows: id and the columns.
func rowsOf(r *rand.Rand) [][]any {
	rows := make([][]any, predicateRows)
	for i := range rows {
		rows[i] = []any{i}
		for _, column := range predicateColumns {
			rows[i] = append(rows[i], choose(r, randomValues[column]))
		}
	}
	return rows
}

// oracle is a SQLite database with the rows. Its LIKE folds no case, as the standard's does not.
func oracle(t *testing.T, rows [][]any) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	run(t, db, `PRAGMA case_sensitive_like = ON`)
	run(t, db, `CREATE TABLE t (id INTEGER, n INTEGER, d REAL, k TEXT, b BOOLEAN, t TEXT)`)
	for _, row := range rows {
		run(t, db, `INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)`, row...)
	}
	return db
}

// subject is a fake cluster with the rows, and a database over it.
func subject(t *testing.T, rows [][]any, options ...fakecluster.Option) (*fakecluster.Cluster, *sql.DB) {
	t.Helper()
	fake := fakecluster.Run(t, append(options, fakecluster.Nodes(1))...)
	db, err := sql.Open("esdriver", fake.DSN()+"?refresh=false")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	run(t, db, `CREATE TABLE t (id INT PRIMARY KEY, n INT, d DOUBLE, k VARCHAR, b BOOLEAN, t DATE, byquery INT, bykey INT)`)
	for _, row := range rows {
		run(t, db, `INSERT INTO t (id, n, d, k, b, t) VALUES (?, ?, ?, ?, ?, ?)`, row...)
	}
	return fake, db
}

func run(t *testing.T, db *sql.DB, text string, args ...any) int64 {
	t.Helper()
	result, err := db.ExecContext(context.Background(), text, args...)
	require.NoError(t, err, "%s %v", text, args)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	return n
}

// wanted are the ids of the rows that SQLite chooses.
func wanted(t *testing.T, db *sql.DB, where string, args []any) []int {
	t.Helper()
	rows, err := db.Query(`SELECT id FROM t WHERE `+where+` ORDER BY id`, args...)
	require.NoError(t, err, where)
	defer rows.Close()
	ids := []int{}
	for rows.Next() {
		var id int
		require.NoError(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(t, rows.Err())
	return ids
}

// marked are the ids of the rows whose column holds the mark.
func marked(t *testing.T, fake *fakecluster.Cluster, column string, mark int) []int {
	t.Helper()
	ids := []int{}
	for _, doc := range fake.Docs("t") {
		var row map[string]any
		require.NoError(t, json.Unmarshal(doc.Source, &row))
		if row[column] == float64(mark) {
			ids = append(ids, int(row["id"].(float64)))
		}
	}
	slices.Sort(ids)
	return ids
}

// TestPredicatesChooseTheRowsThatSQLiteChooses runs random predicates on random rows: by query, by key over the
// documents, and in SQLite, whose three-valued logic is the standard's.
func TestPredicatesChooseTheRowsThatSQLiteChooses(t *testing.T) {
	for seed, options := range map[uint64][]fakecluster.Option{1: nil, 2: {fakecluster.Product(fakecluster.OpenSearch)}} {
		r := rand.New(rand.NewPCG(seed, seed))
		rows := rowsOf(r)
		lite := oracle(t, rows)
		fake, db := subject(t, rows, options...)
		all := make([]string, predicateRows)
		for i := range all {
			all[i] = fmt.Sprint(i)
		}
		keys := strings.Join(all, ", ")
		for mark := range 200 {
			g := &grammar{r: r}
			where := g.predicate(3)
			want := wanted(t, lite, where, g.args)
			byQuery := run(t, db, fmt.Sprintf(`UPDATE t SET byquery = %d WHERE %s`, mark, where), g.args...)
			byKey := run(t, db, fmt.Sprintf(`UPDATE t SET bykey = %d WHERE id IN (%s) AND (%s)`, mark, keys, where), g.args...)
			require.EqualValues(t, len(want), byQuery, "%s %v", where, g.args)
			require.EqualValues(t, len(want), byKey, "%s %v", where, g.args)
			require.Equal(t, want, marked(t, fake, "byquery", mark), "%s %v", where, g.args)
			require.Equal(t, want, marked(t, fake, "bykey", mark), "%s %v", where, g.args)
		}
	}
}

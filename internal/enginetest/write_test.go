package enginetest_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// statements are the tests of SQL that writes. What they expect of a fake they expect of a real cluster.
var statements = []struct {
	name  string
	needs []capability
	run   func(*writing)
}{
	{"define", []capability{byQuery}, define},
	{"change-by-key", nil, changeByKey},
	{"conflict-clauses", nil, conflictClauses},
	{"returning", nil, returningRows},
	{"optimistic", nil, optimistic},
	{"texts", nil, texts},
	{"predicates", []capability{byQuery, painless}, predicates},
	{"assignments", []capability{byQuery, painless}, assignments},
	{"failing-assignments", []capability{byQuery, painless}, failingAssignments},
	{"many-rows", []capability{byQuery, painless}, manyRows},
	{"without-rows", []capability{byQuery}, withoutRows},
}

// writing is one run of such a test.
type writing struct {
	*testing.T
	*assert.Assertions
	db      *sql.DB
	cluster *esdriver.Cluster
	tables  []string
}

func TestFakeTakesStatementsThatWrite(t *testing.T) {
	leaktest.Check(t)
	for _, f := range fakes {
		t.Run(f.release(), func(t *testing.T) { writeAll(t, newFake(t, f)) })
	}
}

func TestRealClusterBehavesAsTheFakeUnderStatementsThatWrite(t *testing.T) {
	leaktest.Check(t)
	writeAll(t, newReal(t))
}

func writeAll(t *testing.T, e engine) {
	cluster := openCluster(t, e.DSN())
	for _, s := range statements {
		if len(e.Facts().lacks(s.needs)) > 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			mark := map[bool]string{false: "?", true: "&"}[strings.Contains(e.DSN(), "?")]
			db, err := sql.Open("esdriver", e.DSN()+mark+"refresh=true")
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, db.Close()) })
			w := &writing{T: t, Assertions: assert.New(t), db: db, cluster: cluster}
			w.Cleanup(w.clear)
			s.run(w)
		})
	}
}

// table begins with a table of that name, which is deleted at the end. %s in a statement is its name.
func (w *writing) table(name string) string {
	name = "enginetest-sql-" + name
	w.tables = append(w.tables, name)
	w.exec(`DROP TABLE IF EXISTS "` + name + `"`)
	return `"` + name + `"`
}

func (w *writing) clear() { // runs after the test too, when its context has ended
	for _, name := range w.tables {
		_, err := w.db.ExecContext(context.Background(), `DROP TABLE IF EXISTS "`+name+`"`)
		w.NoError(err)
	}
}

// exec runs a statement and returns how many rows it was about.
func (w *writing) exec(text string, args ...any) int64 {
	w.Helper()
	result, err := w.db.ExecContext(context.Background(), text, args...)
	require.NoError(w.T, err, "%s %v", text, args)
	n, err := result.RowsAffected()
	require.NoError(w.T, err)
	return n
}

// sources are the rows of a table by their ids.
func (w *writing) sources(table string) map[string]map[string]any {
	w.Helper()
	index := strings.Trim(table, `"`)
	send(w.T, w.cluster, "POST", "/"+index+"/_refresh", "")
	a := send(w.T, w.cluster, "POST", "/"+index+"/_search", `{"size":10000}`)
	require.Equal(w.T, 200, a.status, a.text)
	all := map[string]map[string]any{}
	for _, hit := range a.list("hits.hits") {
		h := hit.(map[string]any)
		all[h["_id"].(string)] = h["_source"].(map[string]any)
	}
	return all
}

func define(w *writing) {
	t := w.table("define")
	create := `CREATE TABLE IF NOT EXISTS ` + t + ` (id BIGSERIAL PRIMARY KEY, name VARCHAR(255) NOT NULL, bio TEXT, age INT DEFAULT 18,
		born DATE, at TIMESTAMP(9), made TIMESTAMPTZ DEFAULT current_timestamp, raw BYTEA, ip INET, price DECIMAL(10,2), f FLOAT, h HALF_FLOAT,
		s SCALED_FLOAT(100), small SMALLINT, tiny TINYINT, ok BOOLEAN DEFAULT TRUE, tags VARCHAR[], place GEO_POINT, "home.city" VARCHAR)
		WITH (number_of_shards = 2, refresh_interval = '5s')`
	w.exec(create)
	w.exec(create)
	_, err := w.db.Exec(strings.Replace(create, "IF NOT EXISTS ", "", 1))
	var refused *esdriver.Error
	require.ErrorAs(w.T, err, &refused)
	w.Equal("42S01", refused.SQLState)

	w.exec(`ALTER TABLE ` + t + ` ADD COLUMN nick VARCHAR(20), ADD COLUMN IF NOT EXISTS name INT`)
	w.EqualValues(1, w.exec(`INSERT INTO `+t+` (id, name, bio, at, raw, ip, price, f, h, s, small, tiny, place, nick, "home.city")
		VALUES (7, ?, ?, TIMESTAMP '2026-01-02 03:04:05.123456789', ?, '::1', 1.25, 0.1, 0.5, 1.23, -3, 4, 'POINT (1 2)', 'n', 'X')`,
		"a'\"\\\n", strings.Repeat("long ", 3000), []byte{0, 1, 255}))
	row := w.sources(t)["7"]
	w.Equal("a'\"\\\n", row["name"])
	w.Equal("2026-01-02T03:04:05.123456789Z", row["at"])
	w.Equal(18.0, row["age"])
	w.Equal(true, row["ok"])
	_, err = w.db.Exec(`INSERT INTO ` + t + ` (name, nope) VALUES ('x', 1)`)
	w.ErrorIs(err, esdriver.ErrNoColumn)
	w.EqualValues(0, w.exec(`REFRESH TABLE `+t))
	w.EqualValues(0, w.exec(`DROP TABLE `+t))
	_, err = w.db.Exec(`DROP TABLE ` + t)
	w.ErrorIs(err, esdriver.ErrNoTable)
	w.aliasIsNoTable()
}

// aliasIsNoTable shows that rows can be written by an alias, and that it cannot be dropped.
func (w *writing) aliasIsNoTable() {
	t := w.table("aliased")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY)`)
	alias := strings.Trim(t, `"`) + "-alias"
	send(w.T, w.cluster, "POST", "/_aliases", `{"actions":[{"add":{"index":`+t+`,"alias":"`+alias+`"}}]}`)
	w.EqualValues(1, w.exec(`INSERT INTO "`+alias+`" (id) VALUES (1)`))
	w.EqualValues(1, w.exec(`DELETE FROM "`+alias+`" WHERE id > 0`))
	_, err := w.db.Exec(`DROP TABLE "` + alias + `"`)
	w.ErrorContains(err, "matches an alias")
}

func changeByKey(w *writing) {
	t := w.table("change-by-key")
	w.exec(`CREATE TABLE ` + t + ` (id BIGINT PRIMARY KEY, name VARCHAR(25) NOT NULL, version INT DEFAULT 1)`)
	w.EqualValues(2, w.exec(`INSERT INTO `+t+` (id, name) VALUES (1, 'a'), (2, 'b')`))
	_, err := w.db.Exec(`INSERT INTO ` + t + ` (id, name) VALUES (1, 'z')`)
	w.ErrorIs(err, esdriver.ErrDuplicateKey)
	w.EqualValues(1, w.exec(`UPDATE `+t+` SET name = ?, version = version + 1 WHERE id = ? AND version = ?`, "c", 1, 1))
	w.EqualValues(0, w.exec(`UPDATE `+t+` SET name = ?, version = version + 1 WHERE id = ? AND version = ?`, "d", 1, 1))
	w.EqualValues(1, w.exec(`INSERT INTO `+t+` (id, name) VALUES (1, 'e'), (3, 'f') ON CONFLICT (id) DO NOTHING`))
	w.EqualValues(1, w.exec(`DELETE FROM `+t+` WHERE id IN (2, 9)`))
	w.Equal(map[string]map[string]any{
		"1": {"id": 1.0, "name": "c", "version": 2.0}, "3": {"id": 3.0, "name": "f", "version": 1.0},
	}, w.sources(t))
}

// predicateRows are rows with every sort of value, and with each column missing in one of them.
const predicateRows = `
	(1, 1, 1.5, 0.1, 'a', 'a text', true, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000000001Z', '10.0.0.1', 'X'),
	(2, 2, -1.5, 0.3, 'ab', 'ab', false, '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.000000002Z', '10.0.0.2', 'Y'),
	(3, -2147483648, 0, -0.1, 'a*b', 'a*b', true, '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', '::1', ''),
	(4, 2147483647, 1e300, 2.5, 'a\b', '', false, '0001-01-01T00:00:00.000Z', '2262-01-01T00:00:00Z', '2001:db8::1', 'X'),
	(5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, 0, 0.1, 16777217, '', 'Ab', NULL, '2026-01-02T00:00:00.000Z', NULL, NULL, 'ä_%'),
	(7, 7, 7, 7, 'Ä', 'ä', true, '9999-12-31T23:59:59.999Z', NULL, '255.255.255.255', 'a?b')`

// predicateTexts are the predicates of WHERE: each is run by query, and by key over the documents.
var predicateTexts = strings.Split(strings.TrimSpace(`
n = 1
n <> 1
NOT n = 1
NOT (n = 1 OR k = 'ab')
NOT (n > 1 AND d < 1)
n < 1 OR n >= 7
n = 1.5
n <> 1.5
n > 1.5
n > 3000000000
n < 3000000000
n <= -3000000000
n <> 3000000000
n IN (1, 2, NULL)
n NOT IN (1, 2)
n NOT IN (1, NULL)
n IN (NULL)
n IN (1, 2.5, 9223372036854775807)
n BETWEEN 0 AND 2
n NOT BETWEEN 0 AND 2
n BETWEEN 2 AND 0
n BETWEEN 0 AND NULL
n NOT BETWEEN 2 AND NULL
n BETWEEN 0.5 AND 6.5
n = NULL
n IS NULL
n IS NOT NULL
'1' = n
d = 0.1
d > 0.1
d <> 0
d = 1e300
f = 0.1
f > 0.1
f >= 0.1 AND f <= 0.3
f IN (0.1, 0.3)
f = 16777217
k = ''
k <> ''
k < 'ab'
k >= 'a*b'
k LIKE 'a%'
k NOT LIKE 'a%'
k LIKE 'a_b'
k LIKE 'a*b'
k LIKE 'a\b'
k LIKE '%'
k LIKE ''
k LIKE '_'
k ILIKE 'A%'
k = 'a*b' OR k LIKE '%!!%' ESCAPE '!'
c LIKE '%!_!%' ESCAPE '!'
c LIKE 'a?b'
c IS NULL
x = 'ab'
x <> 'ab'
x = ''
x IS NULL
x IS NOT NULL
x LIKE 'a%'
x IN ('ab', 'Ab')
b
NOT b
b = TRUE
b <> TRUE
b IS NULL
b = 1
t = '2026-01-01'
t <> '2026-01-01'
t > '2026-01-01'
t < TIMESTAMP '2026-01-01 00:00:00.001'
t <= '1969-12-31 23:59:59.999'
t BETWEEN DATE '2026-01-01' AND DATE '2026-01-02'
t NOT BETWEEN DATE '2026-01-01' AND DATE '2026-01-02'
t = '2026-01-01T01:00:00+01:00'
t IN ('2026-01-01', '0001-01-01')
t = 1767225600000
t < NOW()
v = '2026-01-01T00:00:00.000000001Z'
v > '2026-01-01T00:00:00.000000001Z'
v >= '2026-01-01T00:00:00.000000001Z'
v <> '2026-01-01T00:00:00.000000001Z'
v < '2026-01-01'
a = '10.0.0.1'
a <> '10.0.0.1'
a > '10.0.0.1'
a < '10.0.0.1'
a BETWEEN '::1' AND '10.0.0.1'
a IN ('::1', '10.0.0.2')
"o.k" = 'X'
"o.k" <> 'X'
NOT ("o.k" = 'X')
"o.k" IS NULL
1 = 1
1 = 0
NULL
n = 1 AND 1 = 0
n = 1 OR 1 = 1
(n = 1 OR (n = 2 AND (k = 'ab' OR (d < 0 AND NOT (b OR t IS NULL)))))
`), "\n")

func predicates(w *writing) {
	t := w.table("predicates")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, n INT, d DOUBLE, f FLOAT, k VARCHAR, x TEXT, b BOOLEAN, t DATE, v TIMESTAMP(9), a INET,
		"o.k" VARCHAR, c VARCHAR, chosen INT, counted INT)`)
	w.exec(`INSERT INTO ` + t + ` (id, n, d, f, k, x, b, t, v, a, "o.k") VALUES ` + predicateRows)
	w.exec(`UPDATE ` + t + ` SET c = "o.k" WHERE 1 = 1`)
	for i, p := range predicateTexts {
		byQuery := w.exec(`UPDATE `+t+` SET chosen = ? WHERE `+p, i)
		byKey := w.exec(`UPDATE `+t+` SET counted = ? WHERE id IN (1, 2, 3, 4, 5, 6, 7) AND (`+p+`)`, i)
		w.Equal(byKey, byQuery, p)
		for id, row := range w.sources(t) {
			w.Equal(row["counted"], row["chosen"], "%s: row %s", p, id)
		}
	}
}

// assignmentTexts are SETs that a script computes, and that are computed here where rows are chosen by key.
var assignmentTexts = strings.Split(strings.TrimSpace(`
n = n + 1, d = n
n = d
n = n * 2 - 3, d = d / 4 + n
n = n / 2, d = n % 3
n = -n, d = -d
n = ABS(n) + 1
d = d * 0.5 + 1e-3
n = COALESCE(n, 0) + ?
d = COALESCE(d, n, 1)
n = NULLIF(n, 2)
k = k || '-' || x
k = CONCAT(k, n, 'ä''"')
k = UPPER(x), x = LOWER(k)
k = NULLIF(k, 'a')
k = n
k = x, x = k
b = ?, k = ?, n = ?, t = ?
t = NULL, v = t
t = COALESCE(t, TIMESTAMP '2026-05-06 07:08:09.123')
t = t
a = '::2'
"o.k" = "o.k" || '!', "o.z" = 'new'
"o.z" = k
x = COALESCE("o.k", k, 'none')
d = (n + 1) * (n - 1) / (n * n + 1.0)
`), "\n")

func assignments(w *writing) {
	byQuery, byKey := w.table("assignments-q"), w.table("assignments-k")
	args := map[string][]any{
		"n = COALESCE(n, 0) + ?":     {41},
		"b = ?, k = ?, n = ?, t = ?": {true, "'; ctx.op = 'delete'; '", nil, "2026-01-01 00:00:00"},
	}
	for _, set := range assignmentTexts {
		for _, t := range []string{byQuery, byKey} {
			w.exec(`DROP TABLE IF EXISTS ` + t)
			w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, n BIGINT, d DOUBLE, f FLOAT, k VARCHAR, x TEXT, b BOOLEAN, t DATE, v DATE, a INET,
				"o.k" VARCHAR, "o.z" VARCHAR) WITH (number_of_shards = 1)`)
			w.exec(`INSERT INTO ` + t + ` (id, n, d, f, k, x, b, t, v, a, "o.k") VALUES ` + strings.Replace(predicateRows, "1e300", "1e3", 1))
		}
		w.EqualValues(7, w.exec(`UPDATE `+byQuery+` SET `+set+` WHERE 1 = 1`, args[set]...), set)
		w.EqualValues(7, w.exec(`UPDATE `+byKey+` SET `+set+` WHERE id IN (1, 2, 3, 4, 5, 6, 7)`, args[set]...), set)
		want, err := json.Marshal(w.sources(byKey))
		require.NoError(w.T, err)
		got, err := json.Marshal(w.sources(byQuery))
		require.NoError(w.T, err)
		w.JSONEq(string(want), string(got), set)
	}
}

func failingAssignments(w *writing) {
	t := w.table("failing-assignments")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, n BIGINT, d DOUBLE, k VARCHAR NOT NULL, tags VARCHAR[])`)
	w.exec(`INSERT INTO ` + t + ` (id, n, d, k) VALUES (1, 9223372036854775807, 1e300, 'a'), (2, 0, 0, 'b'), (3, NULL, NULL, 'c')`)
	before := w.sources(t)
	for set, want := range map[string]string{
		"n = 1 / n":               "a division by zero",
		"d = 1 / d":               "a division by zero",
		"n = n + 1":               "an integer beyond 64 bits",
		"n = n * 2":               "an integer beyond 64 bits",
		"n = d":                   "an integer beyond 64 bits",
		"k = k || n":              "column k cannot be NULL",
		"k = NULLIF(k, 'b')":      "column k cannot be NULL",
		"k = UPPER(k), n = n * 4": "an integer beyond 64 bits",
	} {
		_, err := w.db.Exec(`UPDATE ` + t + ` SET ` + set + ` WHERE k LIKE '_'`)
		var refused *esdriver.Error
		if w.ErrorAs(err, &refused, set) {
			w.Contains(refused.Reason, want, set)
		}
		w.Equal(before, w.sources(t), set)
	}
}

func manyRows(w *writing) {
	t := w.table("many-rows")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, n INT, k VARCHAR)`)
	const rows = 2500
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d, %d, 'k%d')", i, i, i%7))
	}
	w.EqualValues(rows, w.exec(`INSERT INTO `+t+` (id, n, k) VALUES `+strings.Join(values, ", ")))
	w.EqualValues(rows, w.exec(`UPDATE `+t+` SET n = n + 1 WHERE n >= 0`))
	for id, row := range w.sources(t) {
		w.Equal(id, fmt.Sprint(row["n"].(float64)-1))
	}
	w.EqualValues(rows-500, w.exec(`DELETE FROM `+t+` WHERE n > 500`))
	w.EqualValues(500, w.exec(`TRUNCATE TABLE `+t))
	w.Empty(w.sources(t))
}

func withoutRows(w *writing) {
	t := w.table("without-rows")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, n INT)`)
	w.EqualValues(0, w.exec(`DELETE FROM `+t+` WHERE n = 1`))
	w.EqualValues(0, w.exec(`TRUNCATE TABLE `+t))
	_, err := w.db.Exec(`DELETE FROM "enginetest-sql-nowhere" WHERE n = 1`)
	w.ErrorIs(err, esdriver.ErrNoTable)
	_, err = w.db.Exec(`DELETE FROM ` + t)
	w.ErrorIs(err, esdriver.ErrUnsupported)
}

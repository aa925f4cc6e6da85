package enginetest_test

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// ormWrites are the statements that ORMs were seen to send, and what becomes of them on the fake. The test that keeps
// the file is beside it.
const ormWrites = "../sqlapi/testdata/orm-writes.jsonl"

// ormPrefix begins the names of the ORMs' tables here.
const ormPrefix = "enginetest-orm-"

// ormWrite is one line of that file.
type ormWrite struct {
	SQL           string
	Args          []any
	Elasticsearch []string
	OpenSearch    []string
}

// ormTables and ormRows are what the tables are and hold before each statement.
var (
	ormTables = map[string]string{
		"companies": `(id VARCHAR PRIMARY KEY, name VARCHAR)`,
		"docs":      `(id VARCHAR PRIMARY KEY, title VARCHAR)`,
		"cars":      `(id BIGSERIAL PRIMARY KEY, model VARCHAR, user_cars BIGINT)`,
		"user":      `(id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(25) NOT NULL, age INT, created TIMESTAMP, version INT)`,
		"users": `(id BIGSERIAL PRIMARY KEY, created_at TIMESTAMP DEFAULT current_timestamp, updated_at TIMESTAMP, deleted_at TIMESTAMP,
			name VARCHAR, age BIGINT, email VARCHAR, score DOUBLE, active BOOLEAN, born TIMESTAMP, company_id VARCHAR, tags VARCHAR)`,
	}
	ormRows = map[string]string{
		"companies": `VALUES ('9', 'old')`,
		"docs":      `VALUES ('1', '2')`,
		"user":      `(id, name, age, version) VALUES (3, 'a', 30, 4)`,
		"users":     `(id, name, age, created_at) VALUES (1, 'a', 2, NULL), (2, 'b', 20, NULL), (3, 'x', 1, NULL)`,
	}
)

var (
	ormTable = regexp.MustCompile("([\"`])(companies|docs|cars|users?)[\"`]")
	ormPlace = regexp.MustCompile(`line \d+, column \d+`)
	ormByKey = regexp.MustCompile("[\"`]id[\"`] ?=")
)

func TestFakeGivesTheWritesOfORMsTheirOutcomes(t *testing.T) {
	leaktest.Check(t)
	for _, f := range fakes {
		t.Run(f.release(), func(t *testing.T) { runORMWrites(t, newFake(t, f)) })
	}
}

func TestRealClusterBehavesAsTheFakeUnderTheWritesOfORMs(t *testing.T) {
	leaktest.Check(t)
	runORMWrites(t, newReal(t))
}

func runORMWrites(t *testing.T, e engine) {
	o := &ormRun{T: t, cluster: openCluster(t, e.DSN(), "refresh=true")}
	o.db = esdriver.OpenDB(o.cluster)
	t.Cleanup(func() { assert.NoError(t, o.db.Close()) })
	t.Cleanup(o.drop)
	lacks := len(e.Facts().lacks([]capability{byQuery, painless})) > 0
	for _, c := range readORMWrites(t) {
		if lacks && c.byQuery() {
			continue
		}
		want := c.OpenSearch
		if e.Facts().product == fakecluster.Elasticsearch {
			want = c.Elasticsearch
		}
		assert.Equal(t, withoutPlaces(want), o.outcome(c), c.SQL)
	}
}

// byQuery reports whether the statement changes rows that their key does not choose.
func (c ormWrite) byQuery() bool {
	changes := strings.HasPrefix(c.SQL, "UPDATE") || strings.HasPrefix(c.SQL, "DELETE") || strings.HasPrefix(c.SQL, "TRUNCATE")
	return changes && !ormByKey.MatchString(c.SQL)
}

// withoutPlaces leaves out where in a statement an error is: the tables have longer names here.
func withoutPlaces(lines []string) []string {
	lines = slices.Clone(lines)
	for i, line := range lines {
		lines[i] = ormPlace.ReplaceAllString(line, "line")
	}
	return lines
}

func readORMWrites(t *testing.T) []ormWrite {
	t.Helper()
	file, err := os.Open(ormWrites)
	require.NoError(t, err)
	defer file.Close()
	var cases []ormWrite
	for in := bufio.NewScanner(file); in.Scan(); {
		var c ormWrite
		d := json.NewDecoder(strings.NewReader(in.Text()))
		d.UseNumber()
		require.NoError(t, d.Decode(&c))
		cases = append(cases, c)
	}
	require.NotEmpty(t, cases)
	return cases
}

// ormRun runs the statements over one cluster.
type ormRun struct {
	*testing.T
	cluster *esdriver.Cluster
	db      *sql.DB
	state   map[string]string // the rows by table and id
	whole   bool              // every table is there, as ormTables says
	clean   map[string]bool   // the tables that are as ormRows says
}

// named is the statement with the names that the tables have here.
func named(text string) string {
	text = strings.Replace(text, "INTO users ", `INTO "users" `, 1)
	return ormTable.ReplaceAllString(text, "${1}"+ormPrefix+"${2}${1}")
}

func (o *ormRun) exec(text string, args ...any) {
	o.Helper()
	_, err := o.db.ExecContext(context.Background(), named(text), args...)
	require.NoError(o.T, err, text)
}

// drop runs after the test too.
func (o *ormRun) drop() {
	for name := range ormTables {
		o.exec(`DROP TABLE IF EXISTS "` + name + `"`)
	}
	o.whole, o.state, o.clean = false, nil, map[string]bool{}
}

// prepare makes the tables and rows that a statement begins with.
func (o *ormRun) prepare(without bool) {
	o.Helper()
	if without || !o.whole {
		o.drop()
	}
	if without {
		return
	}
	for name, columns := range ormTables {
		if !o.whole {
			o.exec(`CREATE TABLE "` + name + `" ` + columns)
		}
		if !o.clean[name] {
			o.refill(name)
		}
	}
	o.whole = true
}

// refill puts the rows into a table that it begins with.
func (o *ormRun) refill(name string) {
	for key := range o.state {
		if id, ok := strings.CutPrefix(key, name+"/"); ok {
			o.exec(`DELETE FROM "`+name+`" WHERE id = ?`, id)
		}
	}
	if ormRows[name] != "" {
		o.exec(`INSERT INTO "` + name + `" ` + ormRows[name])
	}
	o.clean[name] = true
}

// outcome runs a statement, and tells in the words of the file what became of it.
func (o *ormRun) outcome(c ormWrite) []string {
	o.Helper()
	defines := strings.HasPrefix(c.SQL, "CREATE TABLE")
	o.prepare(defines)
	o.look()
	before := o.state
	lines, err := o.run(c)
	if err != nil {
		lines = []string{fmt.Sprintf("%T: %v", ormCause(err), err)}
	}
	o.look()
	lines = append(withoutPlaces(lines), o.changes(before)...)
	if name := ormTable.FindStringSubmatch(c.SQL); defines && err == nil {
		a := send(o.T, o.cluster, "GET", "/"+ormPrefix+name[2]+"/_mapping", "")
		assert.NotEmpty(o.T, a.object(ormPrefix+name[2]+".mappings.properties.id"), c.SQL)
	}
	o.whole = o.whole && !strings.HasPrefix(c.SQL, "DROP")
	return lines
}

// ormCause is the error that says what kind of failure it was.
func ormCause(err error) error {
	if e, ok := err.(*esdriver.StatementError); ok {
		return e.Err
	}
	return err
}

func (o *ormRun) run(c ormWrite) ([]string, error) {
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		args[i] = a
		if n, ok := a.(json.Number); ok {
			args[i], _ = n.Int64()
		}
	}
	if !strings.Contains(c.SQL, "RETURNING") {
		result, err := o.db.Exec(named(c.SQL), args...)
		if err != nil {
			return nil, err
		}
		n, err := result.RowsAffected()
		return []string{fmt.Sprintf("affected %d", n)}, err
	}
	rows, err := o.db.Query(named(c.SQL), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return returned(rows)
}

func returned(rows *sql.Rows) (lines []string, err error) {
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		row, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		err = rows.Scan(to...)
		line := "returned"
		for i, v := range row {
			line += fmt.Sprintf(" %s=%s", columns[i], stable(v))
		}
		lines = append(lines, line)
	}
	return lines, cmp.Or(err, rows.Err())
}

// look reads every row of the tables.
func (o *ormRun) look() {
	o.Helper()
	a := send(o.T, o.cluster, "POST", "/"+ormPrefix+"*/_search", `{"size":100}`)
	require.Equal(o.T, 200, a.status, a.text)
	var found struct {
		Hits struct {
			Hits []struct {
				Index  string         `json:"_index"`
				ID     string         `json:"_id"`
				Source map[string]any `json:"_source"`
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(a.text))
	d.UseNumber()
	require.NoError(o.T, d.Decode(&found))
	o.state = map[string]string{}
	for _, hit := range found.Hits.Hits {
		o.state[strings.TrimPrefix(hit.Index, ormPrefix)+"/"+hit.ID] = columnsOf(hit.Source)
	}
}

func columnsOf(source map[string]any) string {
	var b strings.Builder
	for _, column := range slices.Sorted(maps.Keys(source)) {
		fmt.Fprintf(&b, " %s=%s", column, stable(source[column]))
	}
	return b.String()
}

// changes are the rows that are new, others or gone since, in the words of the file. Their tables are no longer clean.
func (o *ormRun) changes(before map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(o.state)) {
		if old, ok := before[key]; !ok || old != o.state[key] {
			name, id, _ := strings.Cut(key, "/")
			lines = append(lines, name+"/"+stable(id)+o.state[key])
			o.clean[name] = false
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, ok := o.state[key]; !ok {
			lines = append(lines, key+" is gone")
			name, _, _ := strings.Cut(key, "/")
			o.clean[name] = false
		}
	}
	return lines
}

// stable writes a value so that it is the same each time: keys that were made and the time of the statement are not.
func stable(v any) string {
	if v == nil {
		return "NULL"
	}
	text := fmt.Sprint(v)
	if at, ok := v.(time.Time); ok {
		text = at.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 1<<40 {
		return "made"
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil && time.Since(at).Abs() < time.Hour {
		return "now"
	}
	return text
}

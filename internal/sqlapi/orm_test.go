package sqlapi_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
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

var updateORM = flag.Bool("update-orm", false, "write testdata/orm-writes.jsonl anew")

const (
	ormWrites = "testdata/orm-writes.jsonl"
	// ormStatements is where the captured statements of ORMs are, beside the repository.
	ormStatements = "../../../shared/orm-statements/orm-statements.txt"
)

// ormWrite is a statement that an ORM was seen to send, the arguments it is tried with, and what becomes of it. The
// outcome is the error with its type, or the rows affected, the rows returned, and each document that is new, changed
// or gone. A key that was made is written as "made", the time of the statement as "now".
type ormWrite struct {
	SQL           string   `json:"sql"`
	Args          []any    `json:"args,omitempty"`
	Elasticsearch []string `json:"elasticsearch"`
	OpenSearch    []string `json:"opensearch"`
}

// ormTables are the tables of the ORMs' models.
var ormTables = []string{
	`CREATE TABLE companies (id VARCHAR PRIMARY KEY, name VARCHAR)`,
	`CREATE TABLE docs (id VARCHAR PRIMARY KEY, title VARCHAR)`,
	`CREATE TABLE cars (id BIGSERIAL PRIMARY KEY, model VARCHAR, user_cars BIGINT)`,
	`CREATE TABLE "user" (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(25) NOT NULL, age INT, created TIMESTAMP, version INT)`,
	`CREATE TABLE users (id BIGSERIAL PRIMARY KEY, created_at TIMESTAMP DEFAULT current_timestamp, updated_at TIMESTAMP, deleted_at TIMESTAMP,
		name VARCHAR, age BIGINT, email VARCHAR, score DOUBLE, active BOOLEAN, born TIMESTAMP, company_id VARCHAR, tags VARCHAR)`,
}

// ormRows are in the tables before each statement.
var ormRows = []string{
	`INSERT INTO companies VALUES ('9', 'old')`,
	`INSERT INTO docs VALUES ('1', '2')`,
	`INSERT INTO "user" (id, name, age, version) VALUES (3, 'a', 30, 4)`,
	`INSERT INTO users (id, name, age, created_at) VALUES (1, 'a', 2, NULL), (2, 'b', 20, NULL), (3, 'x', 1, NULL)`,
}

func TestEveryWriteOfAnORMHasAStatedOutcome(t *testing.T) {
	cases := readORMWrites(t)
	for i, flavor := range []fakecluster.Flavor{fakecluster.Elasticsearch, fakecluster.OpenSearch} {
		t.Run(string(flavor), func(t *testing.T) {
			leaktest.Check(t)
			fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Product(flavor))
			db := openDB(t, fake, "")
			for n := range cases {
				c := &cases[n]
				want := []*[]string{&c.Elasticsearch, &c.OpenSearch}[i]
				got := ormOutcome(t, fake, db, c)
				if *updateORM {
					*want = got
				}
				assert.Equal(t, *want, got, c.SQL)
			}
		})
	}
	if *updateORM {
		writeORMWrites(t, cases)
	}
}

func TestEveryCapturedWriteIsAmongThem(t *testing.T) {
	text, err := os.ReadFile(ormStatements)
	if err != nil {
		t.Skip("the captured ORM statements are not beside the repository")
	}
	known := map[string]bool{}
	for _, c := range readORMWrites(t) {
		known[c.SQL] = true
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "SELECT ") && !strings.HasPrefix(line, "SHOW ") {
			assert.True(t, known[line], line)
		}
	}
}

func readORMWrites(t *testing.T) []ormWrite {
	t.Helper()
	text, err := os.ReadFile(ormWrites)
	require.NoError(t, err)
	var cases []ormWrite
	for in := bufio.NewScanner(bytes.NewReader(text)); in.Scan(); {
		var c ormWrite
		d := json.NewDecoder(bytes.NewReader(in.Bytes()))
		d.UseNumber()
		require.NoError(t, d.Decode(&c))
		cases = append(cases, c)
	}
	return cases
}

func writeORMWrites(t *testing.T, cases []ormWrite) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, c := range cases {
		require.NoError(t, e.Encode(c))
	}
	require.NoError(t, os.WriteFile(ormWrites, b.Bytes(), 0o644))
}

// ormOutcome runs a statement over fresh tables; over none, if it is to make them.
func ormOutcome(t *testing.T, fake *fakecluster.Cluster, db *sql.DB, c *ormWrite) []string {
	t.Helper()
	for _, name := range ormNames {
		exec(t, db, `DROP TABLE IF EXISTS "`+name+`"`)
	}
	if !strings.HasPrefix(c.SQL, "CREATE TABLE") {
		for _, text := range append(slices.Clone(ormTables), ormRows...) {
			exec(t, db, text)
		}
	}
	before := ormState(fake)
	outcome, err := ormRun(db, c)
	if err != nil {
		outcome = []string{fmt.Sprintf("%T: %v", ormCause(err), err)}
	}
	return append(outcome, ormChanges(before, ormState(fake))...)
}

// ormCause is the error that says what kind of failure it was.
func ormCause(err error) error {
	if e, ok := err.(*esdriver.StatementError); ok {
		return e.Err
	}
	return err
}

func ormRun(db *sql.DB, c *ormWrite) ([]string, error) {
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		args[i] = a
		if n, ok := a.(json.Number); ok {
			args[i], _ = strconv.ParseInt(n.String(), 10, 64)
		}
	}
	if !strings.Contains(c.SQL, "RETURNING") {
		result, err := db.ExecContext(context.Background(), c.SQL, args...)
		if err != nil {
			return nil, err
		}
		n, err := result.RowsAffected()
		return []string{fmt.Sprintf("affected %d", n)}, err
	}
	rows, err := db.QueryContext(context.Background(), c.SQL, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return ormReturned(rows)
}

func ormReturned(rows *sql.Rows) ([]string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var lines []string
	for rows.Next() {
		row, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		line := "returned"
		for i, v := range row {
			line += fmt.Sprintf(" %s=%s", columns[i], ormStable(v))
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

var ormNames = []string{"companies", "docs", "cars", "user", "users"}

// ormState is every document of the tables, and the mapping of a table without documents.
func ormState(fake *fakecluster.Cluster) map[string]string {
	state := map[string]string{}
	for _, name := range ormNames {
		for _, d := range fake.Docs(name) {
			var source map[string]any
			decoder := json.NewDecoder(bytes.NewReader(d.Source))
			decoder.UseNumber()
			_ = decoder.Decode(&source)
			var b strings.Builder
			for _, column := range slices.Sorted(maps.Keys(source)) {
				fmt.Fprintf(&b, " %s=%s", column, ormStable(source[column]))
			}
			state[name+"/"+d.ID] = b.String()
		}
	}
	return state
}

func ormChanges(before, after map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[key]; !ok || old != after[key] {
			name, id, _ := strings.Cut(key, "/")
			lines = append(lines, name+"/"+ormStable(id)+after[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[key]; !ok {
			lines = append(lines, key+" is gone")
		}
	}
	return lines
}

// ormStable writes a value so that it is the same each time.
func ormStable(v any) string {
	text := fmt.Sprint(v)
	if at, ok := v.(time.Time); ok {
		text = at.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 1<<40 {
		return "made"
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil && time.Since(at) < time.Hour && time.Since(at) > -time.Hour {
		return "now"
	}
	if v == nil {
		return "NULL"
	}
	return text
}

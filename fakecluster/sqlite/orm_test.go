package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
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
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

var updateORM = flag.Bool("update-orm", false, "write testdata/orm-reads.jsonl anew")

const (
	ormReads = "testdata/orm-reads.jsonl"
	// ormStatements is where the captured statements of ORMs are, beside the repository.
	ormStatements = "../../../shared/orm-statements/orm-statements.txt"
)

// ormRead is a statement by which an ORM was seen to read, the arguments it is tried with, and what becomes of it: how
// many rows and one of them, or the error's sentinel and text. The releases of a product agree; where a real
// server does not answer so, or is not known to, FakeOnly gives the reason by the product's name.
type ormRead struct {
	SQL           string            `json:"sql"`
	Args          []any             `json:"args,omitempty"`
	Elasticsearch []string          `json:"elasticsearch"`
	OpenSearch    []string          `json:"opensearch"`
	FakeOnly      map[string]string `json:"fake_only,omitempty"`
}

// ormTables are the tables of the ORMs' models and what is in them, but for the rows of ormPeople.
var ormTables = []string{
	`CREATE TABLE companies (id VARCHAR PRIMARY KEY, name VARCHAR)`,
	`CREATE TABLE docs (id VARCHAR PRIMARY KEY, title VARCHAR)`,
	`CREATE TABLE cars (id BIGINT PRIMARY KEY, model VARCHAR, user_cars BIGINT)`,
	`CREATE TABLE "user" (id BIGINT PRIMARY KEY, name VARCHAR(25) NOT NULL, age INT, created TIMESTAMP, version INT)`,
	`CREATE TABLE users (id BIGINT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP, deleted_at TIMESTAMP,
		name VARCHAR, age BIGINT, email VARCHAR, score DOUBLE, active BOOLEAN, born TIMESTAMP, company_id VARCHAR, tags VARCHAR)`,
	`INSERT INTO companies VALUES ('8', 'new'), ('9', 'old')`,
	`INSERT INTO docs VALUES ('1', 'one'), ('2', 'two'), ('3', 'two')`,
	`INSERT INTO cars VALUES (1, 'T', 3), (2, 'A', 4)`,
}

// ormPeople is how many rows users and user have: more than the OFFSET of the statements.
const ormPeople = 30

func TestEveryReadOfAnORMHasAStatedOutcome(t *testing.T) {
	leaktest.Check(t)
	cases := readORMReads(t)
	stated := map[fakecluster.Flavor]bool{}
	for _, s := range releases {
		t.Run(string(s.product)+"-"+s.version, func(t *testing.T) {
			fake := fakecluster.Run(t, fakecluster.Product(s.product), fakecluster.Version(s.version), fakecluster.Nodes(1),
				fakecluster.ClusterName("library"), fakecluster.SQL(sqlite.New()))
			db := ormDatabase(t, fake.DSN()+"?refresh=true")
			for n := range cases {
				got := ormOutcome(t, db, s.version, &cases[n])
				if *updateORM && !stated[s.product] {
					*cases[n].outcome(s) = got
				}
				assert.Equal(t, *cases[n].outcome(s), got, cases[n].SQL)
			}
		})
		stated[s.product] = true
	}
	if *updateORM {
		writeORMReads(t, cases)
	}
}

func TestEveryCapturedReadIsAmongThem(t *testing.T) {
	text, err := os.ReadFile(ormStatements)
	if err != nil {
		t.Skip("the captured ORM statements are not beside the repository")
	}
	known := map[string]bool{}
	for _, c := range readORMReads(t) {
		known[c.SQL] = true
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "SELECT ") || strings.HasPrefix(line, "SHOW ") {
			assert.True(t, known[line], line)
		}
	}
}

func (c *ormRead) outcome(s server) *[]string {
	if s.elastic() {
		return &c.Elasticsearch
	}
	return &c.OpenSearch
}

func readORMReads(t *testing.T) []ormRead {
	t.Helper()
	text, err := os.ReadFile(ormReads)
	require.NoError(t, err)
	var cases []ormRead
	for in := bufio.NewScanner(bytes.NewReader(text)); in.Scan(); {
		var c ormRead
		d := json.NewDecoder(bytes.NewReader(in.Bytes()))
		d.UseNumber()
		require.NoError(t, d.Decode(&c))
		cases = append(cases, c)
	}
	return cases
}

func writeORMReads(t *testing.T, cases []ormRead) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, c := range cases {
		require.NoError(t, e.Encode(c))
	}
	require.NoError(t, os.WriteFile(ormReads, b.Bytes(), 0o644))
}

// ormDatabase opens a database and fills the tables of the ORMs' models.
func ormDatabase(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("esdriver", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	for _, text := range ormTables {
		run(t, db, text)
	}
	var users, user []string
	for id := 1; id <= ormPeople; id++ {
		users = append(users, ormUser(id))
		user = append(user, fmt.Sprintf("(%d, '%s', %d, '2026-01-02T03:04:05Z', 4)", id, []string{"a", "b"}[id%2], 10+id))
	}
	run(t, db, `INSERT INTO users (id, name, age, created_at, deleted_at, company_id, tags, active, score) VALUES `+strings.Join(users, ", "))
	run(t, db, `INSERT INTO "user" VALUES `+strings.Join(user, ", "))
	return db
}

// ormUser is a row of users: 25 are called a and are 1 or 2 years old, 3 are called b; the last has no age and, as the
// second, is deleted.
func ormUser(id int) string {
	name, age, deleted, company := "a", strconv.Itoa(1+id%2), "NULL", "NULL"
	switch {
	case id == ormPeople:
		name, age = "y", "NULL"
	case id == ormPeople-1:
		name = "x"
	case id > 25:
		name, age = "b", strconv.Itoa(20+id)
	}
	if id == 2 || id == ormPeople {
		deleted = "'2026-02-03T04:05:06Z'"
	}
	if id%3 == 0 {
		company = "'9'"
	}
	return fmt.Sprintf(`(%d, '%s', %s, '2026-01-02T03:04:05Z', %s, %s, '["t"]', TRUE, 0.5)`, id, name, age, deleted, company)
}

func ormOutcome(t *testing.T, db *sql.DB, version string, c *ormRead) []string {
	t.Helper()
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		args[i] = a
		if n, ok := a.(json.Number); ok {
			args[i], _ = strconv.ParseInt(n.String(), 10, 64)
		}
	}
	rows, err := db.QueryContext(context.Background(), c.SQL, args...)
	if err != nil {
		return []string{ormFailure(t, c, err)}
	}
	defer rows.Close()
	lines, err := ormRows(rows, version, strings.Contains(c.SQL, "ORDER BY"))
	if err != nil {
		return []string{ormFailure(t, c, err)}
	}
	return lines
}

// ormRows is the number of rows, and the first; of a statement without ORDER BY, whose order is the server's own, the
// least.
func ormRows(rows *sql.Rows, version string, ordered bool) ([]string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var lines []string
	for rows.Next() {
		line, err := ormRow(rows, columns, version)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if !ordered {
		slices.Sort(lines)
	}
	return append([]string{fmt.Sprintf("rows %d", len(lines))}, lines[:min(1, len(lines))]...), rows.Err()
}

func ormRow(rows *sql.Rows, columns []string, version string) (string, error) {
	row, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range row {
		to[i] = &row[i]
	}
	err := rows.Scan(to...)
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = columns[i] + "=" + ormStable(v, version)
	}
	return strings.Join(cells, " "), err
}

// ormStable writes a value so that it is the same for all releases of a product.
func ormStable(v any, version string) string {
	text := fmt.Sprint(v)
	if at, ok := v.(time.Time); ok {
		text = at.UTC().Format(time.RFC3339Nano)
	}
	switch {
	case v == nil:
		return "NULL"
	case text == version:
		return "the version"
	}
	return text
}

// ormKinds are the sentinels that an outcome may have; the first that errors.Is finds counts.
var ormKinds = []struct {
	name     string
	sentinel error
}{
	{"ErrUnsupported", esdriver.ErrUnsupported}, {"ErrSyntax", esdriver.ErrSyntax}, {"ErrNoTable", esdriver.ErrNoTable},
}

// ormFailure is the sentinel and the text of an error, without what differs between releases and runs.
func ormFailure(t *testing.T, c *ormRead, err error) string {
	t.Helper()
	text := err.Error()
	var answered *esdriver.Error
	if errors.As(err, &answered) {
		text = fmt.Sprintf("%d %s: %s", answered.Status, answered.Type, strings.Replace(answered.Reason, "problem(s)", "problem", 1))
	}
	for _, kind := range ormKinds {
		if errors.Is(err, kind.sentinel) {
			return kind.name + ": " + text
		}
	}
	assert.Fail(t, "an error of no kind", "%s: %T %v", c.SQL, err, err)
	return text
}

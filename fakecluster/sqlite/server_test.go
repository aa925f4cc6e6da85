package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
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

// addrsVariable holds the DSN of a real cluster with a SQL endpoint, such as elasticsearch://user:pw@host:9200?tls=true.
const addrsVariable = "ESDRIVER_TEST_SQL_ADDRS"

// server is a cluster with a SQL endpoint.
type server struct {
	dsn     string
	product fakecluster.Flavor
	version string
	fake    *fakecluster.Cluster // nil for a real one
}

// releases are those that the fake is run as: one for each way of paging and of writing literals.
var releases = []server{
	{product: fakecluster.Elasticsearch, version: "8.19.7"},
	{product: fakecluster.Elasticsearch, version: "7.17.9"},
	{product: fakecluster.OpenSearch, version: "2.19.6"},
	{product: fakecluster.OpenSearch, version: "3.8.0"},
}

func (s server) elastic() bool { return s.product == fakecluster.Elasticsearch }

// atLeast reports whether the version is major.minor or later.
func (s server) atLeast(major, minor int) bool {
	parts := strings.SplitN(s.version, ".", 3)
	have, _ := strconv.Atoi(parts[0])
	haveMinor, _ := strconv.Atoi(parts[1])
	return have > major || have == major && haveMinor >= minor
}

// with is the server's DSN with further keys.
func (s server) with(keys ...string) string {
	dsn, mark := s.dsn, "?"
	if strings.Contains(dsn, "?") {
		mark = "&"
	}
	for _, key := range keys {
		dsn, mark = dsn+mark+key, "&"
	}
	return dsn
}

// suite is one run of a body over a server: it makes tables and drops them.
type suite struct {
	*testing.T
	*assert.Assertions
	server
	db      *sql.DB
	cluster *esdriver.Cluster
	prefix  string // of tables
	tables  []string
}

// bodies are the tests of the suite, the same for the fake and for real servers.
var bodies = []struct {
	name string
	run  func(*suite)
}{
	{"types", types}, {"nulls", nulls}, {"placeholders", placeholders}, {"constants", constants}, {"texts", texts},
	{"pages", pages}, {"ties", ties}, {"windows", windows}, {"groups", groups}, {"arrays", arrays}, {"unknown-names", unknownNames},
	{"cancelled-rows", cancelledRows}, {"closed-cursors", closedCursors}, {"changes", changes}, {"visibility", visibility},
	{"realtime", realtime}, {"catalog", catalog},
}

func TestSuiteOverTheFake(t *testing.T) {
	leaktest.Check(t)
	for _, s := range releases {
		t.Run(string(s.product)+"-"+s.version, func(t *testing.T) {
			s.fake = fakecluster.Run(t, fakecluster.Product(s.product), fakecluster.Version(s.version), fakecluster.Nodes(3),
				fakecluster.SQL(sqlite.New()))
			s.dsn = s.fake.DSN()
			runSuite(t, s)
		})
	}
}

func TestSuiteOverARealCluster(t *testing.T) {
	dsn := os.Getenv(addrsVariable)
	if dsn == "" {
		t.Skipf("%s names no cluster: set it to a DSN, such as elasticsearch://user:pw@host:9200?tls=true, to run the suite over its SQL.", addrsVariable)
	}
	leaktest.Check(t)
	s := server{dsn: dsn}
	s.product, s.version = productOf(t, dsn)
	t.Logf("over %s %s", s.product, s.version)
	runSuite(t, s)
}

// productOf finds out what a cluster is.
func productOf(t *testing.T, dsn string) (fakecluster.Flavor, string) {
	t.Helper()
	var root struct {
		Version struct{ Number, Distribution string }
	}
	_, body := request(t, openCluster(t, dsn), http.MethodGet, "/", "")
	require.NoError(t, json.Unmarshal(body, &root), "%s", body)
	if root.Version.Distribution == "opensearch" {
		return fakecluster.OpenSearch, root.Version.Number
	}
	return fakecluster.Elasticsearch, root.Version.Number
}

func runSuite(t *testing.T, s server) {
	prefix := fmt.Sprintf("esdriver-sql-%d-", time.Now().UnixNano()) // two runs over one cluster do not meet
	cluster := openCluster(t, s.dsn)
	for _, body := range bodies {
		t.Run(body.name, func(t *testing.T) {
			su := &suite{T: t, Assertions: assert.New(t), server: s, cluster: cluster, prefix: prefix}
			su.db = su.open("refresh=true")
			t.Cleanup(su.drop)
			body.run(su)
		})
	}
}

func openCluster(t *testing.T, dsn string) *esdriver.Cluster {
	t.Helper()
	config, err := esdriver.ParseDSN(dsn)
	require.NoError(t, err)
	cluster, err := esdriver.Open(config)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cluster.Close(context.Background())) })
	return cluster
}

// request sends one request and reads its answer.
func request(t *testing.T, c *esdriver.Cluster, method, path, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, text
}

// open opens a database with further keys, which is closed when the body ends.
func (s *suite) open(keys ...string) *sql.DB {
	s.Helper()
	db, err := sql.Open("esdriver", s.with(keys...))
	require.NoError(s.T, err)
	s.Cleanup(func() { s.NoError(db.Close()) })
	return db
}

// create makes a table of a body and returns its name in quotes.
func (s *suite) create(name, definition string) string {
	s.Helper()
	name = s.prefix + name
	s.tables = append(s.tables, name)
	s.exec(`CREATE TABLE "` + name + `" ` + definition)
	return `"` + name + `"`
}

func (s *suite) drop() { // runs when the test's context has ended
	for _, name := range s.tables {
		_, err := s.db.ExecContext(context.Background(), `DROP TABLE IF EXISTS "`+name+`"`)
		s.NoError(err)
	}
}

// exec runs a statement and returns how many rows it was about.
func (s *suite) exec(text string, args ...any) int64 {
	s.Helper()
	result, err := s.db.ExecContext(s.Context(), text, args...)
	require.NoError(s.T, err, "%s %v", text, args)
	n, err := result.RowsAffected()
	require.NoError(s.T, err)
	return n
}

// rows are all rows of a SELECT, as database/sql gives values to any.
func (s *suite) rows(ctx context.Context, db *sql.DB, text string, args ...any) [][]any {
	s.Helper()
	all, err := query(ctx, db, text, args...)
	require.NoError(s.T, err, "%s %v", text, args)
	return all
}

// column is the first column of a SELECT.
func (s *suite) column(text string, args ...any) []any {
	s.Helper()
	var all []any
	for _, row := range s.rows(s.Context(), s.db, text, args...) {
		all = append(all, row[0])
	}
	return all
}

func query(ctx context.Context, db *sql.DB, text string, args ...any) (all [][]any, err error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, dests := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			dests[i] = &row[i]
		}
		if err := rows.Scan(dests...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// noCursors checks that no cursor on a table is open. A real server may take a moment to end what was cancelled.
func (s *suite) noCursors(table string) {
	s.Helper()
	if s.fake != nil {
		s.Zero(s.fake.OpenCursors())
		return
	}
	for range 100 {
		if s.openSearches(table) == 0 {
			return
		}
		<-time.NewTimer(100 * time.Millisecond).C
	}
	s.Fail("a cursor is still open", "%d on %s", s.openSearches(table), table)
}

// openSearches is how many searches a real server keeps open for a table.
func (s *suite) openSearches(table string) int {
	s.Helper()
	var stats struct {
		All struct {
			Total struct {
				Search struct {
					Open *int `json:"open_contexts"`
				}
			}
		} `json:"_all"`
	}
	status, body := request(s.T, s.cluster, http.MethodGet, "/"+strings.Trim(table, `"`)+"/_stats/search", "")
	require.Equal(s.T, http.StatusOK, status, "%s", body)
	require.NoError(s.T, json.Unmarshal(body, &stats))
	require.NotNil(s.T, stats.All.Total.Search.Open, "%s", body)
	return *stats.All.Total.Search.Open
}

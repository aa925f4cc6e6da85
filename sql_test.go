package esdriver_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// engine answers SELECT 1, SELECT ? and statements on a table called rows, which has so many.
type engine struct {
	rows    int
	queries atomic.Int64
}

func (e *engine) Query(_ context.Context, q fakecluster.SQLQuery) (fakecluster.SQLResult, error) {
	e.queries.Add(1)
	timestamp := "datetime"
	if q.Flavor == fakecluster.OpenSearch {
		timestamp = "timestamp"
	}
	switch {
	case strings.Contains(q.Text, "FROM nowhere"):
		return fakecluster.SQLResult{}, &fakecluster.SQLError{Status: 400, Type: "verification_exception", Reason: "Found 1 problem\nline 1:8: Unknown index [nowhere]"}
	case strings.Contains(q.Text, "FROM types"):
		return fakecluster.SQLResult{
			Columns: []fakecluster.SQLColumn{
				{Name: "u", Type: "unsigned_long"}, {Name: "t", Type: timestamp}, {Name: "o", Type: "object"}, {Name: "b", Type: "binary"},
				{Name: "s", Type: "keyword"}, {Name: "n", Type: "long"},
			},
			Rows:    [][]any{{uint64(math.MaxUint64), time.Unix(1, 5e8).UTC(), map[string]any{"a": 1}, []byte{1, 2}, "x", nil}},
			Unpaged: true,
		}, nil
	case strings.Contains(q.Text, "FROM rows"):
		return e.table(), nil
	}
	var value any = int64(1)
	if len(q.Params) > 0 {
		value = q.Params[0]
	}
	return fakecluster.SQLResult{Columns: []fakecluster.SQLColumn{{Name: "v", Type: "integer"}}, Rows: [][]any{{value}}, Unpaged: true}, nil
}

func (e *engine) table() fakecluster.SQLResult {
	result := fakecluster.SQLResult{Columns: []fakecluster.SQLColumn{{Name: "id", Type: "long"}, {Name: "name", Type: "keyword"}}}
	for i := range e.rows {
		result.Rows = append(result.Rows, []any{int64(i), fmt.Sprint("row ", i)})
	}
	return result
}

var sqlServers = []struct {
	name    string
	options []fakecluster.Option
}{
	{"Elasticsearch 8.19.7", nil},
	{"Elasticsearch 7.17.9", []fakecluster.Option{fakecluster.Version("7.17.9")}}, // its cursors are scrolls
	{"OpenSearch 2.19.6", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("2.19.6")}},
	{"OpenSearch 3.8.0", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("3.8.0")}},
}

// onEachServer runs a test on every kind of server, over database/sql.
func onEachServer(t *testing.T, rows int, params string, test func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB)) {
	for _, server := range sqlServers {
		t.Run(server.name, func(t *testing.T) {
			leaktest.Check(t)
			options := append([]fakecluster.Option{fakecluster.Nodes(3), fakecluster.SQL(&engine{rows: rows})}, server.options...)
			fake := fakecluster.Run(t, options...)
			db, err := sql.Open("esdriver", fake.DSN()+params)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, db.Close()) })
			test(t, fake, db)
		})
	}
}

func TestRowsOfAllPagesComeThroughDatabaseSQL(t *testing.T) {
	onEachServer(t, 250, "?fetch_size=100", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		require.NoError(t, db.Ping())
		rows, err := db.Query("SELECT id, name FROM rows")
		require.NoError(t, err)
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var id int
			var name string
			require.NoError(t, rows.Scan(&id, &name))
			require.Equal(t, n, id)
			require.Equal(t, fmt.Sprint("row ", n), name)
		}
		require.NoError(t, rows.Err())
		assert.Equal(t, 250, n)
		assert.Zero(t, fake.OpenCursors())
	})
}

func TestAutoFlavorFindsTheProductOut(t *testing.T) {
	for _, server := range sqlServers {
		leaktest.Check(t)
		options := append([]fakecluster.Option{fakecluster.SQL(&engine{rows: 3})}, server.options...)
		fake := fakecluster.Run(t, options...)
		_, addrs, _ := strings.Cut(fake.DSN(), "://")
		db, err := sql.Open("esdriver", "http://"+addrs)
		require.NoError(t, err)
		var n int
		require.NoError(t, db.QueryRow("SELECT ? AS v", 1).Scan(&n), server.name)
		require.NoError(t, db.Close())
	}
}

func TestPagesComeFromOtherNodesWhenOneIsLost(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.SQL(&engine{rows: 300}))
	db, err := sql.Open("esdriver", fake.DSN()+"?fetch_size=10")
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query("SELECT id, name FROM rows")
	require.NoError(t, err)
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var id int
		require.NoError(t, rows.Scan(&id, new(string)))
		require.Equal(t, n, id)
		switch n {
		case 50:
			fake.Node(0).Kill()
		case 150:
			require.NoError(t, fake.Node(0).Start())
			fake.Node(1).Kill()
		}
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, 300, n)
}

// TestLostPageIsAskedForAgainOnlyWhereTheServerRepeatsIt loses the answer to a page after the server has made it.
func TestLostPageIsAskedForAgainOnlyWhereTheServerRepeatsIt(t *testing.T) {
	onEachServer(t, 50, "?fetch_size=10", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		rows, err := db.Query("SELECT id, name FROM rows")
		require.NoError(t, err)
		defer rows.Close()
		fake.Inject(fakecluster.Fault{Action: fakecluster.ResetAfterExecute, Times: 1, Match: func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/_sql")
		}})
		n := 0
		for ; rows.Next(); n++ {
			var id int
			require.NoError(t, rows.Scan(&id, new(string)))
			require.Equal(t, n, id, "no row is passed over in silence")
		}
		if strings.HasSuffix(t.Name(), "8.19.7") {
			require.NoError(t, rows.Err())
			assert.Equal(t, 50, n)
			return
		}
		require.ErrorIs(t, rows.Err(), esdriver.ErrMaybeExecuted)
		assert.Equal(t, 10, n)
	})
}

// TestNoCursorStaysOpenHoweverStatementsEnd ends statements by closing early, cancelling and errors of the server.
func TestNoCursorStaysOpenHoweverStatementsEnd(t *testing.T) {
	onEachServer(t, 40, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		fake.Inject(fakecluster.Fault{
			Action: fakecluster.Status(500, `{"error":{"type":"broken","reason":"by the test"},"status":500}`, nil), Chance: 0.05,
			Match: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/_sql") },
		})
		var work sync.WaitGroup
		for worker := range 8 {
			work.Go(func() {
				for i := range 50 {
					endEarly(t, db, worker*50+i)
				}
			})
		}
		work.Wait()
		require.NoError(t, db.Close())
		assert.Zero(t, fake.OpenCursors())
	})
}

func endEarly(t *testing.T, db *sql.DB, i int) {
	ctx, cancel := context.WithCancel(esdriver.WithFetchSize(context.Background(), 1+i%9))
	defer cancel()
	if i%2 == 0 {
		stop := time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, cancel)
		defer stop.Stop()
	}
	rows, err := db.QueryContext(ctx, "SELECT id, name FROM rows")
	if err != nil {
		var failed *esdriver.Error
		assert.True(t, errors.Is(err, context.Canceled) || errors.As(err, &failed) && failed.Type == "broken", "%v", err)
		return
	}
	for range rand.IntN(50) {
		if !rows.Next() {
			break
		}
	}
	assert.NoError(t, rows.Close())
}

func TestValuesScanAsAUserExpects(t *testing.T) {
	onEachServer(t, 0, "?arrays=json", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		var (
			u    uint64
			when time.Time
			text json.RawMessage
			b    []byte
			s    sql.Null[string]
			n    sql.Null[int64]
		)
		require.NoError(t, db.QueryRow("SELECT u, t, o, b, s, n FROM types LIMIT 1").Scan(&u, &when, &text, &b, &s, &n))
		assert.Equal(t, uint64(math.MaxUint64), u)
		assert.True(t, time.Unix(1, 5e8).Equal(when), "%s", when)
		assert.JSONEq(t, `{"a":1}`, string(text))
		assert.Equal(t, []byte{1, 2}, b)
		assert.Equal(t, sql.Null[string]{V: "x", Valid: true}, s)
		assert.False(t, n.Valid)

		rows, err := db.Query("SELECT u, t, o, b, s, n FROM types LIMIT 1")
		require.NoError(t, err)
		defer rows.Close()
		require.True(t, rows.Next())
		types, err := rows.ColumnTypes()
		require.NoError(t, err)
		raws, dests := make([]sql.RawBytes, len(types)), make([]any, len(types))
		for i := range raws {
			dests[i] = &raws[i]
			nullable, ok := types[i].Nullable()
			assert.True(t, nullable && ok)
			assert.Equal(t, strings.ToUpper(types[i].DatabaseTypeName()), types[i].DatabaseTypeName())
			assert.NotNil(t, types[i].ScanType())
		}
		require.NoError(t, rows.Scan(dests...))
		assert.Equal(t, "x", string(raws[4]))
	})
}

func TestErrorsAreTyped(t *testing.T) {
	onEachServer(t, 0, "", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		_, err := db.QueryContext(esdriver.WithRequestID(context.Background(), "q1"), "SELECT a FROM nowhere")
		var failed *esdriver.Error
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, 400, failed.Status)
		assert.Equal(t, "verification_exception", failed.Type)
		assert.Equal(t, "42S02", failed.SQLState)
		assert.Equal(t, "q1", failed.RequestID)
		assert.NotEmpty(t, failed.Node)
		_, err = db.Begin()
		require.Error(t, err)
	})
}

func TestPreparedStatementRunsInManyGoroutines(t *testing.T) {
	onEachServer(t, 30, "?fetch_size=7", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		stmt, err := db.Prepare("SELECT id, name FROM rows WHERE name <> ?")
		require.NoError(t, err)
		defer stmt.Close()
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				for range 10 {
					rows, err := stmt.Query("x")
					if !assert.NoError(t, err) {
						return
					}
					n := 0
					for rows.Next() {
						n++
					}
					assert.NoError(t, rows.Err())
					assert.Equal(t, 30, n)
				}
			})
		}
		work.Wait()
		_, err = stmt.Query()
		require.Error(t, err, "an argument is missing")
	})
}

func TestRawGivesTheConnAndItsCluster(t *testing.T) {
	onEachServer(t, 30, "", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		session, err := db.Conn(context.Background())
		require.NoError(t, err)
		defer session.Close()
		require.NoError(t, session.Raw(func(c any) error {
			conn := c.(*esdriver.Conn)
			assert.Len(t, conn.Cluster().Topology().Seeds, 3)
			rows, err := conn.QueryContext(context.Background(), "SELECT id, name FROM rows", nil)
			require.NoError(t, err)
			require.NoError(t, rows.Next(make([]driver.Value, 2)))
			return rows.Close()
		}))
	})
}

func TestStatementOnAClosedClusterIsNotRetriedForEver(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.SQL(&engine{}))
	cluster, err := esdriver.Open(mustParse(t, fake.DSN()))
	require.NoError(t, err)
	db := esdriver.OpenDB(cluster)
	defer db.Close()
	require.NoError(t, db.Ping())
	require.NoError(t, cluster.Close(context.Background()))
	err = db.Ping()
	require.Error(t, err)
	require.ErrorIs(t, err, esdriver.ErrClosed)
}

func TestFailedRequestIsNotABadConnection(t *testing.T) {
	leaktest.Check(t)
	e := &engine{}
	fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.SQL(e))
	db, err := sql.Open("esdriver", fake.DSN()+"?retry=false")
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Ping())
	before := e.queries.Load()
	fake.Inject(fakecluster.Fault{Action: fakecluster.ResetAfterExecute, Path: "/_sql"})
	err = db.Ping()
	require.Error(t, err)
	require.NotErrorIs(t, err, driver.ErrBadConn)
	assert.Equal(t, int64(1), e.queries.Load()-before, "sent once, although database/sql would retry a bad connection")
}

func TestTransactionsAreRefusedUnlessTheyMayDoNothing(t *testing.T) {
	onEachServer(t, 1, "?tx=noop", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		tx, err := db.Begin()
		require.NoError(t, err)
		var id int
		require.NoError(t, tx.QueryRow("SELECT id, name FROM rows LIMIT 1").Scan(&id, new(string)))
		require.NoError(t, tx.Commit())
		_, err = db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSerializable})
		require.Error(t, err)
		_, err = db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
		require.Error(t, err)
	})
}

package sqlapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"database/sql/driver"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/internal/sqlapi"
)

var tableServers = []struct {
	product sqlapi.Product
	version string
}{
	{sqlapi.Elasticsearch, "7.3.0"}, {sqlapi.Elasticsearch, "8.19.7"}, {sqlapi.OpenSearch, "2.19.6"}, {sqlapi.OpenSearch, "3.8.0"},
}

func TestEveryRowComesOnceInOrderAtEveryPageSize(t *testing.T) {
	const size = 23
	for _, v := range tableServers {
		for _, readAhead := range []int{-1, 24, 0} {
			t.Run(fmt.Sprintf("%s/read ahead %d", v.version, readAhead), func(t *testing.T) {
				for fetch := 1; fetch <= size+1; fetch++ {
					server := &table{product: v.product, version: v.version, size: size}
					client := newClient(t, sqlapi.Config{Doer: server, Product: v.product, Options: sqlapi.Options{FetchSize: fetch, ReadAhead: readAhead}})
					for _, text := range []string{"SELECT id, n FROM t", "SELECT id, n FROM t ORDER BY n"} {
						_, rows, err := readAll(context.Background(), client, text, nil)
						require.NoError(t, err)
						require.Len(t, rows, size, "fetch size %d, %s", fetch, text)
						for i, want := range server.rows(text) {
							require.EqualValues(t, want[0], rows[i][0], "fetch size %d, %s", fetch, text)
						}
					}
					assert.Zero(t, server.open())
					counts := client.Cursors()
					assert.Equal(t, counts.Opened, counts.Closed)
				}
			})
		}
	}
}

func TestOffsetIsEmulatedOnElasticsearch(t *testing.T) {
	server := &table{product: sqlapi.Elasticsearch, version: "8.19.7", size: 23}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{FetchSize: 4}})
	_, rows, err := readAll(context.Background(), client, "SELECT id, n FROM t LIMIT ? OFFSET ?", []driver.NamedValue{
		{Ordinal: 1, Value: int64(5)}, {Ordinal: 2, Value: int64(7)},
	})
	require.NoError(t, err)
	require.Len(t, rows, 5)
	assert.EqualValues(t, 8, rows[0][0])
	_, rows, err = readAll(context.Background(), client, "SELECT id, n FROM t OFFSET 20", nil)
	require.NoError(t, err)
	assert.Len(t, rows, 3)
	assert.Zero(t, server.open())
}

func TestTimeZoneGoesWithEveryPageAndColumnsAreKept(t *testing.T) {
	server := &table{product: sqlapi.Elasticsearch, version: "8.19.7", size: 9}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{FetchSize: 3, TimeZone: "Asia/Tokyo"}})
	columns, _, err := readAll(context.Background(), client, "SELECT id, n FROM t", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"id", "n"}, columns)
	paths, bodies := server.requests()
	for i := range paths {
		if paths[i] == "POST /_sql" {
			assert.Contains(t, bodies[i], `"time_zone":"Asia/Tokyo"`)
		}
	}
}

func TestErrorOnALaterPageIsTheRowsErrorAndClosesTheCursor(t *testing.T) {
	server := &table{product: sqlapi.Elasticsearch, version: "8.19.7", size: 9}
	server.fail = func(page int, r *http.Request) (*http.Response, error) {
		if page == 3 {
			return reply(r, 400, `{"error":{"root_cause":[],"type":"invalid_argument_exception","reason":"Arrays (returned by [i]) are not supported"},"status":400}`)
		}
		return nil, nil
	}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{FetchSize: 3}})
	_, rows, err := readAll(context.Background(), client, "SELECT id, n FROM t", nil)
	require.ErrorIs(t, err, sqlapi.ErrArray)
	assert.Len(t, rows, 6)
	assert.Zero(t, server.open())
}

func TestRowThatCannotBeReadDoesNotLeaveItsCursorOpen(t *testing.T) {
	closed := make(chan string, 1)
	doer := doerFunc(func(r *http.Request) (*http.Response, error) {
		switch r.URL.Path {
		case "/":
			return reply(r, 200, `{"version":{"number":"3.8.0","distribution":"opensearch"}}`)
		case "/_plugins/_sql/close":
			closed <- r.URL.Path
			return reply(r, 200, `{"succeeded":true}`)
		}
		return reply(r, 200, `{"schema":[{"name":"tags","type":"keyword"}],"datarows":[["a"],[["b","c"]],[{"x":[1]}]],"total":3,"size":3,"status":200,"cursor":"n:1"}`)
	})
	client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.OpenSearch})
	_, rows, err := readAll(context.Background(), client, "SELECT tags FROM t", nil)
	var array *sqlapi.ArrayError
	require.ErrorAs(t, err, &array)
	assert.Equal(t, "tags", array.Column)
	assert.Len(t, rows, 1)
	assert.NotEmpty(t, closed)
}

type doerFunc func(*http.Request) (*http.Response, error)

func (f doerFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestNoCursorIsLeftOpen ends statements in every way there is, a thousand times.
func TestNoCursorIsLeftOpen(t *testing.T) {
	for _, v := range tableServers {
		t.Run(v.version, func(t *testing.T) {
			leaktest.Check(t)
			var broken atomic.Bool
			server := &table{product: v.product, version: v.version, size: 50}
			server.fail = func(_ int, r *http.Request) (*http.Response, error) {
				if broken.Load() && rand.IntN(4) == 0 {
					return reply(r, 500, `{"error":{"type":"x","reason":"broken"},"status":500}`)
				}
				return nil, nil
			}
			client := newClient(t, sqlapi.Config{Doer: server, Product: v.product})
			for i := range 1000 {
				broken.Store(i%3 == 0)
				endSomehow(t, client, i)
			}
			client.Close()
			assert.NotZero(t, server.opens())
			assert.Zero(t, server.open())
		})
	}
}

// endSomehow runs a statement and closes it early, cancels it at some moment, or reads on to an error or the end.
func endSomehow(t *testing.T, client *sqlapi.Client, i int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx = sqlapi.WithCall(ctx, sqlapi.Call{FetchSize: 1 + i%13})
	if i%2 == 0 {
		go func() {
			for range rand.IntN(20) {
				_ = ctx.Err() // some work, so that the end comes at different moments
			}
			cancel()
		}()
	}
	rows, err := client.Conn().QueryContext(ctx, "SELECT id, n FROM t", nil)
	if err != nil {
		return
	}
	row := make([]driver.Value, 2)
	for range rand.IntN(60) {
		if rows.Next(row) != nil {
			break
		}
	}
	require.NoError(t, rows.Close())
}

func TestCancelledStatementReturnsAtOnceAndItsCursorIsClosedLater(t *testing.T) {
	leaktest.Check(t)
	arrived, goOn := make(chan struct{}), make(chan struct{})
	server := &table{product: sqlapi.OpenSearch, version: "3.8.0", size: 50}
	server.hold = func(int) { close(arrived); <-goOn }
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch, Options: sqlapi.Options{FetchSize: 5}})
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := client.Conn().QueryContext(ctx, "SELECT id, n FROM t", nil)
		failed <- err
	}()
	<-arrived
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled, "returned while the server still works")
	close(goOn)
	assert.Eventually(t, func() bool { return server.opens() == 1 && server.open() == 0 }, 5*time.Second, time.Millisecond)
}

func TestRowsCanBeClosedWhileNextWaits(t *testing.T) {
	leaktest.Check(t)
	for _, readAhead := range []int{-1, 0} {
		arrived := make(chan struct{})
		server := &table{product: sqlapi.Elasticsearch, version: "8.19.7", size: 50}
		server.fail = func(page int, r *http.Request) (*http.Response, error) {
			if page == 2 {
				close(arrived)
				<-r.Context().Done() // a server that does not answer
				return nil, context.Cause(r.Context())
			}
			return nil, nil
		}
		client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{FetchSize: 2, ReadAhead: readAhead}})
		rows, err := client.Conn().QueryContext(context.Background(), "SELECT id, n FROM t", nil)
		require.NoError(t, err)
		ended := make(chan error)
		go func() {
			var err error
			for err == nil {
				err = rows.Next(make([]driver.Value, 2))
			}
			ended <- err
		}()
		<-arrived
		require.NoError(t, rows.Close())
		require.ErrorIs(t, <-ended, sqlapi.ErrRowsClosed)
		require.NoError(t, rows.Close(), "a second time")
		assert.Zero(t, server.open())
	}
}

func TestRowsOfASinglePageCanBeClosedWhileNextWaits(t *testing.T) {
	leaktest.Check(t)
	body, writing := io.Pipe()
	doer := doerFunc(func(r *http.Request) (*http.Response, error) {
		resp, err := reply(r, http.StatusOK, "")
		resp.Body = body
		return resp, err
	})
	client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{ReadAhead: 1}})
	sent := make(chan error)
	go func() {
		_, err := io.WriteString(writing, `{"columns":[{"name":"n","type":"long"}],"rows":[[1],`)
		sent <- err
		_, err = io.WriteString(writing, "[")
		sent <- err
	}()
	rows, err := client.Conn().QueryContext(context.Background(), "SELECT n FROM t LIMIT 2", nil)
	require.NoError(t, err)
	require.NoError(t, <-sent)
	require.NoError(t, rows.Next(make([]driver.Value, 1)))
	ended := make(chan error)
	go func() { ended <- rows.Next(make([]driver.Value, 1)) }()
	require.NoError(t, <-sent, "Next reads, and waits for the rest of the row")
	require.NoError(t, rows.Close())
	require.ErrorIs(t, <-ended, sqlapi.ErrRowsClosed)
}

func TestCancelledContextEndsANextThatWaits(t *testing.T) {
	leaktest.Check(t)
	arrived := make(chan struct{})
	server := &table{product: sqlapi.OpenSearch, version: "3.8.0", size: 50}
	server.fail = func(page int, r *http.Request) (*http.Response, error) {
		if page == 2 {
			close(arrived)
			<-r.Context().Done()
			return nil, errors.New("the transport's own words")
		}
		return nil, nil
	}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch, Options: sqlapi.Options{FetchSize: 2}})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	_, rows, err := readAll(ctx, client, "SELECT id, n FROM t", nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.LessOrEqual(t, len(rows), 2)
	assert.Zero(t, server.open())
}

func TestPagedStatementOn219SortsByIDLast(t *testing.T) {
	for version, wanted := range map[string]bool{"2.17.0": false, "2.19.6": true, "3.8.0": false} {
		server := &table{product: sqlapi.OpenSearch, version: version, size: 5}
		client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
		_, _, err := readAll(context.Background(), client, "SELECT id, n FROM t ORDER BY n", nil)
		require.NoError(t, err)
		_, bodies := server.requests()
		assert.Equal(t, wanted, strings.Contains(strings.Join(bodies, ""), "_id"), version)
	}
}

func TestOneRowOfALargeResultCostsOnePage(t *testing.T) {
	server := &table{product: sqlapi.Elasticsearch, version: "8.19.7", size: 50}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{FetchSize: 10}})
	rows, err := client.Conn().QueryContext(context.Background(), "SELECT id, n FROM t", nil)
	require.NoError(t, err)
	require.NoError(t, rows.Next(make([]driver.Value, 2)))
	require.NoError(t, rows.Close())
	paths, _ := server.requests()
	assert.Equal(t, []string{"POST /_sql", "POST /_sql/close"}, paths)
}

package sqlapi_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/internal/sqlapi"
)

// insertHeapMax bounds what the live heap may grow by between the first chunk of an INSERT and its last. A chunk of these
// rows, with its values, is less than 1 MB.
const insertHeapMax = 8 << 20

// heapWatch is a bulkServer that looks at the live heap at each twentieth request.
type heapWatch struct {
	bulkServer
	look            sync.Mutex // guards what follows
	requests        int
	first, last, up uint64 // bytes: at the first look, at the last, the most
}

func (s *heapWatch) RoundTrip(r *http.Request) (*http.Response, error) {
	s.measure()
	return s.bulkServer.RoundTrip(r)
}

func (s *heapWatch) measure() {
	s.look.Lock()
	defer s.look.Unlock()
	if s.requests++; s.requests%20 != 2 {
		return
	}
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	s.last = stats.HeapAlloc
	s.up = max(s.up, s.last)
	if s.first == 0 {
		s.first = s.last
	}
}

// connector lets database/sql use a client.
type connector struct{ client *sqlapi.Client }

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.client.Conn(), nil }
func (c connector) Driver() driver.Driver                        { return nil }

func watchHeap(t *testing.T) (*heapWatch, *sql.DB) {
	t.Helper()
	server := &heapWatch{bulkServer: bulkServer{answers: map[int]string{}}}
	db := sql.OpenDB(connector{newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})})
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return server, db
}

func (s *heapWatch) check(t *testing.T, rows int) {
	t.Helper()
	require.Equal(t, rows, s.rows)
	t.Logf("live heap: %d KB at the first chunk, at most %d KB, %d KB at the last", s.first>>10, s.up>>10, s.last>>10)
	assert.Less(t, s.up, s.first+insertHeapMax)
}

func TestInsertsOfManyRowsNeedTheMemoryOfOne(t *testing.T) {
	leaktest.Check(t)
	server, db := watchHeap(t)
	const rows, statements = 1000, 42
	text := "INSERT INTO rows (id, name, age, score, active) VALUES (?, ?, ?, ?, ?)" + strings.Repeat(", (?, ?, ?, ?, ?)", rows-1)
	for n := range statements {
		args := make([]any, 0, 5*rows)
		for i := range rows {
			args = append(args, n*rows+i, fmt.Sprint("the name of row ", i), i%100, float64(i)/8, i%2 == 0)
		}
		_, err := db.Exec(text, args...)
		require.NoError(t, err)
	}
	server.check(t, rows*statements)
}

func TestLongInsertNeedsTheMemoryOfItsChunks(t *testing.T) {
	leaktest.Check(t)
	server, db := watchHeap(t)
	const rows = 100_000
	text := []byte("INSERT INTO rows (id, name, age, score, active) VALUES ")
	for i := range rows {
		text = fmt.Appendf(text, "(%d, 'the name of row %d', %d, %g, %t),", i, i, i%100, float64(i)/8, i%2 == 0)
	}
	_, err := db.Exec(string(text[:len(text)-1]))
	require.NoError(t, err)
	t.Logf("the statement has %d KB", len(text)>>10)
	server.check(t, rows)
}

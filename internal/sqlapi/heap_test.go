package sqlapi_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/internal/sqlapi"
)

const heapMax = 64 << 20

// chunkOfRows is 1,000 rows of five columns, each with a comma before it.
func chunkOfRows() []byte {
	var b bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&b, `,[%d,"customer number %d",%d.25,%t,"2026-10-01T07:%02d:56.789Z"]`, i, i, i, i%2 == 0, i%60)
	}
	return b.Bytes()
}

// longAnswer is an answer of so many chunks that is written as it is read.
func longAnswer(chunk []byte, chunks int, cursor string) io.Reader {
	const columns = `{"columns":[{"name":"id","type":"long"},{"name":"name","type":"keyword"},{"name":"price","type":"double"},` +
		`{"name":"active","type":"boolean"},{"name":"born","type":"datetime"}],"rows":[`
	parts := []io.Reader{strings.NewReader(columns), bytes.NewReader(chunk[1:])}
	for range chunks - 1 {
		parts = append(parts, bytes.NewReader(chunk))
	}
	return io.MultiReader(append(parts, strings.NewReader("]"+cursor+"}"))...)
}

// TestMillionRowsNeedLittleMemory reads them in pages of 10,000, and a part of them as one answer.
func TestMillionRowsNeedLittleMemory(t *testing.T) {
	leaktest.Check(t)
	chunk := chunkOfRows()
	for chunks, total := range map[int]int{10: 1_000_000, 300: 300_000} {
		pages := 0
		doer := doerFunc(func(r *http.Request) (*http.Response, error) {
			resp, err := reply(r, 200, `{"version":{"number":"8.19.7"}}`)
			if r.URL.Path == "/" {
				return resp, err
			}
			cursor := ""
			if pages++; pages*chunks*1000 < total {
				cursor = `,"cursor":"c"`
			}
			resp.Body = io.NopCloser(longAnswer(chunk, chunks, cursor))
			return resp, nil
		})
		client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch, Options: sqlapi.Options{FetchSize: chunks * 1000}})
		require.Equal(t, total, readWithLittleMemory(t, client))
	}
}

// readWithLittleMemory reads all rows and looks at the heap now and then.
func readWithLittleMemory(t *testing.T, client *sqlapi.Client) int {
	rows, err := client.Conn().QueryContext(context.Background(), "SELECT id, name, price, active, born FROM customers", nil)
	require.NoError(t, err)
	defer rows.Close()
	row := make([]driver.Value, 5)
	for n := 0; ; n++ {
		if n%20_000 == 0 {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			require.Less(t, stats.HeapAlloc, uint64(heapMax), "after %d rows", n)
		}
		if err := rows.Next(row); err == io.EOF {
			return n
		} else {
			require.NoError(t, err)
		}
	}
}

//go:build unix

package load_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/load"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

var (
	benchRows = flag.Int("rows", 100_000, "rows that BenchmarkLoad loads")
	benchDSN  = flag.String("dsn", "", "a cluster of three nodes that BenchmarkLoad loads into, too; its table rows is dropped")
)

// parallel is how many bulk requests a load has under way to the nodes of a benchmark.
const parallel = 2 * nodes

// BenchmarkLoad loads the same rows from CSV and from NDJSON, and sends the very requests that the load made of them as
// core does, ready-made, as many at a time. The servers are processes of their own: cpu-ns/row is what the client costs.
// The server called canned counts lines and understands nothing, so that its ratios show what a load costs, and not how
// fast it is; the fake parses and stores each document.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	csv, ndjson := people(b, dir, *benchRows)
	bodies := recorded(b, csv)
	servers := map[string]string{"canned": serve(b, "canned"), "fake": serve(b, "fake"), "engine": *benchDSN}
	for _, name := range []string{"canned", "fake", "engine"} {
		if dsn := servers[name]; dsn != "" {
			b.Run(name+"/core", func(b *testing.B) { measure(b, dsn, func() { sendAll(b, dsn, bodies) }) })
			b.Run(name+"/csv", func(b *testing.B) { measure(b, dsn, func() { loadFile(b, dsn, csv) }) })
			b.Run(name+"/ndjson", func(b *testing.B) { measure(b, dsn, func() { loadFile(b, dsn, ndjson) }) })
		}
	}
}

// measure calls do with an empty table, again and again.
func measure(b *testing.B, dsn string, do func()) {
	b.ReportAllocs()
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		makeTable(b, dsn)
		before := cpuTime(b)
		b.StartTimer()
		do()
		cpu += cpuTime(b) - before
	}
	rows := float64(b.N * *benchRows)
	b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(cpu.Nanoseconds())/rows, "cpu-ns/row")
}

// cpuTime is what the process has used.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// makeTable makes the table anew.
func makeTable(b *testing.B, dsn string) {
	l, err := link.Open(dsn, nil)
	require.NoError(b, err)
	defer func() { require.NoError(b, l.Close()) }()
	_, err = l.Call(b.Context(), http.MethodDelete, "/rows?ignore_unavailable=true", nil)
	require.NoError(b, err)
	_, err = l.Call(b.Context(), http.MethodPut, "/rows", []byte(`{"mappings":{"properties":`+properties+`}}`))
	require.NoError(b, err)
}

// people writes the rows as CSV and as NDJSON.
func people(b *testing.B, dir string, rows int) (csv, ndjson string) {
	b.Helper()
	var c, n bytes.Buffer
	c.WriteString("id,name,city,age,price,joined,active\n")
	for i := range rows {
		fmt.Fprintf(&c, "%d,person number %d,Warszawa,%d,%d.5,2026-01-%02d,%t\n", i, i, i%90, i%1000, 1+i%28, i%2 == 0)
		fmt.Fprintf(&n, `{"id":%d,"name":"person number %d","city":"Warszawa","age":%d,"price":%d.5,"joined":"2026-01-%02d","active":%t}`+"\n",
			i, i, i%90, i%1000, 1+i%28, i%2 == 0)
	}
	csv, ndjson = filepath.Join(dir, "people.csv"), filepath.Join(dir, "people.ndjson")
	require.NoError(b, os.WriteFile(csv, c.Bytes(), 0o600))
	require.NoError(b, os.WriteFile(ndjson, n.Bytes(), 0o600))
	return csv, ndjson
}

// recorded returns the bodies of the bulk requests that a file is loaded with.
func recorded(b *testing.B, file string) [][]byte {
	b.Helper()
	var mu sync.Mutex // guards bodies
	var bodies [][]byte
	plain := newCanned()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == bulkPath {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			mu.Lock()
			bodies = append(bodies, body)
			mu.Unlock()
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		plain.ServeHTTP(w, r)
	}))
	defer server.Close()
	loadFile(b, server.URL, file)
	return bodies
}

func loadFile(b *testing.B, dsn, file string) {
	err := load.Run(b.Context(), load.Config{
		DSN: dsn, Files: []string{file}, Table: "rows", Screen: screen.New(io.Discard, false),
	})
	require.NoError(b, err)
}

// sendAll sends bodies as the core does.
func sendAll(b *testing.B, dsn string, bodies [][]byte) {
	config, err := esdriver.ParseDSN(dsn)
	require.NoError(b, err)
	cluster, err := esdriver.Open(config)
	require.NoError(b, err)
	defer func() { require.NoError(b, cluster.Close(context.Background())) }()
	queue := make(chan []byte)
	var senders sync.WaitGroup
	for range parallel {
		senders.Go(func() {
			for body := range queue {
				if err := sendOne(b.Context(), cluster, body); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for _, body := range bodies {
		queue <- body
	}
	close(queue)
	senders.Wait()
}

// taken begins the answer of a server that has taken every item.
const taken = `{"errors":false`

func sendOne(ctx context.Context, cluster *esdriver.Cluster, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, bulkPath+bulkQuery, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := cluster.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var begin [len(taken)]byte
	if _, err := io.ReadFull(resp.Body, begin[:]); err != nil {
		return err
	}
	if string(begin[:]) != taken {
		return fmt.Errorf("status %d: not every item was taken: %s", resp.StatusCode, begin)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

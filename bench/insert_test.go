package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/elastic/go-elasticsearch/v8"
	"github.com/elastic/go-elasticsearch/v8/esutil"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
)

const (
	insertRows  = 10_000
	insertBatch = 1000 // rows a statement
)

// BenchmarkInsert puts 10,000 rows of five columns into one index of the same fake cluster, by INSERT, and by
// go-elasticsearch's BulkIndexer that is fed with ready JSON.
func BenchmarkInsert(b *testing.B) {
	b.Run("esdriver/10000", func(b *testing.B) {
		fake := fakecluster.Run(b, fakecluster.Nodes(3))
		db, err := sql.Open("esdriver", fake.DSN()+"?refresh=false")
		require.NoError(b, err)
		defer db.Close()
		_, err = db.Exec("CREATE TABLE people (id BIGINT PRIMARY KEY, name VARCHAR(80), city VARCHAR(80), age INT, active BOOLEAN)")
		require.NoError(b, err)
		text := "INSERT INTO people (id, name, city, age, active) VALUES (?,?,?,?,?)" + strings.Repeat(",(?,?,?,?,?)", insertBatch-1)
		insert, err := db.Prepare(text)
		require.NoError(b, err)
		defer insert.Close()
		b.ReportAllocs()
		id := 0
		for b.Loop() {
			for range insertRows / insertBatch {
				args := make([]any, 0, 5*insertBatch)
				for range insertBatch {
					args = append(args, id, fmt.Sprintf("person number %d", id), "Warszawa", id%90, id%2 == 0)
					id++
				}
				_, err := insert.Exec(args...)
				require.NoError(b, err)
			}
		}
		b.ReportMetric(float64(b.N*insertRows)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("BulkIndexer/10000", func(b *testing.B) {
		fake := fakecluster.Run(b, fakecluster.Nodes(3))
		es, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: fake.URLs()})
		require.NoError(b, err)
		b.ReportAllocs()
		id := 0
		for b.Loop() {
			indexer, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{Client: es, Index: "people"})
			require.NoError(b, err)
			for range insertRows {
				body := fmt.Appendf(nil, `{"id":%d,"name":"person number %d","city":"Warszawa","age":%d,"active":%t}`, id, id, id%90, id%2 == 0)
				err := indexer.Add(context.Background(), esutil.BulkIndexerItem{
					Action: "create", DocumentID: fmt.Sprint(id), Body: bytes.NewReader(body),
				})
				require.NoError(b, err)
				id++
			}
			require.NoError(b, indexer.Close(context.Background()))
			require.Zero(b, indexer.Stats().NumFailed)
		}
		b.ReportMetric(float64(b.N*insertRows)/b.Elapsed().Seconds(), "rows/s")
	})
}

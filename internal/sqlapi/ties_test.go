package sqlapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// shards is OpenSearch 2.19.6 with the recorded table rows: 2,500 documents in three shards, id from 1, n = id % 7. A
// cursor goes on after the sort keys of the last row, whatever other rows have the same ones; without ORDER BY the key is
// the document's place in its shard.
type shards struct {
	all    []shardRow
	mu     sync.Mutex            // guards sorted
	sorted map[string][]shardRow // by statement
}

type shardRow struct{ id, n, shard, doc int }

func newShards() *shards {
	s := &shards{all: make([]shardRow, 2500), sorted: map[string][]shardRow{}}
	var docs [3]int
	for i := range s.all {
		shard := (i * 2654435761 >> 7) % 3 // spread as by a hash
		s.all[i] = shardRow{id: i + 1, n: (i + 1) % 7, shard: shard, doc: docs[shard]}
		docs[shard]++
	}
	return s
}

// key is a row's value of a sort key.
func (r shardRow) key(name string) int {
	switch name {
	case "n":
		return r.n
	case "_doc":
		return r.doc
	}
	return r.id
}

func compareBy(keys []string, a, b shardRow) int {
	for _, k := range keys {
		if c := cmp.Compare(a.key(k), b.key(k)); c != 0 {
			return c
		}
	}
	return 0
}

// sortKeys are those of the statement.
func sortKeys(text string) []string {
	_, order, found := strings.Cut(text, " ORDER BY ")
	if !found {
		return []string{"_doc"}
	}
	return strings.Split(order, ", ")
}

// page is the rows after the last one that was given, 0 at the beginning.
func (s *shards) page(text string, fetch, last int) []shardRow {
	keys := sortKeys(text)
	rows := s.rows(text, keys)
	if last > 0 {
		rows = rows[sort.Search(len(rows), func(i int) bool { return compareBy(keys, rows[i], s.all[last-1]) > 0 }):]
	}
	return rows[:min(fetch, len(rows))]
}

// rows are all rows in the statement's order; rows with the same keys come shard by shard.
func (s *shards) rows(text string, keys []string) []shardRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sorted[text] == nil {
		s.sorted[text] = slices.SortedFunc(slices.Values(s.all), func(a, b shardRow) int {
			return cmp.Or(compareBy(keys, a, b), cmp.Compare(a.shard, b.shard), cmp.Compare(a.doc, b.doc))
		})
	}
	return s.sorted[text]
}

func (s *shards) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/" {
		return reply(req, 200, `{"version":{"distribution":"opensearch","number":"2.19.6"}}`)
	}
	var sent sentJSON
	if err := json.NewDecoder(req.Body).Decode(&sent); err != nil && err != io.EOF {
		return nil, err
	}
	text, fetch, last := "", sent.FetchSize, 0
	if sent.Cursor != nil {
		parts := strings.Split(*sent.Cursor, "/")
		text = parts[0]
		fetch, _ = strconv.Atoi(parts[1])
		last, _ = strconv.Atoi(parts[2])
	} else {
		text = *sent.Query
	}
	return reply(req, 200, s.answer(text, fetch, s.page(text, fetch, last)))
}

func (s *shards) answer(text string, fetch int, rows []shardRow) string {
	cells := make([][2]int, len(rows))
	for i, r := range rows {
		cells[i] = [2]int{r.id, r.n}
	}
	raw, _ := json.Marshal(cells)
	cursor := ""
	if len(rows) == fetch {
		cursor = fmt.Sprintf(`,"cursor":"%s/%d/%d"`, text, fetch, rows[fetch-1].id)
	}
	return fmt.Sprintf(`{"schema":[{"name":"id","type":"long"},{"name":"n","type":"integer"}],"datarows":%s,"total":%d,"size":%d,"status":200%s}`,
		raw, len(rows), len(rows), cursor)
}

// TestServerOfSeveralShardsLosesWhatTheRecordedOneLost shows that the server above is worth testing with: read as it was
// recorded, it loses as many rows.
func TestServerOfSeveralShardsLosesWhatTheRecordedOneLost(t *testing.T) {
	server := newShards()
	for _, c := range []struct {
		text     string
		fetch    int
		recorded int
		within   float64 // the recorded shards were not of the same sizes
	}{
		{"SELECT id, n FROM rows", 7, 1962, 30}, {"SELECT id, n FROM rows", 100, 2454, 30}, {"SELECT id, n FROM rows", 1000, 2496, 4},
		{"SELECT id, n FROM rows ORDER BY n", 7, 49, 0}, {"SELECT id, n FROM rows ORDER BY n", 100, 700, 0}, {"SELECT id, n FROM rows ORDER BY n", 1000, 2357, 0},
		{"SELECT id, n FROM rows ORDER BY n, _id", 7, 2500, 0},
	} {
		read, last := 0, 0
		for {
			rows := server.page(c.text, c.fetch, last)
			if read += len(rows); len(rows) < c.fetch {
				break
			}
			last = rows[c.fetch-1].id
		}
		assert.InDelta(t, c.recorded, read, c.within, "%s at %d", c.text, c.fetch)
	}
}

func TestEveryRowOfSeveralShardsComesOnceInOrderAtEveryPageSize(t *testing.T) {
	sizes := []int{2, 7, 11, 100, 833, 1000, 1250, 2499, 2500, 2501}
	server := newShards()
	for _, text := range []string{"SELECT id, n FROM rows", "SELECT id, n FROM rows ORDER BY n", "SELECT id, n FROM rows ORDER BY n, id"} {
		for _, fetch := range sizes {
			client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch, Options: sqlapi.Options{FetchSize: fetch}})
			_, rows, err := readAll(context.Background(), client, text, nil)
			require.NoError(t, err)
			seen := make(map[any]bool, len(rows))
			for i, row := range rows {
				require.False(t, seen[row[0]], "row %v comes twice", row)
				seen[row[0]] = true
				if i > 0 && strings.Contains(text, "ORDER BY n") {
					require.LessOrEqual(t, rows[i-1][1], row[1], "%s at %d", text, fetch)
				}
			}
			require.Len(t, rows, 2500, "%s at %d", text, fetch)
		}
	}
}

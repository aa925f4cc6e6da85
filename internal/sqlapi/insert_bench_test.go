package sqlapi_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// bulkServer answers every bulk request as a server that creates all its documents, and keeps the size of the largest.
type bulkServer struct {
	mu      sync.Mutex // guards what follows
	answers map[int]string
	largest int
	rows    int
}

func (s *bulkServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/_mapping") {
		return reply(r, 200, `{"rows":{"mappings":`+benchMapping+`}}`)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	items := bytes.Count(body, []byte("\n")) / 2
	s.rows += items
	s.largest = max(s.largest, len(body))
	if s.answers[items] == "" {
		s.answers[items] = `{"errors":false,"items":[` + strings.TrimSuffix(strings.Repeat(`{"create":{"result":"created","status":201}},`, items), ",") + `]}`
	}
	return reply(r, 200, s.answers[items])
}

const benchMapping = `{"_meta":{"sql":{"pk":"id","columns":[{"name":"id","type":"BIGINT"}]}},"properties":{
	"id":{"type":"long"},"name":{"type":"keyword"},"age":{"type":"integer"},"score":{"type":"double"},"active":{"type":"boolean"}}}`

// insertOf is an INSERT of so many rows of five columns, and its arguments.
func insertOf(rows int) (text string, args []driver.NamedValue) {
	text = "INSERT INTO rows (id, name, age, score, active) VALUES " + strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?, ?),", rows), ",")
	for i := range rows {
		for _, v := range []any{int64(i), fmt.Sprint("the name of row ", i), int64(i % 100), float64(i) / 8, i%2 == 0} {
			args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: v})
		}
	}
	return text, args
}

func BenchmarkInsert(b *testing.B) {
	for _, size := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("prepared/%d", size), func(b *testing.B) {
			server := &bulkServer{answers: map[int]string{}}
			client := newClient(b, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
			text, args := insertOf(size)
			stmt, err := client.Conn().PrepareContext(context.Background(), text)
			require.NoError(b, err)
			insert := stmt.(driver.StmtExecContext)
			b.ReportAllocs()
			for b.Loop() {
				_, err := insert.ExecContext(context.Background(), args)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(server.rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

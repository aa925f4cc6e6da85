package sqlapi_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// sessions makes the sessions of a client for database/sql.
type sessions struct{ client *sqlapi.Client }

func (s sessions) Connect(context.Context) (driver.Conn, error) { return s.client.Conn(), nil }
func (s sessions) Driver() driver.Driver                        { return nil }

// BenchmarkPointSelect is what a SELECT of one row costs besides its request.
func BenchmarkPointSelect(b *testing.B) {
	const answer = `{"columns":[{"name":"id","type":"long"},{"name":"name","type":"keyword"}],"rows":[[1,"ann"]]}`
	header := http.Header{"X-Elastic-Product": {"Elasticsearch"}}
	doer := doerFunc(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: header, Request: r, Body: io.NopCloser(strings.NewReader(answer))}, nil
	})
	client := newClient(b, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})
	db := sql.OpenDB(sessions{client})
	defer db.Close()
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": context.Background(), "cancellable": cancellable} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var id int64
				var name string
				if err := db.QueryRowContext(ctx, "SELECT id, name FROM people WHERE id = ?", 1).Scan(&id, &name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

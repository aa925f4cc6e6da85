package sqlapi

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const benchRows = 1000

// benchPage is a page of Elasticsearch of five columns.
func benchPage() []byte {
	var b strings.Builder
	b.WriteString(`{"columns":[{"name":"id","type":"long"},{"name":"name","type":"keyword"},{"name":"price","type":"double"},` +
		`{"name":"active","type":"boolean"},{"name":"born","type":"datetime"}],"rows":[`)
	for i := range benchRows {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `[%d,"customer number %d",%d.25,%t,"2026-10-01T07:%02d:56.789Z"]`, 1000+i, i, i, i%2 == 0, i%60)
	}
	b.WriteString(`],"cursor":"16LBBERGTABijGJgzGBgYmRgYmIAgv9AwA9iAAETIyNXWmZqTkp8cX5RCVNmCgNrfE5icQkjAwMje2ZeSWp6ahFEJeM="}`)
	return []byte(b.String())
}

func decodePage(raw []byte, row []driver.Value) (int, error) {
	resp := &http.Response{Body: io.NopCloser(bytes.NewReader(raw)), Request: &http.Request{}}
	p, err := openPage(resp, &reading{columns: new(columnCache), zone: time.UTC, days: true}, nil, defaultReadAhead)
	if err != nil {
		return 0, err
	}
	defer p.free()
	n := 0
	for {
		ok, err := p.next(row)
		if err != nil || !ok {
			return n, err
		}
		n++
	}
}

func BenchmarkDecode(b *testing.B) {
	raw := benchPage()
	b.Run("Rows/5 columns/1000", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		row := make([]driver.Value, 5)
		for b.Loop() {
			if n, err := decodePage(raw, row); err != nil || n != benchRows {
				b.Fatal(n, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
	})
	b.Run("EncodingJSON whole page/5 columns/1000", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			var page struct {
				Columns []struct{ Name, Type string }
				Rows    [][]any
				Cursor  string
			}
			if err := json.Unmarshal(raw, &page); err != nil || len(page.Rows) != benchRows {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
	})
	b.Run("EncodingJSON by token/5 columns/1000", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.UseNumber()
			for {
				if _, err := dec.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
	})
}

func TestRowOfFiveColumnsIsDecodedWithAtMostTenAllocations(t *testing.T) {
	raw, row := benchPage(), make([]driver.Value, 5)
	allocs := testing.AllocsPerRun(20, func() {
		n, err := decodePage(raw, row)
		require.NoError(t, err)
		require.Equal(t, benchRows, n)
	})
	require.LessOrEqual(t, allocs/benchRows, 10.0)
}

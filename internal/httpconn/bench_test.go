package httpconn_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

var answer300 = fmt.Sprintf("HTTP/1.1 200 OK\r\nX-elastic-product: Elasticsearch\r\ncontent-type: application/json\r\n"+
	"content-length: 300\r\n\r\n%s", strings.Repeat("x", 300))

// nothing is an owner that wants to know nothing.
type nothing struct{}

func (nothing) BodyDone(bool, error) {}

// TestSmallGetAllocates counts a GET in total: making the request, sending it, reading the answer.
func TestSmallGetAllocates(t *testing.T) {
	c, base := cannedConn(t, &canned{answer: []byte(answer300), loop: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	buf := make([]byte, 1024)
	allocs := testing.AllocsPerRun(200, func() {
		req, err := http.NewRequestWithContext(ctx, "GET", "http://canned:9200/idx/_doc/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.RoundTrip(req, httpconn.Options{HeaderTimeout: patience, StallTimeout: patience, Owner: nothing{}})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
	})
	t.Log(allocs, "allocations")
	assert.LessOrEqual(t, allocs, 12.0)
	_ = base
}

// TestLookingAllocates bounds what a look at an idle connection costs.
func TestLookingAllocates(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	exchange(t, c, get(t, base))
	allocs := testing.AllocsPerRun(200, func() { c.Usable(patience) })
	t.Log(allocs, "allocations")
	assert.LessOrEqual(t, allocs, 1.0)
}

// canServer reads requests by their Content-Length without parsing more, and answers fixed bytes.
func canServer(b testing.TB, answer []byte) *url.URL {
	return serve(b, func(nc net.Conn, br *bufio.Reader) {
		for {
			n := int64(0)
			for {
				line, err := br.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(line) == 2 {
					break
				}
				if rest, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
					for _, d := range rest[:len(rest)-2] {
						n = n*10 + int64(d-'0')
					}
				}
			}
			if _, err := io.CopyN(io.Discard, br, n); err != nil {
				return
			}
			if _, err := nc.Write(answer); err != nil {
				return
			}
		}
	})
}

func sized(n int) []byte {
	return append(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", n), make([]byte, n)...)
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, bc := range []struct {
		name   string
		answer []byte
		body   []byte
	}{
		{"get/300B", []byte(answer300), nil},
		{"bulk/1MB", sized(300), make([]byte, 1<<20)},
		{"answer/1MB", sized(1 << 20), nil},
	} {
		b.Run(bc.name, func(b *testing.B) {
			base := canServer(b, bc.answer)
			b.Run("httpconn", func(b *testing.B) {
				c := dial(b, base, httpconn.Config{})
				measure(b, base, bc.body, func(req *http.Request) (*http.Response, error) {
					return c.RoundTrip(req, httpconn.Options{HeaderTimeout: patience, StallTimeout: patience, Owner: nothing{}})
				})
			})
			b.Run("transport", func(b *testing.B) {
				tr := &http.Transport{}
				defer tr.CloseIdleConnections()
				measure(b, base, bc.body, tr.RoundTrip)
			})
		})
	}
}

func measure(b *testing.B, base *url.URL, payload []byte, roundTrip func(*http.Request) (*http.Response, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	target := base.String() + "/idx/_doc/1"
	buf := make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		method, body := "GET", io.Reader(nil)
		if payload != nil {
			method, body = "POST", bytes.NewReader(payload)
		}
		req, err := http.NewRequestWithContext(ctx, method, target, body)
		require.NoError(b, err)
		resp, err := roundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
		resp.Body.Close()
	}
}

func BenchmarkUsable(b *testing.B) {
	base := serve(b, answers(okAnswer))
	c := dial(b, base, httpconn.Config{})
	b.ReportAllocs()
	for b.Loop() {
		if !c.Usable(patience) {
			b.Fatal("not usable")
		}
	}
}

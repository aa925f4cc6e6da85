package httpconn_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// start does one round trip up to the header.
func start(t testing.TB, c *httpconn.Conn, req *http.Request) (*http.Response, *owner) {
	t.Helper()
	o := newOwner(t)
	resp, err := c.RoundTrip(req, httpconn.Options{Owner: o, HeaderTimeout: patience})
	require.NoError(t, err)
	return resp, o
}

func TestBodyClosedEarly(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for _, tc := range []struct {
		name, answer string
		reusable     bool
	}{
		{"little left", "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n" + long[:20_000], true},
		{"little left, chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n4\r\nabcd\r\n0\r\n\r\n", true},
		{"much left", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(long), long), false},
		{"much left, chunked", fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(long), long), false},
		{"rest does not come", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhello", false},
		{"end of chunks does not come", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := serve(t, answers(tc.answer, okAnswer))
			c := dial(t, base, httpconn.Config{})
			resp, o := start(t, c, get(t, base))
			_, err := io.ReadFull(resp.Body, make([]byte, 2))
			require.NoError(t, err)
			o.notCalled()
			took := within(t, func() { assert.NoError(t, resp.Body.Close()) })
			assert.Less(t, took, time.Second)
			assert.Equal(t, done{reusable: tc.reusable}, o.called())
			assert.NoError(t, resp.Body.Close())
			_, err = resp.Body.Read(make([]byte, 1))
			assert.Equal(t, httpconn.ErrBodyClosed, err)
			if tc.reusable {
				_, body, _ := exchange(t, c, get(t, base))
				assert.Equal(t, "ok", body)
			}
		})
	}
}

func TestOwnerIsToldWithTheLastByte(t *testing.T) {
	base := serve(t, answers(okAnswer))
	resp, o := start(t, dial(t, base, httpconn.Config{}), get(t, base))
	n, err := resp.Body.Read(make([]byte, 100))
	assert.Equal(t, 2, n)
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, done{reusable: true}, o.called())
}

func TestTruncatedBodyIsAnError(t *testing.T) {
	for name, answer := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"gzip":    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n" + zipped("hello")[:20],
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, func(nc net.Conn, br *bufio.Reader) {
				readRequest(br)
				io.WriteString(nc, answer)
			})
			resp, o := start(t, dial(t, base, httpconn.Config{}), get(t, base))
			_, err := io.ReadAll(resp.Body)
			e := asError(t, err)
			assert.Equal(t, httpconn.OpBody, e.Op)
			assert.ErrorIs(t, e, io.ErrUnexpectedEOF)
			assert.True(t, e.Wrote)
			assert.Equal(t, done{false, err}, o.called())
			assert.NoError(t, resp.Body.Close())
		})
	}
}

func TestCloseInterruptsARead(t *testing.T) {
	base := serve(t, halfBody)
	c := dial(t, base, httpconn.Config{})
	resp, o := start(t, c, get(t, base))
	var wg sync.WaitGroup
	reading := make(chan struct{})
	wg.Go(func() {
		io.ReadFull(resp.Body, make([]byte, 5))
		close(reading)
		_, err := resp.Body.Read(make([]byte, 5))
		assert.Equal(t, httpconn.ErrBodyClosed, err)
	})
	<-reading
	within(t, func() {
		assert.NoError(t, resp.Body.Close())
		wg.Wait()
	})
	assert.Equal(t, done{reusable: false}, o.called())
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func TestCompressedAnswerIsUndone(t *testing.T) {
	text := strings.Repeat("document ", 10_000)
	z := zipped(text)
	for name, answer := range map[string]string{
		"length":  fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nContent-Length: %d\r\n\r\n%s", len(z), z),
		"chunked": fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(z), z),
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, answers(answer))
			c := dial(t, base, httpconn.Config{})
			for range 3 {
				resp, body, reusable := exchange(t, c, get(t, base))
				require.True(t, body == text)
				assert.True(t, resp.Uncompressed)
				assert.EqualValues(t, -1, resp.ContentLength)
				assert.NotContains(t, resp.Header, "Content-Encoding")
				assert.NotContains(t, resp.Header, "Content-Length")
				assert.True(t, reusable)
			}
			resp, o := start(t, c, get(t, base)) // the rest is drained as it came
			io.ReadFull(resp.Body, make([]byte, 10))
			resp.Body.Close()
			assert.True(t, o.called().reusable)
		})
	}
}

func TestCompressionThatTheCallerChoseIsTheCallers(t *testing.T) {
	z := zipped("document")
	for _, tc := range []struct{ name, value, sent string }{
		{"Accept-Encoding", "gzip", "gzip"},
		{"Accept-Encoding", "identity", "identity"},
		{"Range", "bytes=0-9", ""},
	} {
		seen := make(chan string, 1)
		base := serve(t, func(nc net.Conn, br *bufio.Reader) {
			req, _, _ := readRequest(br)
			seen <- req.Header.Get("Accept-Encoding")
			fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(z), z)
		})
		req := get(t, base)
		req.Header.Set(tc.name, tc.value)
		resp, body, _ := exchange(t, dial(t, base, httpconn.Config{}), req)
		assert.Equal(t, tc.sent, <-seen)
		assert.Equal(t, z, body)
		assert.False(t, resp.Uncompressed)
		assert.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	}
}

func TestBrokenCompressionIsABodyError(t *testing.T) {
	base := serve(t, answers("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain", okAnswer))
	resp, o := start(t, dial(t, base, httpconn.Config{}), get(t, base))
	_, err := io.ReadAll(resp.Body)
	e := asError(t, err)
	assert.Equal(t, httpconn.OpBody, e.Op)
	assert.Equal(t, done{false, err}, o.called())
}

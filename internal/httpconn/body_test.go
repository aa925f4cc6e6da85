package httpconn_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
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

// unzipEcho answers what the request's header said, and the body after undoing its compression.
func unzipEcho(nc net.Conn, br *bufio.Reader) {
	for {
		req, body, ok := readRequest(br)
		if !ok {
			return
		}
		if req.Header.Get("Content-Encoding") == "gzip" {
			zr, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				return
			}
			plain, err := io.ReadAll(zr)
			if err != nil {
				return
			}
			body = string(plain)
		}
		text := fmt.Sprintf("%q %v %s", req.Header["Content-Encoding"], req.ContentLength == -1, body)
		fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	}
}

func TestCompressSendsLargerBodiesWithGzip(t *testing.T) {
	base := serve(t, unzipEcho)
	c := dial(t, base, httpconn.Config{Compress: true})
	for _, tc := range []struct {
		size     int
		opaque   bool
		encoding string
		want     string
	}{
		{1024, false, "", `[] false `},
		{1025, false, "", `["gzip"] false `},
		{1025, false, "identity", `["identity"] false `},
		{300_000, false, "", `["gzip"] false `},
		{300_000, true, "", `["gzip"] false `},
	} {
		text := strings.Repeat("z", tc.size)
		var body io.Reader = bytes.NewReader([]byte(text))
		if tc.opaque {
			body = opaque{body}
		}
		req := newRequest(t, context.Background(), "POST", base, "/_bulk", body)
		req.ContentLength = int64(tc.size)
		if tc.encoding != "" {
			req.Header.Set("Content-Encoding", tc.encoding)
		}
		_, got, reusable := exchange(t, c, req)
		require.True(t, got == tc.want+text, "%d %.60q", tc.size, got)
		assert.True(t, reusable)
	}
	req := newRequest(t, context.Background(), "POST", base, "/", opaque{strings.NewReader(strings.Repeat("z", 5000))})
	_, got, _ := exchange(t, c, req)
	assert.Equal(t, "[] true ", got[:8], "a body of unknown length goes as it is")
	noUploads(t)
}

func TestCompressedBodyOfTheWrongLengthIsRefusedUnsent(t *testing.T) {
	for _, length := range []int64{4999, 5001} {
		base := serve(t, unzipEcho)
		req := newRequest(t, context.Background(), "POST", base, "/", opaque{strings.NewReader(strings.Repeat("z", 5000))})
		req.ContentLength = length
		e := failed(t, dial(t, base, httpconn.Config{Compress: true}), req, httpconn.Options{})
		assert.False(t, e.Wrote)
		noUploads(t)
	}
}

// TestCompressedBytesAreNeverForeign cuts compressed uploads short while others go on, and looks whether a byte of
// one body leaves on the connection of another.
func TestCompressedBytesAreNeverForeign(t *testing.T) {
	bodies := map[string][]byte{"a": make([]byte, 6<<20), "b": make([]byte, 6<<20), "c": make([]byte, 6<<20)}
	for _, body := range bodies {
		rand.Read(body) // does not shrink, so the sockets' buffers do not hold it
	}
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if req.URL.Path == "/cut" {
			io.WriteString(nc, tooMuch)
		}
		zr, err := gzip.NewReader(req.Body)
		if err != nil {
			return
		}
		plain, err := io.ReadAll(zr)
		want := bodies[req.URL.RawQuery]
		if !bytes.HasPrefix(want, plain) || req.URL.Path == "/whole" && err != nil {
			t.Errorf("foreign bytes in %s: %v", req.URL, err)
		}
		if req.URL.Path == "/whole" {
			io.WriteString(nc, okAnswer)
		}
	})
	var wg sync.WaitGroup
	for name, body := range bodies {
		wg.Go(func() {
			for _, path := range []string{"/cut", "/whole", "/cut", "/cut"} {
				req := newRequest(t, context.Background(), "POST", base, path+"?"+name, bytes.NewReader(body))
				c := dial(t, base, httpconn.Config{Compress: true})
				resp, _, _ := exchange(t, c, req)
				assert.Equal(t, path == "/cut", resp.StatusCode == 429)
				c.Close()
			}
		})
	}
	wg.Wait()
	noUploads(t)
}

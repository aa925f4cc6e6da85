package httpconn_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// canned is a connection that answers with fixed bytes, over and over when loop is set, and takes everything.
type canned struct {
	answer []byte
	left   []byte
	loop   bool
}

func (c *canned) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}

func (c *canned) Write(p []byte) (int, error) {
	if c.loop {
		c.left = c.answer
	}
	return len(p), nil
}

func (c *canned) Close() error                     { return nil }
func (c *canned) LocalAddr() net.Addr              { return nil }
func (c *canned) RemoteAddr() net.Addr             { return nil }
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }

func cannedConn(t testing.TB, nc *canned) (*httpconn.Conn, *url.URL) {
	base := &url.URL{Scheme: "http", Host: "canned:9200"}
	return dial(t, base, httpconn.Config{
		Proxy:       fixed(nil),
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nc, nil },
	}), base
}

// reference reads what net/http alone makes of an answer to a GET. ok is false when it refuses it or when we do
// on purpose.
func reference(answer []byte, req *http.Request) (status int, body []byte, whole, ok bool) {
	br := bufio.NewReader(bytes.NewReader(answer))
	for range 6 {
		resp, err := http.ReadResponse(br, req)
		if err != nil || resp.StatusCode < 100 || resp.StatusCode == 101 {
			return 0, nil, false, false
		}
		if resp.StatusCode >= 200 {
			body, err := io.ReadAll(resp.Body)
			return resp.StatusCode, body, err == nil, true
		}
	}
	return 0, nil, false, false
}

// FuzzResponse feeds arbitrary bytes as an answer: no panic, no hang, the status and body that net/http finds,
// and one call of the owner.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		okAnswer, tooMuch, "", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nabc",
		"HTTP/1.1 100 Continue\r\n\r\n" + okAnswer, "HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n2\r\nab\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + zipped("abc"),
		"HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 1\n\na", "\x15\x03\x01\x00\x02\x02\x50", "HTTP/1.1 099 x\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		c, base := cannedConn(t, &canned{left: answer})
		req := newRequest(t, context.Background(), "GET", base, "/", nil)
		req.Header.Set("Accept-Encoding", "identity")
		status, want, whole, ok := reference(answer, req)
		o := newOwner(t)
		resp, err := c.RoundTrip(req, httpconn.Options{Owner: o})
		if err != nil {
			asError(t, err)
			o.notCalled()
			require.False(t, ok, "net/http takes it: %v", err)
			return
		}
		require.True(t, ok, "net/http refuses it")
		assert.Equal(t, status, resp.StatusCode)
		body, err := io.ReadAll(resp.Body)
		assert.Equal(t, want, body)
		assert.Equal(t, whole, err == nil)
		d := o.called()
		assert.Equal(t, err, d.err)
		if d.reusable {
			assert.True(t, resp.ProtoAtLeast(1, 1) && !resp.Close && c.Usable(time.Second))
		}
		require.NoError(t, resp.Body.Close())
	})
}

// FuzzCompressedResponse feeds arbitrary bytes as a compressed body.
func FuzzCompressedResponse(f *testing.F) {
	f.Add([]byte(zipped("document")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		answer := append([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), body...)
		c, base := cannedConn(t, &canned{left: answer})
		o := newOwner(t)
		resp, err := c.RoundTrip(get(t, base), httpconn.Options{Owner: o})
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		require.NoError(t, resp.Body.Close())
		if err != nil {
			asError(t, err)
		}
		o.called()
	})
}

package httpconn_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

func TestConnectionCarriesOneRequestAfterTheOther(t *testing.T) {
	base := serve(t, answers(okAnswer, "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nnever"))
	c := dial(t, base, httpconn.Config{})
	resp, body, reusable := exchange(t, c, get(t, base))
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, "ok", body)
	assert.True(t, reusable)
	assert.True(t, c.Usable(time.Second))
	resp, body, reusable = exchange(t, c, get(t, base))
	assert.Equal(t, 404, resp.StatusCode)
	assert.Equal(t, "never", body)
	assert.True(t, reusable)
	assert.Equal(t, base.Host, c.RemoteAddr().String())
}

func TestRequestIsSentAsGivenAndLeftUnchanged(t *testing.T) {
	seen := make(chan *http.Request, 1)
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		req, _, _ := readRequest(br)
		seen <- req
		io.WriteString(nc, okAnswer)
	})
	c := dial(t, base, httpconn.Config{})
	req := newRequest(t, context.Background(), "PUT", base, "/idx/_doc/a%2Fb%20c?routing=x%2By", strings.NewReader("{}"))
	req.Host = "node.example:9200"
	req.Header.Set("X-Opaque-Id", "7")
	before := req.Header.Clone()
	exchange(t, c, req)
	got := <-seen
	assert.Equal(t, "/idx/_doc/a%2Fb%20c?routing=x%2By", got.RequestURI)
	assert.Equal(t, "node.example:9200", got.Host)
	assert.Equal(t, "7", got.Header.Get("X-Opaque-Id"))
	assert.Equal(t, "esdriver", got.Header.Get("User-Agent"))
	assert.Equal(t, "gzip", got.Header.Get("Accept-Encoding"))
	assert.EqualValues(t, 2, got.ContentLength)
	assert.Equal(t, before, req.Header)
}

func TestUserAgentOfTheCallerStands(t *testing.T) {
	seen := make(chan http.Header, 2)
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		for {
			req, _, ok := readRequest(br)
			if !ok {
				return
			}
			seen <- req.Header
			io.WriteString(nc, okAnswer)
		}
	})
	c := dial(t, base, httpconn.Config{})
	req := get(t, base)
	req.Header.Set("User-Agent", "mine/1")
	exchange(t, c, req)
	assert.Equal(t, "mine/1", (<-seen).Get("User-Agent"))
	req.Header["User-Agent"] = nil
	exchange(t, c, req)
	assert.NotContains(t, <-seen, "User-Agent")
}

func TestAnswersWithoutBodyAreDoneBeforeRoundTripReturns(t *testing.T) {
	for _, tc := range []struct{ name, method, answer string }{
		{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4711\r\n\r\n"},
		{"HEAD chunked", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"204", "GET", "HTTP/1.1 204 No Content\r\n\r\n"},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"},
		{"length 0", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := serve(t, answers(tc.answer))
			c := dial(t, base, httpconn.Config{})
			for range 2 {
				o := newOwner(t)
				req := newRequest(t, context.Background(), tc.method, base, "/", nil)
				resp, err := c.RoundTrip(req, httpconn.Options{Owner: o, HeaderTimeout: patience})
				require.NoError(t, err)
				assert.Equal(t, done{reusable: true}, o.called())
				n, err := resp.Body.Read(make([]byte, 1))
				assert.Zero(t, n)
				assert.Equal(t, io.EOF, err)
				assert.NoError(t, resp.Body.Close())
			}
		})
	}
}

func TestAnswersThatEndTheConnection(t *testing.T) {
	for _, tc := range []struct{ name, answer, body string }{
		{"Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok"},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
		{"HTTP/1.0 keep-alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", "ok"},
		{"no length", "HTTP/1.1 200 OK\r\n\r\nto the end", "to the end"},
		{"bytes behind", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n", "ok"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := serve(t, func(nc net.Conn, br *bufio.Reader) {
				readRequest(br)
				io.WriteString(nc, tc.answer)
			})
			c := dial(t, base, httpconn.Config{})
			resp, body, reusable := exchange(t, c, get(t, base))
			assert.Equal(t, tc.body, body)
			assert.False(t, reusable)
			assert.False(t, c.Usable(0))
			if tc.name == "Connection: close" {
				assert.True(t, resp.Close)
			}
		})
	}
}

func TestRequestThatAsksForCloseEndsTheConnection(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	req := get(t, base)
	req.Close = true
	_, _, reusable := exchange(t, c, req)
	assert.False(t, reusable)
}

func TestChunkedAnswerBringsItsTrailers(t *testing.T) {
	base := serve(t, answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"+
		"3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n"))
	c := dial(t, base, httpconn.Config{})
	for range 2 {
		resp, body, reusable := exchange(t, c, get(t, base))
		assert.Equal(t, "abcde", body)
		assert.Equal(t, "5", resp.Trailer.Get("X-Sum"))
		assert.True(t, reusable)
	}
}

func TestInterimAnswersAreSkipped(t *testing.T) {
	base := serve(t, answers("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"+okAnswer))
	c := dial(t, base, httpconn.Config{})
	for range 2 {
		resp, body, reusable := exchange(t, c, get(t, base))
		assert.Equal(t, 200, resp.StatusCode)
		assert.Empty(t, resp.Header.Get("Link"))
		assert.Equal(t, "ok", body)
		assert.True(t, reusable)
	}
}

func TestAnswersThatBreakTheProtocolAreErrors(t *testing.T) {
	for name, answer := range map[string]string{
		"101":              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
		"interim for ever": strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 100) + okAnswer,
		"garbage":          "SSH-2.0-OpenSSH_9\r\n\r\n",
		"long garbage":     strings.Repeat("x", 10_000) + "\r\n\r\n",
		"status below 100": "HTTP/1.1 042 No\r\nContent-Length: 0\r\n\r\n",
		"bad header":       "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"bad length":       "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n",
		"TLS alert":        "\x15\x03\x01\x00\x02\x02\x50",
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, answers(answer))
			c := dial(t, base, httpconn.Config{})
			e := failed(t, c, get(t, base), httpconn.Options{})
			assert.Equal(t, httpconn.OpRead, e.Op)
			assert.ErrorIs(t, e, httpconn.ErrProtocol)
			assert.True(t, e.Wrote)
			assert.False(t, e.Stale)
			assert.False(t, e.Timeout())
			assert.Less(t, len(e.Error()), 500)
		})
	}
}

func TestHeaderHasALimit(t *testing.T) {
	base := serve(t, answers("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 100_000)+"\r\nContent-Length: 0\r\n\r\n"))
	e := failed(t, dial(t, base, httpconn.Config{MaxHeaderBytes: 50_000}), get(t, base), httpconn.Options{})
	assert.ErrorIs(t, e, httpconn.ErrHeaderTooLarge)
	_, _, reusable := exchange(t, dial(t, base, httpconn.Config{}), get(t, base))
	assert.True(t, reusable)
}

func TestEndWithoutAnswerIsAWrittenReadError(t *testing.T) {
	base := serve(t, func(nc net.Conn, br *bufio.Reader) { readRequest(br) })
	e := failed(t, dial(t, base, httpconn.Config{}), get(t, base), httpconn.Options{})
	assert.Equal(t, httpconn.OpRead, e.Op)
	assert.Equal(t, base.Host, e.Addr)
	assert.True(t, e.Wrote)
	assert.False(t, e.Stale, "a first request cannot be stale")
	assert.ErrorIs(t, e, io.EOF)
}

// closesAfterOne answers one request and closes; gone is closed when it has.
func closesAfterOne(t *testing.T) (base *url.URL, gone chan struct{}) {
	gone = make(chan struct{})
	return serve(t, func(nc net.Conn, br *bufio.Reader) {
		readRequest(br)
		io.WriteString(nc, okAnswer)
		nc.Close()
		close(gone)
	}), gone
}

func TestClosedIdleConnectionIsSeenBeforeUse(t *testing.T) {
	base, gone := closesAfterOne(t)
	c := dial(t, base, httpconn.Config{})
	exchange(t, c, get(t, base))
	<-gone
	assert.False(t, c.Usable(time.Second))
}

func TestUnexpectedBytesMakeAnIdleConnectionUnusable(t *testing.T) {
	next, sent := make(chan struct{}), make(chan struct{})
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		readRequest(br)
		io.WriteString(nc, okAnswer)
		<-next
		io.WriteString(nc, "HTTP/1.1 408 Request Timeout\r\n\r\n")
		close(sent)
		readRequest(br)
	})
	c := dial(t, base, httpconn.Config{})
	exchange(t, c, get(t, base))
	require.True(t, c.Usable(time.Second))
	close(next)
	<-sent
	assert.False(t, c.Usable(time.Second))
}

func TestFreshConnectionIsUsableAndLookingTakesNothing(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	for range 3 {
		require.True(t, c.Usable(time.Minute))
		exchange(t, c, get(t, base))
	}
}

func TestStaleConnectionIsReportedAsSuch(t *testing.T) {
	base, gone := closesAfterOne(t)
	c := dial(t, base, httpconn.Config{})
	exchange(t, c, get(t, base))
	<-gone
	e := failed(t, c, get(t, base), httpconn.Options{})
	assert.True(t, e.Stale)
	assert.True(t, e.Wrote, "the system takes the first bytes after the peer's close")
}

func TestRefusedWriteIsNotWritten(t *testing.T) {
	client, server := net.Pipe()
	d, err := httpconn.NewDialer(httpconn.Config{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return client, nil
	}})
	require.NoError(t, err)
	base := &url.URL{Scheme: "http", Host: "pipe:9200"}
	c, err := d.Dial(context.Background(), base)
	require.NoError(t, err)
	go func() { answers(okAnswer)(&oneRequest{Conn: server}, bufio.NewReader(server)) }()
	exchange(t, c, get(t, base))
	require.True(t, c.Usable(time.Second), "a pipe cannot be looked at")
	server.Close()
	e := failed(t, c, get(t, base), httpconn.Options{})
	assert.Equal(t, httpconn.OpWrite, e.Op)
	assert.False(t, e.Wrote)
	assert.True(t, e.Stale)
}

// oneRequest lets answers write once.
type oneRequest struct {
	net.Conn
	written bool
}

func (o *oneRequest) Write(p []byte) (int, error) {
	if o.written {
		return 0, errors.New("enough")
	}
	o.written = true
	n, err := o.Conn.Write(p)
	if err == nil {
		err = errors.New("enough")
	}
	return n, err
}

func TestPartlyTakenWriteIsWritten(t *testing.T) {
	client, server := net.Pipe()
	c := dial(t, &url.URL{Scheme: "http", Host: "pipe:9200"}, httpconn.Config{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return client, nil }})
	go func() {
		io.ReadFull(server, make([]byte, 3))
		server.Close()
	}()
	req := newRequest(t, context.Background(), "POST", &url.URL{Scheme: "http", Host: "pipe:9200"}, "/", strings.NewReader("x"))
	e := failed(t, c, req, httpconn.Options{})
	assert.Equal(t, httpconn.OpWrite, e.Op)
	assert.True(t, e.Wrote)
}

func TestRequestsOnOneConnectionNeverMix(t *testing.T) {
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		for {
			req, body, ok := readRequest(br)
			if !ok {
				return
			}
			text := req.RequestURI + " " + body
			if len(text)%2 == 0 {
				fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
			} else {
				fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(text), text)
			}
		}
	})
	c := dial(t, base, httpconn.Config{})
	for i := range 300 {
		payload := strings.Repeat(fmt.Sprint(i, ";"), i*i%4001)
		if i%50 == 49 {
			payload = strings.Repeat(payload, 20)
		}
		path := fmt.Sprintf("/%d", i)
		var body io.Reader = strings.NewReader(payload)
		if i%3 == 0 {
			body = struct{ io.Reader }{body} // of unknown length
		}
		resp, err := c.RoundTrip(newRequest(t, context.Background(), "POST", base, path, body), httpconn.Options{})
		require.NoError(t, err)
		want := path + " " + payload
		if i%7 == 6 && len(want) < 20_000 { // closed early: the rest must not be met by the next request
			first := make([]byte, 1)
			_, err = resp.Body.Read(first)
			require.True(t, err == nil || err == io.EOF)
		} else {
			got, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		}
		require.NoError(t, resp.Body.Close())
		require.True(t, c.Usable(time.Second), "request %d", i)
	}
	noUploads(t)
}

func TestInvalidRequestsAreRefusedUnsent(t *testing.T) {
	base := serve(t, answers(okAnswer))
	for name, spoil := range map[string]func(*http.Request){
		"method":      func(r *http.Request) { r.Method = "GET / HTTP/1.1\r\nX:" },
		"no URL":      func(r *http.Request) { r.URL = nil },
		"too long":    func(r *http.Request) { r.ContentLength = 2 },
		"too short":   func(r *http.Request) { r.ContentLength = 5 },
		"control URL": func(r *http.Request) { r.URL.RawQuery = "a\r\nb" },
	} {
		t.Run(name, func(t *testing.T) {
			body := &closeCounter{Reader: strings.NewReader("abc")}
			req := newRequest(t, context.Background(), "POST", base, "/", strings.NewReader("abc"))
			if name != "too long" && name != "too short" {
				req.Body = body
			}
			spoil(req)
			e := failed(t, dial(t, base, httpconn.Config{}), req, httpconn.Options{})
			assert.Equal(t, httpconn.OpWrite, e.Op)
			assert.False(t, e.Wrote)
			if req.Body == body {
				noUploads(t)
				assert.Equal(t, 1, body.count())
			}
		})
	}
}

func TestHeaderValuesCannotSmuggle(t *testing.T) {
	seen := make(chan http.Header, 1)
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		req, _, _ := readRequest(br)
		seen <- req.Header
		io.WriteString(nc, okAnswer)
	})
	req := get(t, base)
	req.Header.Set("X-Opaque-Id", "a\r\nX-Evil: 1")
	exchange(t, dial(t, base, httpconn.Config{}), req)
	assert.NotContains(t, <-seen, "X-Evil")
}

package httpconn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// patience bounds what a test waits for when it is about to fail.
const patience = 10 * time.Second

// serve runs a hand-written server on loopback: handle gets each connection on a goroutine of its own.
func serve(t testing.TB, handle func(nc net.Conn, br *bufio.Reader)) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	serveOn(t, l, handle)
	return &url.URL{Scheme: "http", Host: l.Addr().String()}
}

func serveOn(t testing.TB, l net.Listener, handle func(nc net.Conn, br *bufio.Reader)) {
	t.Helper()
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex // guards open
		open []net.Conn
	)
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, nc)
			mu.Unlock()
			wg.Go(func() {
				defer nc.Close()
				handle(nc, bufio.NewReader(nc))
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, nc := range open {
			nc.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
}

// readRequest reads one request with its body; ok is false at the end of the connection.
func readRequest(br *bufio.Reader) (req *http.Request, body string, ok bool) {
	req, err := http.ReadRequest(br)
	if err != nil {
		return nil, "", false
	}
	b, err := io.ReadAll(req.Body)
	return req, string(b), err == nil
}

// answers replies to each request with the next of the texts, the last one for ever.
func answers(texts ...string) func(net.Conn, *bufio.Reader) {
	return func(nc net.Conn, br *bufio.Reader) {
		for i := 0; ; i++ {
			if _, _, ok := readRequest(br); !ok {
				return
			}
			if _, err := io.WriteString(nc, texts[min(i, len(texts)-1)]); err != nil {
				return
			}
		}
	}
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func dial(t testing.TB, base *url.URL, cfg httpconn.Config) *httpconn.Conn {
	t.Helper()
	c, err := tryDial(t, base, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func tryDial(t testing.TB, base *url.URL, cfg httpconn.Config) (*httpconn.Conn, error) {
	t.Helper()
	d, err := httpconn.NewDialer(cfg)
	require.NoError(t, err)
	return d.Dial(context.Background(), base)
}

func newRequest(t testing.TB, ctx context.Context, method string, base *url.URL, path string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, base.String()+path, body)
	require.NoError(t, err)
	return req
}

func get(t testing.TB, base *url.URL) *http.Request {
	return newRequest(t, context.Background(), "GET", base, "/", nil)
}

// done is what an owner was told.
type done struct {
	reusable bool
	err      error
}

// owner remembers what it was told; a second call fails the test.
type owner struct {
	t     testing.TB
	calls chan done
}

func newOwner(t testing.TB) *owner { return &owner{t: t, calls: make(chan done, 1)} }

func (o *owner) BodyDone(reusable bool, err error) {
	select {
	case o.calls <- done{reusable, err}:
	default:
		o.t.Error("BodyDone called twice")
	}
}

// called returns what the owner was told, which must have happened.
func (o *owner) called() done {
	o.t.Helper()
	select {
	case d := <-o.calls:
		return d
	default:
		o.t.Fatal("BodyDone not called")
		return done{}
	}
}

func (o *owner) notCalled() {
	o.t.Helper()
	require.Empty(o.t, o.calls, "BodyDone called")
}

// exchange does one round trip and reads the answer to its end.
func exchange(t testing.TB, c *httpconn.Conn, req *http.Request) (resp *http.Response, body string, reusable bool) {
	t.Helper()
	o := newOwner(t)
	resp, err := c.RoundTrip(req, httpconn.Options{Owner: o, HeaderTimeout: patience})
	require.NoError(t, err)
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	d := o.called()
	require.NoError(t, d.err)
	return resp, string(b), d.reusable
}

// failed does one round trip that must fail, and returns its error.
func failed(t testing.TB, c *httpconn.Conn, req *http.Request, o httpconn.Options) *httpconn.Error {
	t.Helper()
	own := newOwner(t)
	o.Owner = own
	if o.HeaderTimeout == 0 {
		o.HeaderTimeout = patience
	}
	resp, err := c.RoundTrip(req, o)
	require.Nil(t, resp)
	own.notCalled()
	require.False(t, c.Usable(0), "a failed connection is usable")
	return asError(t, err)
}

func asError(t testing.TB, err error) *httpconn.Error {
	t.Helper()
	var e *httpconn.Error
	require.ErrorAs(t, err, &e)
	return e
}

// noUploads waits until no goroutine of ours writes any more.
func noUploads(t testing.TB) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
		if !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "httpconn.(*upload).run") {
			return
		}
	}
	t.Fatal("a goroutine still writes")
}

// within fails the test when f takes longer than patience.
func within(t testing.TB, f func()) time.Duration {
	t.Helper()
	start := time.Now()
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		t.Fatal("did not return")
	}
	return time.Since(start)
}

// closeCounter is a body that counts its closes.
type closeCounter struct {
	io.Reader
	mu     sync.Mutex
	closed int
}

func (c *closeCounter) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (c *closeCounter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

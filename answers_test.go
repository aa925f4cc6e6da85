package esdriver_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// rawNode is a node that says what a test wants, byte by byte, to all but GET /.
type rawNode struct {
	addr   string
	say    func(nc net.Conn, req *http.Request, br *bufio.Reader) (again bool)
	served atomic.Int64 // requests but for GET /
	conns  sync.WaitGroup
	ends   chan struct{}
}

const rootAnswer = `{"name":"raw","cluster_name":"raw","cluster_uuid":"UUID","version":{"number":"8.19.0"}}`

// raw starts a node. say is called for each request; what it returns tells whether the connection goes on.
func raw(t *testing.T, say func(nc net.Conn, req *http.Request, br *bufio.Reader) (again bool)) *rawNode {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	n := &rawNode{addr: listener.Addr().String(), say: say, ends: make(chan struct{})}
	n.conns.Go(func() {
		for {
			nc, err := listener.Accept()
			if err != nil {
				return
			}
			n.conns.Go(func() { n.serve(nc) })
		}
	})
	t.Cleanup(func() {
		close(n.ends)
		_ = listener.Close()
		n.conns.Wait()
	})
	return n
}

func (n *rawNode) serve(nc net.Conn) {
	stop := context.AfterFunc(endsWith(n.ends), func() { _ = nc.Close() })
	defer stop()
	defer nc.Close()
	br := bufio.NewReader(nc)
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if req.URL.Path == "/" {
			fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(rootAnswer), rootAnswer)
			continue
		}
		n.served.Add(1)
		if !n.say(nc, req, br) {
			return
		}
	}
}

// endsWith is a context that ends with the channel.
func endsWith(ends <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-ends
		cancel()
	}()
	return ctx
}

// says makes a node's answer of a text; the request's body is read first.
func says(text string) func(net.Conn, *http.Request, *bufio.Reader) bool {
	return func(nc net.Conn, req *http.Request, _ *bufio.Reader) bool {
		_, _ = io.Copy(io.Discard, req.Body)
		_, err := io.WriteString(nc, text)
		return err == nil
	}
}

// openRaw opens a cluster of raw nodes.
func openRaw(t *testing.T, params string, nodes ...*rawNode) *esdriver.Cluster {
	t.Helper()
	addrs := make([]string, len(nodes))
	for i, n := range nodes {
		addrs[i] = n.addr
	}
	return open(t, mustParse(t, "http://"+strings.Join(addrs, ",")+params))
}

// exchange sends a request and reads the answer whole.
func exchange(ctx context.Context, t *testing.T, rt http.RoundTripper, method, path string, body io.Reader) (*http.Response, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://any"+path, body)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(resp.Body)
	return resp, data, errors.Join(err, resp.Body.Close())
}

// idle asserts that no connection is in use, no attempt under way and nobody waits.
func idle(t *testing.T, c *esdriver.Cluster) {
	t.Helper()
	for _, n := range c.Stats().Nodes {
		assert.Zero(t, n.InFlight, n.Node.Addr)
		for class, s := range n.Pools {
			if class := pool.Class(class); class == pool.Reg || class == pool.Bulk {
				assert.Zero(t, s.InUse, "%s %s", n.Node.Addr, class)
				assert.Zero(t, s.Waiting, "%s %s", n.Node.Addr, class)
			}
		}
	}
}

func TestPostCutAtAnyByteOfItsAnswerIsSentOnce(t *testing.T) {
	leaktest.Check(t)
	const answer = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"result\":\"c\"}"
	for _, warm := range []int{0, 4} { // on a fresh connection, and on one that was used before
		for cut := range len(answer) {
			cutting := func(nc net.Conn, req *http.Request, br *bufio.Reader) bool {
				if req.URL.Path == "/warm" {
					return says(answer)(nc, req, br)
				}
				return says(answer[:cut])(nc, req, br) && false
			}
			nodes := []*rawNode{raw(t, cutting), raw(t, cutting)}
			c := openRaw(t, "?balancer=roundrobin&sampler.interval=0", nodes...)
			for range warm {
				_, _, err := exchange(t.Context(), t, c, http.MethodPost, "/warm", strings.NewReader("{}"))
				require.NoError(t, err)
			}
			_, _, err := exchange(t.Context(), t, c, http.MethodPost, "/i/_doc", strings.NewReader("{}"))
			require.Error(t, err, "cut at %d", cut)
			assert.False(t, esdriver.SafeToRetry(err), "cut at %d: %v", cut, err)
			if cut < strings.Index(answer, "{") {
				require.ErrorIs(t, err, esdriver.ErrMaybeExecuted, "cut at %d", cut)
			}
			assert.EqualValues(t, warm+1, nodes[0].served.Load()+nodes[1].served.Load(), "cut at %d", cut)
			idle(t, c)
		}
	}
}

func TestAnswerThatBreaksTheRulesIsAnErrorThatNamesTheNode(t *testing.T) {
	leaktest.Check(t)
	zipped := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
		return b.String()
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, answer := range map[string]string{
		"nothing at all":             "",
		"no status":                  "HTTP/1.1\r\n\r\n",
		"status of letters":          "HTTP/1.1 abc OK\r\n\r\n",
		"status of four digits":      "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
		"status 099":                 "HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n",
		"HTTP/2 preface":             "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"interim answers for ever":   strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 1000),
		"continue for ever":          strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1000),
		"upgrade":                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"two lengths":                head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
		"negative length":            head + "Content-Length: -2\r\n\r\n{}",
		"length of letters":          head + "Content-Length: two\r\n\r\n{}",
		"length of twenty digits":    head + "Content-Length: 99999999999999999999\r\n\r\n{}",
		"length with a sign":         head + "Content-Length: +2\r\n\r\n{}",
		"unknown transfer coding":    head + "Transfer-Encoding: zip\r\n\r\n{}",
		"header without a colon":     head + "Content-Length\r\n\r\n{}",
		"header with a NUL":          head + "X-A: \x00\r\nContent-Length: 2\r\n\r\n{}",
		"header of 2 MB":             head + "X-A: " + strings.Repeat("a", 2<<20) + "\r\nContent-Length: 2\r\n\r\n{}",
		"a million header lines":     head + strings.Repeat("A: b\r\n", 1<<19) + "Content-Length: 2\r\n\r\n{}",
		"header that never ends":     head + "X-A: b\r\n",
		"body cut":                   head + "Content-Length: 100\r\n\r\n{}",
		"chunk size of letters":      head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n",
		"chunk size too large":       head + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
		"negative chunk size":        head + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
		"chunk not ended":            head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n0\r\n\r\n",
		"chunks without an end":      head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
		"chunk extension of 1 MB":    head + "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("a", 1<<20) + "\r\n{}\r\n0\r\n\r\n",
		"one byte, long extensions":  head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("a", 3000)+"\r\n \r\n", 200) + "0\r\n\r\n",
		"trailer of 1 MB":            head + "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\n{}\r\n0\r\nX-T: " + strings.Repeat("a", 1<<20) + "\r\n\r\n",
		"compression that is none":   head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
		"compression that is cut":    head + "Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + zipped("{}")[:20],
		"garbage behind compression": head + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n" + zipped("{}") + "\r\n4\r\nxxxx\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			n := raw(t, func(nc net.Conn, req *http.Request, br *bufio.Reader) bool {
				says(answer)(nc, req, br)
				return false
			})
			c := openRaw(t, "?attempt_timeout=2s&retry=false&sampler.interval=0", n)
			began := time.Now()
			_, _, err := exchange(t.Context(), t, c, http.MethodGet, "/i/_search", nil)
			require.Error(t, err)
			assert.ErrorContains(t, err, n.addr)
			assert.Less(t, len(err.Error()), 2000, "an error is no dump")
			assert.Less(t, time.Since(began), 10*time.Second)
			idle(t, c)
			_, _, err = exchange(t.Context(), t, c, http.MethodGet, "/", nil)
			require.NoError(t, err, "the next request goes well")
		})
	}
}

func TestOddAnswersAreTaken(t *testing.T) {
	leaktest.Check(t)
	head := "HTTP/1.1 200 OK\r\n"
	for name, c := range map[string]struct {
		answer, body string
		status       int
		once         bool // the connection does not go on
	}{
		"interim answers":         {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + head + "Content-Length: 2\r\n\r\n{}", "{}", 200, false},
		"redirect":                {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/login\r\nContent-Length: 0\r\n\r\n", "", 302, false},
		"redirect with 308":       {"HTTP/1.1 308 Permanent Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", "", 308, false},
		"page of a proxy":         {head + "Content-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>", "<html></html>", 200, false},
		"trailers":                {head + "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\n{}\r\n0\r\nX-T: 1\r\n\r\n", "{}", 200, false},
		"chunk extension":         {head + "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0;c\r\n\r\n", "{}", 200, false},
		"both lengths":            {head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "{}", 200, false},
		"length twice, alike":     {head + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "{}", 200, false},
		"until the end":           {head + "\r\n{}", "{}", 200, true},
		"HTTP/1.0":                {"HTTP/1.0 200 OK\r\n\r\n{}", "{}", 200, true},
		"no content, with a body": {"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}", "", 204, true},
		"not modified":            {"HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n", "", 304, false},
		"status without words":    {"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}", "{}", 200, false},
		"bare newlines":           {"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "{}", 200, false},
		"header of 500 KB":        {head + "X-A: " + strings.Repeat("a", 500<<10) + "\r\nContent-Length: 2\r\n\r\n{}", "{}", 200, false},
		"more than it said":       {head + "Content-Length: 2\r\n\r\n{}HTTP/1.1 500 Smuggled\r\nContent-Length: 0\r\n\r\n", "{}", 200, true},
		"header key with a space": {head + "Content-Length : 2\r\n\r\n{}", "{}", 200, true},
		"folded header":           {head + "X-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}", "{}", 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := raw(t, func(nc net.Conn, req *http.Request, br *bufio.Reader) bool {
				return says(c.answer)(nc, req, br) && !c.once
			})
			cluster := openRaw(t, "?retry=false&sampler.interval=0", n)
			for range 3 {
				resp, body, err := exchange(t.Context(), t, cluster, http.MethodGet, "/i/_search", nil)
				require.NoError(t, err)
				assert.Equal(t, c.status, resp.StatusCode)
				assert.Equal(t, c.body, string(body))
			}
			assert.EqualValues(t, 3, n.served.Load(), "nothing is followed")
			idle(t, cluster)
		})
	}
}

func TestHeadWithABodySpoilsNothing(t *testing.T) {
	leaktest.Check(t)
	n := raw(t, func(nc net.Conn, req *http.Request, br *bufio.Reader) bool {
		return says("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\nHTTP/1.1 500 Smuggled\r\nContent-Length: 0\r\n\r\n")(nc, req, br)
	})
	c := openRaw(t, "?retry=false&sampler.interval=0", n)
	for range 5 {
		resp, _, err := exchange(t.Context(), t, c, http.MethodHead, "/i", nil)
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
		resp, _, err = exchange(t.Context(), t, c, http.MethodGet, "/", nil)
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
	}
}

func TestCompressedGigabyteIsStreamed(t *testing.T) {
	leaktest.Check(t)
	const size = 64 << 20
	var bomb bytes.Buffer
	z, err := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	require.NoError(t, err)
	for range size >> 20 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	require.NoError(t, z.Close())
	n := raw(t, says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", bomb.Len(), bomb.String())))
	c := openRaw(t, "?sampler.interval=0", n)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://any/i/_search", nil)
	require.NoError(t, err)
	resp, err := c.RoundTrip(req)
	require.NoError(t, err)
	got := int64(0)
	assert.LessOrEqual(t, testing.AllocsPerRun(1, func() {
		n, err := io.CopyN(io.Discard, resp.Body, size/4)
		got += n
		assert.NoError(t, err)
	}), 100.0, "it is unpacked as it is read")
	assert.Positive(t, got)
	require.NoError(t, resp.Body.Close())
	idle(t, c)
	_, _, err = exchange(t.Context(), t, c, http.MethodGet, "/", nil)
	require.NoError(t, err)
}

func TestEarlyAnswerEndsALargeRequest(t *testing.T) {
	leaktest.Check(t)
	n := raw(t, func(nc net.Conn, _ *http.Request, _ *bufio.Reader) bool {
		_, _ = io.WriteString(nc, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}")
		_, _ = io.Copy(io.Discard, io.LimitReader(nc, 1<<20))
		return false
	})
	c := openRaw(t, "?sampler.interval=0", n)
	resp, body, err := exchange(t.Context(), t, c, http.MethodPost, "/_bulk", bytes.NewReader(make([]byte, 64<<20)))
	require.NoError(t, err)
	assert.Equal(t, 413, resp.StatusCode)
	assert.Equal(t, "{}", string(body))
	assert.EqualValues(t, 1, n.served.Load())
	for _, node := range c.Stats().Nodes {
		assert.Equal(t, plugins.Alive, node.State)
	}
	idle(t, c)
}

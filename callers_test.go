package esdriver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/plugins"
)

// piped is a raw node in memory, for a bubble of testing/synctest, and a Config that reaches it under any address.
func piped(t *testing.T, params string, say func(net.Conn, *http.Request, *bufio.Reader) bool) (*rawNode, esdriver.Config) {
	t.Helper()
	n := &rawNode{addr: "raw:9200", say: say, ends: make(chan struct{})}
	t.Cleanup(func() {
		close(n.ends)
		n.conns.Wait()
	})
	cfg := mustParse(t, "http://raw:9200,other:9200?sampler.interval=0&balancer=roundrobin"+params)
	cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		n.conns.Go(func() { n.serve(server) })
		return client, nil
	}
	return n, cfg
}

// silent reads the request and says nothing.
func silent(_ net.Conn, req *http.Request, br *bufio.Reader) bool {
	_, _ = io.Copy(io.Discard, req.Body)
	_, _ = br.ReadByte() // until the client goes
	return false
}

// then says a text and then nothing.
func then(text string) func(net.Conn, *http.Request, *bufio.Reader) bool {
	return func(nc net.Conn, req *http.Request, br *bufio.Reader) bool {
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(nc, text)
		return silent(nc, req, br)
	}
}

// stuckBody gives half of what it has and no more.
type stuckBody struct {
	half io.Reader
	over chan struct{}
}

func (b *stuckBody) Read(p []byte) (int, error) {
	if n, err := b.half.Read(p); err == nil {
		return n, nil
	}
	<-b.over
	return 0, errors.New("closed")
}

func (b *stuckBody) Close() error {
	select {
	case <-b.over:
	default:
		close(b.over)
	}
	return nil
}

func TestCallerMayLeaveAtAnyPointOfARequest(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	for name, c := range map[string]struct {
		params string
		say    func(net.Conn, *http.Request, *bufio.Reader) bool
		body   func() io.ReadCloser
		dial   func(context.Context, string, string) (net.Conn, error) // after the first sample
		before func(t *testing.T, cluster *esdriver.Cluster)
		served int64
	}{
		"before anything": {say: silent},
		"waiting for a connection": {
			params: "&pool.reg=1&pool.shared=0", say: silent, served: 2,
			before: func(t *testing.T, cluster *esdriver.Cluster) {
				for range 2 {
					go func() { _, _, _ = exchange(t.Context(), t, cluster, http.MethodGet, "/i/_search", nil) }()
				}
				synctest.Wait()
			},
		},
		"while it is dialed": {
			say: silent,
			dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
		},
		"waiting for the answer":              {say: silent, served: 1},
		"in the middle of its body":           {say: silent, served: 1, body: func() io.ReadCloser { return &stuckBody{strings.NewReader("ha"), make(chan struct{})} }},
		"waiting for 100":                     {say: silent, served: 1, body: func() io.ReadCloser { return io.NopCloser(strings.NewReader("{}")) }},
		"in the middle of the answer's head":  {say: then("HTTP/1.1 200 OK\r\nContent-Le"), served: 1},
		"between interim and final answer":    {say: then("HTTP/1.1 103 Early Hints\r\n\r\n"), served: 1},
		"in the middle of the answer's body":  {say: then(ok + "{"), served: 1},
		"before the answer's body":            {say: then(ok), served: 1},
		"in the middle of a chunk":            {say: then("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{"), served: 1},
		"in the middle of an error's body":    {say: then("HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\n{"), served: 1},
		"waiting for the next attempt":        {say: says("HTTP/1.1 429 No\r\nRetry-After: 20\r\nContent-Length: 2\r\n\r\n{}"), served: 1},
		"while the drain of a body is waited": {say: then("HTTP/1.1 429 No\r\nRetry-After: 20\r\nContent-Length: 4\r\n\r\n{}"), served: 1},
	} {
		for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
			if name == "waiting for the next attempt" && cause == context.DeadlineExceeded {
				continue // who has set an end that comes before the next attempt gets the answer at once
			}
			t.Run(fmt.Sprint(name, "/", cause), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n, cfg := piped(t, c.params, c.say)
					open0, late := cfg.DialContext, c.dial
					started := make(chan struct{})
					cfg.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
						select {
						case <-started:
							if late != nil {
								return late(ctx, network, addr)
							}
						default:
						}
						return open0(ctx, network, addr)
					}
					cluster := openCut(t, cfg)
					synctest.Wait()
					close(started)
					if c.before != nil {
						c.before(t, cluster)
					}
					leaves(t, cluster, cause, name, c.body)
					synctest.Wait()
					assert.Equal(t, c.served, n.served.Load(), "nothing is sent again")
					assert.Zero(t, cluster.Stats().Retries)
					for _, node := range cluster.Stats().Nodes {
						assert.Equal(t, plugins.Alive, node.State, "%v", node.LastErr)
						assert.Zero(t, node.Failures)
					}
				})
			})
		}
	}
}

// leaves makes a request whose caller leaves after a second, or had left before.
func leaves(t *testing.T, cluster *esdriver.Cluster, cause error, name string, body func() io.ReadCloser) {
	patience := time.Second
	if name == "before anything" {
		patience = 0
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	if errors.Is(cause, context.Canceled) {
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(patience, cancel)
		if patience == 0 {
			cancel()
		}
	}
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://any/i/_search", nil)
	require.NoError(t, err)
	if body != nil {
		req.Body, req.ContentLength = body(), 4
		if name == "waiting for 100" {
			req.ContentLength = 2
			req.Header.Set("Expect", "100-continue")
		}
	}
	began := time.Now()
	resp, err := cluster.RoundTrip(req)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		require.NoError(t, resp.Body.Close())
	}
	require.ErrorIs(t, err, cause)
	assert.LessOrEqual(t, time.Since(began), patience+5*time.Millisecond)
}

// openCut opens a cluster whose requests in flight are cut at the end of the test.
func openCut(t *testing.T, cfg esdriver.Config) *esdriver.Cluster {
	t.Helper()
	cluster, err := esdriver.Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = cluster.Close(ctx)
	})
	return cluster
}

func TestCallerMayLeaveDuringATLSHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := mustParse(t, "https://raw:9200?sampler=static")
		cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, server) }() // ends with the client
			return client, nil
		}
		cluster := openCut(t, cfg)
		leaves(t, cluster, context.Canceled, "", nil)
		assert.Zero(t, cluster.Stats().Nodes[0].Failures)
		synctest.Wait()
	})
}

func TestRequestsRaceWithCloseAndEndEitherWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, cfg := piped(t, "", says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
		for range 20 {
			cluster, err := esdriver.Open(cfg)
			require.NoError(t, err)
			results := make(chan error, 64)
			for range 64 {
				go func() {
					_, _, err := exchange(t.Context(), t, cluster, http.MethodGet, "/i/_search", nil)
					results <- err
				}()
			}
			require.NoError(t, cluster.Close(t.Context()))
			for range 64 {
				if err := <-results; err != nil {
					require.ErrorIs(t, err, esdriver.ErrClosed)
					require.NotErrorIs(t, err, esdriver.ErrNoNode)
				}
			}
		}
	})
}

func TestBodyThatFailsIsTheCallersFaultAndNotSentAgain(t *testing.T) {
	for _, length := range []int64{-1, 0, 100, 1 << 20} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, cfg := piped(t, "", silent)
				cluster := openCut(t, cfg)
				broken := errors.New("the disk is gone")
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://any/i/_search", nil)
				require.NoError(t, err)
				body := func() (io.ReadCloser, error) {
					return io.NopCloser(io.MultiReader(strings.NewReader("half"), readError{broken})), nil
				}
				req.ContentLength, req.GetBody = length, body
				req.Body, _ = body()
				_, err = cluster.RoundTrip(req)
				require.ErrorIs(t, err, broken)
				synctest.Wait()
				assert.LessOrEqual(t, n.served.Load(), int64(1))
				for _, node := range cluster.Stats().Nodes {
					assert.Equal(t, plugins.Alive, node.State, "%v", node.LastErr)
				}
			})
		})
	}
}

type readError struct{ err error }

func (r readError) Read([]byte) (int, error) { return 0, r.err }

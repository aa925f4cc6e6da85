package cluster_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// allAlive asserts that nothing is held against any node.
func (w *world) allAlive() {
	w.t.Helper()
	for _, n := range w.c.Stats().Nodes {
		assert.Equal(w.t, plugins.Alive, n.State, "%s: %v", w.nameOf(n.Node.Addr), n.LastErr)
		assert.Zero(w.t, n.Failures, n.Node.Addr)
		assert.Zero(w.t, n.InFlight, n.Node.Addr)
	}
}

func TestRequestThatNobodyCouldSendCondemnsNobody(t *testing.T) {
	for name, spoil := range map[string]func(*http.Request){
		"method":         func(r *http.Request) { r.Method = "GET / HTTP/1.1\r\nX:" },
		"method's rune":  func(r *http.Request) { r.Method = "GÉT" },
		"too short":      func(r *http.Request) { r.ContentLength = 5 },
		"too long":       func(r *http.Request) { r.ContentLength = 2 },
		"query":          func(r *http.Request) { r.URL.RawQuery = "a\r\nb" },
		"negative chunk": func(r *http.Request) { r.Header.Set("X\n", "1"); r.Method = "G\tT" },
		"body fails": func(r *http.Request) {
			r.Body, r.GetBody, r.ContentLength = io.NopCloser(failing{}), nil, 3
		},
		"body fails without a length": func(r *http.Request) {
			r.Body, r.GetBody, r.ContentLength = io.NopCloser(failing{}), nil, -1
		},
		"body opened again fails": func(r *http.Request) {
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(failing{}), nil }
			r.Body = io.NopCloser(failing{})
		},
		"body cannot be opened again": func(r *http.Request) {
			r.GetBody = func() (io.ReadCloser, error) { return nil, nil }
			r.Body = io.NopCloser(failing{})
		},
		"no URL": func(r *http.Request) { r.URL = nil },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.connect()
				req, err := http.NewRequest(http.MethodPost, "/i/_search", strings.NewReader("abc"))
				require.NoError(t, err)
				spoil(req)
				resp, err := w.c.RoundTrip(req)
				if err == nil {
					_ = resp.Body.Close()
				}
				require.Error(t, err)
				assert.LessOrEqual(t, strings.Count(err.Error(), "attempt"), 2, "it is tried once: %v", err)
				synctest.Wait()
				w.allAlive()
				assert.Zero(t, w.c.Stats().Retries)
			})
		})
	}
}

// failing is a body that breaks after one byte.
type failing struct{}

func (failing) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	p[0] = 'x'
	return 1, errors.New("the disk is gone")
}

func TestFullPoolOfProbesAndSamplesIsNotTheNodesFault(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.cfg.Shared, w.cfg.SampleEvery = 1, 0, time.Second
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/_cluster/health", Action: fakecluster.Slow(20 * time.Second)})
		done := make(chan error, 1)
		go func() {
			resp, err := get(t, w.c, t.Context(), "/_cluster/health") // holds the one connection of class state
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			done <- err
		}()
		<-time.NewTimer(15 * time.Second).C
		synctest.Wait()
		assert.Equal(t, "alive", w.stateOf("n0"))
		assert.Positive(t, w.c.Stats().SampleFailures)
		assert.Empty(t, w.trail.Only("NodeDead", "Suspect"), "the samples had to wait for us")
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		require.NoError(t, <-done)
	})
}

func TestLackOfFileDescriptorsIsNotTheNodesFault(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.cfg.SampleEvery, w.cfg.MaxIdle = 2, time.Second, time.Millisecond
		w.open()
		var lacking atomic.Bool
		dialer, err := httpconn.NewDialer(httpconn.Config{Proxy: noProxy, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if lacking.Load() {
				return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("socket", syscall.EMFILE)}
			}
			return w.fake.DialContext(ctx, network, addr)
		}})
		require.NoError(t, err)
		w.cfg.Dialer = dialer
		w.connect()
		lacking.Store(true)
		<-time.NewTimer(10 * time.Second).C
		_, err = get(t, w.c, t.Context(), "/i/_count")
		require.ErrorIs(t, err, syscall.EMFILE)
		assert.Empty(t, w.trail.Only("NodeDead", "Suspect"))
		lacking.Store(false)
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
	})
}

func TestCallerWhoAsksForCloseDrainsNoNode(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.ResetRequests()
		for range 3 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/i/_count", nil)
			require.NoError(t, err)
			req.Close = true
			resp, err := w.c.RoundTrip(req)
			drain(t, resp, err)
			req = req.Clone(t.Context())
			req.Close = false
			req.Header.Set("Connection", "close")
			resp, err = w.c.RoundTrip(req)
			drain(t, resp, err)
		}
		synctest.Wait()
		w.allAlive()
		assert.Empty(t, w.trail.Only("Draining"))
	})
}

func TestNodeThatNeverKeepsAConnectionIsNotDraining(t *testing.T) {
	for _, name := range []string{"ping", "static"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.set("sampler", name)
				w.open()
				w.fake.Inject(fakecluster.Fault{Action: fakecluster.ConnectionClose})
				w.connect()
				for range 5 {
					resp, err := get(t, w.c, t.Context(), "/i/_count")
					drain(t, resp, err)
				}
				synctest.Wait()
				assert.Empty(t, w.trail.Only("Draining"), "a proxy's habit")
			})
		})
	}
}

func TestEmptyMethodIsAGet(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.ResetAfterExecute, Times: 1})
		req, err := http.NewRequest(http.MethodGet, "/i/_count", nil)
		require.NoError(t, err)
		req.Method = ""
		resp, err := w.c.RoundTrip(req)
		drain(t, resp, err)
		assert.True(t, w.c.Explain(req).Idempotent)
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Garbage})
		_, err = w.c.RoundTrip(req)
		require.ErrorContains(t, err, "GET /i/_count")
	})
}

func TestHandleTellsWhatItSeesOfItsNode(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.SampleEvery = time.Hour
		w.connect()
		h, err := w.c.Acquire(t.Context(), pool.Reg)
		require.NoError(t, err)
		_, err = h.RoundTrip(&http.Request{})
		require.ErrorContains(t, err, "no URL")
		w.node("n0").Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.ResetAfterExecute})
		_, err = h.RoundTrip(mustRequest(t, t.Context(), "/i/_count"))
		var attempt *plugins.AttemptError
		require.ErrorAs(t, err, &attempt)
		assert.Equal(t, w.node("n0").Addr(), attempt.Node)
		assert.True(t, attempt.Wrote)
		h.Discard()
		synctest.Wait()
		assert.Contains(t, w.trail.Events(), "Suspect n0")
	})
}

func TestHandleWhoseCallerLeavesCondemnsNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Hang})
		h, err := w.c.Acquire(t.Context(), pool.Reg)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = h.RoundTrip(mustRequest(t, ctx, "/i/_count"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		h.Discard()
		synctest.Wait()
		w.allAlive()
	})
}

func TestErrorOfARequestWhoseTimeIsOverIsATimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Timeout = time.Second
		w.n, w.cfg.Sizes[pool.Reg], w.cfg.Shared = 1, 1, 0
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Hang})
		_, err := get(t, w.c, t.Context(), "/i/_count")
		var timeout interface{ Timeout() bool }
		require.ErrorAs(t, err, &timeout)
		assert.True(t, timeout.Timeout())
		require.ErrorContains(t, err, "key timeout")
		over, cancel := context.WithDeadline(t.Context(), time.Now())
		defer cancel()
		_, err = get(t, w.c, over, "/i/_count")
		require.ErrorAs(t, err, &timeout)
		assert.True(t, timeout.Timeout(), "no attempt was made: %v", err)
	})
}

func TestCloseEndsTheWaitForAnotherAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.RetryAfter(20 * time.Second)})
		done := make(chan error, 1)
		go func() {
			_, err := get(t, w.c, t.Context(), "/i/_count")
			done <- err
		}()
		<-time.NewTimer(time.Second).C
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		require.ErrorIs(t, w.c.Close(ctx), context.Canceled)
		require.ErrorIs(t, <-done, cluster.ErrClosed)
		assert.Less(t, time.Since(began), time.Second)
	})
}

func TestBodyThatCannotBeOpenedAgainEndsTheRetries(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_search", Action: fakecluster.ResetAfterExecute})
		for name, open := range map[string]func() (io.ReadCloser, error){
			"error": func() (io.ReadCloser, error) { return nil, assert.AnError },
			"nil":   func() (io.ReadCloser, error) { return nil, nil },
		} {
			req, err := http.NewRequest(http.MethodPost, "/i/_search", strings.NewReader("{}"))
			require.NoError(t, err)
			req.GetBody = open
			_, err = w.c.RoundTrip(req)
			require.ErrorContains(t, err, "GetBody", name)
		}
		for _, n := range w.c.Stats().Nodes {
			assert.Zero(t, n.InFlight)
		}
	})
}

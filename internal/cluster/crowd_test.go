package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// crowded makes the world's client know ninety-nine seeds beside node n0, of which none answers: dialing them ends as
// dead says.
func crowded(t *testing.T, w *world, dead func(context.Context) error) {
	t.Helper()
	w.n = 1
	w.open()
	for i := range 99 {
		w.cfg.Seeds = append(w.cfg.Seeds, &url.URL{Scheme: "http", Host: fmt.Sprintf("10.0.0.%d:9200", i+1)})
	}
	dialer, err := httpconn.NewDialer(httpconn.Config{Proxy: noProxy, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == w.node("n0").Addr() {
			return w.fake.DialContext(ctx, network, addr)
		}
		return nil, dead(ctx)
	}})
	require.NoError(t, err)
	w.cfg.Dialer = dialer
	w.set("balancer", "leastbusy")
}

func TestOneLivingSeedOfAHundredIsEnough(t *testing.T) {
	for name, dead := range map[string]func(context.Context) error{
		"refused":  func(context.Context) error { return &net.OpError{Op: "dial", Err: assert.AnError} },
		"swallows": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				crowded(t, w, dead)
				began := time.Now()
				w.connect()
				assert.LessOrEqual(t, time.Since(began), 6*time.Second)
				began = time.Now()
				for range 100 {
					resp, err := get(t, w.c, t.Context(), "/i/_count")
					drain(t, resp, err)
				}
				assert.Less(t, time.Since(began), time.Second, "nobody waits for the dead")
				assert.Len(t, w.fake.Requests().Path("/i/_count"), 100)
			})
		})
	}
}

func TestListThatFlapsFailsNoRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.seedNames = 4, []string{"n0"}
		w.cfg.SampleEvery = 3 * time.Millisecond
		var round atomic.Int64
		var nodes []*sampler.Node
		w.cfg.Sampler = sample(func(_ context.Context, prev sampler.Topology, _ sampler.Getter) (sampler.Topology, error) {
			i := round.Add(1)
			return sampler.Topology{Nodes: []*sampler.Node{nodes[1+i%3], nodes[1+(i+1)%3]}, At: time.Now()}, nil
		})
		w.set("balancer", "leastbusy")
		w.open()
		for i, raw := range w.fake.URLs() {
			u, err := url.Parse(raw)
			require.NoError(t, err)
			nodes = append(nodes, &sampler.Node{Addr: w.fake.Node(i).Addr(), URL: u})
		}
		w.fake.Inject(fakecluster.Fault{Path: "/i/_doc", Action: fakecluster.Slow(2 * time.Millisecond)})
		w.connect()
		var callers sync.WaitGroup
		for range 16 {
			callers.Go(func() {
				for range 200 {
					resp, err := w.c.RoundTrip(mustRequest(t, t.Context(), "/i/_doc"))
					if !assert.NoError(t, err) {
						return
					}
					_, err = io.Copy(io.Discard, resp.Body)
					assert.NoError(t, err)
					assert.NoError(t, resp.Body.Close())
				}
			})
		}
		callers.Wait()
		assert.Greater(t, round.Load(), int64(50))
	})
}

func TestTwoClustersBehindOneAddressAreNotMixedUp(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n = 1
		w.connect()
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		w.fake.Inject(fakecluster.Fault{Path: "/", Action: fakecluster.WrongClusterUUID})
		require.NoError(t, w.c.Refresh(t.Context()))
		w.fake.ResetRequests()
		_, err = get(t, w.c, t.Context(), "/i/_count")
		require.ErrorIs(t, err, cluster.ErrAllFiltered)
		require.ErrorContains(t, err, "uuid")
		require.ErrorContains(t, err, "cluster.ignore_name")
		assert.Empty(t, w.fake.Requests().Path("/i/_count"))
		w.fake.ClearFaults()
		<-time.NewTimer(10 * time.Second).C
		resp, err = get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		require.NoError(t, w.c.Refresh(t.Context()))
		w.names([]string{"n0"}, w.c.Topology().Nodes)
	})
}

func TestRetriesDoNotLeakConnections(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.RetryBudget, w.cfg.Shared = 1, 0
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Status(503, `{"error":"`+string(make([]byte, 100<<10))+`"}`, nil)})
		for range 60 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			if err == nil {
				_ = resp.Body.Close()
			}
		}
		synctest.Wait()
		for i, n := range w.fake.Nodes() {
			assert.LessOrEqual(t, n.MaxConns(), 13, "n%d", i)
		}
		for _, n := range w.c.Stats().Nodes {
			assert.Zero(t, n.Pools[pool.Reg].InUse)
		}
	})
}

// bodies are readers of the same text, of which http.NewRequest knows some.
func bodies() map[string]func() io.Reader {
	const text = `{"size":1}`
	return map[string]func() io.Reader{
		"buffer":      func() io.Reader { return bytes.NewBufferString(text) },
		"bytes":       func() io.Reader { return bytes.NewReader([]byte(text)) },
		"string":      func() io.Reader { return strings.NewReader(text) },
		"stream":      func() io.Reader { return io.MultiReader(strings.NewReader(text[:3]), strings.NewReader(text[3:])) },
		"byte a time": func() io.Reader { return iotest.OneByteReader(strings.NewReader(text)) },
		"pipe": func() io.Reader {
			r, w := io.Pipe()
			go func() {
				_, err := io.WriteString(w, text)
				w.CloseWithError(err)
			}()
			return r
		},
	}
}

func TestEveryKindOfBodyIsSentWholeAgainOrNotAtAll(t *testing.T) {
	for name, body := range bodies() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.connect()
				w.fake.Inject(fakecluster.Fault{Path: "/i/_search", Action: fakecluster.ResetAfterExecute, Times: 1})
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/i/_search", body())
				require.NoError(t, err)
				req.Header.Set("Content-Type", "application/json")
				resp, err := w.c.RoundTrip(req)
				if err != nil {
					require.ErrorContains(t, err, "set GetBody")
				} else {
					drain(t, resp, nil)
				}
				requests := w.fake.Requests().Path("/i/_search")
				require.NotEmpty(t, requests)
				for _, r := range requests {
					assert.Equal(t, `{"size":1}`, string(r.Body))
				}
				if req.GetBody != nil {
					require.NoError(t, err)
					assert.Len(t, requests, 2)
				}
			})
		})
	}
}

// TestSeedsChangeUnderLoad adds and removes seeds, samples, explains and kills nodes while requests are made. Every
// call must come back, and a node that stays must serve in the end.
func TestSeedsChangeUnderLoad(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.seedNames = 4, []string{"n0"}
		w.cfg.SampleEvery, w.cfg.Warm = 200*time.Millisecond, cluster.WarmLight
		w.set("sampler", "sniff")
		w.set("balancer", "leastbusy")
		w.connect()
		var urls []*url.URL
		for _, raw := range w.fake.URLs() {
			u, err := url.Parse(raw)
			require.NoError(t, err)
			urls = append(urls, u)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for i := range 20 {
					_ = w.c.AddSeeds(ctx, urls[1+(i+g)%3])
					w.c.Explain(mustRequest(t, ctx, "/i/_search"))
					_ = w.c.RemoveSeeds(ctx, urls[1+(i+g+1)%3])
					w.c.Stats()
				}
			})
			all.Go(func() {
				for range 100 {
					if resp, err := get(t, w.c, ctx, "/i/_count"); err == nil {
						_ = resp.Body.Close()
					}
					if h, err := w.c.Acquire(ctx, pool.State); err == nil {
						h.Release()
					}
				}
			})
		}
		all.Go(func() {
			for i := range 20 {
				w.node(fmt.Sprintf("n%d", 1+i%3)).Kill()
				<-time.NewTimer(3 * time.Millisecond).C
				assert.NoError(t, w.node(fmt.Sprintf("n%d", 1+i%3)).Start())
			}
		})
		all.Wait()
		require.NoError(t, ctx.Err(), "everything came back in time")
		require.NoError(t, w.c.AddSeeds(ctx, urls...))
		<-time.NewTimer(40 * time.Second).C
		synctest.Wait()
		w.names([]string{"n0", "n1", "n2", "n3"}, w.c.Topology().Nodes)
		w.fake.ResetRequests()
		for range 200 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		assert.Len(t, w.fake.Requests().Path("/i/_count").CountByNode(), 4)
		for _, n := range w.c.Stats().Nodes {
			assert.Equal(t, plugins.Alive, n.State, w.nameOf(n.Node.Addr))
			assert.Zero(t, n.InFlight)
		}
	})
}

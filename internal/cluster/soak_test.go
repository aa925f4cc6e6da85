package cluster_test

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

var (
	soak   = flag.Duration("soak", 2*time.Second, "how long TestSoak runs")
	rounds = flag.Int("rounds", 1000, "how many samples TestManySamplesLeaveNothingBehind takes")
)

// onLoopback opens a client of a fake cluster over real sockets.
func onLoopback(t *testing.T, change func(*cluster.Config), opts ...fakecluster.Option) (*fakecluster.Cluster, *cluster.Cluster) {
	t.Helper()
	fake := fakecluster.Run(t, opts...)
	dialer, err := httpconn.NewDialer(httpconn.Config{DialTimeout: 5 * time.Second, Proxy: noProxy})
	require.NoError(t, err)
	sniff, err := sampler.New("sniff", nil)
	require.NoError(t, err)
	busy, err := balancer.New(balancer.Default, nil)
	require.NoError(t, err)
	cfg := cluster.Config{
		Sampler: sniff, SampleEvery: 5 * time.Second, SampleTimeout: 5 * time.Second, Balancer: busy,
		Sizes: pool.DefaultSizes, Shared: 32, PoolWait: 30 * time.Second, MaxIdle: time.Minute, MaxLifetime: 5 * time.Minute,
		AttemptTimeout: 2 * time.Second, RetryBudget: 0.2, Dialer: dialer,
	}
	for _, raw := range fake.URLs() {
		u, err := url.Parse(raw)
		require.NoError(t, err)
		cfg.Seeds = append(cfg.Seeds, u)
	}
	if change != nil {
		change(&cfg)
	}
	c, err := cluster.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close(context.Background())) })
	return fake, c
}

// TestSoak lets 64 goroutines send, while nodes fail in every way and samples are taken each 10 ms. Every call must
// come back, nothing may be sent twice that must not, and nothing may be left at the end.
func TestSoak(t *testing.T) {
	leaktest.Check(t)
	fake, c := onLoopback(t, func(cfg *cluster.Config) { cfg.SampleEvery = 10 * time.Millisecond },
		fakecluster.Nodes(4), fakecluster.KeepRequests(0))
	ctx, stop := context.WithTimeout(t.Context(), *soak)
	defer stop()
	var callers sync.WaitGroup
	var calls, failures atomic.Int64
	for range 64 {
		callers.Go(func() {
			for ctx.Err() == nil {
				calls.Add(1)
				if !callOnce(ctx, c) {
					failures.Add(1)
				}
			}
		})
	}
	callers.Go(func() { trouble(ctx, fake) })
	callers.Wait()
	fake.ClearFaults()
	t.Logf("%d calls, %d failed; %+v", calls.Load(), failures.Load(), c.Stats().Retries)
	require.Positive(t, calls.Load())
	requireEvenService(t, fake, c)
}

// callOnce makes one call of a random kind, sometimes cancelled on the way, sometimes with its body left unread.
func callOnce(ctx context.Context, c *cluster.Cluster) bool {
	method, path, body := http.MethodGet, "/i/_search", ""
	if rand.N(3) == 0 {
		method, path, body = http.MethodPost, "/_bulk", "{\"index\":{\"_index\":\"i\",\"_id\":\"1\"}}\n{\"a\":1}\n"
	}
	if rand.N(10) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, rand.N(3*time.Millisecond))
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.RoundTrip(req)
	if err != nil {
		return false
	}
	if rand.N(5) != 0 {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	return resp.Body.Close() == nil && resp.StatusCode < 500
}

// trouble makes one node after the other fail and come back; one is left alone. Start tells when a node is up, so
// nothing is waited for.
func trouble(ctx context.Context, fake *fakecluster.Cluster) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		node := fake.Node(n % 3)
		if ctx.Err() != nil || !node.Running() {
			for i := range 3 {
				fake.Node(i).Thaw()
				_ = fake.Node(i).Start()
			}
			if ctx.Err() != nil {
				return
			}
			continue
		}
		switch n % 5 {
		case 0:
			node.Kill()
		case 1:
			node.Inject(fakecluster.Fault{Times: 20, Action: fakecluster.ResetAfterExecute})
		case 2:
			node.Inject(fakecluster.Fault{Path: "/i/_search", Times: 50, Action: fakecluster.Status(503, "{}", nil)})
		case 3:
			node.Inject(fakecluster.Fault{Times: 20, Action: fakecluster.CutBody(3)})
		case 4:
			_ = node.Restart(true)
		}
	}
}

// requireEvenService waits until every node serves again.
func requireEvenService(t *testing.T, fake *fakecluster.Cluster, c *cluster.Cluster) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, n := range c.Stats().Nodes {
			if n.State.String() != "alive" {
				return false
			}
		}
		return len(c.Stats().Nodes) == len(fake.Nodes())
	}, 60*time.Second, 10*time.Millisecond, "a node was not taken back: %v", c.Stats())
}

func TestManySamplesLeaveNothingBehind(t *testing.T) {
	leaktest.Check(t)
	fake, c := onLoopback(t, func(cfg *cluster.Config) { cfg.SampleEvery = time.Hour },
		fakecluster.ForNode(0, fakecluster.Roles("master")), fakecluster.ForNode(1, fakecluster.Roles("data")), fakecluster.ForNode(2, fakecluster.Roles()), fakecluster.KeepRequests(0))
	samples := func(n int) {
		for range n {
			require.NoError(t, c.Refresh(t.Context()))
		}
	}
	samples(200)
	before, heap := c.Topology().Nodes, heapInUse()
	goroutines, sockets := runtime.NumGoroutine(), openConns(fake)
	samples(*rounds)
	assert.Equal(t, before, c.Topology().Nodes)
	for i, n := range c.Topology().Nodes {
		assert.Same(t, before[i], n, "an unchanged node keeps its pointer")
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines+3)
	assert.LessOrEqual(t, openConns(fake), sockets+1)
	assert.Less(t, heapInUse(), heap+2<<20)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func openConns(fake *fakecluster.Cluster) int {
	n := 0
	for _, node := range fake.Nodes() {
		n += node.Conns()
	}
	return n
}

// TestEveryRequestEndsOnceAndTriesNoNodeTwice plays random failures and counts.
func TestEveryRequestEndsOnceAndTriesNoNodeTwice(t *testing.T) {
	for seed := range uint64(10) {
		inBubble(t, func(t *testing.T, w *world) {
			dice := rand.New(rand.NewPCG(seed, 1))
			w.n = 1 + dice.IntN(6)
			w.connect()
			for range 50 {
				w.fake.ClearFaults()
				for _, n := range w.fake.Nodes() {
					injectRandom(n, dice)
				}
				w.forget()
				w.call([]string{"GET", "/i/_count"})
				synctest.Wait()
				attempts := w.trail.Only("Attempt")
				seen := map[string]int{}
				for _, event := range attempts {
					seen[strings.Fields(event)[1]]++
				}
				// The one exception: no other node was left when a connection that had been idle before was lost.
				repeated := len(attempts) == len(seen)+1 && attempts[0] == attempts[1]
				require.True(t, repeated || len(seen) == len(attempts), "seed %d: a node was tried twice: %v", seed, attempts)
				require.NotEmpty(t, attempts, "a request was refused without an attempt: %v", w.err)
				if w.err == nil {
					require.NotNil(t, w.resp)
				}
				<-time.NewTimer(40 * time.Second).C
			}
		})
	}
}

func (w *world) forget() { w.trail.Reset(); w.fake.ResetRequests() }

func injectRandom(n *fakecluster.Node, dice *rand.Rand) {
	switch dice.IntN(5) {
	case 0:
		n.Kill()
	case 1:
		_ = n.Start()
		n.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.ResetAfterExecute})
	case 2:
		_ = n.Start()
		n.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Status(503, "{}", nil)})
	default:
		_ = n.Start()
	}
}

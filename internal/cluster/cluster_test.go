package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// inBubble runs a story on a fake cluster in memory, with a clock of its own.
func inBubble(t *testing.T, story func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.close()
		story(t, w)
	})
}

func get(t *testing.T, c *cluster.Cluster, ctx context.Context, path string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	require.NoError(t, err)
	return c.RoundTrip(req)
}

func drain(t *testing.T, resp *http.Response, err error) {
	t.Helper()
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func TestSaturatedBulkDelaysNeitherSearchNorPing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.cfg.Shared, w.cfg.PoolWait = 1, 4, time.Hour
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/_bulk", Action: fakecluster.Slow(10 * time.Second)})
		var writers sync.WaitGroup
		for range 50 {
			writers.Go(func() {
				req, err := http.NewRequest(http.MethodPost, "/_bulk", strings.NewReader("{\"create\":{\"_index\":\"i\"}}\n{}\n"))
				require.NoError(t, err)
				resp, err := w.c.RoundTrip(req)
				drain(t, resp, err)
			})
		}
		synctest.Wait()
		began := time.Now()
		for _, path := range []string{"/i/_search", "/", "/_cluster/health"} {
			resp, err := get(t, w.c, t.Context(), path)
			drain(t, resp, err)
		}
		assert.Zero(t, time.Since(began), "a search, a ping and a state request waited for bulks")
		bulk := w.c.Stats().Nodes[0].Pools[pool.Bulk]
		assert.EqualValues(t, 3+2, bulk.InUse, "bulk borrows at most half of the shared connections")
		assert.Positive(t, bulk.Waiting)
		writers.Wait()
	})
}

func TestStrictPoolNeverOpensAFourteenthConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.cfg.Shared, w.cfg.PoolWait = 1, 0, time.Minute
		w.connect()
		w.fake.Inject(fakecluster.Fault{Action: fakecluster.Slow(time.Millisecond)})
		var callers sync.WaitGroup
		for i := range 200 {
			callers.Go(func() {
				ctx := pool.WithClass(t.Context(), pool.Class(i%pool.NumClasses))
				resp, err := get(t, w.c, ctx, "/i/_count")
				drain(t, resp, err)
			})
		}
		callers.Wait()
		assert.Equal(t, 13, w.fake.Node(0).MaxConns())
	})
}

func TestUnknownClassIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		_, err := get(t, w.c, pool.WithClass(t.Context(), pool.Class(9)), "/")
		require.ErrorContains(t, err, "class(9)")
	})
}

func TestCloseLetsRequestsInFlightFinish(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Slow(3 * time.Second)})
		done := make(chan error, 1)
		go func() {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			done <- err
		}()
		synctest.Wait()
		began := time.Now()
		require.NoError(t, w.c.Close(t.Context()))
		assert.Equal(t, 3*time.Second, time.Since(began))
		require.NoError(t, <-done)
		_, err := get(t, w.c, t.Context(), "/")
		require.ErrorIs(t, err, cluster.ErrClosed)
		require.NotErrorIs(t, err, cluster.ErrNoNode)
		require.NoError(t, w.c.Close(t.Context()), "closing twice is no error")
		require.ErrorIs(t, w.c.AddSeeds(t.Context(), &url.URL{Scheme: "http", Host: "h:1"}), cluster.ErrClosed)
		require.ErrorIs(t, w.c.RemoveSeeds(t.Context(), &url.URL{Scheme: "http", Host: "h:1"}), cluster.ErrClosed)
		require.ErrorIs(t, w.c.Refresh(t.Context()), cluster.ErrClosed)
		_, err = w.c.Acquire(t.Context(), pool.Reg)
		require.ErrorIs(t, err, cluster.ErrClosed)
	})
}

func TestCloseCutsWhatIsInFlightWhenItsContextEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_doc", Action: fakecluster.Hang})
		done := make(chan error, 1)
		go func() {
			req, err := http.NewRequest(http.MethodPost, "/i/_doc", strings.NewReader("{}"))
			require.NoError(t, err)
			_, err = w.c.RoundTrip(req)
			done <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, w.c.Close(ctx), context.DeadlineExceeded)
		err := <-done
		require.ErrorIs(t, err, cluster.ErrClosed)
	})
}

func TestOpenReturnsThoughNoNodeAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.open()
		for _, n := range w.fake.Nodes() {
			n.Freeze()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		c, err := cluster.Open(ctx, w.cfg)
		require.NoError(t, err)
		w.c = c
		assert.Equal(t, time.Second, time.Since(began))
		for _, n := range w.fake.Nodes() {
			n.Thaw()
		}
		resp, err := get(t, c, t.Context(), "/i/_count")
		drain(t, resp, err)
	})
}

func TestSeedsComeAndGoAtRunTime(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.seedNames = []string{"n0"}
		w.connect()
		urls := w.fake.URLs()
		second, err := url.Parse(strings.ToUpper(urls[1]))
		require.NoError(t, err)
		second.Scheme = "http"
		require.NoError(t, w.c.AddSeeds(t.Context(), second))
		require.NoError(t, w.c.AddSeeds(t.Context(), second), "the same again is nothing new")
		w.names([]string{"n0", "n1"}, w.c.Topology().Nodes)
		first, err := url.Parse(urls[0])
		require.NoError(t, err)
		require.NoError(t, w.c.RemoveSeeds(t.Context(), first))
		w.names([]string{"n1"}, w.c.Topology().Nodes)
		w.fake.ResetRequests()
		for range 5 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		assert.Empty(t, w.fake.Requests().Node(w.fake.Node(0).Name()))
		synctest.Wait()
		assert.Zero(t, w.fake.Node(0).Conns(), "the removed node's connections are closed")
		require.NoError(t, w.c.RemoveSeeds(t.Context(), second))
		_, err = get(t, w.c, t.Context(), "/")
		require.ErrorIs(t, err, cluster.ErrNoNode)
		third, err := url.Parse("http://127.0.0.1:9")
		require.NoError(t, err)
		require.ErrorContains(t, w.c.AddSeeds(t.Context(), third), "127.0.0.1:9")
	})
}

func TestRemovedNodeFinishesWhatItHas(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n = 2
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Slow(2 * time.Second)})
		done := make(chan error, 1)
		go func() {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			if err == nil {
				err = resp.Body.Close()
			}
			done <- err
		}()
		synctest.Wait()
		first, err := url.Parse(w.fake.URLs()[0])
		require.NoError(t, err)
		require.NoError(t, w.c.RemoveSeeds(t.Context(), first))
		require.NoError(t, <-done)
	})
}

func TestStuckSampleHoldsNobodyUp(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.cfg.SampleTimeout = 2, time.Hour
		w.connect()
		w.fake.Node(0).Freeze()
		go func() { _ = w.c.Refresh(t.Context()) }()
		synctest.Wait()
		began := time.Now()
		second, err := url.Parse(w.fake.URLs()[1])
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = w.c.RemoveSeeds(ctx, second)
		assert.LessOrEqual(t, time.Since(began), time.Second)
		w.names([]string{"n0"}, w.c.Topology().Nodes)
		require.NoError(t, w.c.Close(t.Context()))
		assert.LessOrEqual(t, time.Since(began), time.Second)
	})
}

func TestManyFailuresCauseOneSample(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.SampleEvery = time.Hour
		w.connect()
		<-time.NewTimer(10 * time.Second).C
		before := w.c.Stats().Samples
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.ResetBeforeExecute})
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() { _, _ = get(t, w.c, t.Context(), "/i/_count") })
		}
		callers.Wait()
		synctest.Wait()
		assert.LessOrEqual(t, w.c.Stats().Samples-before, uint64(2), "at most one running and one queued")
	})
}

// badSampler panics, then fails, then answers.
type badSampler struct {
	rounds atomic.Int64
	inner  sampler.Sampler
}

func (b *badSampler) Sample(ctx context.Context, prev sampler.Topology, get sampler.Getter) (sampler.Topology, error) {
	switch b.rounds.Add(1) {
	case 1:
		panic("sampler lost its head")
	case 2:
		return sampler.Topology{}, errors.New("no answer today")
	}
	return b.inner.Sample(ctx, prev, get)
}

func TestSamplingGoesOnAfterPanicsAndErrors(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		bad := &badSampler{inner: w.cfg.Sampler}
		w.cfg.Sampler = bad
		w.connect()
		require.ErrorContains(t, w.c.Stats().LastError, "lost its head")
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		<-time.NewTimer(time.Minute).C
		stats := w.c.Stats()
		assert.Greater(t, bad.rounds.Load(), int64(5))
		assert.EqualValues(t, 2, stats.SampleFailures)
		w.names([]string{"n0", "n1", "n2"}, w.c.Topology().Nodes)
		rounds := bad.rounds.Load()
		require.NoError(t, w.c.Close(t.Context()))
		<-time.NewTimer(time.Minute).C
		assert.Equal(t, rounds, bad.rounds.Load(), "no sample after Close")
	})
}

type panickingHook struct{}

func (panickingHook) AttemptStart(context.Context, plugins.Attempt) context.Context { panic("start") }
func (panickingHook) AttemptEnd(context.Context, plugins.Attempt, plugins.AttemptResult) {
	panic("end")
}
func (panickingHook) HealthChanged(plugins.HealthChange)               { panic("health") }
func (panickingHook) ProbeEnd(*sampler.Node, time.Duration, error)     { panic("probe") }
func (panickingHook) TopologyChanged(plugins.TopologyChange)           { panic("topology") }
func (panickingHook) SampleEnd(sampler.Topology, time.Duration, error) { panic("sample") }
func (panickingHook) AcquireEnd(context.Context, *sampler.Node, pool.Class, time.Duration, error) {
	panic("acquire")
}

func TestHookThatPanicsBreaksNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Hooks = append(w.cfg.Hooks, panickingHook{})
		w.connect()
		w.fake.Node(0).Kill()
		for range 3 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		stats := w.c.Stats()
		assert.Positive(t, stats.HookPanics)
		require.ErrorContains(t, stats.LastError, "panicked")
	})
}

func TestHandleKeepsToOneNodeAndOneConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		h, err := w.c.Acquire(t.Context(), pool.Recovery)
		require.NoError(t, err)
		assert.Equal(t, pool.Recovery, h.Class())
		for range 3 {
			req, err := http.NewRequest(http.MethodGet, "/i/_count", nil)
			require.NoError(t, err)
			resp, err := h.RoundTrip(req)
			drain(t, resp, err)
		}
		name := w.fake.Node(0).Name()
		assert.Equal(t, map[string]int{name: 3}, w.fake.Requests().Path("/i/_count").CountByNode())
		assert.Equal(t, h.Node().Addr, w.fake.Node(0).Addr())
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.ResetAfterExecute})
		req, err := http.NewRequest(http.MethodGet, "/i/_count", nil)
		require.NoError(t, err)
		_, err = h.RoundTrip(req)
		require.Error(t, err)
		_, err = h.RoundTrip(req)
		require.ErrorIs(t, err, cluster.ErrHandleBusy)
		h.Release()
		h.Release()
		assert.Zero(t, w.c.Stats().Nodes[0].Pools[pool.Recovery].InUse)
		assert.Len(t, w.fake.Requests().Path("/i/_count"), 4, "a handle sends nothing twice")
	})
}

func TestReleasedHandleGivesItsConnectionBackWithTheBody(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		h, err := w.c.Acquire(t.Context(), pool.Reg)
		require.NoError(t, err)
		req, err := http.NewRequest(http.MethodGet, "/", nil)
		require.NoError(t, err)
		resp, err := h.RoundTrip(req)
		require.NoError(t, err)
		h.Release()
		assert.EqualValues(t, 1, w.c.Stats().Nodes[0].Pools[pool.Reg].InUse)
		drain(t, resp, nil)
		assert.Zero(t, w.c.Stats().Nodes[0].Pools[pool.Reg].InUse)
	})
}

func TestErrorNamesEveryAttemptAndIsSafeToRetryWhenNothingLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		for _, n := range w.fake.Nodes() {
			n.Kill()
		}
		_, err := get(t, w.c, t.Context(), "/i/_search")
		require.ErrorIs(t, err, cluster.ErrNoNode)
		for i, n := range w.fake.Nodes() {
			assert.ErrorContains(t, err, fmt.Sprintf("attempt %d on %s %s (class reg", i+1, n.Name(), n.Addr()))
			assert.Equal(t, 1, strings.Count(err.Error(), fmt.Sprintf("attempt %d on", i+1)))
		}
		var attempt *plugins.AttemptError
		require.ErrorAs(t, err, &attempt)
		assert.Equal(t, 1, attempt.Number)
		safe, ok := err.(interface{ SafeToRetry() bool })
		require.True(t, ok)
		assert.True(t, safe.SafeToRetry())
	})
}

func TestBodyIsClosedHoweverTheRequestEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/reset", Action: fakecluster.ResetBeforeExecute})
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for name, req := range map[string]*http.Request{
			"answered":  mustRequest(t, t.Context(), "/i/_doc"),
			"reset":     mustRequest(t, t.Context(), "/reset"),
			"cancelled": mustRequest(t, cancelled, "/i/_doc"),
		} {
			body := &closeCounter{Reader: strings.NewReader("{}")}
			req.Body, req.ContentLength = body, 2
			resp, err := w.c.RoundTrip(req)
			if err == nil {
				drain(t, resp, nil)
			}
			assert.Positive(t, body.closed.Load(), name)
		}
	})
}

func mustRequest(t *testing.T, ctx context.Context, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, path, nil)
	require.NoError(t, err)
	return req
}

type closeCounter struct {
	io.Reader
	closed atomic.Int32
}

func (c *closeCounter) Close() error { c.closed.Add(1); return nil }

func TestExplainTellsTheRoute(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Node(1).Kill()
		req := mustRequest(t, t.Context(), "/i/_update_by_query")
		e := w.c.Explain(req)
		assert.Equal(t, pool.Recovery, e.Class)
		assert.False(t, e.Idempotent)
		assert.Equal(t, w.fake.Node(0).Addr(), e.Picked.Addr)
		assert.Contains(t, e.String(), "must not be sent twice")
		assert.Empty(t, w.fake.Requests(), "nothing is sent")
	})
}

func TestNodeOfNoWantedRoleIsNotReplacedByTheSeeds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		s, err := sampler.New("sniff", url.Values{"roles": {"ml"}})
		require.NoError(t, err)
		w.cfg.Sampler = s
		w.opts = append(w.opts, fakecluster.ForNode(0, fakecluster.Roles("data")), fakecluster.ForNode(1, fakecluster.Roles("data")), fakecluster.ForNode(2, fakecluster.Roles("data")))
		w.connect()
		_, err = get(t, w.c, t.Context(), "/i/_count")
		require.ErrorIs(t, err, cluster.ErrNoNode)
		var noMatch *sampler.NoMatchError
		require.ErrorAs(t, err, &noMatch)
	})
}

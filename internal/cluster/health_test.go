package cluster_test

import (
	"context"
	"errors"
	"net"
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
	"github.com/esdriver/esdriver/plugins"
)

// healthLog keeps what a HealthHook and an ErrorHook hear.
type healthLog struct {
	mu      sync.Mutex // mu guards all below
	changes []plugins.HealthChange
	errors  []error
}

func (l *healthLog) HealthChanged(c plugins.HealthChange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, c)
}

func (l *healthLog) BackgroundError(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors = append(l.errors, err)
}

// retries returns the dead times of a node in the order in which it got them.
func (l *healthLog) retries() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var waits []time.Duration
	for _, c := range l.changes {
		if c.To == plugins.Dead {
			waits = append(waits, c.Retry)
		}
	}
	return waits
}

func (l *healthLog) joined() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.errors...)
}

func TestRecoveryStartsTheDeadTimesAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		log := &healthLog{}
		w.n, w.cfg.SampleEvery, w.cfg.Hooks = 1, 24*time.Hour, append(w.cfg.Hooks, log)
		w.connect()
		for range 20 {
			w.node("n0").Kill()
			_, err := get(t, w.c, t.Context(), "/i/_count")
			require.Error(t, err)
			<-time.NewTimer(3 * time.Minute).C // the pauses have grown to their most
			require.NoError(t, w.node("n0").Start())
			<-time.NewTimer(time.Minute).C
			synctest.Wait()
			require.Equal(t, "alive", w.stateOf("n0"))
		}
		waits := log.retries()
		require.Len(t, waits, 20)
		for _, wait := range waits {
			assert.LessOrEqual(t, wait, time.Second)
		}
	})
}

func TestTotalOutageEndsForAllNodesAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.n, w.cfg.SampleEvery = 5, 24*time.Hour
		w.connect()
		for _, n := range w.fake.Nodes() {
			n.Kill()
		}
		_, err := get(t, w.c, t.Context(), "/i/_count")
		require.Error(t, err)
		<-time.NewTimer(10 * time.Minute).C
		for _, n := range w.fake.Nodes() {
			require.NoError(t, n.Start())
		}
		resp, err := get(t, w.c, t.Context(), "/i/_count") // sent to the best of the dead
		drain(t, resp, err)
		<-time.NewTimer(time.Second).C
		synctest.Wait()
		for _, n := range w.c.Stats().Nodes {
			assert.Equal(t, plugins.Alive, n.State, w.nameOf(n.Node.Addr))
		}
	})
}

func TestErrorsInTheBackgroundReachTheHooks(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		log := &healthLog{}
		w.cfg.Hooks = append(w.cfg.Hooks, log, panickingHook{})
		w.cfg.Balancer = badBalancer{func([]*balancer.Node) balancer.Picker { return nil }}
		w.connect()
		err := log.joined()
		require.ErrorContains(t, err, "gave no picker")
		require.ErrorContains(t, err, "a hook panicked")
		assert.Error(t, w.c.Stats().LastError)
		assert.False(t, w.c.Stats().LastErrorAt.IsZero())
	})
}

// selfishHook panics whenever it hears of an error.
type selfishHook struct{}

func (selfishHook) BackgroundError(error) { panic("not me") }

func TestHookThatPanicsAtErrorsIsNotToldOfItself(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Hooks = append(w.cfg.Hooks, selfishHook{}, panickingHook{})
		w.connect()
		synctest.Wait() // hangs if one panic leads to the next
		assert.Positive(t, w.c.Stats().HookPanics)
	})
}

func TestFailedWarmingIsToldToTheHooks(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		log := &healthLog{}
		w.cfg.Hooks, w.cfg.Warm = append(w.cfg.Hooks, log), cluster.WarmFull
		w.n, w.seedNames, w.cfg.PoolWait = 2, []string{"n0"}, time.Second
		w.set("sampler", "sniff")
		w.open()
		var dials atomic.Int64
		dialer, err := httpconn.NewDialer(httpconn.Config{Proxy: noProxy, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr == w.node("n1").Addr() && dials.Add(1) > 1 { // the probe's is let through
				return nil, assert.AnError
			}
			return w.fake.DialContext(ctx, network, addr)
		}})
		require.NoError(t, err)
		w.cfg.Dialer = dialer
		w.connect()
		err = log.joined()
		require.ErrorIs(t, err, assert.AnError)
		require.ErrorContains(t, err, "warm "+w.node("n1").Addr())
	})
}

func TestCloseThatHasNothingToWaitForNeedsNoTime(t *testing.T) {
	for range 20 {
		inBubble(t, func(t *testing.T, w *world) {
			w.connect()
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.NoError(t, w.c.Close(ctx))
		})
	}
}

func TestManyMayCloseAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.connect()
		w.fake.Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.Slow(time.Second)})
		go func() { _, _ = get(t, w.c, t.Context(), "/i/_count") }()
		synctest.Wait()
		var closers sync.WaitGroup
		for range 10 {
			closers.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				err := w.c.Close(ctx)
				if err != nil {
					assert.ErrorIs(t, err, context.DeadlineExceeded, "the body is never closed")
				}
			})
		}
		closers.Wait()
	})
}

func TestExplainKnowsEveryState(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.SampleEvery = time.Hour
		w.connect()
		w.node("n0").Kill()
		w.node("n1").Inject(fakecluster.Fault{Path: "/i/_count", Action: fakecluster.NotReady})
		for range 2 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		e := w.c.Explain(mustRequest(t, t.Context(), "/i/_search"))
		assert.Contains(t, e.Text, "dead")
		assert.Contains(t, e.Text, "connection refused")
		assert.Contains(t, e.Text, "not-ready")
		assert.Contains(t, e.Text, "may be sent twice")
		assert.Equal(t, w.node("n2").Addr(), e.Picked.Addr)
		assert.Len(t, e.Nodes, 3)
		for _, n := range w.fake.Nodes() {
			assert.Contains(t, e.Text, n.Addr())
		}
		req := mustRequest(t, t.Context(), "/i/_search")
		req.URL = nil
		assert.Contains(t, w.c.Explain(req).Text, "no URL")
		assert.Zero(t, w.c.Stats().Nodes[2].InFlight, "explaining is no attempt")
	})
}

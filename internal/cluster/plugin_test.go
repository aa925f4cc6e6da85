package cluster_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

// badBalancer is a balancer of one's own with a fault.
type badBalancer struct {
	update func([]*balancer.Node) balancer.Picker
}

func (b badBalancer) Update(nodes []*balancer.Node) balancer.Picker { return b.update(nodes) }

type pick func(balancer.Request) (balancer.Choice, error)

func (p pick) Pick(r balancer.Request) (balancer.Choice, error) { return p(r) }

// picks makes a balancer whose pickers do what pick does.
func picks(do func([]*balancer.Node, balancer.Request) (balancer.Choice, error)) badBalancer {
	return badBalancer{func(nodes []*balancer.Node) balancer.Picker {
		return pick(func(r balancer.Request) (balancer.Choice, error) { return do(nodes, r) })
	}}
}

func TestRequestIsSentWhateverTheBalancerDoes(t *testing.T) {
	stranger := &balancer.Node{Addr: "127.0.0.9:9", URL: &url.URL{Scheme: "http", Host: "127.0.0.9:9"}}
	for name, b := range map[string]badBalancer{
		"Update panics":      {func([]*balancer.Node) balancer.Picker { panic("no update today") }},
		"Update gives nil":   {func([]*balancer.Node) balancer.Picker { return nil }},
		"picker is nil func": {func([]*balancer.Node) balancer.Picker { return pick(nil) }},
		"Pick panics": picks(func([]*balancer.Node, balancer.Request) (balancer.Choice, error) {
			panic("no pick today")
		}),
		"Pick gives no node": picks(func([]*balancer.Node, balancer.Request) (balancer.Choice, error) {
			return balancer.Choice{}, nil
		}),
		"Pick gives a foreign node": picks(func([]*balancer.Node, balancer.Request) (balancer.Choice, error) {
			return balancer.Choice{Node: stranger}, nil
		}),
		"Pick gives the same node again": picks(func(nodes []*balancer.Node, _ balancer.Request) (balancer.Choice, error) {
			return balancer.Choice{Node: nodes[0]}, nil
		}),
		"Done panics": picks(func(nodes []*balancer.Node, _ balancer.Request) (balancer.Choice, error) {
			return balancer.Choice{Node: nodes[0], Done: func(balancer.Outcome) { panic("not done") }}, nil
		}),
		"list is spoilt": {func(nodes []*balancer.Node) balancer.Picker { clear(nodes); return ordered(nodes) }},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.cfg.Balancer = b
				w.connect()
				for range 3 {
					resp, err := get(t, w.c, t.Context(), "/i/_count")
					drain(t, resp, err)
				}
				w.node("n0").Kill()
				resp, err := get(t, w.c, t.Context(), "/i/_count")
				drain(t, resp, err)
				assert.NotPanics(t, func() { w.c.Explain(mustRequest(t, t.Context(), "/i/_search")) })
				for _, n := range w.c.Stats().Nodes {
					assert.Zero(t, n.InFlight)
				}
			})
		})
	}
}

func TestPanicOfABalancerIsReported(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Balancer = picks(func([]*balancer.Node, balancer.Request) (balancer.Choice, error) { panic("no pick today") })
		w.connect()
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		require.ErrorContains(t, w.c.Stats().LastError, "no pick today")
	})
}

// sample is a sampler of one's own.
type sample func(context.Context, sampler.Topology, sampler.Getter) (sampler.Topology, error)

func (s sample) Sample(ctx context.Context, prev sampler.Topology, get sampler.Getter) (sampler.Topology, error) {
	return s(ctx, prev, get)
}

func TestNonsenseOfASamplerIsLeftOut(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Sampler = sample(func(_ context.Context, prev sampler.Topology, _ sampler.Getter) (sampler.Topology, error) {
			first := prev.Seeds[0]
			other := *first
			return sampler.Topology{
				Nodes: []*sampler.Node{
					nil, first, first, &other, {Addr: "127.0.0.9:1"}, {Addr: "127.0.0.9:2", URL: &url.URL{}},
					{Addr: "127.0.0.9:3", URL: &url.URL{Scheme: "gopher", Host: "127.0.0.9:3"}},
					{URL: &url.URL{Scheme: "http", Host: "127.0.0.9:4"}},
				},
				Filtered: []*sampler.Node{nil},
				Failures: []sampler.Failure{{}},
			}, nil
		})
		w.connect()
		w.names([]string{"n0"}, w.c.Topology().Nodes)
		require.ErrorContains(t, w.c.Stats().LastError, "sampler gave")
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		require.NoError(t, w.c.Refresh(t.Context()))
	})
}

func TestSamplerThatIgnoresItsContextHoldsNobodyUp(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		over := make(chan struct{})
		w.cfg.Sampler = sample(func(context.Context, sampler.Topology, sampler.Getter) (sampler.Topology, error) {
			<-over
			return sampler.Topology{}, nil
		})
		began := time.Now()
		w.connect()
		assert.LessOrEqual(t, time.Since(began), w.cfg.SampleTimeout+time.Second, "Open returns when the sample's time is over")
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, w.c.Refresh(ctx), context.DeadlineExceeded)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		err = w.c.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.LessOrEqual(t, time.Since(began), 3*time.Second)
		close(over)
		synctest.Wait()
	})
}

func TestBalancerThatBlocksHoldsOnlyTheListUp(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		var armed atomic.Bool
		over := make(chan struct{})
		w.cfg.Balancer = badBalancer{func(nodes []*balancer.Node) balancer.Picker {
			if armed.Load() {
				<-over
			}
			return ordered(nodes)
		}}
		w.connect()
		armed.Store(true)
		w.node("n0").Kill()
		for range 3 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		u, err := url.Parse("http://127.0.0.9:9999")
		require.NoError(t, err)
		require.ErrorIs(t, w.c.AddSeeds(ctx, u), context.DeadlineExceeded)
		began := time.Now()
		require.ErrorIs(t, w.c.Close(ctx), context.DeadlineExceeded)
		assert.LessOrEqual(t, time.Since(began), 3*time.Second)
		close(over)
	})
}

func TestDialerThatBreaksIsAnError(t *testing.T) {
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"panics":                  func(context.Context, string, string) (net.Conn, error) { panic("no dial today") },
		"gives no connection":     func(context.Context, string, string) (net.Conn, error) { return nil, nil },
		"ignores who has to wait": func(context.Context, string, string) (net.Conn, error) { return nil, assert.AnError },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.open()
				dialer, err := httpconn.NewDialer(httpconn.Config{Proxy: noProxy, DialContext: dial})
				require.NoError(t, err)
				w.cfg.Dialer = dialer
				w.connect()
				_, err = get(t, w.c, t.Context(), "/i/_count")
				require.ErrorContains(t, err, w.node("n0").Addr())
			})
		})
	}
}

// nosyHook calls the cluster from every hook.
type nosyHook struct {
	c     atomic.Pointer[cluster.Cluster]
	t     *testing.T
	calls atomic.Int64
}

func (h *nosyHook) poke() {
	c := h.c.Load()
	if c == nil || h.calls.Add(1) > 20 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c.Stats()
	c.Topology()
	began := time.Now()
	if u, err := url.Parse("http://127.0.0.9:9999"); assert.NoError(h.t, err) {
		_ = c.AddSeeds(ctx, u)
		_ = c.RemoveSeeds(ctx, u)
	}
	_ = c.Refresh(ctx)
	assert.Less(h.t, time.Since(began), 30*time.Second, "a hook may call the cluster")
}

func (h *nosyHook) HealthChanged(plugins.HealthChange)               { h.poke() }
func (h *nosyHook) ProbeEnd(*sampler.Node, time.Duration, error)     { h.poke() }
func (h *nosyHook) TopologyChanged(plugins.TopologyChange)           { h.poke() }
func (h *nosyHook) SampleEnd(sampler.Topology, time.Duration, error) { h.poke() }

func TestHookMayCallTheCluster(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		hook := &nosyHook{t: t}
		w.cfg.Hooks = append(w.cfg.Hooks, hook)
		w.connect()
		hook.c.Store(w.c)
		w.node("n0").Kill()
		for range 3 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		<-time.NewTimer(time.Minute).C
		assert.Greater(t, hook.calls.Load(), int64(20))
	})
}

// stuckHook never returns from what it is told in the background.
type stuckHook struct{ over chan struct{} }

func (h stuckHook) HealthChanged(plugins.HealthChange)               { <-h.over }
func (h stuckHook) ProbeEnd(*sampler.Node, time.Duration, error)     { <-h.over }
func (h stuckHook) TopologyChanged(plugins.TopologyChange)           { <-h.over }
func (h stuckHook) SampleEnd(sampler.Topology, time.Duration, error) { <-h.over }

func TestHookThatBlocksHoldsNobodyUp(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		hook := stuckHook{make(chan struct{})}
		w.cfg.Hooks = append(w.cfg.Hooks, hook)
		began := time.Now()
		w.connect()
		w.node("n0").Kill()
		for range 3 {
			resp, err := get(t, w.c, t.Context(), "/i/_count")
			drain(t, resp, err)
		}
		require.NoError(t, w.c.Refresh(t.Context()))
		assert.Less(t, time.Since(began), time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		require.ErrorIs(t, w.c.Close(ctx), context.DeadlineExceeded)
		assert.LessOrEqual(t, time.Since(began), 3*time.Second)
		close(hook.over)
	})
}

// halfHook panics at the start of an attempt, which must not keep the next hook from hearing of it.
type startHook struct{ starts, ends atomic.Int64 }

func (h *startHook) AttemptStart(ctx context.Context, _ plugins.Attempt) context.Context {
	h.starts.Add(1)
	return ctx
}

func (h *startHook) AttemptEnd(ctx context.Context, _ plugins.Attempt, _ plugins.AttemptResult) {
	if ctx != nil {
		h.ends.Add(1)
	}
}

type nilContextHook struct{}

func (nilContextHook) AttemptStart(context.Context, plugins.Attempt) context.Context { return nil }
func (nilContextHook) AttemptEnd(context.Context, plugins.Attempt, plugins.AttemptResult) {
}

func TestBrokenHookKeepsNothingFromTheNext(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		last := &startHook{}
		w.cfg.Hooks = append(w.cfg.Hooks, nil, panickingHook{}, nilContextHook{}, last)
		w.connect()
		resp, err := get(t, w.c, t.Context(), "/i/_count")
		drain(t, resp, err)
		assert.EqualValues(t, 1, last.starts.Load())
		assert.EqualValues(t, 1, last.ends.Load())
	})
}

// decorate is a decorator of one's own.
type decorate func(*http.Request, *sampler.Node) error

func (d decorate) Decorate(r *http.Request, n *sampler.Node) error { return d(r, n) }

func TestFailingDecoratorSendsNothingAndSaysNothingOfTheNode(t *testing.T) {
	for name, d := range map[string]decorate{
		"error": func(*http.Request, *sampler.Node) error { return assert.AnError },
		"panic": func(*http.Request, *sampler.Node) error { panic(assert.AnError.Error()) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				var armed atomic.Bool
				w.cfg.SampleEvery = time.Hour
				w.cfg.Hooks = append(w.cfg.Hooks, decorate(func(r *http.Request, n *sampler.Node) error {
					if !armed.Load() {
						return nil
					}
					return d(r, n)
				}))
				w.connect()
				armed.Store(true)
				_, err := get(t, w.c, t.Context(), "/i/_count")
				require.ErrorContains(t, err, assert.AnError.Error())
				assert.Empty(t, w.fake.Requests())
				for _, n := range w.c.Stats().Nodes {
					assert.Equal(t, plugins.Alive, n.State)
				}
			})
		})
	}
}

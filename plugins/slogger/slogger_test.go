package slogger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/plugins/slogger"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

var (
	_ plugins.AttemptHook  = (*slogger.Hook)(nil)
	_ plugins.TopologyHook = (*slogger.Hook)(nil)
	_ plugins.HealthHook   = (*slogger.Hook)(nil)
	_ plugins.ProbeHook    = (*slogger.Hook)(nil)
)

var one = &sampler.Node{
	Name: "es-1", Addr: "127.0.0.1:9200", ClusterName: "theirs", ClusterUUID: "u2",
	URL: &url.URL{Scheme: "http", Host: "127.0.0.1:9200", User: url.UserPassword("elastic", "changeme")},
}

// lines returns what do logs at the level and above, without time.
func lines(level slog.Level, do func(*slogger.Hook)) string {
	var out bytes.Buffer
	handler := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime})
	do(slogger.New(slog.New(handler)))
	return out.String()
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// attempt is a failed attempt whose path and error hold secrets.
func attempt(h *slogger.Hook) {
	a := plugins.Attempt{Node: one, Class: pool.Reg, Number: 2, Method: "POST", Path: "/_search?token=changeme"}
	failure := &url.Error{
		Op: "Post", URL: "http://elastic:change@me@127.0.0.1:9200/_search?token=changeme", Err: errors.New("reset"),
	}
	ctx := h.AttemptStart(context.Background(), a)
	h.AttemptEnd(ctx, a, plugins.AttemptResult{
		Outcome: balancer.Outcome{Kind: balancer.NodeFailed, Err: fmt.Errorf("cluster: %w", failure)},
		Retry:   true, Took: 3 * time.Millisecond,
	})
}

func health(from, to plugins.State, err error) func(*slogger.Hook) {
	return func(h *slogger.Hook) {
		h.HealthChanged(plugins.HealthChange{Node: one, From: from, To: to, Err: err, Retry: time.Second})
	}
}

func TestEachEventHasItsLevel(t *testing.T) {
	refused := errors.New("connection refused")
	for _, c := range []struct {
		name string
		do   func(*slogger.Hook)
		want string
	}{
		{"attempt", attempt, "DEBUG"},
		{"suspect", health(plugins.Alive, plugins.Suspect, refused), "WARN"},
		{"dead", health(plugins.Suspect, plugins.Dead, refused), "WARN"},
		{"not ready", health(plugins.Alive, plugins.NotReady, refused), "WARN"},
		{"recovery", health(plugins.Dead, plugins.Alive, nil), "INFO"},
		{"draining", health(plugins.Alive, plugins.Draining, nil), "INFO"},
		{"filtered", health(plugins.Unverified, plugins.Filtered, nil), "DEBUG"},
		{"good sample", func(h *slogger.Hook) { h.SampleEnd(sampler.Topology{}, time.Second, nil) }, "DEBUG"},
		{"failed sample", func(h *slogger.Hook) { h.SampleEnd(sampler.Topology{}, time.Second, refused) }, "WARN"},
		{"error in the background", func(h *slogger.Hook) { h.BackgroundError(refused) }, "WARN"},
		{"probe", func(h *slogger.Hook) { h.ProbeEnd(one, time.Second, nil) }, "DEBUG"},
		{"failed probe", func(h *slogger.Hook) { h.ProbeEnd(one, time.Second, refused) }, "DEBUG"},
		{"stranger", func(h *slogger.Hook) {
			h.TopologyChanged(plugins.TopologyChange{Filtered: []*sampler.Node{one}})
		}, "WARN"},
		{"node added", func(h *slogger.Hook) {
			h.TopologyChanged(plugins.TopologyChange{Added: []*sampler.Node{one}})
		}, "INFO"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := lines(slog.LevelDebug, c.do)
			assert.True(t, strings.HasPrefix(out, "level="+c.want+" "), out)
			assert.Equal(t, 1, strings.Count(out, "\n"), out)
			var level slog.Level
			assert.NoError(t, level.UnmarshalText([]byte(c.want)))
			assert.Empty(t, lines(level+1, c.do), "the level is not asked for")
		})
	}
}

func TestRecordsSayWhatHappened(t *testing.T) {
	for _, c := range []struct {
		do   func(*slogger.Hook)
		want string
	}{
		{attempt, `level=DEBUG msg=attempt node=127.0.0.1:9200 name=es-1 class=reg attempt=2 method=POST path=/_search ` +
			`outcome="node failed" took=3ms retry=true error="cluster: Post \"http://127.0.0.1:9200/_search?…\": reset"`},
		{health(plugins.Alive, plugins.Dead, errors.New("refused")),
			`level=WARN msg="node changed" node=127.0.0.1:9200 name=es-1 from=alive to=dead retry_in=1s error=refused`},
		{func(h *slogger.Hook) {
			h.TopologyChanged(plugins.TopologyChange{
				Filtered: []*sampler.Node{one},
				Topology: sampler.Topology{ClusterName: "ours", ClusterUUID: "u1"},
			})
		}, `level=WARN msg="node of another cluster" node=127.0.0.1:9200 name=es-1 cluster=theirs cluster_uuid=u2 ` +
			`want_cluster=ours want_cluster_uuid=u1`},
		{func(h *slogger.Hook) { h.ProbeEnd(&sampler.Node{Addr: "[::1]:9200"}, time.Second, nil) },
			`level=DEBUG msg=probe node=[::1]:9200 took=1s`},
	} {
		assert.Equal(t, c.want+"\n", lines(slog.LevelDebug, c.do))
	}
}

func TestAnswerIsLoggedWithStatusAndLatency(t *testing.T) {
	out := lines(slog.LevelDebug, func(h *slogger.Hook) {
		a := plugins.Attempt{Node: one, Class: pool.Bulk, Number: 1, Method: "POST", Path: "/_bulk"}
		h.AttemptEnd(context.Background(), a, plugins.AttemptResult{
			Outcome: balancer.Outcome{Kind: balancer.Overloaded, Status: 429, Latency: time.Millisecond},
		})
	})
	assert.Contains(t, out, `outcome=overloaded took=0s status=429 latency=1ms`)
	assert.NotContains(t, out, "retry")
	assert.NotContains(t, out, "error")
}

func TestSecretsAreNotLogged(t *testing.T) {
	secrets := fmt.Errorf("two: %w", errors.Join(
		&url.Error{Op: "Get", URL: "https://u:changeme@h:9200/?api_key=changeme&x=1", Err: errors.New("x")},
		errors.New("proxy http://changeme@proxy:3128 refused https://h/p?signature=changeme"),
	))
	out := lines(slog.LevelDebug, func(h *slogger.Hook) {
		attempt(h)
		health(plugins.Alive, plugins.Dead, secrets)(h)
		h.SampleEnd(sampler.Topology{Nodes: []*sampler.Node{one}}, 0, secrets)
		h.ProbeEnd(one, 0, secrets)
		h.TopologyChanged(plugins.TopologyChange{Added: []*sampler.Node{one}, Filtered: []*sampler.Node{one}})
	})
	assert.NotContains(t, out, "changeme")
	assert.NotContains(t, out, "me@")
	assert.Contains(t, out, "http://proxy:3128 refused")
}

func TestTopologyWithoutChangeIsNotLogged(t *testing.T) {
	assert.Empty(t, lines(slog.LevelDebug, func(h *slogger.Hook) { h.TopologyChanged(plugins.TopologyChange{}) }))
}

func TestDisabledLevelCostsNothing(t *testing.T) {
	h := slogger.New(slog.New(slog.DiscardHandler))
	ctx, failure := context.Background(), errors.New("refused")
	a := plugins.Attempt{Node: one, Class: pool.Reg, Number: 1, Method: "GET", Path: "/x?y"}
	change := plugins.HealthChange{Node: one, To: plugins.Dead, Err: failure}
	topology := plugins.TopologyChange{Added: []*sampler.Node{one}, Filtered: []*sampler.Node{one}}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		h.AttemptEnd(h.AttemptStart(ctx, a), a, plugins.AttemptResult{})
		h.HealthChanged(change)
		h.TopologyChanged(topology)
		h.SampleEnd(sampler.Topology{}, 0, failure)
		h.ProbeEnd(one, 0, failure)
	}))
}

func TestNilLoggerIsTheDefaultOne(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	var out bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	health(plugins.Dead, plugins.Alive, nil)(slogger.New(nil))
	assert.Contains(t, out.String(), "to=alive")
}

func TestHookMayBeCalledConcurrently(t *testing.T) {
	out := lines(slog.LevelDebug, func(h *slogger.Hook) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					attempt(h)
				}
			})
		}
		wg.Wait()
	})
	assert.Equal(t, 400, strings.Count(out, "msg=attempt"))
}

func BenchmarkAttemptEnd(b *testing.B) {
	a := plugins.Attempt{Node: one, Class: pool.Reg, Number: 1, Method: "GET", Path: "/x"}
	for name, handler := range map[string]slog.Handler{
		"disabled": slog.DiscardHandler,
		"debug":    slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}),
	} {
		b.Run(name, func(b *testing.B) {
			h := slogger.New(slog.New(handler))
			b.ReportAllocs()
			for b.Loop() {
				h.AttemptEnd(context.Background(), a, plugins.AttemptResult{})
			}
		})
	}
}

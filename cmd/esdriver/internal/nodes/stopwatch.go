package nodes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/complaint"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

// kept is how many latencies of a node are remembered.
const kept = 512

// stopwatch is a hook that remembers how long nodes take to answer.
type stopwatch struct {
	mu    sync.Mutex // guards what follows
	nodes map[string]*latencies
	last  error
	at    time.Time
}

// latencies are the last ones of a node, in a ring.
type latencies struct {
	list []time.Duration
	next int
}

func newStopwatch() *stopwatch { return &stopwatch{nodes: map[string]*latencies{}} }

// AttemptStart returns the context as it is.
func (w *stopwatch) AttemptStart(ctx context.Context, _ plugins.Attempt) context.Context { return ctx }

// AttemptEnd takes the latency of an attempt that was answered.
func (w *stopwatch) AttemptEnd(_ context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	if r.Outcome.Kind == balancer.OK {
		w.add(a.Node.Addr, r.Outcome.Latency)
	}
}

// ProbeEnd takes the latency of a probe that was answered.
func (w *stopwatch) ProbeEnd(n *sampler.Node, took time.Duration, err error) {
	if err == nil {
		w.add(n.Addr, took)
	}
}

func (w *stopwatch) add(addr string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.nodes[addr]
	if l == nil {
		l = &latencies{}
		w.nodes[addr] = l
	}
	if len(l.list) < kept {
		l.list = append(l.list, d)
		return
	}
	l.list[l.next] = d
	l.next = (l.next + 1) % kept
}

// percentiles returns the median and the 99th percentile of a node, 0 while there is none.
func (w *stopwatch) percentiles(addr string) (p50, p99 time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.nodes[addr]
	if l == nil {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(l.list))
	return sorted[(len(sorted)-1)/2], sorted[(len(sorted)-1)*99/100]
}

// trouble remembers a failure.
func (w *stopwatch) trouble(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.at = err, time.Now()
}

// lastTrouble is the last failure, of a request or in the background.
func (w *stopwatch) lastTrouble(s plugins.Stats) string {
	w.mu.Lock()
	last, at := w.last, w.at
	w.mu.Unlock()
	if s.LastErrorAt.After(at) {
		last, at = s.LastError, s.LastErrorAt
	}
	if last == nil {
		return "none"
	}
	return at.Format(time.TimeOnly) + " " + complaint.Cause(last)
}

// Package audit records what a cluster decides, as a list of lines that a test can compare:
//
//	Sample
//	Attempt n1 503
//	Suspect n1
//	Attempt n2 200
//	Ping n1
//	Resurrected n1
//
// A [Trail] is a hook: put it into the cluster's configuration. It is the client's half of a fake cluster's
// picture; the servers' half is the fake's request log.
package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

// Trail records events in the order in which they were reported. The zero value is ready to use; its methods
// may be called from many goroutines.
type Trail struct {
	// Name maps a node's address to the word that stands for it; nil, or an empty word, leaves the address.
	// It must not be changed once the trail is in use.
	Name func(addr string) string

	mu     sync.Mutex // mu guards events
	events []string
}

// The hooks that a Trail implements.
var (
	_ plugins.AttemptHook  = (*Trail)(nil)
	_ plugins.TopologyHook = (*Trail)(nil)
	_ plugins.HealthHook   = (*Trail)(nil)
	_ plugins.ProbeHook    = (*Trail)(nil)
)

// Events returns what was recorded since the start or the last Reset. The slice belongs to the caller.
func (t *Trail) Events() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events)
}

// Only returns the events that start with one of the words.
func (t *Trail) Only(words ...string) []string {
	return slices.DeleteFunc(t.Events(), func(event string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(event, w) })
	})
}

// Reset forgets what was recorded.
func (t *Trail) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = nil
}

func (t *Trail) add(format string, args ...any) {
	event := fmt.Sprintf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, event)
}

func (t *Trail) name(n *sampler.Node) string {
	if t.Name != nil {
		if word := t.Name(n.Addr); word != "" {
			return word
		}
	}
	return n.Addr
}

// AttemptStart records nothing: an attempt is told by its end.
func (t *Trail) AttemptStart(ctx context.Context, _ plugins.Attempt) context.Context { return ctx }

// AttemptEnd records "Attempt NODE STATUS", or how the attempt ended when no answer came.
func (t *Trail) AttemptEnd(_ context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	if r.Outcome.Status != 0 {
		t.add("Attempt %s %d", t.name(a.Node), r.Outcome.Status)
		return
	}
	t.add("Attempt %s %s", t.name(a.Node), ending(r))
}

func ending(r plugins.AttemptResult) string {
	switch {
	case r.Outcome.Kind != balancer.NodeFailed:
		return r.Outcome.Kind.String()
	case r.Wrote:
		return "no answer"
	}
	return "no connection"
}

// TopologyChanged records "Added NODE", "Removed NODE" and "Filtered NODE" for each node.
func (t *Trail) TopologyChanged(change plugins.TopologyChange) {
	for _, n := range change.Added {
		t.add("Added %s", t.name(n))
	}
	for _, n := range change.Removed {
		t.add("Removed %s", t.name(n))
	}
	for _, n := range change.Filtered {
		t.add("Filtered %s", t.name(n))
	}
}

// SampleEnd records "Sample", or "SampleFailed".
func (t *Trail) SampleEnd(_ sampler.Topology, _ time.Duration, err error) {
	if err != nil {
		t.add("SampleFailed")
		return
	}
	t.add("Sample")
}

// HealthChanged records "NodeDead NODE", "Resurrected NODE", or the new state with a capital letter.
func (t *Trail) HealthChanged(change plugins.HealthChange) {
	switch {
	case change.To == plugins.Dead:
		t.add("NodeDead %s", t.name(change.Node))
	case change.To == plugins.Alive && change.From == plugins.Unverified:
		t.add("Verified %s", t.name(change.Node))
	case change.To == plugins.Alive:
		t.add("Resurrected %s", t.name(change.Node))
	default:
		t.add("%s %s", capital(change.To.String()), t.name(change.Node))
	}
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// ProbeEnd records "Ping NODE", or "PingFailed NODE".
func (t *Trail) ProbeEnd(n *sampler.Node, _ time.Duration, err error) {
	if err != nil {
		t.add("PingFailed %s", t.name(n))
		return
	}
	t.add("Ping %s", t.name(n))
}

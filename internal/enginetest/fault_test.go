package enginetest_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/internal/leaktest"
)

var long = flag.Bool("long", false, "do harm to real nodes for four times as long")

// soon is how fast a node that is back must carry its share again. Five seconds are promised on a machine that has
// nothing else to do; a server that has just started is slow where it must share its cores.
const soon = 8 * time.Second

// under runs the load while the story is told, waits until the cluster is whole, and prints and returns the figures.
// The story returns when, since the load began, the last node came back or was added; zero for none.
func under(t *testing.T, fault string, story func(*load, harness) time.Duration, keys ...string) (*load, figures) {
	t.Helper()
	e, h := newReal(t), newHarness(t)
	l := newLoad(t, e, "enginetest-"+fault, keys...)
	var back time.Duration
	l.during(t, func() { back = story(l, h) })
	l.whole(t)
	f := l.figures(l.stored(t))
	if back > 0 {
		f.even = l.evenAfter(back, l.nodes)
	}
	t.Logf("\n%s\n%s", header, f.line(fault, e.facts.release()))
	return l, f
}

// costsNothing tells a story after which no caller has noticed anything where a repetition is safe, nothing is lost or
// there twice, and, in the long form, the nodes share the load evenly again.
func costsNothing(t *testing.T, fault string, story func(*load, harness) time.Duration) {
	t.Helper()
	leaktest.Check(t)
	l, f := under(t, fault, story)
	assert.Zero(t, f.failed[read]+f.failed[create]+f.failed[bulk]+f.failed[insert], l.reasons())
	assert.Zero(t, f.duplicates)
	assert.Zero(t, f.lost)
	if *long { // the short form prints it: it runs where other work may hold the node that is back up
		assert.True(t, 0 <= f.even && f.even <= soon, "even after %s\n%s", f.even, l.shares())
	}
}

func TestKilledNodeCostsNoIdempotentRequest(t *testing.T) {
	costsNothing(t, "kill", func(l *load, h harness) time.Duration {
		pass(3 * time.Second)
		h.do(t, "kill 1")
		pass(4 * time.Second)
		h.do(t, "up 1")
		back := l.answers(t, 1)
		pass(soon + time.Second)
		return back
	})
}

func TestRollingRestartCostsNoIdempotentRequest(t *testing.T) {
	costsNothing(t, "restart", func(l *load, h harness) (back time.Duration) {
		pass(2 * time.Second)
		for i := range l.nodes {
			h.do(t, "down %d", i)
			h.do(t, "up %d", i)
			back = l.answers(t, i)
			l.whole(t)
		}
		pass(soon + time.Second)
		return back
	})
}

func TestWipedNodeCostsNoIdempotentRequest(t *testing.T) {
	costsNothing(t, "wipe", func(l *load, h harness) time.Duration {
		pass(2 * time.Second)
		h.do(t, "kill 2")
		h.do(t, "wipe 2")
		h.do(t, "up 2")
		back := l.answers(t, 2)
		pass(soon + time.Second)
		return back
	})
}

func TestAddedNodeCostsNoRequestAndTakesItsShare(t *testing.T) {
	costsNothing(t, "add", func(l *load, h harness) time.Duration {
		more := l.nodes
		t.Cleanup(func() { h.do(t, "down %d", more); h.do(t, "wipe %d", more) })
		pass(2 * time.Second)
		h.do(t, "up %d", more)
		back := l.answers(t, more)
		l.nodes++
		l.whole(t)
		pass(soon + time.Second)
		return back
	})
}

func TestFrozenNodeHoldsNoRequestLongerThanOneRetry(t *testing.T) {
	leaktest.Check(t)
	var well time.Duration // since the load began
	l, f := under(t, "freeze", func(l *load, h harness) time.Duration {
		pass(3 * time.Second)
		h.do(t, "freeze 2")
		pass(5 * time.Second)
		h.do(t, "thaw 2")
		back := l.answers(t, 2)
		l.whole(t)
		well = time.Since(l.began)
		pass(soon + time.Second)
		return back
	}, "attempt_timeout="+attemptTimeout.String())
	const busy = time.Second // this machine has other work
	assert.LessOrEqual(t, f.took[len(f.took)-1], 2*attemptTimeout+busy)
	assert.Zero(t, f.duplicates)
	assert.Zero(t, f.lost)
	after := l.since(well)
	assert.Empty(t, after.reasons(), "failed since the cluster was whole again")
	assert.Greater(t, len(after.calls), 500)
}

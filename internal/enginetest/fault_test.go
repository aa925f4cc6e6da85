package enginetest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/internal/leaktest"
)

// under runs the load while the story is told, waits until the cluster is whole, and prints and returns the figures.
func under(t *testing.T, fault string, story func(*load, harness)) (*load, figures) {
	t.Helper()
	e, h := newReal(t), newHarness(t)
	l := newLoad(t, e, "enginetest-"+fault)
	l.during(t, func() { story(l, h) })
	l.whole(t)
	f := l.figures(l.stored(t))
	t.Logf("\n%s\n%s", header, f.line(fault, e.facts.release()))
	return l, f
}

func TestKilledNodeCostsNoIdempotentRequest(t *testing.T) {
	leaktest.Check(t)
	l, f := under(t, "kill", func(_ *load, h harness) {
		pass(3 * time.Second)
		h.do(t, "kill 1")
		pass(4 * time.Second)
		h.do(t, "up 1")
		pass(8 * time.Second)
	})
	assert.Zero(t, f.failed[read]+f.failed[create], l.reasons())
	assert.Zero(t, f.duplicates)
	assert.Zero(t, f.lost)
}

func TestFrozenNodeHoldsNoRequestLongerThanOneRetry(t *testing.T) {
	leaktest.Check(t)
	var well time.Duration // since the load began
	l, f := under(t, "freeze", func(l *load, h harness) {
		pass(3 * time.Second)
		h.do(t, "freeze 2")
		pass(5 * time.Second)
		h.do(t, "thaw 2")
		l.whole(t)
		well = time.Since(l.began)
		pass(5 * time.Second)
	})
	const busy = time.Second // this machine has other work
	assert.LessOrEqual(t, f.took[len(f.took)-1], 2*attemptTimeout+busy)
	assert.Zero(t, f.duplicates)
	assert.Zero(t, f.lost)
	after := l.since(well)
	assert.Empty(t, after.reasons(), "failed since the cluster was whole again, %s after the thaw", well-8*time.Second)
	assert.Greater(t, len(after.calls), 500)
}

package enginetest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/internal/leaktest"
)

// under runs the load with the events, waits until the cluster is whole, and prints and returns the figures.
func under(t *testing.T, name string, length time.Duration, events ...event) (*load, figures) {
	t.Helper()
	leaktest.Check(t)
	e, h := newReal(t), newHarness(t)
	l := newLoad(t, e, "enginetest-"+name)
	l.run(t, h, length, events...)
	l.whole(t)
	f := l.figures(l.stored(t))
	t.Logf("\n%s\n%s", header, f.line(name, l.engine.facts.release()))
	return l, f
}

func TestKilledNodeCostsNoIdempotentRequest(t *testing.T) {
	l, f := under(t, "kill", 15*time.Second, event{3 * time.Second, "kill 1"}, event{7 * time.Second, "up 1"})
	assert.Zero(t, f.failed[read]+f.failed[create], l.reasons())
	assert.Zero(t, f.duplicates)
	assert.Zero(t, f.lost)
}

const (
	thawed = 8 * time.Second
	settle = 2 * time.Second // the node finds out that it was left behind, and joins again
)

func TestFrozenNodeHoldsNoRequestLongerThanOneRetry(t *testing.T) {
	l, f := under(t, "freeze", 16*time.Second, event{thawed - 5*time.Second, "freeze 2"}, event{thawed, "thaw 2"})
	assert.LessOrEqual(t, f.took[len(f.took)-1], 2*attemptTimeout+500*time.Millisecond)
	assert.Zero(t, f.duplicates)
	assert.Zero(t, f.lost)
	for _, c := range l.calls {
		if c.at > thawed+settle && c.failed() {
			assert.Fail(t, "a request failed after the thaw", "at %s: status %d, %v", c.at, c.status, c.err)
		}
	}
}

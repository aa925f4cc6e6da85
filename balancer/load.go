package balancer

import (
	"math"
	"sync/atomic"
	"time"
)

const (
	// alpha is the weight of one latency in the moving average, as in MongoDB's server selection
	// specification (round trip times). It makes an average of about the last ten.
	alpha = 0.2
	// memory is how long a latency counts. It counts less from moment to moment, so that a node that was
	// slow is tried again: a server that has just started is slow for its first requests alone.
	memory = 3 * time.Second
	// floor is the least latency that is told apart from none: less is noise of the scheduler.
	floor = 100 * time.Microsecond
	// alike is how many times slower a node may look and still count as equal. Averages of a few latencies
	// spread widely, and without the margin the node that was unlucky last would get nothing.
	alike = 2
	// ramp is how long a node takes from no share at all to its whole share.
	ramp = 3 * time.Second
	// newShare is what a new node starts with; Envoy's slow start has the same 10 %.
	newShare = 0.1
	// overloadedShare and failedShare are what is left of a node's share after such an outcome.
	overloadedShare = 0.5
	failedShare     = 0.25
)

// load is what one node has to do in one class, and how it has done lately. Goroutines that pick different
// nodes must not share a cache line: it fills one, and an entry of five is allocated at a multiple of its size.
type load struct {
	node     *Node
	done     func(Outcome) // made once, so that Pick allocates nothing
	inFlight atomic.Int64  // attempts that are not over, their bodies included
	latency  atomic.Uint64 // the moving average, bits of a float64, nanoseconds
	sampled  atomic.Int64  // when latency was fed last, by the clock
	whole    atomic.Int64  // when the node has its whole share (again), by the clock
	_        [16]byte
}

// entry holds a node's loads by class.
type entry [NumClasses]load

// newEntry returns the entry of a node that joins now, with part of its share and no latency.
func newEntry(n *Node, c *clock) *entry {
	e := new(entry)
	for i := range e {
		l := &e[i]
		l.node = n
		l.done = func(o Outcome) { l.end(o, c.read()) }
		l.sampled.Store(-int64(memory))
		l.setShare(newShare, c.now())
	}
	return e
}

// end counts the outcome of an attempt. What says nothing of the node changes only what is in flight.
func (l *load) end(o Outcome, now time.Duration) {
	l.inFlight.Add(-1)
	switch o.Kind {
	case OK:
		l.feed(o.Latency, now)
	case Overloaded:
		l.setShare(l.share(now)*overloadedShare, now)
	case NodeFailed:
		l.setShare(l.share(now)*failedShare, now)
	}
}

// feed adds a latency to the average. Only answers that came count: a refusal is quick, but no merit.
func (l *load) feed(latency, now time.Duration) {
	if latency <= 0 {
		return
	}
	age := now - time.Duration(l.sampled.Swap(int64(now)))
	for {
		old := l.latency.Load()
		mean := average(math.Float64frombits(old), float64(latency), age)
		if l.latency.CompareAndSwap(old, math.Float64bits(mean)) {
			return
		}
	}
}

// average returns the moving average with a sample added. The older the mean, the more the sample weighs;
// when the mean is older than memory, the sample takes its place.
func average(mean, sample float64, age time.Duration) float64 {
	weight := min(1, max(alpha, float64(age)/float64(memory)))
	return mean + weight*(sample-mean)
}

// share returns how much of its share the node is offered, from 0 to 1.
func (l *load) share(now time.Duration) float64 {
	left := time.Duration(l.whole.Load()) - now
	if left <= 0 {
		return 1
	}
	return max(0, 1-float64(left)/float64(ramp))
}

// setShare sets the share as it is now; it grows to 1 from there.
func (l *load) setShare(share float64, now time.Duration) {
	l.whole.Store(int64(now) + int64(float64(ramp)*(1-share)))
}

// lighter reports whether l has less to do than m: attempts in flight, the one to come included, by latency.
func (l *load) lighter(m *load, now time.Duration) bool {
	mine, other := l.inFlight.Load()+1, m.inFlight.Load()+1
	return float64(mine)*l.slowness(m, now) < float64(other)
}

// slowness tells how many times slower l is than m: 1 when they are alike or one of them is not known, which
// leaves the choice to what is in flight. The difference fades to 1 as the older of the two averages ages.
func (l *load) slowness(m *load, now time.Duration) float64 {
	age := int64(now) - min(l.sampled.Load(), m.sampled.Load())
	fresh := 1 - float64(age)/float64(memory)
	if fresh <= 0 {
		return 1
	}
	mine, other := l.mean(), m.mean()
	ratio := 1 + (max(mine, other)/min(mine, other)-1)*fresh
	switch {
	case ratio <= alike:
		return 1
	case mine < other:
		return 1 / ratio
	default:
		return ratio
	}
}

// mean returns the average latency, no less than floor.
func (l *load) mean() float64 {
	return max(float64(floor), math.Float64frombits(l.latency.Load()))
}

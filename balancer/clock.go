package balancer

import (
	"sync/atomic"
	"time"
)

// tick is how far a clock's now may be behind while attempts end.
const tick = time.Millisecond

// clock tells the time since it was made. Its now is one atomic load, so that Pick can afford it; it is
// moved by those who read the real time anyway, when an attempt ends. While nothing ends, nothing is learnt
// either, so that a clock that stands still does no harm.
type clock struct {
	start time.Time
	last  atomic.Int64
}

func newClock() *clock { return &clock{start: time.Now()} }

// now returns the time that read returned last, give or take a tick.
func (c *clock) now() time.Duration { return time.Duration(c.last.Load()) }

// read returns the real time and moves now. It writes at most once a tick, to keep the cache line shared.
func (c *clock) read() time.Duration {
	now := time.Since(c.start)
	if now-c.now() >= tick {
		c.last.Store(int64(now))
	}
	return now
}

package pool

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/puddle/v2"
)

// Conn is a connection on loan from a group. Exactly one of Release and Discard must be called, once;
// a further call panics. A Conn is a small value, made to be copied; copies are the same loan. The zero
// Conn is on loan from nobody and must not be used.
type Conn[C any] struct {
	held   *held[C]
	loan   uint32
	reused bool
}

// Value returns the connection. It must not be used after Release or Discard.
func (c Conn[C]) Value() C { return c.held.value }

// Reused reports whether the connection was there before the caller asked for one: it was used by others
// or was idle, so its server may have closed it in the meantime. False means dialed for this caller.
func (c Conn[C]) Reused() bool { return c.reused }

// Release gives the connection back to serve another request. A connection that became too old, or is of
// a group that was reset or closed meanwhile, is closed instead.
func (c Conn[C]) Release() {
	c.end()
	c.held.home.put(c.held)
}

// Discard closes the connection and makes room for another.
func (c Conn[C]) Discard() {
	c.end()
	c.held.home.discard(c.held)
}

// end ends the loan. Loans are numbered, so that a second call is noticed even when the connection is on
// loan to somebody else by then.
func (c Conn[C]) end() {
	if !c.held.loan.CompareAndSwap(c.loan, c.loan+1) {
		panic("pool: connection was released or discarded already")
	}
}

// held is a connection and what its group knows of it. All but loan belongs to whoever has the connection:
// the caller it is on loan to, or the holder of its class's lock while it is idle.
type held[C any] struct {
	value C
	home  *classPool[C]
	place *puddle.Resource[*held[C]]
	loan  atomic.Uint32 // how many loans have ended
	round uint64        // the group's round when it was dialed

	since   time.Time     // when it became idle
	maxIdle time.Duration // 0: no limit
	expires time.Time     // zero: never
}

// hold returns a connection that was just dialed.
func hold[C any](value C, home *classPool[C], round uint64) *held[C] {
	h := &held[C]{value: value, home: home, round: round}
	cfg := &home.group.cfg
	h.maxIdle = vary(cfg.MaxIdle)
	if cfg.MaxLifetime > 0 {
		h.expires = time.Now().Add(vary(cfg.MaxLifetime))
	}
	return h
}

// vary returns a random duration within a tenth of d, and 0 when d is no limit.
func vary(d time.Duration) time.Duration {
	tenth := d / 10
	if d <= 0 || tenth == 0 {
		return max(d, 0)
	}
	return d - tenth + rand.N(2*tenth+1)
}

// tooOld reports whether the connection has reached its age limit.
func (h *held[C]) tooOld(now time.Time) bool { return !h.expires.IsZero() && now.After(h.expires) }

// idleTooLong reports whether the idle connection has reached its idle limit.
func (h *held[C]) idleTooLong(now time.Time) bool {
	return h.maxIdle > 0 && now.Sub(h.since) > h.maxIdle
}

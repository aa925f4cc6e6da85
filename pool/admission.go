package pool

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/puddle/v2"
)

// classPool is one class's connections and its waiters. Callers are served in the order they came: while
// somebody waits nothing is idle, because a connection that comes free goes to the first waiter.
//
// The connections lie in a puddle pool, whose size is the most the class may have. puddle would dial, and
// make callers wait, for each class alone; both are bound to what the other classes do, so they are done
// here, and puddle is given a connection when there is one.
type classPool[C any] struct {
	group       *Group[C]
	class       Class
	size, limit int32 // of its own; borrowed ones included

	mu      sync.Mutex // guards all below; no other class's lock is taken under it, and no function of Config is called
	places  *puddle.Pool[*held[C]]
	arrival *held[C] // what puddle's constructor takes over
	waiters queue[C]
	closed  bool

	open    int32 // idle, in use, being dialed and being closed; those above size are borrowed
	idle    int32
	inUse   int32
	dialing int32

	acquired, timeouts, dials, dialErrors uint64
	waited                                time.Duration
}

func newClassPool[C any](g *Group[C], class Class) (*classPool[C], error) {
	p := &classPool[C]{group: g, class: class, size: g.cfg.Sizes[class]}
	p.limit = p.size + g.ledger.limit(class)
	// No destructor: connections are closed before puddle is told, so that their places are not taken while
	// they are still open.
	places, err := puddle.NewPool(&puddle.Config[*held[C]]{
		Constructor: func(context.Context) (*held[C], error) { return p.arrival, nil },
		MaxSize:     p.limit,
	})
	if err != nil {
		return nil, fmt.Errorf("pool: %d connections of class %s: %w", p.limit, class, err)
	}
	p.places = places
	return p, nil
}

// acquire takes an idle connection or waits for one. class is the one that the caller asked for.
func (p *classPool[C]) acquire(ctx context.Context, class Class) (Conn[C], error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return Conn[C]{}, ErrClosed
		}
		if p.idle == 0 {
			w := p.enqueue()
			p.mu.Unlock()
			return p.wait(ctx, class, w)
		}
		h := p.takeIdle()
		conn := p.lend(h, true)
		p.mu.Unlock()
		if p.fit(h) {
			return conn, nil
		}
		p.reject(h)
	}
}

// enqueue adds a waiter, and notes that it wants a dial if there is room for one. The caller holds mu.
func (p *classPool[C]) enqueue() *waiter[C] {
	w := newWaiter[C]()
	p.waiters.push(w)
	if p.open < p.limit {
		p.group.ledger.want(p.class)
	}
	return w
}

// takeIdle takes an idle connection, the one that was used last. The caller holds mu; idle is not 0.
func (p *classPool[C]) takeIdle() *held[C] {
	p.idle--
	return p.takePlace()
}

// takePlace takes the connection that was put into puddle last. It cannot fail, nor does puddle construct
// anything: under mu, puddle has as many idle ones as we count.
func (p *classPool[C]) takePlace() *held[C] {
	place, err := p.places.TryAcquire(context.Background())
	if err != nil {
		panic(fmt.Sprintf("pool: idle connection is gone: %v", err))
	}
	h := place.Value()
	h.place = place
	return h
}

// lend starts a loan. The caller holds mu.
func (p *classPool[C]) lend(h *held[C], reused bool) Conn[C] {
	p.inUse++
	p.acquired++
	loan := h.loan.Load()
	return Conn[C]{held: h, loan: loan, reused: reused || loan > 0}
}

// fit reports whether a connection that was idle may be handed out.
func (p *classPool[C]) fit(h *held[C]) bool {
	now := time.Now()
	if h.tooOld(now) || h.idleTooLong(now) {
		return false
	}
	usable := p.group.cfg.Usable
	return usable == nil || usable(h.value, now.Sub(h.since))
}

// wait has a connection dialed if that is allowed, and returns what the queued waiter is given, or takes it
// out of the queue when its context or time ends first.
func (p *classPool[C]) wait(ctx context.Context, class Class, w *waiter[C]) (Conn[C], error) {
	p.group.dispatch()
	got, ok := w.await(ctx, p.group.cfg.WaitTimeout)
	if ok {
		return got.conn, got.err
	}
	p.mu.Lock()
	if p.waiters.remove(w) {
		err := p.gaveUp(ctx, class, w)
		p.mu.Unlock()
		return Conn[C]{}, err
	}
	p.mu.Unlock()
	// It was served at the very moment.
	got = <-w.ready
	if got.err == nil && ctx.Err() != nil {
		got.conn.Release()
		return Conn[C]{}, p.contextError(ctx, class)
	}
	return got.conn, got.err
}

// gaveUp returns the error of a caller that was just taken out of the queue. The caller holds mu.
func (p *classPool[C]) gaveUp(ctx context.Context, class Class, w *waiter[C]) error {
	waited := time.Since(w.since)
	p.waited += waited
	p.eased()
	if ctx.Err() != nil {
		return p.contextError(ctx, class)
	}
	p.timeouts++
	return &TimeoutError{
		Class: class, Node: p.group.cfg.Name,
		InUse: p.inUse, Waiting: p.waiters.length + 1, Waited: waited,
	}
}

// eased tells the ledger when no waiter lacks a dial any more. The caller holds mu and has taken a waiter out.
func (p *classPool[C]) eased() {
	if p.waiters.length <= p.dialing {
		p.group.ledger.calm(p.class)
	}
}

func (p *classPool[C]) contextError(ctx context.Context, class Class) error {
	return fmt.Errorf("pool: waiting for a %s connection to %s: %w", class, p.group.cfg.Name, ctx.Err())
}

// stat returns a picture of the class.
func (p *classPool[C]) stat() Stat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stat{
		Size: p.size, Limit: p.limit,
		Open: p.open - p.dialing, InUse: p.inUse, Idle: p.idle, Dialing: p.dialing, Waiting: p.waiters.length,
		Acquired: p.acquired, Timeouts: p.timeouts, Waited: p.waited,
		Dials: p.dials, DialErrors: p.dialErrors,
	}
}

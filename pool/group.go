// Package pool keeps a node's connections, apart for each class of traffic, so that a class that is saturated
// delays no other. A [Group] is one node's, a [Set] is the groups of a cluster. Neither knows what a connection is.
package pool

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Group is one node's connections, kept apart by class. It is safe for concurrent use.
//
// A class uses its own connections first and then borrows, up to Config.Shared for all classes of the node.
// Callers of a class are served in the order they came. No more than two connections are dialed at a time;
// a connection that comes free meanwhile serves the first waiter. A group has no goroutine of its own, save
// one for each dial and one while Close closes what is idle.
type Group[C any] struct {
	cfg    Config[C]
	ledger *ledger
	pools  []*classPool[C]           // the classes that have connections
	by     [NumClasses]*classPool[C] // where each class's requests travel
	round  atomic.Uint64             // counts Resets; connections of an earlier round are not handed out

	// base is the context of all dials. It is kept because a dial belongs to no caller: it ends with the group.
	base context.Context
	stop context.CancelFunc
}

// NewGroup returns a group that has no connection yet. It fails when cfg lacks a function or has a size that
// cannot be; the error names the DSN's key.
func NewGroup[C any](cfg Config[C]) (*Group[C], error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	g := &Group[C]{cfg: cfg, ledger: newLedger(cfg.Shared)}
	for class := range Class(NumClasses) {
		if cfg.carrier(class) != class {
			continue
		}
		p, err := newClassPool(g, class)
		if err != nil {
			return nil, err
		}
		g.pools = append(g.pools, p)
		g.by[class] = p
	}
	for class := range Class(NumClasses) {
		g.by[class] = g.by[cfg.carrier(class)]
	}
	g.base, g.stop = context.WithCancel(context.Background())
	return g, nil
}

// Acquire returns a connection of the class, waiting for one to come free or to be dialed. It fails with
// ctx's error, with a [*TimeoutError] when Config.WaitTimeout passes, with a [*DialError], or with [ErrClosed].
// When a dial fails, all who wait for a dial of the node get its error. The caller must Release or Discard
// the connection, once.
func (g *Group[C]) Acquire(ctx context.Context, class Class) (Conn[C], error) {
	if class >= NumClasses {
		return Conn[C]{}, fmt.Errorf("pool: there is no %s", class)
	}
	p := g.by[class]
	if ctx.Err() != nil {
		return Conn[C]{}, p.contextError(ctx, class)
	}
	return p.acquire(ctx, class)
}

// Warm dials until the class has n connections, or as many as Config.Sizes gives it if that is less. It stops
// at the first error, which is one of Acquire's. It is meant for a node that takes no traffic yet: what it
// has dialed is free for others when it returns.
func (g *Group[C]) Warm(ctx context.Context, class Class, n int) error {
	var conns []Conn[C]
	defer func() {
		for _, c := range conns {
			c.Release()
		}
	}()
	for {
		stat := g.Stat(class)
		if int(stat.Open) >= min(n, int(stat.Size)) {
			return nil
		}
		c, err := g.Acquire(ctx, class)
		if err != nil {
			return err
		}
		conns = append(conns, c)
	}
}

// Stat returns a picture of the class. A class whose requests travel on another's connections, because its
// size is 0, has a zero picture: its figures are among the other's.
func (g *Group[C]) Stat(class Class) Stat {
	if class >= NumClasses || g.by[class].class != class {
		return Stat{}
	}
	return g.by[class].stat()
}

// Sweep closes idle connections that have reached their idle or age limit, without waiting for traffic to
// come upon them. The group has no timer: its owner calls Sweep from time to time.
func (g *Group[C]) Sweep() {
	for _, p := range g.pools {
		for _, h := range p.sweep() {
			p.close(h)
		}
	}
	g.dispatch()
}

// Reset closes all connections there are: idle ones now, those in use or being dialed when they come back.
// Waiters stay and get new ones. It is called when a node has restarted or its connections have begun to fail.
func (g *Group[C]) Reset() {
	g.round.Add(1)
	g.Sweep()
}

// Close makes Acquire fail with [ErrClosed], waiters included, and closes all connections: idle ones at once,
// those in use when they come back. It does not wait; see Closed. Closing twice is closing once.
func (g *Group[C]) Close() {
	for _, p := range g.pools {
		p.shut()
	}
	g.stop()
	g.ledger.close()
	go g.Sweep()
}

// Closed returns a channel that is closed when the group is and its last connection has gone.
func (g *Group[C]) Closed() <-chan struct{} { return g.ledger.done }

// dispatch lets classes dial that want to, in turn, as long as one is admitted or room is made for it.
func (g *Group[C]) dispatch() {
	for again := true; again; {
		again = false
		classes, turn := g.ledger.takeEager()
		for i := range NumClasses {
			class := Class((turn + i) % NumClasses)
			if classes&(1<<class) == 0 {
				continue
			}
			switch g.by[class].dialOne() {
			case admitted:
				again = true
			case exhausted:
				again = g.reclaim(class) || again
			}
		}
	}
}

// reclaim closes one idle connection that another class borrowed and the class could borrow in its stead.
func (g *Group[C]) reclaim(class Class) bool {
	lenders := g.ledger.lenders(class)
	for _, p := range g.pools {
		if lenders&(1<<p.class) == 0 {
			continue
		}
		if h := p.spare(); h != nil {
			p.close(h)
			return true
		}
	}
	return false
}

// gone reports whether the group is closed and has no connection any more.
func (g *Group[C]) gone() bool {
	select {
	case <-g.ledger.done:
		return true
	default:
		return false
	}
}

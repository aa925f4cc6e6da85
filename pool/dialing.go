package pool

import (
	"context"
	"fmt"
	"time"
)

// dialOne starts one dial if there is a waiter whom no dial stands for yet, and the ledger admits it.
func (p *classPool[C]) dialOne() verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A class that is full by itself must not ask: as one in need of others' connections it would make them
	// look at the ledger with every release.
	if p.closed || p.waiters.length <= p.dialing || p.open == p.limit {
		return refused
	}
	answer := p.group.ledger.admit(p.class, p.open >= p.size)
	if answer != admitted {
		return answer
	}
	p.open++
	p.dialing++
	p.dials++
	if p.waiters.length > p.dialing {
		p.group.ledger.want(p.class)
	}
	go p.dial()
	return admitted
}

// dial runs in a goroutine of its own, which ends soon after Dial returns. It belongs to no caller: its
// connection goes to the first waiter, and becomes idle when there is none left.
func (p *classPool[C]) dial() {
	g := p.group
	round := g.round.Load()
	value, err := g.cfg.Dial(g.base, p.class)
	if err != nil {
		g.dialFailed(p, &DialError{Class: p.class, Node: g.cfg.Name, Err: err})
	} else {
		p.arrive(hold(value, p, round))
	}
	g.ledger.dialed()
	g.dispatch()
}

// arrive puts a connection that was just dialed into puddle and to use.
func (p *classPool[C]) arrive(h *held[C]) {
	p.mu.Lock()
	p.dialing--
	p.arrival = h
	if err := p.places.CreateResource(context.Background()); err != nil {
		panic(fmt.Sprintf("pool: no room for a connection that was admitted: %v", err))
	}
	p.arrival = nil
	h = p.takePlace()
	kept := p.keep(h, false)
	p.mu.Unlock()
	if !kept {
		p.drop(h)
	}
}

// dialFailed tells all who wait for a dial, of whatever class, that one of the class has failed: they would
// wait in vain for one time limit after another if each had a dial of its own fail.
func (g *Group[C]) dialFailed(p *classPool[C], err error) {
	p.mu.Lock()
	p.dialing--
	p.dialErrors++
	p.vacate()
	p.fail(err, true)
	p.mu.Unlock()
	for _, other := range g.pools {
		if other != p {
			other.mu.Lock()
			other.fail(err, false)
			other.mu.Unlock()
		}
	}
}

// fail passes the error to the waiters who wait for a dial that has not begun, oldest first; asked says that
// the failed dial was for one of them. When the class has no connection at all these are all whom no running
// dial stands for, else those for whom there is room: the rest wait for a connection in use. The caller holds mu.
func (p *classPool[C]) fail(err error, asked bool) {
	n := p.waiters.length - p.dialing
	if n > 0 && p.open > p.dialing {
		n = min(n, p.room(asked))
	}
	now := time.Now()
	for range n {
		p.answer(grant[C]{err: err}, now)
	}
	p.eased()
}

// room returns how many more connections the class could have now, and one at least if asked.
// The caller holds mu.
func (p *classPool[C]) room(asked bool) int32 {
	own := max(p.size-p.open, 0)
	room := min(own+p.group.ledger.lendable(p.class), p.limit-p.open)
	if asked {
		room = max(room, 1)
	}
	return room
}

// answer takes the first waiter out of the queue and gives it what it waited for. The caller holds mu and
// has made sure that there is one.
func (p *classPool[C]) answer(got grant[C], now time.Time) {
	w := p.waiters.first
	p.waiters.remove(w)
	p.waited += now.Sub(w.since)
	w.ready <- got
}

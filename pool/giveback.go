package pool

import "time"

// put takes back a connection that was in use.
func (p *classPool[C]) put(h *held[C]) {
	p.mu.Lock()
	p.inUse--
	kept := p.keep(h, true)
	p.mu.Unlock()
	if !kept {
		p.drop(h)
	}
}

// keep gives a connection to the first waiter or makes it idle. It reports false, and has done neither, when
// the connection is of no more use or another class needs its place more. reused is false for a connection
// that was just dialed. The caller holds mu.
func (p *classPool[C]) keep(h *held[C], reused bool) bool {
	now := time.Now()
	if p.spent(h, now) || p.claimed() {
		return false
	}
	if p.waiters.length > 0 {
		p.answer(grant[C]{conn: p.lend(h, reused)}, now)
		p.eased()
		return true
	}
	h.since = now
	h.place.ReleaseUnused()
	p.idle++
	return true
}

// spent reports whether a connection must not be handed out again. The caller holds mu.
func (p *classPool[C]) spent(h *held[C], now time.Time) bool {
	return p.closed || h.round != p.group.round.Load() || h.tooOld(now)
}

// claimed reports whether a connection that comes free should be closed for another class. A class that has
// borrowed none does not ask the ledger. The caller holds mu.
func (p *classPool[C]) claimed() bool {
	return p.open > p.size && p.group.ledger.claimed(p.class, p.waiters.length > 0)
}

// discard closes a connection that was in use.
func (p *classPool[C]) discard(h *held[C]) {
	p.mu.Lock()
	p.inUse--
	p.mu.Unlock()
	p.drop(h)
}

// reject closes a connection that was idle and turned out to be of no use before a caller saw it.
func (p *classPool[C]) reject(h *held[C]) {
	p.mu.Lock()
	p.acquired--
	p.mu.Unlock()
	p.discard(h)
}

// drop closes a connection that is neither idle nor in use any more, and lets those dial who may now.
func (p *classPool[C]) drop(h *held[C]) {
	p.close(h)
	p.group.dispatch()
}

// close closes a connection that is neither idle nor in use any more. Its place is free only after that,
// so that there are never more open than allowed.
func (p *classPool[C]) close(h *held[C]) {
	p.group.cfg.Close(h.value)
	h.place.Hijack() // takes it out of puddle at once; Destroy would do so some time later
	p.mu.Lock()
	p.vacate()
	p.mu.Unlock()
}

// vacate gives up the place of a connection that was closed or could not be dialed. The caller holds mu.
func (p *classPool[C]) vacate() {
	borrowed := p.open > p.size
	p.open--
	if p.waiters.length > p.dialing {
		p.group.ledger.want(p.class)
	}
	p.group.ledger.giveBack(p.class, borrowed)
}

// sweep takes out the idle connections that must not be handed out again, for the caller to close.
func (p *classPool[C]) sweep() []*held[C] {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var out []*held[C]
	places := p.places.AcquireAllIdle()
	// Back they go in the opposite order, so that the one used last stays the one used next.
	for i := len(places) - 1; i >= 0; i-- {
		h := places[i].Value()
		if p.spent(h, now) || h.idleTooLong(now) {
			out = append(out, h)
			continue
		}
		places[i].ReleaseUnused()
	}
	p.idle -= int32(len(out))
	return out
}

// shut makes the class hand out nothing any more and fails its waiters.
func (p *classPool[C]) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	now := time.Now()
	for p.waiters.length > 0 {
		p.answer(grant[C]{err: ErrClosed}, now)
	}
	p.eased()
}

// spare takes out an idle connection that was borrowed, for the caller to close; nil when there is none.
func (p *classPool[C]) spare() *held[C] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == 0 || p.open <= p.size {
		return nil
	}
	return p.takeIdle()
}

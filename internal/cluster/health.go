package cluster

import (
	"time"

	"github.com/esdriver/esdriver/plugins"
)

// A node's health. Requests and probes report what they saw; the rules are here:
//
//	answered               alive, failures forgotten
//	no connection          dead: probed after 1 s · 2ⁿ with full jitter, at most 30 s
//	sent, no answer        suspect: probed at once, back when the probe is good
//	502, 503, 504          the same, but the third in a row sits out a dead time first: such a node may
//	                       answer every probe and still refuse every request
//	not available          not-ready: probed each second
//	Connection: close      draining: probed at once, back when a probe's answer does not say so
const (
	streak       = 3 // refusals in a row after which a good probe does not bring a node back at once
	readyRetry   = time.Second
	drainRetry   = time.Second
	identityNext = 5 * time.Second
)

// succeeded notes an answer; keeps says that its connection stays open.
func (c *Cluster) succeeded(p *peer, keeps bool) {
	if p.clean.Load() {
		return
	}
	p.mu.Lock()
	p.failures, p.refusals, p.verified = 0, 0, true
	p.waits.Reset()
	if keeps {
		p.learnCut(false)
	}
	from := p.is()
	back := from == plugins.Suspect || from == plugins.Dead || from == plugins.NotReady || from == plugins.Unverified
	if back {
		p.enter(plugins.Alive)
	}
	p.clean.Store(p.is() == plugins.Alive && p.knowsCut)
	p.mu.Unlock()
	if back {
		c.moved(p, from, plugins.Alive, nil, 0)
		c.recovered(p)
	}
}

// unreachable notes that no connection could be made.
func (c *Cluster) unreachable(p *peer, err error) {
	p.mu.Lock()
	wait := p.waits.NextBackOff()
	from, to := p.fail(plugins.Dead, err, wait)
	p.mu.Unlock()
	c.moved(p, from, to, err, wait)
}

// unanswered notes that a request was sent and its connection was lost, or its time ran out.
func (c *Cluster) unanswered(p *peer, err error) { c.suspect(p, err, false) }

// refused notes a 502, 503 or 504.
func (c *Cluster) refused(p *peer, err error) { c.suspect(p, err, true) }

func (c *Cluster) suspect(p *peer, err error, answered bool) {
	p.mu.Lock()
	if p.is() == plugins.Dead {
		p.mu.Unlock()
		return // the watcher knows better
	}
	var wait time.Duration
	if answered {
		if p.refusals++; p.refusals >= streak {
			wait = p.waits.NextBackOff()
		}
	}
	from, to := p.fail(plugins.Suspect, err, wait)
	p.mu.Unlock()
	c.moved(p, from, to, err, wait)
}

// unavailable notes that the node answers but its cluster does not work through it.
func (c *Cluster) unavailable(p *peer, err error) {
	p.mu.Lock()
	from, to := p.fail(plugins.NotReady, err, readyRetry)
	p.mu.Unlock()
	c.moved(p, from, to, err, readyRetry)
}

// draining notes that the node announced its end with Connection: close.
func (c *Cluster) draining(p *peer) {
	p.mu.Lock()
	p.learnCut(true)
	from := p.is()
	if p.alwaysCut || from != plugins.Alive {
		p.mu.Unlock()
		return
	}
	p.until = time.Now()
	p.enter(plugins.Draining)
	p.mu.Unlock()
	c.moved(p, from, plugins.Draining, nil, 0)
}

// fail enters a state after a failure. A node of another cluster stays out whatever fails: only an answer that names its
// cluster brings it in. The caller holds p.mu.
func (p *peer) fail(state plugins.State, err error, wait time.Duration) (from, to plugins.State) {
	from, to = p.is(), state
	if from == plugins.Filtered {
		to = from
	}
	p.failures++
	p.lastErr = err
	p.until = time.Now().Add(wait)
	p.enter(to)
	return from, to
}

// enter changes the state. The caller holds p.mu.
func (p *peer) enter(to plugins.State) {
	p.state.Store(uint32(to))
	if to != plugins.Alive {
		p.clean.Store(false)
	}
}

// moved tells everybody of a change of state; the caller holds no lock. The hooks hear of it before the watcher
// starts, so that they hear of a failure before they hear of the recovery.
func (c *Cluster) moved(p *peer, from, to plugins.State, err error, wait time.Duration) {
	if from != to {
		c.touch()
		c.hooks.healthChanged(plugins.HealthChange{Node: p.node.Load(), From: from, To: to, Err: err, Retry: wait})
	}
	if to == plugins.Alive && from == plugins.Unverified {
		c.warm(p)
	}
	if to != plugins.Alive {
		c.watch(p)
	}
}

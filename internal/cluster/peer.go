package cluster

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// peer is what the cluster keeps of one node for as long as the node stays the same: its connections and its
// health. The picture of it, the *sampler.Node, is replaced when a sample tells something new.
type peer struct {
	node  atomic.Pointer[sampler.Node]
	group *pool.Group[*httpconn.Conn]
	seed  bool // a configured address: routable before it was probed, and never dropped

	state    atomic.Uint32 // a plugins.State, written under mu
	clean    atomic.Bool   // alive without a failure: a success has nothing to do
	inFlight atomic.Int64  // attempts whose body has not ended
	gone     chan struct{} // closed when the node has left the list
	wake     chan struct{} // asks the watcher to probe now

	mu        sync.Mutex // mu guards all below
	failures  int        // failures in a row, of probes and requests
	refusals  int        // 502, 503 and 504 in a row, which a good probe does not make up for
	lastErr   error
	until     time.Time // when it is probed next
	waits     *backoff.ExponentialBackOff
	watched   bool // a watcher runs
	verified  bool // has answered a probe or a request once
	knowsCut  bool // alwaysCut is known
	alwaysCut bool // said Connection: close from the first on: a proxy's habit and no sign of a drain
}

func newPeer(n *sampler.Node, g *pool.Group[*httpconn.Conn], seed bool) *peer {
	p := &peer{
		group: g, seed: seed, waits: deadWaits(),
		gone: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	p.node.Store(n)
	return p
}

func (p *peer) is() plugins.State { return plugins.State(p.state.Load()) }

// serves reports whether the node takes its share of requests.
func (p *peer) serves() bool {
	state := p.is()
	return state == plugins.Alive || state == plugins.Unverified && p.seed
}

// learnCut takes the first answer for what the node does by habit. The caller holds p.mu.
func (p *peer) learnCut(closes bool) {
	if !p.knowsCut {
		p.knowsCut, p.alwaysCut = true, closes
	}
}

// nudge asks the watcher, if one runs, to probe now.
func (p *peer) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// rank orders nodes that a request may be sent to when nobody serves: the lower the better; ok is false
// for those that must never get one: strangers, and discovered addresses that have never answered.
func (p *peer) rank() (rank int, ok bool) {
	switch p.is() {
	case plugins.Alive:
		return 0, true
	case plugins.Unverified:
		return 1, p.seed
	case plugins.Suspect:
		return 2, true
	case plugins.NotReady:
		return 3, true
	case plugins.Draining:
		return 4, true
	case plugins.Dead:
		p.mu.Lock()
		defer p.mu.Unlock()
		return rankDead, p.seed || p.verified
	}
	return 0, false
}

const rankDead = 5

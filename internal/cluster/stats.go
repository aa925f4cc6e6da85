package cluster

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// counters count the cluster's work. Attempts are not counted on the way: they are the requests that reached a
// node, plus the retries.
type counters struct {
	requests, failures, retries, unattempted atomic.Uint64
	samples, sampleFailures                  atomic.Uint64
	probes, probeFailures                    atomic.Uint64
	hookPanics                               atomic.Uint64

	lastMu    sync.Mutex // lastMu guards lastError, lastErrorAt
	lastError error
	lastAt    time.Time
}

// report keeps the last error in the background for Stats. A hook hears of it by itself: see trouble.
func (c *counters) report(err error) {
	c.lastMu.Lock()
	defer c.lastMu.Unlock()
	c.lastError, c.lastAt = err, time.Now()
}

// trouble reports an error of which no hook hears otherwise.
func (c *Cluster) trouble(err error) {
	c.report(err)
	c.hooks.backgroundError(err)
}

// panicked counts a panic of a plug-in's and tells the hooks.
func (c *Cluster) panicked(err error) {
	c.hookPanics.Add(1)
	c.trouble(err)
}

// countPanic counts a panic of a hook's that is not to be told.
func (c *Cluster) countPanic(err error) {
	c.hookPanics.Add(1)
	c.report(err)
}

// Stats returns a picture of the cluster's work.
func (c *Cluster) Stats() plugins.Stats {
	requests, retries := c.requests.Load(), c.retries.Load()
	s := plugins.Stats{
		Requests: requests, Failures: c.failures.Load(), Retries: retries,
		Attempts: requests + retries - c.unattempted.Load(),
		Samples:  c.samples.Load(), SampleFailures: c.sampleFailures.Load(),
		Probes: c.probes.Load(), ProbeFailures: c.probeFailures.Load(),
		HookPanics:  c.hookPanics.Load(),
		RetryTokens: c.budget.left(requests, time.Now()),
		Nodes:       c.nodeStats(),
	}
	c.lastMu.Lock()
	s.LastError, s.LastErrorAt = c.lastError, c.lastAt
	c.lastMu.Unlock()
	return s
}

func (c *Cluster) nodeStats() []plugins.NodeStats {
	snap := c.snap.Load()
	nodes := make([]plugins.NodeStats, 0, len(snap.all))
	for _, p := range snap.all {
		nodes = append(nodes, p.stats())
	}
	for _, n := range snap.topology.Filtered {
		if snap.byAddr(n.Addr) == nil {
			nodes = append(nodes, plugins.NodeStats{Node: n, State: plugins.Filtered})
		}
	}
	return nodes
}

func (p *peer) stats() plugins.NodeStats {
	p.mu.Lock()
	s := plugins.NodeStats{
		Node: p.node.Load(), State: p.is(), Failures: p.failures, LastErr: p.lastErr, InFlight: p.inFlight.Load(),
	}
	if s.State != plugins.Alive {
		s.DeadTill = p.until
	}
	p.mu.Unlock()
	for class := range pool.Class(pool.NumClasses) {
		s.Pools[class] = p.group.Stat(class)
	}
	return s
}

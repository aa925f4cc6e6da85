// Package cluster is the heart of esdriver: it keeps the list of nodes with their health and connections,
// and sends each request to one of them, and to another when that is safe.
//
// Where a rule lives:
//
//	classify.go       which class a request travels in, and whether it may be sent twice
//	router.go         the loop over attempts
//	attempt.go        one attempt on one node
//	verdict.go        what an outcome means: for the node, for the balancer, for another attempt
//	budget.go         how many requests may be sent twice
//	backoff.go        every wait that grows
//	health.go         states of a node; probe.go: how a node comes back
//	topology.go       how a sample becomes the list; sample.go: when samples are taken
//	identity.go       which cluster we are bound to
//	close.go          how everything ends
//	guard.go          calls of plug-ins that may panic; herald.go: calls of hooks that may take their time
package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Cluster sends requests to the nodes of one cluster. All methods may be called from many goroutines.
type Cluster struct {
	cfg        Config
	hooks      hooks
	identity   *identity
	pools      *pool.Set[*httpconn.Conn]
	background *background
	budget     *budget
	snap       atomic.Pointer[snapshot]

	roster   roster // the owner's; see own
	commands chan func()
	dirty    chan struct{}

	refreshes    chan chan error
	nudged       chan struct{}
	sampled      chan struct{} // closed after the first sample
	firstSample  sync.Once
	cancelSample atomic.Pointer[context.CancelFunc]
	sampledAt    time.Time // the sampling loop's: the end of the last sample
	failed       bool      // the sampling loop's: the last sample failed

	closed   atomic.Bool
	inFlight atomic.Int64 // requests whose body has not ended
	drained  chan struct{}
	drainOne sync.Once

	cut     chan struct{} // closed when Close cuts what is in flight
	cutOnce sync.Once
	connsMu sync.Mutex // connsMu guards conns
	conns   map[*httpconn.Conn]struct{}

	counters
}

// Open starts a cluster's work and returns after the first sample, or when the context ends or the sample's
// time is over, whichever is first: until there is a sample, requests go to the seeds. A failed sample is no
// error of Open. It fails for a configuration that cannot work.
func Open(ctx context.Context, cfg Config) (*Cluster, error) {
	seeds, err := seedNodes(cfg.Seeds)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		cfg:        cfg,
		identity:   &identity{ignore: cfg.IgnoreName, name: cfg.ClusterName},
		pools:      new(pool.Set[*httpconn.Conn]),
		background: newBackground(),
		budget:     newBudget(cfg.RetryBudget, time.Now()),
		roster:     roster{seeds: seeds, peers: map[string]*peer{}},
		commands:   make(chan func()),
		dirty:      make(chan struct{}, 1),
		refreshes:  make(chan chan error),
		nudged:     make(chan struct{}, 1),
		sampled:    make(chan struct{}),
		drained:    make(chan struct{}),
		cut:        make(chan struct{}),
		conns:      map[*httpconn.Conn]struct{}{},
	}
	c.hooks = sortHooks(cfg.Hooks, c.panicked, c.countPanic)
	if err := c.plant(seeds); err != nil {
		return nil, err
	}
	c.background.start()
	go c.own()
	c.background.start()
	go c.sampling()
	c.background.start()
	go c.heralding()
	c.awaitFirst(ctx)
	return c, nil
}

// openGrace is what a sampler is given to return once its time is over.
const openGrace = 100 * time.Millisecond

// awaitFirst waits for the first sample; not for ever, should the sampler ignore its context.
func (c *Cluster) awaitFirst(ctx context.Context) {
	timer := time.NewTimer(c.cfg.SampleTimeout + openGrace)
	defer timer.Stop()
	select {
	case <-c.sampled:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// plant makes the peers of the seeds and the first snapshot.
func (c *Cluster) plant(seeds []*sampler.Node) error {
	for _, n := range seeds {
		if _, err := c.join(n, true); err != nil {
			return err
		}
	}
	c.roster.topology = sampler.Topology{Seeds: seeds, At: time.Now()}
	c.publish()
	return nil
}

// seedNodes turns addresses into nodes; of two that are alike the first is kept.
func seedNodes(urls []*url.URL) ([]*sampler.Node, error) {
	var seeds []*sampler.Node
	for _, u := range urls {
		n, err := seedNode(u)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(seeds, func(s *sampler.Node) bool { return s.Addr == n.Addr }) {
			seeds = append(seeds, n)
		}
	}
	if len(seeds) == 0 {
		return nil, errNoSeeds
	}
	return seeds, nil
}

// normalHost returns host:port in lower case, with the default port and with IPv6 in brackets.
func normalHost(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "9200"
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// poolConfig is the configuration of one node's connections.
func (c *Cluster) poolConfig(n *sampler.Node) pool.Config[*httpconn.Conn] {
	base := n.URL
	return pool.Config[*httpconn.Conn]{
		Name:        n.Addr,
		Dial:        func(ctx context.Context, _ pool.Class) (*httpconn.Conn, error) { return c.dial(ctx, base) },
		Close:       c.discard,
		Usable:      func(conn *httpconn.Conn, idle time.Duration) bool { return conn.Usable(idle) },
		Sizes:       c.cfg.Sizes,
		Shared:      c.cfg.Shared,
		MaxIdle:     c.cfg.MaxIdle,
		MaxLifetime: c.cfg.MaxLifetime,
		WaitTimeout: c.cfg.PoolWait,
	}
}

// dial opens a connection. It calls what a Config may bring: DialContext, Proxy, callbacks of TLS.
func (c *Cluster) dial(ctx context.Context, base *url.URL) (conn *httpconn.Conn, err error) {
	defer c.caught("the dialing of "+base.Host, &err)
	if conn, err = c.cfg.Dialer.Dial(ctx, base); err == nil {
		c.opened(conn)
	}
	return conn, err
}

// Topology returns the list of nodes in force. It is immutable.
func (c *Cluster) Topology() sampler.Topology { return c.snap.Load().topology }

// Refresh takes a sample now and returns its error, the context's, or ErrClosed.
func (c *Cluster) Refresh(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case c.refreshes <- done:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.background.stopping():
		return ErrClosed
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-c.background.stopping():
		return ErrClosed
	}
}

// interruptSample ends a sample that is under way, so that a command need not wait for a stuck one.
func (c *Cluster) interruptSample() {
	if cancel := c.cancelSample.Load(); cancel != nil {
		(*cancel)()
	}
}

// AddSeeds adds addresses and takes a sample: those that answer are routable when it returns. An address that
// is known already is nothing new. It returns the failures of the new addresses, joined; they stay listed.
func (c *Cluster) AddSeeds(ctx context.Context, urls ...*url.URL) error {
	nodes, err := seedNodes(urls)
	if err != nil {
		return err
	}
	if c.closed.Load() {
		return fmt.Errorf("cannot add an address: %w", ErrClosed)
	}
	var added []*sampler.Node
	var joinErr error
	if err := c.run(ctx, func() { added, joinErr = c.listSeeds(nodes) }); err != nil {
		return fmt.Errorf("cannot add an address: %w", err)
	}
	if joinErr != nil || len(added) == 0 {
		return joinErr
	}
	c.interruptSample()
	if err := c.Refresh(ctx); err != nil {
		return err
	}
	return c.failuresOf(added)
}

// listSeeds runs on the owner.
func (c *Cluster) listSeeds(nodes []*sampler.Node) (added []*sampler.Node, err error) {
	seeds := slices.Clone(c.roster.seeds)
	for _, n := range nodes {
		p := c.roster.peers[n.Addr]
		switch {
		case p == nil:
			if _, err = c.join(n, true); err != nil {
				return nil, err
			}
			added = append(added, n)
			seeds = append(seeds, n)
		case !p.seed:
			c.promote(p)
			seeds = append(seeds, n)
		}
	}
	c.setSeeds(seeds)
	return added, nil
}

// promote makes a discovered node a seed, with its connections and its health.
func (c *Cluster) promote(p *peer) {
	n := p.node.Load()
	heir := newPeer(n, p.group, true)
	p.mu.Lock()
	heir.state.Store(p.state.Load())
	heir.failures, heir.lastErr, heir.verified, heir.until = p.failures, p.lastErr, p.verified, p.until
	p.mu.Unlock()
	close(p.gone)
	c.roster.peers[n.Addr] = heir
	if heir.is() != plugins.Alive {
		c.watch(heir)
	}
}

func (c *Cluster) setSeeds(seeds []*sampler.Node) {
	c.roster.seeds = seeds
	c.roster.topology.Seeds = seeds
	c.publish()
}

func (c *Cluster) failuresOf(nodes []*sampler.Node) error {
	var errs []error
	for _, f := range c.Topology().Failures {
		if slices.ContainsFunc(nodes, func(n *sampler.Node) bool { return n.Addr == f.Addr }) {
			errs = append(errs, fmt.Errorf("cluster: %s: %w", f.Addr, f.Err))
		}
	}
	return errors.Join(errs...)
}

// RemoveSeeds removes addresses from the seeds and from the list at once, then takes a sample. What is in
// flight on them finishes. With a sampler that discovers nodes, a removed address that is a member comes back
// as a discovered node. An address that is not listed is no error.
func (c *Cluster) RemoveSeeds(ctx context.Context, urls ...*url.URL) error {
	nodes, err := seedNodes(urls)
	if err != nil {
		return err
	}
	if c.closed.Load() {
		return fmt.Errorf("cannot remove an address: %w", ErrClosed)
	}
	removed := 0
	if err := c.run(ctx, func() { removed = c.unlistSeeds(nodes) }); err != nil {
		return fmt.Errorf("cannot remove an address: %w", err)
	}
	if removed == 0 {
		return nil
	}
	c.interruptSample()
	return c.Refresh(ctx)
}

// unlistSeeds runs on the owner.
func (c *Cluster) unlistSeeds(nodes []*sampler.Node) (removed int) {
	listed := func(n *sampler.Node) bool {
		return slices.ContainsFunc(nodes, func(m *sampler.Node) bool { return m.Addr == n.Addr })
	}
	before := c.roster.topology
	seeds := slices.DeleteFunc(slices.Clone(c.roster.seeds), listed)
	removed = len(c.roster.seeds) - len(seeds)
	if removed == 0 {
		return 0
	}
	for _, n := range nodes {
		if p := c.roster.peers[n.Addr]; p != nil && p.seed {
			delete(c.roster.peers, n.Addr)
			close(p.gone)
		}
	}
	c.roster.topology.Nodes = slices.DeleteFunc(slices.Clone(before.Nodes), listed)
	c.setSeeds(seeds)
	c.discharge()
	c.announce(before, c.roster.topology)
	return removed
}

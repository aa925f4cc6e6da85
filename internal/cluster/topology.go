package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

// snapshot is the list of nodes as requests see it. It is immutable and read by one atomic load.
type snapshot struct {
	topology sampler.Topology
	all      []*peer // members first, then seeds that are no members
	byNode   map[*sampler.Node]*peer
	usable   []*sampler.Node // what picker picks from
	picker   balancer.Picker // nil when nothing is usable
	panicked bool            // suspects are usable, because too many are suspect
	refusal  error           // why no node may be used at all, the seeds included
}

// roster is the list of nodes as its one owner, the goroutine that runs own, keeps it.
type roster struct {
	seeds    []*sampler.Node
	topology sampler.Topology
	peers    map[string]*peer // by address: members and seeds
	usable   []*sampler.Node
	picker   balancer.Picker
	refusal  error // the sampler's word that no node is wanted
}

// own runs everything that changes the list, one after the other. It ends at Close.
func (c *Cluster) own() {
	defer c.background.done()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		select {
		case f := <-c.commands:
			f()
		case <-c.dirty:
			c.publish()
		case <-sweep.C:
			c.sweep()
		case <-c.background.stopping():
			return
		}
	}
}

// sweepEvery is how often idle and old connections are looked for.
const sweepEvery = 5 * time.Second

func (c *Cluster) sweep() {
	for _, p := range c.roster.peers {
		p.group.Sweep()
	}
}

// run has the owner call f and waits until it has. It fails with the context's error, or with ErrClosed; f may be
// called all the same then.
func (c *Cluster) run(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case c.commands <- func() { defer close(done); f() }:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.background.stopping():
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done(): // a balancer holds the owner up
		return context.Cause(ctx)
	}
}

// touch asks the owner for a new snapshot.
func (c *Cluster) touch() {
	select {
	case c.dirty <- struct{}{}:
	default:
	}
}

// adopt merges a sample into the list. It runs on the owner.
func (c *Cluster) adopt(t sampler.Topology) {
	before := c.roster.topology
	t.Nodes, t.Filtered = c.proper(t.Nodes), c.proper(t.Filtered)
	members, strangers := c.sift(t)
	if t.Partial || len(members) == 0 {
		members = c.withMissing(members)
	}
	members, fresh := c.enlist(members)
	c.roster.topology = sampler.Topology{
		Seeds: c.roster.seeds, Nodes: members, Filtered: strangers,
		Failures: t.Failures, Partial: t.Partial, At: t.At,
	}
	c.publish() // before the pools of those that have gone are closed: requests must not be sent there any more
	c.discharge()
	c.announce(before, c.roster.topology)
	for _, p := range fresh {
		c.watch(p)
	}
}

// sift parts a sample's nodes into ours and those of another cluster.
func (c *Cluster) sift(t sampler.Topology) (members, strangers []*sampler.Node) {
	strangers = slices.Clone(t.Filtered)
	for _, n := range t.Nodes {
		if err := c.identity.judge(n.ClusterName, n.ClusterUUID); err != nil {
			strangers = append(strangers, n)
			c.report(fmt.Errorf("cluster: node %s is left out: %w", n.Addr, err))
			continue
		}
		members = append(members, n)
	}
	for _, n := range strangers {
		if p := c.roster.peers[n.Addr]; p != nil && p.is() != plugins.Filtered {
			name, _ := c.identity.known()
			c.stranger(p, &IdentityError{What: "name", Want: name, Have: n.ClusterName})
		}
	}
	return members, strangers
}

// withMissing adds the members that a partial sample left out: such a picture evicts nobody.
func (c *Cluster) withMissing(members []*sampler.Node) []*sampler.Node {
	for _, n := range c.roster.topology.Nodes {
		if !slices.ContainsFunc(members, func(m *sampler.Node) bool { return m.Addr == n.Addr }) {
			members = append(members, n)
		}
	}
	return members
}

// enlist finds or makes the peer of every member. It returns the nodes that are now in force and the new peers
// that have to be probed.
func (c *Cluster) enlist(nodes []*sampler.Node) (members []*sampler.Node, fresh []*peer) {
	for _, n := range nodes {
		p := c.roster.peers[n.Addr]
		switch {
		case p == nil:
			var err error
			if p, err = c.join(n, false); err != nil {
				c.trouble(err)
				continue
			}
			fresh = append(fresh, p)
		case restarted(p.node.Load(), n):
			c.restart(p, n)
			if !p.seed {
				fresh = append(fresh, p)
			}
		default:
			p.renew(n)
		}
		members = append(members, p.node.Load())
	}
	return members, fresh
}

// join makes the peer of a node that is new in the list.
func (c *Cluster) join(n *sampler.Node, seed bool) (*peer, error) {
	group, err := c.pools.Add(n.Addr, c.poolConfig(n))
	if err != nil {
		return nil, fmt.Errorf("cluster: pool of %s: %w", n.Addr, err)
	}
	p := newPeer(n, group, seed)
	c.roster.peers[n.Addr] = p
	return p, nil
}

// restarted reports whether another process answers at the address.
func restarted(old, now *sampler.Node) bool {
	return changed(old.ID, now.ID) || changed(old.EphemeralID, now.EphemeralID)
}

func changed(old, now string) bool { return old != "" && now != "" && old != now }

// restart gives the node a clean slate: it is another process than the one whose failures we remember.
func (c *Cluster) restart(p *peer, n *sampler.Node) {
	p.node.Store(n)
	p.group.Reset()
	p.mu.Lock()
	from := p.is()
	p.failures, p.refusals, p.lastErr, p.verified, p.knowsCut, p.until = 0, 0, nil, false, false, time.Time{}
	p.waits.Reset()
	p.enter(plugins.Unverified)
	p.mu.Unlock()
	c.moved(p, from, plugins.Unverified, nil, 0)
	p.nudge()
}

// renew takes over what a sample newly tells of an unchanged node; a sample that tells nothing new leaves
// the pointer alone.
func (p *peer) renew(n *sampler.Node) {
	if old := p.node.Load(); old != n && !sampler.Same(old, n) {
		p.node.Store(n)
	}
}

// discharge drops the peers that are neither members nor seeds; their connections drain in the background.
func (c *Cluster) discharge() {
	keep := make([]string, 0, len(c.roster.peers))
	for addr, p := range c.roster.peers {
		if p.seed || slices.ContainsFunc(c.roster.topology.Nodes, func(n *sampler.Node) bool { return n.Addr == addr }) {
			keep = append(keep, addr)
			continue
		}
		delete(c.roster.peers, addr)
		close(p.gone)
	}
	c.pools.Retain(keep)
}

// publish builds the snapshot that requests see from now on. It runs on the owner.
func (c *Cluster) publish() {
	snap := &snapshot{byNode: make(map[*sampler.Node]*peer, len(c.roster.peers))}
	members := c.peersOf(c.roster.topology.Nodes)
	floor := c.peersOf(c.roster.seeds)
	snap.usable, snap.panicked = usableOf(members)
	switch {
	case len(members) == 0 && c.roster.refusal != nil:
		snap.refusal = c.roster.refusal
	case len(snap.usable) == 0:
		snap.usable, _ = usableOf(floor)
	}
	for _, p := range append(members, floor...) {
		if n := p.node.Load(); snap.byNode[n] == nil {
			snap.byNode[n] = p
			snap.all = append(snap.all, p)
		}
	}
	snap.picker = c.pickerOver(snap.usable)
	snap.topology = c.roster.topology
	snap.topology.ClusterName, snap.topology.ClusterUUID = c.identity.known()
	c.snap.Store(snap)
}

func (c *Cluster) peersOf(nodes []*sampler.Node) []*peer {
	peers := make([]*peer, 0, len(nodes))
	for _, n := range nodes {
		if p := c.roster.peers[n.Addr]; p != nil {
			peers = append(peers, p)
		}
	}
	return peers
}

// usableOf returns the nodes that take part. When more than half of all would be out for suspicion alone, the
// suspicion is more likely ours: they stay in.
func usableOf(peers []*peer) (usable []*sampler.Node, panicked bool) {
	suspects := 0
	for _, p := range peers {
		if p.is() == plugins.Suspect {
			suspects++
		}
	}
	panicked = 2*suspects > len(peers)
	for _, p := range peers {
		if p.serves() || panicked && p.is() == plugins.Suspect {
			usable = append(usable, p.node.Load())
		}
	}
	return usable, panicked
}

// pickerOver asks the balancer for a picker, unless the list is the one it has built the last for.
func (c *Cluster) pickerOver(nodes []*sampler.Node) balancer.Picker {
	if len(nodes) == 0 {
		return nil
	}
	if c.roster.picker == nil || !slices.Equal(nodes, c.roster.usable) {
		c.roster.usable = nodes
		c.roster.picker = c.askBalancer(slices.Clone(nodes))
	}
	return c.roster.picker
}

// announce tells the hooks what has changed.
func (c *Cluster) announce(before, after sampler.Topology) {
	change := plugins.TopologyChange{
		Added:    missingIn(before.Nodes, after.Nodes),
		Removed:  missingIn(after.Nodes, before.Nodes),
		Filtered: missingIn(before.Filtered, after.Filtered),
		Topology: c.snap.Load().topology,
	}
	if len(change.Added)+len(change.Removed)+len(change.Filtered) > 0 {
		c.hooks.topologyChanged(change)
	}
}

// missingIn returns the nodes of list whose address is not in other.
func missingIn(other, list []*sampler.Node) []*sampler.Node {
	var missing []*sampler.Node
	for _, n := range list {
		if !slices.ContainsFunc(other, func(o *sampler.Node) bool { return o.Addr == n.Addr }) {
			missing = append(missing, n)
		}
	}
	return missing
}

// seedNode is the node of a configured address.
func seedNode(u *url.URL) (*sampler.Node, error) {
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("cluster: address %q: want http://host:port or https://host:port", u.Redacted())
	}
	base := *u
	base.User, base.Host = nil, normalHost(u)
	return &sampler.Node{Addr: base.Host, URL: &base}, nil
}

var errNoSeeds = errors.New("cluster: no address was given")

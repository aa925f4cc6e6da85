package sampler

import (
	"context"
	"net/url"
	"sync"
	"time"
)

func init() { Register("ping", newPing) }

// Ping is the sampler "ping": it asks every seed, and never another address, who it is, with GET / (privilege
// cluster:monitor/main). That tells name, version, cluster name and cluster UUID, but no node id: several seeds
// may be one load balancer, and its answers come from one node now and from another later. So the address is all
// the identity there is: two addresses of one node stay two nodes, and a new name makes no new node. The
// published address is never looked at, which is what makes Ping right behind NAT, proxies and container networks.
//
// A seed that answers 401 or 403 is alive and stays in Nodes as it was known, with a Failure that wraps
// [ErrUnauthorized]; one that answers 503 with a node's own words, as Elasticsearch up to 6.x does without a
// master, is alive too. Any other seed is missing from Nodes, has its Failure, and makes the topology Partial.
// Ping has no parameters. Its methods may be called from many goroutines.
type Ping struct{}

func newPing(params url.Values) (Sampler, error) {
	return Ping{}, checkKeys("ping", params)
}

// Sample asks all seeds at once and returns when each has answered or failed, or ctx ended. The error is not
// nil when no seed answered.
func (Ping) Sample(ctx context.Context, prev Topology, get Getter) (Topology, error) {
	t := Topology{ClusterName: prev.ClusterName, ClusterUUID: prev.ClusterUUID, Seeds: prev.Seeds}
	k := newKnown(prev)
	for _, p := range pingAll(ctx, uniqueByAddr(prev.Seeds), get) {
		if p.err != nil {
			t.Failures = append(t.Failures, Failure{Addr: p.seed.Addr, Err: p.err})
		}
		if n := p.node(k); n != nil {
			t.Nodes = append(t.Nodes, n)
		} else {
			t.Partial = true
		}
	}
	t.name()
	t.At = time.Now()
	if len(t.Nodes) == 0 && len(prev.Seeds) > 0 {
		return t, noAnswer(t.Failures, ctx.Err())
	}
	return t, nil
}

// name gives the topology the cluster name and UUID of the first node that tells them, where it has none.
func (t *Topology) name() {
	for _, n := range t.Nodes {
		if t.ClusterName == "" {
			t.ClusterName = n.ClusterName
		}
		if t.ClusterUUID == "" && n.ClusterName == t.ClusterName {
			t.ClusterUUID = n.ClusterUUID
		}
	}
}

// ping is what asking one seed came to.
type ping struct {
	seed *Node
	root root
	err  error
}

func pingAll(ctx context.Context, seeds []*Node, get Getter) []ping {
	pings := make([]ping, len(seeds))
	var wg sync.WaitGroup
	for i, seed := range seeds {
		pings[i] = ping{seed: seed, err: ctx.Err()}
		if pings[i].err == nil {
			wg.Go(func() { pings[i].root, pings[i].err = askRoot(ctx, seed, get) })
		}
	}
	wg.Wait()
	return pings
}

// node returns the seed with what it said of itself; as it was known, where it would not say; nil, where it did
// not answer.
func (p *ping) node(k known) *Node {
	if unauthorized(p.err) {
		if old := k[p.seed.Addr]; old != nil {
			return old
		}
		return p.seed
	}
	if p.err != nil {
		return nil
	}
	n := *p.seed
	n.Name, n.Version = p.root.Name, p.root.Version.Number
	n.ClusterName, n.ClusterUUID = p.root.ClusterName, p.root.ClusterUUID
	return k.keep(&n)
}

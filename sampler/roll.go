package sampler

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
)

// roll is the list of members while a sample draws it up.
type roll struct {
	t        *Topology         // where members and failures are entered
	whole    int               // how many answers list every node
	seeds    map[string]*Node  // by address
	byAddr   known             // earlier nodes
	byID     map[string]*Node  // earlier members
	taken    map[string]string // the id behind each address that is entered; empty for a stranger's
	rejected []*Node           // members that the filter refused
	entered  int               // members that were entered
	lost     bool              // whether a member could be neither located nor left where it was
}

func newRoll(prev Topology, answers []answer, t *Topology) *roll {
	r := &roll{t: t, byAddr: newKnown(prev),
		seeds: map[string]*Node{}, byID: map[string]*Node{}, taken: map[string]string{}}
	for _, a := range answers {
		if a.members.whole() {
			r.whole++
		}
	}
	for _, n := range prev.Nodes {
		if n.ID != "" {
			r.byID[n.ID] = n
		}
	}
	for _, n := range uniqueByAddr(prev.Seeds) {
		r.seeds[n.Addr] = n
	}
	for _, n := range t.Filtered {
		r.taken[n.Addr] = ""
	}
	return r
}

// call enters the nodes of the answers, or notes why not.
func (s Sniff) call(ctx context.Context, r *roll, answers []answer) {
	for _, seen := range ordered(tally(answers)) {
		switch {
		case !s.accepts(seen.node):
			r.reject(seen)
		case !r.attested(seen):
			r.fail(seen.addr, fmt.Errorf("%w: node %s by %d", ErrMinority, seen.node.ID, seen.votes))
		case seen.err != nil:
			r.stay(seen, seen.err)
		default:
			s.locate(ctx, r, seen)
		}
	}
}

// locate gives the node its address and URL and enters it.
func (s Sniff) locate(ctx context.Context, r *roll, seen *sighting) {
	n := seen.node
	n.Addr = seen.addr
	n.URL = r.url(seen)
	if s.Resolve != nil {
		u, err := s.Resolve(ctx, n)
		if err == nil && u == nil {
			r.reject(seen)
			return
		}
		if n, err = resolved(n, u, err); err != nil {
			r.stay(seen, fmt.Errorf("sampler: resolve: %w", err))
			return
		}
	}
	r.carry(n)
	r.enter(n)
}

// resolved returns a copy of the node at the URL that Resolve gave, if err is nil.
func resolved(n *Node, u *url.URL, err error) (*Node, error) {
	if err != nil {
		return nil, err
	}
	c := *n
	c.URL, c.Addr, err = resolvedURL(u)
	return &c, err
}

// attested reports whether the node is a member: listed by most of the whole answers, known before, or heard of
// from itself. An answer that does not list every node speaks for those it lists and against none.
func (r *roll) attested(s *sighting) bool {
	return 2*s.votes > r.whole || s.self || r.byID[s.node.ID] != nil
}

// url returns the URL of the node at its published address: a seed's own, the earlier one of a node that has not
// changed, else one made as that of the node that told of it.
func (r *roll) url(s *sighting) *url.URL {
	if seed := r.seeds[s.addr]; seed != nil {
		return seed.URL
	}
	if old := r.byAddr[s.addr]; old != nil && sameNode(old, s.node) {
		return old.URL
	}
	return urlAt(s.from.URL, s.addr)
}

// carry gives a node that has not changed the cluster UUID it was known to have: _nodes does not tell it.
func (r *roll) carry(n *Node) {
	if old := r.byAddr[n.Addr]; old != nil && sameNode(old, n) {
		n.ClusterUUID = old.ClusterUUID
	}
}

// enter adds the node to the topology, unless its address is taken.
func (r *roll) enter(n *Node) {
	if owner, ok := r.taken[n.Addr]; ok {
		r.fail(n.Addr, fmt.Errorf("%w: node %s has that of %q", ErrTaken, n.ID, owner))
		return
	}
	r.taken[n.Addr] = n.ID
	r.t.Nodes = append(r.t.Nodes, r.byAddr.keep(n))
	r.entered++
}

// stay notes why the node cannot be located, and leaves it where it was known to be.
func (r *roll) stay(s *sighting, err error) {
	r.fail(s.addr, fmt.Errorf("node %s (%s): %w", s.node.Name, s.node.ID, err))
	if old := r.byID[s.node.ID]; old != nil {
		r.enter(old)
		return
	}
	r.lost = true
}

// barren reports whether no member was entered for another reason than the filter.
func (r *roll) barren() bool {
	return r.entered == 0 && (r.lost || len(r.rejected) == 0)
}

func (r *roll) fail(addr string, err error) {
	r.t.Failures = append(r.t.Failures, Failure{Addr: addr, Err: err})
}

// reject notes a node that the filter refused, with the address it has, if any.
func (r *roll) reject(s *sighting) {
	s.node.Addr = s.addr
	r.rejected = append(r.rejected, s.node)
}

// keepEarlier adds the earlier members that were neither entered, nor refused, nor found to be of another cluster, for a
// partial picture is no proof that they are gone.
func (s Sniff) keepEarlier(r *roll, prev Topology) {
	settled := map[string]bool{}
	for _, n := range slices.Concat(r.t.Nodes, r.rejected) {
		settled[n.ID] = n.ID != ""
	}
	for _, n := range prev.Nodes {
		_, taken := r.taken[n.Addr]
		if !settled[n.ID] && !taken && s.accepts(n) {
			r.taken[n.Addr] = n.ID
			r.t.Nodes = append(r.t.Nodes, n)
		}
	}
}

func sortByAddr(nodes []*Node) {
	slices.SortFunc(nodes, func(a, b *Node) int { return cmp.Compare(a.Addr, b.Addr) })
}

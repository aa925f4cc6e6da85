package sampler

import (
	"maps"
	"net/url"
	"slices"
)

// Same reports whether a and b say the same of a node: a sampler returns the earlier *Node then. It may be called
// from many goroutines.
func Same(a, b *Node) bool {
	return sameNode(a, b) && a.Name == b.Name && a.Version == b.Version &&
		a.ClusterName == b.ClusterName && a.ClusterUUID == b.ClusterUUID && sameURL(a.URL, b.URL) &&
		(a.Roles == nil) == (b.Roles == nil) && slices.Equal(a.Roles, b.Roles) && maps.Equal(a.Attrs, b.Attrs)
}

// sameNode reports whether a and b are one start of one node at one address, whatever else is said of it.
func sameNode(a, b *Node) bool {
	return a.ID == b.ID && a.EphemeralID == b.EphemeralID && a.Addr == b.Addr
}

func sameURL(a, b *url.URL) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Scheme == b.Scheme && a.Host == b.Host && a.EscapedPath() == b.EscapedPath()
}

// known indexes the nodes of an earlier topology by address.
type known map[string]*Node

func newKnown(prev Topology) known {
	k := make(known, len(prev.Nodes)+len(prev.Filtered))
	for _, n := range slices.Concat(prev.Filtered, prev.Nodes) {
		k[n.Addr] = n
	}
	return k
}

// keep returns the earlier *Node where n says nothing new, else n: pointers then serve as keys.
func (k known) keep(n *Node) *Node {
	if old := k[n.Addr]; old != nil && Same(old, n) {
		return old
	}
	return n
}

// uniqueByAddr returns the nodes without those whose address an earlier one has.
func uniqueByAddr(nodes []*Node) []*Node {
	seen := make(map[string]bool, len(nodes))
	unique := make([]*Node, 0, len(nodes))
	for _, n := range nodes {
		if !seen[n.Addr] {
			seen[n.Addr] = true
			unique = append(unique, n)
		}
	}
	return unique
}

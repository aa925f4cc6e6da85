package sampler

import (
	"cmp"
	"maps"
	"slices"
)

// sighting is one node as the answers of a sample show it.
type sighting struct {
	node  *Node
	from  *Node // who told of it first
	addr  string
	err   error // why there is no addr
	votes int   // answers that list it
	self  bool  // whether it was asked and listed itself
}

// tally counts which nodes the answers list. The details of a node are those of the first answer that lists it.
func tally(answers []answer) map[string]*sighting {
	seen := map[string]*sighting{}
	for _, a := range answers {
		for id, m := range a.members.Nodes {
			s := seen[id]
			if s == nil {
				s = &sighting{node: m.node(id, a.members.ClusterName), from: a.asked}
				s.addr, s.err = m.address()
				seen[id] = s
			}
			s.votes++
			s.self = s.self || a.asked.ID == id || s.err == nil && a.asked.Addr == s.addr
		}
	}
	return seen
}

// ordered returns the sightings with the most votes first, so that of two nodes with one address the better
// attested one is entered.
func ordered(seen map[string]*sighting) []*sighting {
	return slices.SortedFunc(maps.Values(seen), func(a, b *sighting) int {
		return cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(a.node.ID, b.node.ID))
	})
}

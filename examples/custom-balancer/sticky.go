package main

import "github.com/esdriver/esdriver/balancer"

// sticky sends requests with the same key to the same node, whose caches then serve them. When a node leaves,
// only its keys move, and to all of the others: the winner among nodes is drawn anew for each key.
type sticky []*balancer.Node

func (sticky) Update(nodes []*balancer.Node) balancer.Picker { return sticky(nodes) }

func (s sticky) Pick(r balancer.Request) (balancer.Choice, error) {
	var best balancer.Choice
	var most uint64
	for _, n := range s {
		if draw := hash(hash(0, n.Addr), r.Key); !r.HasTried(n) && (best.Node == nil || draw > most) {
			best.Node, most = n, draw
		}
	}
	if best.Node == nil {
		return best, balancer.ErrNoNode
	}
	return best, nil
}

// hash mixes s into sum: FNV-1a, and a last step that lets every bit count for the order of sums.
func hash(sum uint64, s string) uint64 {
	for i := range len(s) {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return (sum ^ sum>>32) * 0xff51afd7ed558ccd
}

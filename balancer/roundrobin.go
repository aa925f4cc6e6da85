package balancer

import (
	"math"
	"math/rand/v2"
	"net/url"
	"sync/atomic"
)

func init() { Register("roundrobin", newRoundRobin) }

// roundRobin picks the nodes in turn, from a random one on: a thousand clients that start at once do not all
// begin with the same node. An Update with the same nodes keeps the position.
type roundRobin struct {
	last *turnPicker
}

func newRoundRobin(params url.Values) (Balancer, error) {
	if err := checkParams("roundrobin", params); err != nil {
		return nil, err
	}
	return &roundRobin{}, nil
}

func (b *roundRobin) Update(nodes []*Node) Picker {
	if b.last == nil || !sameSet(b.last.nodes, nodes) {
		b.last = newTurnPicker(nodes)
	}
	return b.last
}

// sameSet reports whether a and b hold the same nodes, in any order. Neither holds a node twice.
func sameSet(a, b []*Node) bool {
	if len(a) != len(b) {
		return false
	}
	set := make(map[*Node]struct{}, len(a))
	for _, n := range a {
		set[n] = struct{}{}
	}
	for _, n := range b {
		if _, ok := set[n]; !ok {
			return false
		}
	}
	return true
}

// turnPicker is immutable but for its counter.
type turnPicker struct {
	nodes   []*Node
	limit   uint64 // where the counter starts again; a multiple of the number of nodes, so that no turn is lost
	counter atomic.Uint64
}

func newTurnPicker(nodes []*Node) *turnPicker {
	p := &turnPicker{nodes: nodes}
	if n := uint64(len(nodes)); n > 0 {
		p.limit = math.MaxUint64 / 2 / n * n
		p.counter.Store(rand.Uint64N(n))
	}
	return p
}

// Pick takes the next node in turn. A request that has tried some gets a random one of the others, and the
// turn stays: the successor of a broken node would else carry the load of two.
func (p *turnPicker) Pick(r Request) (Choice, error) {
	if len(r.Tried) > 0 || len(p.nodes) == 0 {
		return p.pickUntried(&r)
	}
	turn := p.counter.Add(1) - 1
	if turn == p.limit {
		p.counter.Add(-p.limit)
	}
	return Choice{Node: p.nodes[turn%uint64(len(p.nodes))]}, nil
}

func (p *turnPicker) pickUntried(r *Request) (Choice, error) {
	rest := untried(p.nodes, r)
	if rest == 0 {
		return Choice{}, ErrNoNode
	}
	return Choice{Node: p.nodes[nthUntried(p.nodes, r, rand.IntN(rest))]}, nil
}

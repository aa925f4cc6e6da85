package balancer

import (
	"math/rand/v2"
	"net/url"
	"time"
)

// Default is the name of the balancer that is used when none is named.
const Default = "leastbusy"

func init() { Register(Default, newLeastBusy) }

// leastBusy picks the better of two random nodes. Better is what has less to do: attempts in flight, counted
// until their bodies have ended, times the average latency, both of the request's class. Two random choices
// keep the load nearly as even as a look at all nodes would, and many clients do not all run to the same one.
//
// A node that is new, refused for overload or failed is offered part of its share, which grows to the whole
// within three seconds. That, too, is by class: a full bulk queue says nothing of searches.
type leastBusy struct {
	clock   *clock
	entries map[*Node]*entry // of the nodes of the last Update
}

func newLeastBusy(params url.Values) (Balancer, error) {
	if err := checkParams("leastbusy", params); err != nil {
		return nil, err
	}
	return &leastBusy{clock: newClock()}, nil
}

// Update keeps the figures of nodes that stay. Attempts on nodes that go still end well: what their Done
// counts is kept by the Done alone.
func (b *leastBusy) Update(nodes []*Node) Picker {
	b.clock.read()
	entries := make(map[*Node]*entry, len(nodes))
	p := &busyPicker{clock: b.clock, nodes: nodes, entries: make([]*entry, len(nodes))}
	for i, n := range nodes {
		e := b.entries[n]
		if e == nil {
			e = newEntry(n, b.clock)
		}
		entries[n], p.entries[i] = e, e
	}
	b.entries = entries
	return p
}

// busyPicker is immutable but for the loads that its entries point to.
type busyPicker struct {
	clock   *clock
	nodes   []*Node
	entries []*entry // in the order of nodes
}

func (p *busyPicker) Pick(r Request) (Choice, error) {
	i, j, ok := p.draw(&r)
	if !ok {
		return Choice{}, ErrNoNode
	}
	l := better(&p.entries[i][r.Class], &p.entries[j][r.Class], p.clock.now())
	l.inFlight.Add(1)
	return Choice{Node: l.node, Done: l.done}, nil
}

// draw returns the places of two random nodes that were not tried, twice the same when only one is left.
func (p *busyPicker) draw(r *Request) (i, j int, ok bool) {
	if len(r.Tried) > 0 {
		return p.drawUntried(r)
	}
	i, j = two(len(p.nodes))
	return i, j, len(p.nodes) > 0
}

func (p *busyPicker) drawUntried(r *Request) (i, j int, ok bool) {
	rest := untried(p.nodes, r)
	if rest == 0 {
		return 0, 0, false
	}
	i, j = two(rest)
	return nthUntried(p.nodes, r, i), nthUntried(p.nodes, r, j), true
}

// two returns two different random numbers below n, or 0 twice when n is below 2. One random number gives
// both: its halves are scaled by multiplication, which is cheaper than division and even enough.
func two(n int) (i, j int) {
	if n < 2 {
		return 0, 0
	}
	random := rand.Uint64()
	i = int(random >> 32 * uint64(n) >> 32)
	j = int(random & 0xffffffff * uint64(n-1) >> 32)
	if j >= i {
		j++
	}
	return i, j
}

// better returns the load that the next attempt is to be added to; a when the two are equal, which is random
// as the two were drawn. Which has less to do is asked first. If that one is offered less of its share than
// the other, chance has the last word: with nodes that have little to do, the lighter wins every time, and a
// factor on its load would be all or nothing instead of a share.
func better(a, b *load, now time.Duration) *load {
	if b.lighter(a, now) {
		a, b = b, a
	}
	mine, other := a.share(now), b.share(now)
	if mine < other && rand.Float64()*other >= mine {
		return b
	}
	return a
}

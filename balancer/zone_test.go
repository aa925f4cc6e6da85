package balancer_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

// staying returns the part of picks that goes to nodes of the zone.
func staying(t *testing.T, p balancer.Picker, nodes []*balancer.Node, zone string) float64 {
	t.Helper()
	stay := 0.0
	for i, part := range shares(t, p, nodes, reg) {
		if nodes[i].Attrs["zone"] == zone {
			stay += part
		}
	}
	return math.Round(stay*draws) / draws
}

// of returns those nodes of zone a whose number is given, and all others of the list.
func of(nodes []*balancer.Node, local ...int) []*balancer.Node {
	var list []*balancer.Node
	for _, n := range nodes {
		if n.Attrs["zone"] != "a" {
			list = append(list, n)
		}
	}
	for _, i := range local {
		list = append(list, nodes[3*i])
	}
	return list
}

func TestHealthyZoneKeepsItsRequests(t *testing.T) {
	for _, inner := range []string{"leastbusy", "roundrobin"} {
		nodes := balancertest.Nodes(6)
		p := mustNew(t, "zone", "local=b&inner="+inner).Update(nodes)
		assert.InDeltaSlice(t, []float64{0, 0.5, 0, 0, 0.5, 0}, shares(t, p, nodes, reg), 0.05)
	}
}

func TestRequestsSpillAsTheZoneShrinks(t *testing.T) {
	for _, c := range []struct {
		local []int
		want  float64
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6}, 1},
		{[]int{0, 1, 2, 3, 4}, 1}, // 1.4 × 5/7
		{[]int{0, 1, 2, 3}, 1.4 * 4 / 7},
		{[]int{5, 6}, 1.4 * 2 / 7},
		{[]int{3}, 1.4 / 7},
		{nil, 0},
	} {
		nodes := balancertest.Nodes(21)
		b := mustNew(t, "zone", "local=a")
		b.Update(nodes)
		list := of(nodes, c.local...)
		assert.InDelta(t, c.want, staying(t, b.Update(list), list, "a"), 0.05, "local nodes %v", c.local)
		assert.Equal(t, 1.0, staying(t, b.Update(nodes), nodes, "a"), "not all come back")
	}
}

func TestOneOfTwoLocalNodesKeepsSevenTenths(t *testing.T) {
	nodes := balancertest.Nodes(6)
	b := mustNew(t, "zone", "local=a")
	b.Update(nodes)
	list := of(nodes, 1)
	p := b.Update(list)
	assert.InDelta(t, 0.7, staying(t, p, list, "a"), 0.05)
	p = b.Update(list)
	assert.InDelta(t, 0.7, staying(t, p, list, "a"), 0.05, "forgotten at the next Update")
}

func TestRestartedNodeIsNotCountedTwice(t *testing.T) {
	nodes := balancertest.Nodes(6)
	b := mustNew(t, "zone", "local=a")
	b.Update(nodes)
	for range 5 {
		list := append(of(nodes, 1), balancertest.Nodes(1)...)
		assert.Equal(t, 1.0, staying(t, b.Update(list), list, "a"))
	}
}

func TestNodeThatStaysAwayIsNotExpectedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := balancertest.Nodes(6)
		b := mustNew(t, "zone", "local=a")
		b.Update(nodes)
		list := of(nodes, 0)
		p := b.Update(list)
		pass(9 * time.Minute)
		assert.InDelta(t, 0.7, staying(t, p, list, "a"), 0.05)
		again := b.Update(list)
		pass(2 * time.Minute)
		assert.Equal(t, 1.0, staying(t, p, list, "a"), "without another Update")
		assert.Equal(t, 1.0, staying(t, again, list, "a"), "an Update starts the wait anew")
		assert.Equal(t, 1.0, staying(t, b.Update(list), list, "a"))
	})
}

func TestZoneWithoutLocalNodesUsesAll(t *testing.T) {
	nodes := balancertest.Nodes(6)
	for _, local := range []string{"z", "a&attr=rack"} {
		p := mustNew(t, "zone", "local="+local).Update(nodes)
		for i, part := range shares(t, p, nodes, reg) {
			assert.InDelta(t, 1./6, part, 0.05, "node %d", i)
		}
	}
}

func TestZoneGoesByTheNamedAttribute(t *testing.T) {
	nodes := balancertest.Nodes(6)
	nodes[4].Attrs = map[string]string{"rack_id": "r1"}
	p := mustNew(t, "zone", "attr=rack_id&local=r1").Update(nodes)
	assert.Equal(t, []float64{0, 0, 0, 0, 1, 0}, shares(t, p, nodes, reg))
}

func TestZonesMayBeNested(t *testing.T) {
	nodes := balancertest.Nodes(6)
	nodes[3].Attrs = map[string]string{"zone": "a", "rack": "r1"}
	p := mustNew(t, "zone", "local=a&inner=zone&inner.attr=rack&inner.local=r1").Update(nodes)
	assert.Equal(t, []float64{0, 0, 0, 1, 0, 0}, shares(t, p, nodes, reg))
}

func TestRetryLeavesTheZoneWhenItsNodesWereTried(t *testing.T) {
	nodes := balancertest.Nodes(6)
	p := mustNew(t, "zone", "local=a").Update(nodes)
	r := balancer.Request{Class: balancer.Reg, Tried: []*balancer.Node{nodes[0]}}
	assert.Equal(t, 1.0, shares(t, p, nodes, r)[3])
	r.Tried = append(r.Tried, nodes[3])
	assert.InDeltaSlice(t, []float64{0, 0.25, 0.25, 0, 0.25, 0.25}, shares(t, p, nodes, r), 0.05)
	r.Tried = nodes
	_, err := p.Pick(r)
	require.ErrorIs(t, err, balancer.ErrNoNode)
}

func TestZoneKeepsFiguresOverUpdates(t *testing.T) {
	nodes := balancertest.Nodes(6)
	b := mustNew(t, "zone", "local=a")
	choice, err := b.Update(nodes).Pick(reg)
	require.NoError(t, err)
	p := b.Update(nodes)
	next, err := p.Pick(reg)
	require.NoError(t, err)
	assert.NotSame(t, choice.Node, next.Node, "the busy one of two was picked")
}

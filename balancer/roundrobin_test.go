package balancer_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

// turns returns the nodes of the next picks.
func turns(t *testing.T, p balancer.Picker, count int) []*balancer.Node {
	t.Helper()
	picked := make([]*balancer.Node, count)
	for i := range picked {
		choice, err := p.Pick(reg)
		require.NoError(t, err)
		picked[i] = choice.Node
	}
	return picked
}

func TestEachRoundHitsEveryNodeOnce(t *testing.T) {
	nodes := balancertest.Nodes(7)
	p := mustNew(t, "roundrobin", "").Update(nodes)
	first := turns(t, p, len(nodes))
	assert.ElementsMatch(t, nodes, first)
	for range 3 {
		assert.Equal(t, first, turns(t, p, len(nodes)))
	}
}

func TestConcurrentRoundsAreFair(t *testing.T) {
	nodes := balancertest.Nodes(3)
	p := mustNew(t, "roundrobin", "").Update(nodes)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex // mu guards picked
		picked = map[*balancer.Node]int{}
	)
	for range 8 {
		wg.Go(func() {
			for _, n := range turns(t, p, 300) {
				mu.Lock()
				picked[n]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, n := range nodes {
		assert.Equal(t, 800, picked[n])
	}
}

func TestClientsStartAtRandomNodes(t *testing.T) {
	nodes := balancertest.Nodes(3)
	picked := map[*balancer.Node]int{}
	for range draws {
		picked[turns(t, mustNew(t, "roundrobin", "").Update(nodes), 1)[0]]++
	}
	assert.InDeltaSlice(t, []float64{1. / 3, 1. / 3, 1. / 3}, parts(picked, nodes), 0.05)
}

func TestEqualSetKeepsThePosition(t *testing.T) {
	nodes := balancertest.Nodes(4)
	b := mustNew(t, "roundrobin", "")
	round := turns(t, b.Update(nodes), 4)
	for i := range 20 {
		list := slices.Clone(nodes)
		slices.Reverse(list)
		assert.Same(t, round[i%4], turns(t, b.Update(list), 1)[0])
	}
}

// TestShareOfABrokenNodeIsSpreadEvenly retries each request that meets the broken node.
func TestShareOfABrokenNodeIsSpreadEvenly(t *testing.T) {
	nodes := balancertest.Nodes(5)
	p := mustNew(t, "roundrobin", "").Update(nodes)
	served := map[*balancer.Node]int{}
	for range draws {
		choice, err := p.Pick(reg)
		require.NoError(t, err)
		if choice.Node == nodes[1] {
			choice, err = p.Pick(balancer.Request{Tried: nodes[1:2]})
			require.NoError(t, err)
		}
		served[choice.Node]++
	}
	assert.InDeltaSlice(t, []float64{0.25, 0, 0.25, 0.25, 0.25}, parts(served, nodes), 0.02)
}

package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

func TestStickyKeepsTheContract(t *testing.T) {
	balancertest.Run(t, func() balancer.Balancer { return sticky{} })
}

func TestStickyIsRegistered(t *testing.T) {
	b, err := balancer.New("sticky", nil)
	require.NoError(t, err)
	assert.Equal(t, sticky{}, b)
}

func TestKeyStaysWithItsNodeWhenAnotherLeaves(t *testing.T) {
	nodes := balancertest.Nodes(4)
	before, after := sticky{}.Update(nodes), sticky{}.Update(nodes[1:])
	got := map[*balancer.Node]int{}
	moved := map[*balancer.Node]int{}
	const keys = 4000
	for i := range keys {
		r := balancer.Request{Key: fmt.Sprintf("user-%d", i)}
		old, err := before.Pick(r)
		require.NoError(t, err)
		now, err := after.Pick(r)
		require.NoError(t, err)
		got[old.Node]++
		if old.Node == nodes[0] {
			moved[now.Node]++
			continue
		}
		require.Same(t, old.Node, now.Node)
	}
	for _, n := range nodes {
		assert.InDelta(t, keys/4, got[n], keys/8, "keys of %s", n.Name)
	}
	for _, n := range nodes[1:] {
		assert.InDelta(t, keys/12, moved[n], keys/24, "keys that moved to %s", n.Name)
	}
}

func Example() {
	nodes := []*balancer.Node{{Addr: "127.0.0.1:9200"}, {Addr: "127.0.0.1:9201"}, {Addr: "127.0.0.1:9202"}}
	if err := show(sticky{}.Update(nodes), "alice", "bob", "alice"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// alice: 127.0.0.1:9201, then 127.0.0.1:9200
	// bob: 127.0.0.1:9202, then 127.0.0.1:9200
	// alice: 127.0.0.1:9201, then 127.0.0.1:9200
}

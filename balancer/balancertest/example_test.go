package balancertest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

// anyNode is a balancer that picks by chance.
type anyNode []*balancer.Node

func (anyNode) Update(nodes []*balancer.Node) balancer.Picker { return anyNode(nodes) }

func (nodes anyNode) Pick(r balancer.Request) (balancer.Choice, error) {
	left := slices.DeleteFunc(slices.Clone(nodes), r.HasTried)
	if len(left) == 0 {
		return balancer.Choice{}, balancer.ErrNoNode
	}
	return balancer.Choice{Node: left[rand.IntN(len(left))]}, nil
}

// conformance is the whole of a test of the balancer: func TestAnyNode(t *testing.T) { conformance(t) }.
func conformance(t *testing.T) {
	balancertest.Run(t, func() balancer.Balancer { return anyNode{} })
}

// The suite is run from a test; here the picker is asked by hand what the suite asks it first.
func ExampleRun() {
	picker := anyNode{}.Update(balancertest.Nodes(3))
	var tried []*balancer.Node
	for range 4 {
		choice, err := picker.Pick(balancer.Request{Class: balancer.Reg, Tried: tried})
		if err != nil {
			fmt.Println(err)
			return
		}
		tried = append(tried, choice.Node)
		fmt.Println("attempt", len(tried), "on another node")
	}
	// Output:
	// attempt 1 on another node
	// attempt 2 on another node
	// attempt 3 on another node
	// balancer: no node left to pick
}

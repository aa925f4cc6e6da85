package balancertest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
)

// picksOnlyUntriedNodes goes through every set of tried nodes for lists of up to five.
func picksOnlyUntriedNodes(t *testing.T, b balancer.Balancer) {
	for size := 1; size <= 5; size++ {
		nodes := Nodes(size)
		p := update(t, b, nodes)
		for set := range 1 << size {
			tried, rest := split(nodes, set)
			for i := range 20 {
				checkPick(t, p, request(i, tried...), rest)
			}
		}
	}
}

// split returns the nodes whose bit is in set, and the others.
func split(nodes []*balancer.Node, set int) (in, out []*balancer.Node) {
	for i, n := range nodes {
		if set&(1<<i) != 0 {
			in = append(in, n)
		} else {
			out = append(out, n)
		}
	}
	return in, out
}

// checkPick fails the test unless the pick is one of rest, or ErrNoNode when there is no rest.
func checkPick(t *testing.T, p balancer.Picker, r balancer.Request, rest []*balancer.Node) {
	t.Helper()
	n, err := attempt(p, r, answered)
	if len(rest) == 0 {
		require.ErrorIs(t, err, balancer.ErrNoNode, "all %d nodes were tried", len(r.Tried))
		return
	}
	require.True(t, check(t, n, err, rest))
}

func picksFromOneNode(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(1)
	p := update(t, b, nodes)
	for i := range 100 {
		checkPick(t, p, request(i), nodes)
	}
}

// foreignTriedNodeIsIgnored: a running request may have tried nodes that have since left the list.
func foreignTriedNodeIsIgnored(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(5)
	p := update(t, b, nodes[:2])
	for i := range 100 {
		checkPick(t, p, request(i, nodes[2:]...), nodes[:2])
		checkPick(t, p, request(i, nodes[1:]...), nodes[:1])
	}
}

func reachesEveryNode(t *testing.T, b balancer.Balancer) {
	nodes := alike(3)
	picked := map[*balancer.Node]int{}
	p := update(t, b, nodes)
	for i := range enough {
		n, err := attempt(p, request(i), answered)
		require.NoError(t, err)
		picked[n]++
		if len(picked) == len(nodes) {
			return
		}
	}
	assert.Fail(t, "a node gets nothing", "picks after %d requests: %v", enough, counts(picked))
}

func counts(picked map[*balancer.Node]int) map[string]int {
	named := map[string]int{}
	for n, count := range picked {
		named[n.Name] = count
	}
	return named
}

func updateReplacesTheList(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(6)
	for _, list := range [][]*balancer.Node{nodes[:3], nodes[3:], nodes[2:4], nodes, nodes[:1]} {
		p := update(t, b, list)
		for i := range 200 {
			checkPick(t, p, request(i), list)
		}
	}
}

func updateWithTheSameSetKeepsWorking(t *testing.T, b balancer.Balancer) {
	nodes := alike(3)
	picked := map[*balancer.Node]int{}
	for i := range enough {
		slices.Reverse(nodes)
		n, err := attempt(update(t, b, nodes), request(i), answered)
		require.True(t, check(t, n, err, nodes))
		picked[n]++
	}
	assert.Len(t, picked, len(nodes), "a node gets nothing: %v", counts(picked))
}

func earlierPickerStillPicks(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(6)
	earlier := update(t, b, nodes[:3])
	later := update(t, b, nodes[3:])
	for i := range 100 {
		checkPick(t, earlier, request(i), nodes[:3])
		checkPick(t, later, request(i), nodes[3:])
	}
}

// everyOutcomeIsTaken: whatever attempts end with, there is a node for the next one.
func everyOutcomeIsTaken(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(3)
	p := update(t, b, nodes)
	for _, o := range outcomes {
		for i := range 200 {
			n, err := attempt(p, request(i), o)
			require.True(t, check(t, n, err, nodes), "after outcome %s", o.Kind)
		}
	}
}

func doneMayComeLateFromAnyGoroutine(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(4)
	p := update(t, b, nodes)
	choices := make([]balancer.Choice, 200*goroutines)
	for i := range choices {
		var err error
		choices[i], err = p.Pick(request(i))
		require.NoError(t, err)
	}
	p = update(t, b, nodes[2:])
	together(t, func(worker int) {
		for i := worker; i < len(choices); i += goroutines {
			if choices[i].Done != nil {
				choices[i].Done(outcomes[i%len(outcomes)])
			}
		}
	})
	checkPick(t, p, request(0), nodes[2:])
}

// pickDoesNotWaitForDone: how many attempts run at once is for the pools to say.
func pickDoesNotWaitForDone(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(2)
	p := update(t, b, nodes)
	inTime(t, func() {
		for i := range 10_000 {
			choice, err := p.Pick(request(i))
			if !check(t, choice.Node, err, nodes) {
				return
			}
		}
	})
}

func picksAreConcurrent(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(5)
	p := update(t, b, nodes)
	together(t, func(worker int) {
		for i := range 500 {
			n, err := attempt(p, request(worker+i), outcomes[i%len(outcomes)])
			if !check(t, n, err, nodes) {
				return
			}
			n, err = attempt(p, request(worker+i, n), answered)
			if !check(t, n, err, nodes) {
				return
			}
		}
	})
}

// updateMayRunBesidePicks has one goroutine that updates while the others pick from the pickers it leaves.
func updateMayRunBesidePicks(t *testing.T, b balancer.Balancer) {
	nodes := Nodes(6)
	pickers := make(chan balancer.Picker, goroutines)
	together(t, func(worker int) {
		if worker == 0 {
			defer close(pickers)
			for i := range 500 {
				pickers <- b.Update(slices.Clone(nodes[i%4 : i%4+3]))
			}
			return
		}
		for p := range pickers {
			if !assert.NotNil(t, p, "Update returned no picker") {
				continue
			}
			for i := range 10 {
				n, err := attempt(p, request(i), outcomes[i%len(outcomes)])
				if !check(t, n, err, nodes) {
					break
				}
			}
		}
	})
}

// nothingOfTheCallerIsChanged: nodes are shared by all, Tried and the room behind it are the request's, and the
// list, which is the balancer's, must rest while pickers may read it.
func nothingOfTheCallerIsChanged(t *testing.T, b balancer.Balancer) {
	nodes, want := Nodes(4), Nodes(4)
	list := slices.Clone(nodes)
	p := b.Update(list)
	afterUpdate := slices.Clone(list)
	tried := append(make([]*balancer.Node, 0, 4), nodes[0], nodes[3])
	for i := range 200 {
		_, err := attempt(p, request(i, tried...), outcomes[i%len(outcomes)])
		require.NoError(t, err)
		require.Equal(t, []*balancer.Node{nodes[0], nodes[3], nil, nil}, tried[:cap(tried)], "Tried was changed")
		require.Equal(t, afterUpdate, list, "Pick changed the list")
	}
	update(t, b, nodes[2:])
	assert.Equal(t, afterUpdate, list, "another Update changed the list")
	assert.Equal(t, want, nodes, "a node was changed")
}

// reportAllocations logs what a pick allocates. It is no condition: a balancer may have its reasons.
func reportAllocations(t *testing.T, b balancer.Balancer) {
	p := update(t, b, Nodes(3))
	r := request(2)
	allocs := testing.AllocsPerRun(1000, func() {
		if _, err := attempt(p, r, answered); err != nil {
			t.Error(err)
		}
	})
	t.Logf("an attempt allocates %v times; none is best, as this is done for every attempt", allocs)
}

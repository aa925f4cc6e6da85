package balancertest_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

// brokenEnv names the balancer of the broken map that TestBrokenBalancer is to run.
const brokenEnv = "BALANCERTEST_BROKEN"

// pick is a balancer and picker made of one function.
type pick func(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error)

type picker struct {
	nodes []*balancer.Node
	pick  pick
}

func (f pick) Update(nodes []*balancer.Node) balancer.Picker { return picker{nodes, f} }

func (p picker) Pick(r balancer.Request) (balancer.Choice, error) { return p.pick(p.nodes, r) }

// random keeps the contract.
func random(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	for _, i := range rand.Perm(len(nodes)) {
		if !r.HasTried(nodes[i]) {
			return balancer.Choice{Node: nodes[i]}, nil
		}
	}
	return balancer.Choice{}, balancer.ErrNoNode
}

// stale keeps the list of the first Update.
type stale struct{ first balancer.Picker }

func (s *stale) Update(nodes []*balancer.Node) balancer.Picker {
	if s.first == nil {
		s.first = pick(random).Update(nodes)
	}
	return s.first
}

// shared keeps one list for all pickers, which an Update changes.
type shared struct {
	mu    sync.Mutex
	nodes []*balancer.Node
}

func (s *shared) Update(nodes []*balancer.Node) balancer.Picker {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = nodes
	return s
}

func (s *shared) Pick(r balancer.Request) (balancer.Choice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return random(s.nodes, r)
}

// repeats does not look at what was tried.
func repeats(nodes []*balancer.Node, _ balancer.Request) (balancer.Choice, error) {
	return balancer.Choice{Node: nodes[rand.IntN(len(nodes))]}, nil
}

// givesUp has no third attempt.
func givesUp(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	if len(r.Tried) > 1 {
		return balancer.Choice{}, balancer.ErrNoNode
	}
	return random(nodes, r)
}

// answersNil has neither a node nor an error when all were tried.
func answersNil(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	choice, _ := random(nodes, r)
	return choice, nil
}

// starves prefers the first node.
func starves(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	for _, n := range nodes {
		if !r.HasTried(n) {
			return balancer.Choice{Node: n}, nil
		}
	}
	return balancer.Choice{}, balancer.ErrNoNode
}

// notes writes into the room behind Tried.
func notes(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	choice, err := random(nodes, r)
	_ = append(r.Tried, choice.Node)
	return choice, err
}

// renames writes into a node.
func renames(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	choice, err := random(nodes, r)
	if err == nil {
		choice.Node.Name = "mine"
	}
	return choice, err
}

var reordering sync.Mutex // reordering guards the lists that reorders writes into, so that no race is reported

// reorders writes into its list while it picks.
func reorders(nodes []*balancer.Node, r balancer.Request) (balancer.Choice, error) {
	reordering.Lock()
	defer reordering.Unlock()
	nodes[0], nodes[len(nodes)-1] = nodes[len(nodes)-1], nodes[0]
	return random(nodes, r)
}

// broken holds a balancer for each way to break the contract, with the case that must catch it.
var broken = map[string]struct {
	caughtBy string
	fresh    func() balancer.Balancer
}{
	"repeats":     {"PicksOnlyUntriedNodes", func() balancer.Balancer { return pick(repeats) }},
	"gives up":    {"PicksOnlyUntriedNodes", func() balancer.Balancer { return pick(givesUp) }},
	"answers nil": {"PicksOnlyUntriedNodes", func() balancer.Balancer { return pick(answersNil) }},
	"starves":     {"ReachesEveryNode", func() balancer.Balancer { return pick(starves) }},
	"notes":       {"NothingOfTheCallerIsChanged", func() balancer.Balancer { return pick(notes) }},
	"renames":     {"NothingOfTheCallerIsChanged", func() balancer.Balancer { return pick(renames) }},
	"reorders":    {"NothingOfTheCallerIsChanged", func() balancer.Balancer { return pick(reorders) }},
	"no picker":   {"PicksFromOneNode", func() balancer.Balancer { return none{} }},
	"stale":       {"UpdateReplacesTheList", func() balancer.Balancer { return &stale{} }},
	"shared":      {"EarlierPickerStillPicks", func() balancer.Balancer { return &shared{} }},
}

type none struct{}

func (none) Update([]*balancer.Node) balancer.Picker { return nil }

func TestGoodBalancerPasses(t *testing.T) {
	balancertest.Run(t, func() balancer.Balancer { return pick(random) })
}

// TestBrokenBalancer is what TestSuiteCatchesBrokenBalancers runs in a process of its own, as it must fail.
func TestBrokenBalancer(t *testing.T) {
	name := os.Getenv(brokenEnv)
	if name == "" {
		return // the process of the whole suite: nothing is broken here
	}
	balancertest.Run(t, broken[name].fresh)
}

func TestSuiteCatchesBrokenBalancers(t *testing.T) {
	binary, err := os.Executable()
	require.NoError(t, err)
	for name, c := range broken {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestBrokenBalancer$")
			cmd.Env = append(os.Environ(), brokenEnv+"="+name)
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "the suite passed")
			caught := strings.Contains(string(out), "--- FAIL: TestBrokenBalancer/"+c.caughtBy+" ")
			assert.True(t, caught, "%s did not fail", c.caughtBy)
		})
	}
}

func TestNodesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range balancertest.Nodes(100) {
		for _, key := range []string{n.ID, n.Name, n.Addr, n.URL.Host + "/"} {
			assert.False(t, seen[key], key)
			seen[key] = true
		}
	}
}

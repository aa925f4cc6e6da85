// Package balancertest checks that a balancer keeps the contract of package balancer. The authors of balancers
// call [Run] from a test of their own:
//
//	func TestBalancer(t *testing.T) {
//		balancertest.Run(t, func() balancer.Balancer { return mine{} })
//	}
//
// It says nothing of how well a balancer chooses, but that of three nodes of one zone none may get nothing.
// Run it with -race: half of the contract is about concurrency.
package balancertest

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
)

const (
	enough     = 3000             // picks after which each of a few nodes must have been picked
	patience   = 20 * time.Second // for what must not block; far more than it takes
	goroutines = 8
)

// Run runs the suite against balancers that fresh returns. fresh is called for each test and must return a new
// balancer each time. A request of the suite has a key and a path of its own and any class, so that a balancer
// that goes by one of these has something to go by.
func Run(t *testing.T, fresh func() balancer.Balancer) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, balancer.Balancer)
	}{
		{"PicksOnlyUntriedNodes", picksOnlyUntriedNodes},
		{"PicksFromOneNode", picksFromOneNode},
		{"ForeignTriedNodeIsIgnored", foreignTriedNodeIsIgnored},
		{"ReachesEveryNode", reachesEveryNode},
		{"UpdateReplacesTheList", updateReplacesTheList},
		{"UpdateWithTheSameSetKeepsWorking", updateWithTheSameSetKeepsWorking},
		{"EarlierPickerStillPicks", earlierPickerStillPicks},
		{"EveryOutcomeIsTaken", everyOutcomeIsTaken},
		{"DoneMayComeLateFromAnyGoroutine", doneMayComeLateFromAnyGoroutine},
		{"PickDoesNotWaitForDone", pickDoesNotWaitForDone},
		{"PicksAreConcurrent", picksAreConcurrent},
		{"UpdateMayRunBesidePicks", updateMayRunBesidePicks},
		{"NothingOfTheCallerIsChanged", nothingOfTheCallerIsChanged},
		{"ReportAllocations", reportAllocations},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh()) })
	}
}

// Nodes returns n nodes with different ids, names and addresses, of zones "a", "b" and "c" in turn. Nothing
// listens at the addresses.
func Nodes(n int) []*balancer.Node {
	nodes := make([]*balancer.Node, n)
	for i := range nodes {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+i)
		nodes[i] = &balancer.Node{
			ID:    fmt.Sprintf("id-%d", i),
			Name:  fmt.Sprintf("node-%d", i),
			Addr:  addr,
			URL:   &url.URL{Scheme: "http", Host: addr},
			Attrs: map[string]string{"zone": string(rune('a' + i%3))},
		}
	}
	return nodes
}

// alike returns n nodes that differ in nothing a balancer may go by, their zone included.
func alike(n int) []*balancer.Node {
	nodes := Nodes(n)
	for _, node := range nodes {
		node.Attrs = nodes[0].Attrs
	}
	return nodes
}

// update hands the balancer a list of its own and returns the picker.
func update(t *testing.T, b balancer.Balancer, nodes []*balancer.Node) balancer.Picker {
	t.Helper()
	p := b.Update(slices.Clone(nodes))
	require.NotNil(t, p, "Update returned no picker")
	return p
}

// request returns the i-th request, which has tried the nodes.
func request(i int, tried ...*balancer.Node) balancer.Request {
	return balancer.Request{
		Class:  balancer.Class(i % balancer.NumClasses),
		Method: "POST",
		Path:   fmt.Sprintf("/index-%d/_search", i),
		Key:    fmt.Sprintf("key-%d", i),
		Tried:  tried,
	}
}

// attempt picks a node and ends the attempt at once.
func attempt(p balancer.Picker, r balancer.Request, o balancer.Outcome) (*balancer.Node, error) {
	choice, err := p.Pick(r)
	if err == nil && choice.Done != nil {
		choice.Done(o)
	}
	return choice.Node, err
}

// answered is the outcome of an attempt that went well.
var answered = balancer.Outcome{Kind: balancer.OK, Status: 200, Latency: time.Millisecond}

// outcomes holds one outcome of each kind.
var outcomes = []balancer.Outcome{
	answered,
	{Kind: balancer.Overloaded, Status: 429, Latency: time.Millisecond},
	{Kind: balancer.NodeFailed, Err: errors.New("connection refused")},
	{Kind: balancer.CallerGone, Err: errors.New("context canceled")},
	{Kind: balancer.PoolFull, Err: errors.New("no connection in time")},
}

// together runs f in several goroutines and waits for all; f is told which one it is.
func together(t *testing.T, f func(worker int)) {
	t.Helper()
	inTime(t, func() {
		var wg sync.WaitGroup
		for worker := range goroutines {
			wg.Go(func() { f(worker) })
		}
		wg.Wait()
	})
}

// inTime fails the test when f does not return within patience.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { // ends with f; outlives the test only when f blocks
		defer close(done)
		f()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		require.FailNow(t, "blocked", "not over after %s", patience)
	}
}

// check reports a pick that is an error or not among the wanted nodes. It may be called from any goroutine.
func check(t *testing.T, n *balancer.Node, err error, want []*balancer.Node) bool {
	t.Helper()
	return assert.NoError(t, err) && assert.NotNil(t, n, "no error and no node") &&
		assert.Contains(t, want, n, "picked a node that it must not pick")
}

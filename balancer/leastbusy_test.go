package balancer_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

const draws = 20_000

// pass lets time pass in a bubble.
func pass(d time.Duration) { <-time.NewTimer(d).C }

// end ends an attempt.
func end(c balancer.Choice, o balancer.Outcome) {
	if c.Done != nil {
		c.Done(o)
	}
}

// answer is an answer that took the time.
func answer(latency time.Duration) balancer.Outcome {
	return balancer.Outcome{Kind: balancer.OK, Status: 200, Latency: latency}
}

// gone is an outcome that a balancer learns nothing from.
var gone = balancer.Outcome{Kind: balancer.CallerGone}

// pickNode begins an attempt of the class on that node, by marking the others as tried.
func pickNode(tb testing.TB, p balancer.Picker, nodes []*balancer.Node, i int, class balancer.Class) balancer.Choice {
	tb.Helper()
	var others []*balancer.Node
	for k, n := range nodes {
		if k != i {
			others = append(others, n)
		}
	}
	choice, err := p.Pick(balancer.Request{Class: class, Tried: others})
	require.NoError(tb, err)
	require.Same(tb, nodes[i], choice.Node)
	return choice
}

// shares returns the part of picks that each node gets while nothing changes.
func shares(tb testing.TB, p balancer.Picker, nodes []*balancer.Node, r balancer.Request) []float64 {
	tb.Helper()
	picked := map[*balancer.Node]int{}
	for range draws {
		choice, err := p.Pick(r)
		require.NoError(tb, err)
		picked[choice.Node]++
		end(choice, gone)
	}
	return parts(picked, nodes)
}

func parts(picked map[*balancer.Node]int, nodes []*balancer.Node) []float64 {
	total := 0
	for _, n := range picked {
		total += n
	}
	all := make([]float64, len(nodes))
	for i, n := range nodes {
		all[i] = float64(picked[n]) / float64(total)
	}
	return all
}

var reg = balancer.Request{Class: balancer.Reg}

func TestLessLoadedOfTwoRandomNodesWins(t *testing.T) {
	for _, c := range []struct {
		inFlight [3]int
		want     []float64
	}{
		{[3]int{0, 0, 0}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{[3]int{7, 7, 7}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{[3]int{3, 6, 20}, []float64{2. / 3, 1. / 3, 0}},
		{[3]int{10, 16, 16}, []float64{2. / 3, 1. / 6, 1. / 6}},
	} {
		nodes := balancertest.Nodes(3)
		p := mustNew(t, "leastbusy", "").Update(nodes)
		for i, count := range c.inFlight {
			for range count {
				pickNode(t, p, nodes, i, balancer.Reg)
			}
		}
		assert.InDeltaSlice(t, c.want, shares(t, p, nodes, reg), 0.05, "in flight %v", c.inFlight)
	}
}

func TestAttemptCountsUntilDone(t *testing.T) {
	nodes := balancertest.Nodes(2)
	p := mustNew(t, "leastbusy", "").Update(nodes)
	choice := pickNode(t, p, nodes, 0, balancer.Reg)
	assert.Equal(t, []float64{0, 1}, shares(t, p, nodes, reg))
	choice.Done(gone)
	assert.InDeltaSlice(t, []float64{0.5, 0.5}, shares(t, p, nodes, reg), 0.05)
}

func TestClassesAreBalancedApart(t *testing.T) {
	nodes := balancertest.Nodes(2)
	p := mustNew(t, "leastbusy", "").Update(nodes)
	for range 50 {
		pickNode(t, p, nodes, 0, balancer.Bulk)
	}
	pickNode(t, p, nodes, 0, balancer.Recovery).Done(answer(time.Minute))
	pickNode(t, p, nodes, 1, balancer.Recovery).Done(answer(time.Second))
	assert.InDeltaSlice(t, []float64{0.5, 0.5}, shares(t, p, nodes, reg), 0.05)
	assert.Equal(t, []float64{0, 1}, shares(t, p, nodes, balancer.Request{Class: balancer.Bulk}))
	assert.Equal(t, []float64{0, 1}, shares(t, p, nodes, balancer.Request{Class: balancer.Recovery}))
}

// server says what a request to the node ends with, after its latency.
type server func(*balancer.Node) balancer.Outcome

// client makes requests one after the other until the bubble's clock says stop.
func client(t *testing.T, p balancer.Picker, stop time.Time, serve server, count func(*balancer.Node)) {
	for time.Now().Before(stop) {
		choice, err := p.Pick(reg)
		if !assert.NoError(t, err) {
			return
		}
		count(choice.Node)
		o := serve(choice.Node)
		pass(o.Latency)
		end(choice, o)
	}
}

// simulate has clients work for a while and returns the part of requests that each node got. serve is
// called from many goroutines.
func simulate(
	t *testing.T, p balancer.Picker, nodes []*balancer.Node, clients int, d time.Duration, serve server,
) []float64 {
	t.Helper()
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex // mu guards picked
		picked = map[*balancer.Node]int{}
		stop   = time.Now().Add(d)
	)
	for range clients {
		wg.Go(func() {
			client(t, p, stop, serve, func(n *balancer.Node) {
				mu.Lock()
				defer mu.Unlock()
				picked[n]++
			})
		})
	}
	wg.Wait()
	return parts(picked, nodes)
}

// jittered is an answer in d, give or take half.
func jittered(d time.Duration) balancer.Outcome {
	return answer(d/2 + rand.N(d))
}

func TestSlowNodeGetsLittle(t *testing.T) {
	for _, clients := range []int{1, 4, 32} {
		synctest.Test(t, func(t *testing.T) {
			nodes := balancertest.Nodes(3)
			p := mustNew(t, "leastbusy", "").Update(nodes)
			got := simulate(t, p, nodes, clients, 15*time.Second, func(n *balancer.Node) balancer.Outcome {
				if n == nodes[0] {
					return jittered(50 * time.Millisecond)
				}
				return jittered(5 * time.Millisecond)
			})
			assert.Less(t, got[0], 0.15/3*2, "%d clients: %v", clients, got)
			assert.InDelta(t, got[1], got[2], 0.1, "%d clients: %v", clients, got)
		})
	}
}

func TestEqualNodesGetEqualSharesDespiteNoise(t *testing.T) {
	for _, clients := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			nodes := balancertest.Nodes(3)
			p := mustNew(t, "leastbusy", "").Update(nodes)
			got := simulate(t, p, nodes, clients, 2*time.Minute, func(*balancer.Node) balancer.Outcome {
				return answer(time.Duration(rand.ExpFloat64() * float64(10*time.Millisecond)))
			})
			assert.InDeltaSlice(t, []float64{1. / 3, 1. / 3, 1. / 3}, got, 0.07, "%d clients", clients)
		})
	}
}

func TestNodeThatWasSlowIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := balancertest.Nodes(3)
		p := mustNew(t, "leastbusy", "").Update(nodes)
		slow := func(n *balancer.Node) balancer.Outcome {
			if n == nodes[0] {
				return answer(time.Second)
			}
			return answer(5 * time.Millisecond)
		}
		well := func(*balancer.Node) balancer.Outcome { return answer(5 * time.Millisecond) }
		assert.Less(t, simulate(t, p, nodes, 4, time.Minute, slow)[0], 0.05)
		simulate(t, p, nodes, 4, 11*time.Second, well)
		assert.InDelta(t, 1./3, simulate(t, p, nodes, 4, time.Minute, well)[0], 0.07)
	})
}

func TestOverloadedNodeGetsLittleUntilItRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := balancertest.Nodes(3)
		p := mustNew(t, "leastbusy", "").Update(nodes)
		refuses := func(n *balancer.Node) balancer.Outcome {
			if n == nodes[0] {
				return balancer.Outcome{Kind: balancer.Overloaded, Status: 429, Latency: time.Millisecond}
			}
			return jittered(5 * time.Millisecond)
		}
		well := func(*balancer.Node) balancer.Outcome { return jittered(5 * time.Millisecond) }
		simulate(t, p, nodes, 4, time.Second, refuses)
		assert.Less(t, simulate(t, p, nodes, 4, 10*time.Second, refuses)[0], 0.05)
		simulate(t, p, nodes, 4, 11*time.Second, well)
		assert.InDelta(t, 1./3, simulate(t, p, nodes, 4, time.Minute, well)[0], 0.07)
	})
}

// TestNodeKeepsWhatItCanCarry has one node that refuses what is over a tenth of what the others carry.
func TestNodeKeepsWhatItCanCarry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := balancertest.Nodes(3)
		p := mustNew(t, "leastbusy", "").Update(nodes)
		var (
			mu             sync.Mutex // mu guards what follows
			free           time.Time  // when the weak node takes the next request
			refused, total int
		)
		serve := func(n *balancer.Node) balancer.Outcome {
			mu.Lock()
			defer mu.Unlock()
			total++
			if n != nodes[0] {
				return jittered(5 * time.Millisecond)
			}
			if time.Now().Before(free) {
				refused++
				return balancer.Outcome{Kind: balancer.Overloaded, Status: 429, Latency: time.Millisecond}
			}
			free = time.Now().Add(20 * time.Millisecond)
			return jittered(5 * time.Millisecond)
		}
		got := simulate(t, p, nodes, 8, time.Minute, serve)
		assert.Greater(t, got[0], 0.005)
		assert.Less(t, float64(refused)/float64(total), 0.02, "refusals before any retry")
	})
}

// TestHealthyPeerTakesOverFromFailingNode wants the healthy one of two to take 95 % within a second.
func TestHealthyPeerTakesOverFromFailingNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := balancertest.Nodes(2)
		p := mustNew(t, "leastbusy", "").Update(nodes)
		serve := func(n *balancer.Node) balancer.Outcome {
			if n == nodes[0] {
				return balancer.Outcome{Kind: balancer.NodeFailed, Status: 503, Latency: time.Millisecond}
			}
			return jittered(10 * time.Millisecond)
		}
		simulate(t, p, nodes, 8, time.Second, serve)
		assert.Greater(t, simulate(t, p, nodes, 8, 10*time.Second, serve)[1], 0.95)
	})
}

func TestNewNodeStartsGently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := balancertest.Nodes(3)
		b := mustNew(t, "leastbusy", "")
		well := func(*balancer.Node) balancer.Outcome { return jittered(5 * time.Millisecond) }
		simulate(t, b.Update(nodes[:2]), nodes[:2], 4, time.Minute, well)
		p := b.Update(nodes)
		first := simulate(t, p, nodes, 4, time.Second/2, well)[2]
		middle := simulate(t, p, nodes, 4, 2*time.Second, well)[2]
		simulate(t, p, nodes, 4, 2*time.Second, well)
		last := simulate(t, p, nodes, 4, time.Minute, well)[2]
		assert.Less(t, first, 1./6, "half of its share")
		assert.Greater(t, first, 0.01)
		assert.Greater(t, middle, first)
		assert.InDelta(t, 1./3, last, 0.07)
	})
}

func TestFiguresSurviveUpdate(t *testing.T) {
	nodes := balancertest.Nodes(3)
	b := mustNew(t, "leastbusy", "")
	p := b.Update(nodes[:2])
	pickNode(t, p, nodes[:2], 0, balancer.Reg)
	p = b.Update(nodes)
	assert.Zero(t, shares(t, p, nodes, reg)[0], "in flight is forgotten")

	restarted := balancertest.Nodes(3)[0]
	list := []*balancer.Node{restarted, nodes[1]}
	p = b.Update(list)
	pickNode(t, p, list, 1, balancer.Reg)
	assert.NotZero(t, shares(t, p, list, reg)[0], "a new node has the old one's figures")
}

func TestDoneOfAnEarlierPickerCounts(t *testing.T) {
	nodes := balancertest.Nodes(2)
	b := mustNew(t, "leastbusy", "")
	early := pickNode(t, b.Update(nodes), nodes, 0, balancer.Reg)
	p := b.Update([]*balancer.Node{nodes[1], nodes[0]})
	assert.Equal(t, []float64{0, 1}, shares(t, p, nodes, reg))
	early.Done(gone)
	assert.InDeltaSlice(t, []float64{0.5, 0.5}, shares(t, p, nodes, reg), 0.05)
}

func TestNodeThatLeftIsForgotten(t *testing.T) {
	for _, name := range []string{"leastbusy", "roundrobin"} {
		nodes := balancertest.Nodes(3)
		b := mustNew(t, name, "")
		b.Update(nodes)
		left := weak.Make(nodes[2])
		nodes = []*balancer.Node{nodes[0], nodes[1]}
		p := b.Update(nodes)
		runtime.GC()
		assert.Nil(t, left.Value(), name)
		runtime.KeepAlive(p)
	}
}

func TestRetryChoosesEvenlyAmongTheRest(t *testing.T) {
	for _, name := range []string{"leastbusy", "roundrobin"} {
		nodes := balancertest.Nodes(5)
		p := mustNew(t, name, "").Update(nodes)
		got := shares(t, p, nodes, balancer.Request{Class: balancer.Reg, Tried: []*balancer.Node{nodes[1], nodes[3]}})
		assert.InDeltaSlice(t, []float64{1. / 3, 0, 1. / 3, 0, 1. / 3}, got, 0.05, name)
	}
}

// Package samplertest holds the tests that every [sampler.Sampler] should pass, for authors of samplers:
//
//	func TestConformance(t *testing.T) {
//		samplertest.Run(t, func() sampler.Sampler { return mine.Sampler{} })
//	}
//
// The tests give the sampler a getter that answers in memory; nothing is sent. They run in bubbles of
// testing/synctest, so that a goroutine left behind fails them and waiting takes no time. A sampler that opens
// connections of its own should be given a stand-in for them by the constructor.
package samplertest

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

// Run tests the samplers that the constructor makes, each part as a subtest with samplers of its own. The
// sampler is given a cluster of three nodes, all of them seeds, which answer GET / and the _nodes calls; a sampler
// that learns of nodes elsewhere may ignore it. The constructor may be called from many goroutines.
func Run(t *testing.T, newSampler func() sampler.Sampler) {
	parts := []struct {
		name string
		test func(*testing.T, func() sampler.Sampler)
	}{
		{"NodesAreUsable", nodesAreUsable},
		{"EarlierTopologyIsNotTouched", earlierIsNotTouched},
		{"UnchangedNodesKeepTheirPointers", pointersAreKept},
		{"SamplersShareNothing", samplersShareNothing},
		{"CancelledContextEndsTheSample", cancelEnds},
		{"DeadlineEndsTheSample", deadlineEnds},
		{"EndedContextAsksNobodyForLong", endedContext},
		{"BadAnswersEvictNobody", badAnswersEvictNobody},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { p.test(t, newSampler) })
		})
	}
}

// limit bounds every sample of the suite, in the bubble's time.
const limit = 5 * time.Second

func sample(t *testing.T, s sampler.Sampler, prev sampler.Topology, get sampler.Getter) sampler.Topology {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	got, err := s.Sample(ctx, prev, get)
	require.NoError(t, err, "the nodes answer well")
	return got
}

func nodesAreUsable(t *testing.T, newSampler func() sampler.Sampler) {
	got := sample(t, newSampler(), before(), answers)
	assert.NotEmpty(t, got.Nodes)
	check(t, got)
}

// check tests what holds of every topology, good or bad.
func check(t *testing.T, got sampler.Topology) {
	t.Helper()
	seen := map[string]bool{}
	for _, n := range append(append([]*sampler.Node{}, got.Nodes...), got.Filtered...) {
		require.NotNil(t, n, "a node")
		assert.NotEmpty(t, n.Addr, "Addr of node %q", n.ID)
		assert.False(t, seen[n.Addr], "Addr %s is given twice", n.Addr)
		seen[n.Addr] = true
		if assert.NotNil(t, n.URL, "URL of %s", n.Addr) {
			assert.Equal(t, n.Addr, n.URL.Host, "the URL's host")
			assert.Contains(t, []string{"http", "https"}, n.URL.Scheme, "scheme of %s", n.Addr)
			assert.Nil(t, n.URL.User, "URL of %s shows a user", n.Addr)
		}
	}
	for _, f := range got.Failures {
		assert.Error(t, f.Err, "failure of %s", f.Addr)
	}
}

func earlierIsNotTouched(t *testing.T, newSampler func() sampler.Sampler) {
	s := newSampler()
	prev, untouched := before(), before()
	next := sample(t, s, prev, answers)
	assert.Equal(t, untouched, prev, "before the first sample")

	untouched = clone(next)
	sample(t, s, next, answers)
	_, _ = s.Sample(t.Context(), next, refuses)
	assert.Equal(t, untouched, clone(next), "after the first sample")
}

func pointersAreKept(t *testing.T, newSampler func() sampler.Sampler) {
	s := newSampler()
	first := sample(t, s, before(), answers)
	pointers := map[string]*sampler.Node{}
	for _, n := range first.Nodes {
		pointers[n.Addr] = n
	}
	prev := first
	for range 20 {
		prev = sample(t, s, prev, answers)
		require.Len(t, prev.Nodes, len(first.Nodes))
		for _, n := range prev.Nodes {
			require.Same(t, pointers[n.Addr], n, "node %s, of which nothing changed", n.Addr)
		}
	}
}

// samplersShareNothing is of use under the race detector.
func samplersShareNothing(t *testing.T, newSampler func() sampler.Sampler) {
	prev := before()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := newSampler().Sample(t.Context(), prev, answers)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
}

func cancelEnds(t *testing.T, newSampler func() sampler.Sampler) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	timer := time.AfterFunc(time.Second, cancel)
	defer timer.Stop()
	endsWithin(t, time.Second, func() (sampler.Topology, error) { return newSampler().Sample(ctx, before(), hangs) })
}

func deadlineEnds(t *testing.T, newSampler func() sampler.Sampler) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	endsWithin(t, limit, func() (sampler.Topology, error) { return newSampler().Sample(ctx, before(), hangs) })
}

func endedContext(t *testing.T, newSampler func() sampler.Sampler) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	endsWithin(t, 0, func() (sampler.Topology, error) { return newSampler().Sample(ctx, before(), hangs) })
}

func endsWithin(t *testing.T, most time.Duration, run func() (sampler.Topology, error)) {
	t.Helper()
	begin := time.Now()
	got, _ := run()
	assert.LessOrEqual(t, time.Since(begin), most, "time until Sample returned")
	check(t, got)
}

func badAnswersEvictNobody(t *testing.T, newSampler func() sampler.Sampler) {
	for name, bad := range badAnswers() {
		s := newSampler()
		prev := sample(t, s, before(), answers)
		get, asked := counted(bad)
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		got, err := s.Sample(ctx, prev, get)
		cancel()
		check(t, got)
		if err != nil || got.Partial || asked() == 0 {
			continue // told, or its nodes come from elsewhere
		}
		assert.Subset(t, addrs(got.Nodes), addrs(prev.Nodes), "%s: nodes are missing, and neither an error nor Partial tells", name)
	}
}

func addrs(nodes []*sampler.Node) []string {
	list := make([]string, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, n.Addr)
	}
	return list
}

package balancer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

type namedPicker struct {
	name string
	balancer.Picker
}

// builtIn returns a picker of every balancer of the package, one of them of a zone that spills.
func builtIn(tb testing.TB, size int) []namedPicker {
	tb.Helper()
	nodes := balancertest.Nodes(size)
	spilling := mustNew(tb, "zone", "local=a")
	spilling.Update(balancertest.Nodes(3 * size))
	return []namedPicker{
		{"leastbusy", mustNew(tb, "leastbusy", "").Update(nodes)},
		{"roundrobin", mustNew(tb, "roundrobin", "").Update(nodes)},
		{"zone", mustNew(tb, "zone", "local=a").Update(nodes)},
		{"zone-spilling", spilling.Update(nodes)},
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	for _, size := range []int{3, 100} {
		for _, p := range builtIn(t, size) {
			nodes := balancertest.Nodes(2)
			for _, r := range []balancer.Request{reg, {Class: balancer.Bulk, Tried: nodes}} {
				assert.Zero(t, testing.AllocsPerRun(1000, func() {
					choice, err := p.Pick(r)
					if err != nil {
						t.Error(err)
					}
					end(choice, answer(time.Millisecond))
				}), "%s with %d nodes, %d tried", p.name, size, len(r.Tried))
			}
		}
	}
}

func TestPicksGoOnWhileAThousandNodesAreUpdated(t *testing.T) {
	nodes := balancertest.Nodes(1000)
	for _, name := range []string{"leastbusy", "roundrobin"} {
		b := mustNew(t, name, "")
		p := b.Update(nodes)
		updated := make(chan struct{})
		go func() { // ends after its updates, which the loop below waits for
			defer close(updated)
			for i := range 20 {
				b.Update(nodes[i:])
			}
		}()
		for done := false; !done; {
			choice, err := p.Pick(reg)
			require.NoError(t, err)
			end(choice, gone)
			select {
			case <-updated:
				done = true
			default:
			}
		}
	}
}

func BenchmarkPick(b *testing.B) {
	for _, size := range []int{3, 100} {
		for _, p := range builtIn(b, size) {
			b.Run(fmt.Sprintf("%s/%d/serial", p.name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = p.Pick(reg)
				}
			})
			b.Run(fmt.Sprintf("%s/%d/parallel", p.name, size), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						_, _ = p.Pick(reg)
					}
				})
			})
		}
	}
}

// BenchmarkAttempt is a pick with its end.
func BenchmarkAttempt(b *testing.B) {
	for _, size := range []int{3, 100} {
		for _, p := range builtIn(b, size) {
			b.Run(fmt.Sprintf("%s/%d", p.name, size), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						choice, _ := p.Pick(reg)
						end(choice, answer(time.Millisecond))
					}
				})
			})
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, name := range []string{"leastbusy", "roundrobin"} {
		for _, size := range []int{3, 1000} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				nodes, balancer := balancertest.Nodes(size), mustNew(b, name, "")
				b.ReportAllocs()
				for b.Loop() {
					balancer.Update(nodes)
				}
			})
		}
	}
}

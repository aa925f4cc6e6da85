package balancer

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTurnsGoOnOverTheCountersEnd(t *testing.T) {
	for size := 1; size <= 7; size++ {
		p := newTurnPicker(make([]*Node, size))
		for i := range p.nodes {
			p.nodes[i] = &Node{}
		}
		p.counter.Store(p.limit - uint64(size))
		for turn := range 3 * size {
			choice, err := p.Pick(Request{})
			assert.NoError(t, err)
			assert.Same(t, p.nodes[turn%size], choice.Node, "size %d turn %d", size, turn)
		}
		assert.Less(t, p.counter.Load(), uint64(3*size), "the counter did not start again")
	}
}

func TestNoTurnIsLostAtTheCountersEndUnderConcurrency(t *testing.T) {
	const size, rounds, workers = 3, 1000, 6
	p := newTurnPicker(make([]*Node, size))
	counts := map[*Node]int{}
	for i := range p.nodes {
		p.nodes[i] = &Node{}
	}
	p.counter.Store(p.limit - size*rounds/2)
	var (
		wg sync.WaitGroup
		mu sync.Mutex // mu guards counts
	)
	for range workers {
		wg.Go(func() {
			for range size * rounds / workers {
				choice, _ := p.Pick(Request{})
				mu.Lock()
				counts[choice.Node]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, n := range p.nodes {
		assert.Equal(t, rounds, counts[n])
	}
}

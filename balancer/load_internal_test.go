package balancer

import (
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestAverageFollowsTheSamples(t *testing.T) {
	for _, c := range []struct{ before, sample, want float64 }{
		{0, 5, 1.0},
		{3.1, 36, 9.68},
		{1, 1000, 200.8},
	} {
		assert.InDelta(t, c.want, average(c.before, c.sample, 0), 1e-9)
	}
}

func TestFirstSampleIsTheAverage(t *testing.T) {
	l := &newEntry(&Node{}, newClock())[Reg]
	l.feed(10, 0)
	assert.InDelta(t, 10, average(0, 10, memory), 1e-9)
	assert.EqualValues(t, floor, l.mean(), "below the floor all are equal")
	l.feed(20*time.Millisecond, memory)
	assert.InDelta(t, 20*time.Millisecond, l.mean(), 1)
}

func TestOldAverageWeighsLess(t *testing.T) {
	assert.InDelta(t, 100+0.2*900, average(100, 1000, memory/10), 1e-9)
	assert.InDelta(t, 550, average(100, 1000, memory/2), 1e-9)
	assert.InDelta(t, 1000, average(100, 1000, 3*memory), 1e-9)
}

func TestSlownessFadesWithAge(t *testing.T) {
	entries := [2]*entry{newEntry(&Node{}, newClock()), newEntry(&Node{}, newClock())}
	slow, fast := &entries[0][Reg], &entries[1][Reg]
	assert.Equal(t, 1.0, slow.slowness(fast, 0), "nothing is known")
	slow.feed(10*time.Millisecond, 0)
	assert.Equal(t, 1.0, slow.slowness(fast, 0), "one is not known")
	fast.feed(time.Millisecond, 0)
	assert.InDelta(t, 10, slow.slowness(fast, 0), 1e-9)
	assert.InDelta(t, 0.1, fast.slowness(slow, 0), 1e-9)
	fast.feed(time.Millisecond, memory/2)
	assert.InDelta(t, 5.5, slow.slowness(fast, memory/2), 1e-9)
	assert.Equal(t, 1.0, slow.slowness(fast, memory*95/100), "alike again")
	assert.Equal(t, 1.0, slow.slowness(fast, 2*memory))
}

func TestSmallDifferencesAreNone(t *testing.T) {
	entries := [2]*entry{newEntry(&Node{}, newClock()), newEntry(&Node{}, newClock())}
	a, b := &entries[0][Reg], &entries[1][Reg]
	a.feed(19*time.Millisecond, 0)
	b.feed(10*time.Millisecond, 0)
	assert.Equal(t, 1.0, a.slowness(b, 0))
	a.feed(2*floor/3, memory)
	b.feed(floor/100, memory)
	assert.Equal(t, 1.0, a.slowness(b, memory), "below the floor")
}

func TestShareGrowsToTheWhole(t *testing.T) {
	l := &newEntry(&Node{}, newClock())[Bulk]
	assert.InDelta(t, newShare, l.share(0), 1e-9)
	assert.InDelta(t, newShare+0.5, l.share(ramp/2), 1e-9)
	assert.Equal(t, 1.0, l.share(ramp))
	l.end(Outcome{Kind: Overloaded}, ramp)
	assert.InDelta(t, 0.5, l.share(ramp), 1e-9)
	l.end(Outcome{Kind: NodeFailed}, ramp)
	assert.InDelta(t, 0.125, l.share(ramp), 1e-9)
	for range 10_000 {
		l.end(Outcome{Kind: NodeFailed}, ramp)
	}
	assert.InDelta(t, 0, l.share(ramp), 1e-9)
	assert.InDelta(t, 0.5, l.share(ramp+ramp/2), 1e-6, "no longer than the ramp, however many failures")
}

func TestUnrelatedOutcomesChangeOnlyWhatIsInFlight(t *testing.T) {
	for _, kind := range []Kind{CallerGone, PoolFull} {
		l := &newEntry(&Node{}, newClock())[Reg]
		l.inFlight.Store(5)
		l.feed(time.Second, 0)
		l.end(Outcome{Kind: kind, Latency: time.Hour}, ramp)
		assert.EqualValues(t, 4, l.inFlight.Load())
		assert.InDelta(t, time.Second, l.mean(), 1)
		assert.Equal(t, 1.0, l.share(ramp))
	}
}

func TestConcurrentSamplesAreAllCounted(t *testing.T) {
	l := &newEntry(&Node{}, newClock())[Reg]
	l.feed(time.Second, 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				l.feed(time.Second+1, 0)
			}
		})
	}
	wg.Wait()
	want := float64(time.Second)
	for range 80 {
		want = average(want, float64(time.Second+1), 0)
	}
	assert.InDelta(t, want, l.mean(), 1e-6)
}

func TestLoadFillsACacheLine(t *testing.T) {
	assert.EqualValues(t, 64, unsafe.Sizeof(load{}))
	for range 100 {
		assert.Zero(t, uintptr(unsafe.Pointer(newEntry(&Node{}, newClock())))%64)
	}
}

func TestClockMovesWhenRead(t *testing.T) {
	c := newClock()
	c.start = c.start.Add(-time.Hour)
	assert.Zero(t, c.now())
	read := c.read()
	assert.GreaterOrEqual(t, read, time.Hour)
	assert.Equal(t, read, c.now())
}

func TestTwoAreDifferentAndEven(t *testing.T) {
	for _, n := range []int{0, 1} {
		i, j := two(n)
		assert.Equal(t, [2]int{}, [2]int{i, j})
	}
	const n, draws = 5, 40_000
	var pairs [n][n]int
	for range draws {
		i, j := two(n)
		pairs[i][j]++
	}
	for i := range n {
		for j := range n {
			if i == j {
				assert.Zero(t, pairs[i][j])
				continue
			}
			assert.InDelta(t, draws/(n*(n-1)), pairs[i][j], 350, "%d, %d", i, j) // 8 standard deviations
		}
	}
}

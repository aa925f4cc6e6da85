package pool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

// patient is longer than any caller waits when none is forgotten.
const patient = 5 * time.Second

// life is one caller's doing in the property test: it acquires a hundred times, at random of any class, with
// and without patience, and keeps connections for a while.
func life(ctx context.Context, g *group, r *rand.Rand) error {
	for range 100 {
		pass(time.Duration(r.IntN(20)) * time.Millisecond)
		patience := patient
		if r.IntN(4) == 0 {
			patience = time.Duration(r.IntN(30)) * time.Millisecond
		}
		if err := once(ctx, g, r, patience); err != nil {
			return err
		}
	}
	return nil
}

func once(ctx context.Context, g *group, r *rand.Rand, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := g.Acquire(ctx, pool.Class(r.IntN(pool.NumClasses)))
	if errors.Is(err, errRefused) || errors.Is(err, context.DeadlineExceeded) && patience < patient {
		return nil
	}
	if err != nil {
		return err
	}
	pass(time.Duration(r.IntN(50)) * time.Millisecond)
	c.Value().broken = r.IntN(20) == 0
	if r.IntN(10) == 0 {
		c.Discard()
	} else {
		c.Release()
	}
	return nil
}

// disturb resets and sweeps the group and makes its node fail now and then.
func disturb(g *group, n *node, r *rand.Rand, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		pass(time.Duration(r.IntN(200)) * time.Millisecond)
		g.Sweep()
		if r.IntN(5) == 0 {
			g.Reset()
		}
		n.setFails(r.IntN(10) == 0)
	}
}

// Whatever callers do, every one of them is served or told why not, no limit is ever passed, and the figures
// agree at the end. A wake-up that is lost shows as a patient caller whose patience ended.
func TestNoCallerIsForgottenWhateverHappens(t *testing.T) {
	for seed := range uint64(12) {
		shared := []int32{0, 1, 3, 10}[seed%4]
		t.Run(fmt.Sprint("seed ", seed, " shared ", shared), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &node{takes: 3 * time.Millisecond}
				cfg := n.config()
				cfg.Shared, cfg.MaxIdle, cfg.MaxLifetime = shared, 100*time.Millisecond, time.Second
				g := newGroup(t, cfg)
				stop := make(chan struct{})
				go disturb(g, n, rand.New(rand.NewPCG(seed, 0)), stop)
				var wg sync.WaitGroup
				for i := range uint64(60) {
					wg.Go(func() { assert.NoError(t, life(t.Context(), g, rand.New(rand.NewPCG(seed, i+1)))) })
				}
				wg.Wait()
				close(stop)
				synctest.Wait()
				assert.LessOrEqual(t, n.count(&n.mostOpen), int(13+shared))
				assert.LessOrEqual(t, n.count(&n.mostDialing), 2)
				pass(time.Hour)
				g.Sweep()
				for class := range pool.Class(pool.NumClasses) {
					s := g.Stat(class)
					assert.Zero(t, s.Open+s.InUse+s.Idle+s.Dialing+s.Waiting, "%s: %+v", class, s)
				}
				g.Close()
				<-g.Closed()
				require.Zero(t, n.count(&n.open))
			})
		})
	}
}

func TestSteadyLoadDialsNothingAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: time.Millisecond}
		cfg := n.config()
		cfg.Shared = 32
		g := newGroup(t, cfg)
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for range 100 {
					c, err := g.Acquire(t.Context(), pool.Reg)
					if !assert.NoError(t, err) {
						return
					}
					pass(time.Millisecond)
					c.Release()
				}
			})
		}
		wg.Wait()
		assert.LessOrEqual(t, n.count(&n.dials), 6+32)
		assert.Zero(t, n.count(&n.closes))
	})
}

func TestGroupSurvivesEverythingAtOnce(t *testing.T) {
	n := new(node)
	cfg := n.config()
	cfg.Shared, cfg.WaitTimeout = 3, 100*time.Microsecond
	g := newGroup(t, cfg)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			for round := range 300 {
				c, err := g.Acquire(t.Context(), pool.Class((i+round)%pool.NumClasses))
				if err != nil {
					assert.ErrorIs(t, err, pool.ErrTimeout)
					continue
				}
				switch {
				case round%20 == 0:
					c.Discard()
				case round%50 == 1:
					g.Reset()
					c.Release()
				default:
					c.Release()
				}
				g.Stat(pool.Reg)
			}
		})
	}
	wg.Wait()
	g.Close()
	<-g.Closed()
	assert.Zero(t, n.count(&n.open))
	assert.LessOrEqual(t, n.mostOpen, 16)
}

package pool_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

func TestImpossibleConfigIsRefusedByTheNameOfItsKey(t *testing.T) {
	for want, change := range map[string]func(*pool.Config[*conn]){
		"pool: can't set pool.reg to 0":     func(c *pool.Config[*conn]) { c.Sizes[pool.Reg] = 0 },
		"pool: can't set pool.state to 0":   func(c *pool.Config[*conn]) { c.Sizes[pool.State] = 0 },
		"pool: can't set pool.ping to 0":    func(c *pool.Config[*conn]) { c.Sizes[pool.Ping] = 0 },
		"pool: can't set pool.bulk to -1":   func(c *pool.Config[*conn]) { c.Sizes[pool.Bulk] = -1 },
		"pool: can't set pool.shared to -2": func(c *pool.Config[*conn]) { c.Shared = -2 },
		"pool: Config needs Dial and Close": func(c *pool.Config[*conn]) { c.Dial = nil },
		"pool: -2147483648 connections of class ping: MaxSize must be >= 1": func(c *pool.Config[*conn]) {
			c.Sizes[pool.Ping], c.Shared = 1<<31-1, 1
		},
	} {
		t.Run(want, func(t *testing.T) {
			cfg := new(node).config()
			change(&cfg)
			_, err := pool.NewGroup(cfg)
			require.EqualError(t, err, want)
		})
	}
}

func TestClassOfSizeZeroTravelsOnAnother(t *testing.T) {
	for _, c := range []struct {
		name           string
		recovery, bulk int32
		class, carrier pool.Class
	}{
		{"recovery on bulk", 0, 3, pool.Recovery, pool.Bulk},
		{"recovery on reg", 0, 0, pool.Recovery, pool.Reg},
		{"bulk on reg", 2, 0, pool.Bulk, pool.Reg},
		{"recovery on its own though bulk has none", 2, 0, pool.Recovery, pool.Recovery},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := new(node).config()
			cfg.Sizes[pool.Recovery], cfg.Sizes[pool.Bulk] = c.recovery, c.bulk
			g := newGroup(t, cfg)
			got := acquire(t, g, c.class)
			defer got.Release()
			assert.Equal(t, c.carrier, got.Value().class)
			assert.EqualValues(t, 1, g.Stat(c.carrier).InUse)
			if c.class != c.carrier {
				assert.Zero(t, g.Stat(c.class))
			}
		})
	}
}

func TestUnknownClassIsAnError(t *testing.T) {
	g := newGroup(t, new(node).config())
	_, err := g.Acquire(t.Context(), 9)
	require.EqualError(t, err, "pool: there is no class(9)")
	assert.Zero(t, g.Stat(9))
}

func TestReleasedConnectionIsUsedAgain(t *testing.T) {
	n := new(node)
	g := newGroup(t, n.config())
	first := acquire(t, g, pool.Reg)
	assert.False(t, first.Reused())
	first.Release()
	second := acquire(t, g, pool.Reg)
	assert.True(t, second.Reused())
	assert.Same(t, first.Value(), second.Value())
	second.Discard()
	third := acquire(t, g, pool.Reg)
	assert.False(t, third.Reused())
	assert.Equal(t, 2, third.Value().id)
	third.Release()
	stat := g.Stat(pool.Reg)
	assert.Equal(t, pool.Stat{
		Size: 6, Limit: 6, Open: 1, Idle: 1, Acquired: 3, Dials: 2, Waited: stat.Waited,
	}, stat)
}

func TestConnectionUsedLastIsUsedNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := new(node).config()
		cfg.MaxIdle = time.Hour
		g := newGroup(t, cfg)
		conns := acquireAll(t, g, pool.Reg, 3)
		releaseAll(conns)
		g.Sweep()
		for i := 2; i >= 0; i-- {
			assert.Same(t, conns[i].Value(), acquire(t, g, pool.Reg).Value())
		}
	})
}

func TestStrictGroupNeverHasAFourteenthConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.WaitTimeout = 50 * time.Millisecond
		g := newGroup(t, cfg)
		for class, size := range cfg.Sizes {
			acquireAll(t, g, pool.Class(class), int(size))
			_, err := g.Acquire(t.Context(), pool.Class(class))
			require.ErrorIs(t, err, pool.ErrTimeout)
		}
		assert.Equal(t, 13, n.count(&n.mostOpen))
		assert.Equal(t, 13, n.count(&n.dials))
	})
}

func TestFullClassDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, new(node).config())
		acquireAll(t, g, pool.Bulk, 3)
		for range 100 {
			acquireLater(t.Context(), g, pool.Bulk)
		}
		synctest.Wait()
		start := time.Now()
		acquire(t, g, pool.Ping).Release()
		acquire(t, g, pool.Reg).Release()
		assert.Zero(t, time.Since(start))
		assert.EqualValues(t, 100, g.Stat(pool.Bulk).Waiting)
		g.Close()
	})
}

func TestWaitersAreServedInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := new(node).config()
		g := newGroup(t, cfg)
		held := acquire(t, g, pool.Ping)
		var order []int
		for i := range 4 {
			go func() {
				c, err := g.Acquire(t.Context(), pool.Ping)
				assert.NoError(t, err)
				assert.True(t, c.Reused())
				order = append(order, i) // one connection: one at a time
				c.Release()
			}()
			synctest.Wait()
		}
		held.Release()
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 2, 3}, order)
	})
}

func TestTimeoutNamesClassNodeFiguresAndKnob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := new(node).config()
		cfg.WaitTimeout = 50 * time.Millisecond
		g := newGroup(t, cfg)
		held := acquire(t, g, pool.Ping)
		other := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		pass(time.Millisecond)
		_, err := g.Acquire(t.Context(), pool.Ping)
		require.EqualError(t, err, "pool: no ping connection to 10.0.0.1:9200 came free in 50ms: "+
			"1 in use, 1 waiting (raise pool.ping or pool.shared)")
		var timeout *pool.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Equal(t, &pool.TimeoutError{
			Class: pool.Ping, Node: "10.0.0.1:9200", InUse: 1, Waiting: 1, Waited: cfg.WaitTimeout,
		}, timeout)
		assert.True(t, timeout.Timeout())
		require.ErrorIs(t, (<-other).err, pool.ErrTimeout)
		held.Release()
		stat := g.Stat(pool.Ping)
		assert.EqualValues(t, 2, stat.Timeouts)
		assert.Equal(t, 100*time.Millisecond, stat.Waited)
		acquire(t, g, pool.Ping).Release()
	})
}

func TestTimeoutOfAClassThatTravelsOnAnotherNamesItsOwnKnob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := new(node).config()
		cfg.Sizes[pool.Recovery] = 0
		cfg.WaitTimeout = time.Second
		g := newGroup(t, cfg)
		acquireAll(t, g, pool.Bulk, 3)
		_, err := g.Acquire(t.Context(), pool.Recovery)
		require.ErrorContains(t, err, "raise pool.recovery or pool.shared")
	})
}

func TestEndOfContextIsItsErrorAndLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := new(node).config()
		cfg.WaitTimeout = time.Minute
		g := newGroup(t, cfg)
		held := acquire(t, g, pool.Ping)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := g.Acquire(ctx, pool.Ping)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, pool.ErrTimeout)
		assert.Equal(t, time.Second, time.Since(start))

		ctx, cancel = context.WithCancel(t.Context())
		first := acquireLater(ctx, g, pool.Ping)
		synctest.Wait()
		second := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		cancel()
		require.ErrorIs(t, (<-first).err, context.Canceled)
		assert.EqualValues(t, 1, g.Stat(pool.Ping).Waiting)
		assert.Zero(t, g.Stat(pool.Ping).Timeouts)
		held.Release()
		got := <-second
		require.NoError(t, got.err)

		_, err = g.Acquire(ctx, pool.Reg)
		require.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, g.Stat(pool.Reg).Dials)
	})
}

func TestSecondReturnPanics(t *testing.T) {
	g := newGroup(t, new(node).config())
	const sentence = "pool: connection was released or discarded already"
	for name, first := range map[string]func(pool.Conn[*conn]){
		"after Release": pool.Conn[*conn].Release,
		"after Discard": pool.Conn[*conn].Discard,
	} {
		t.Run(name, func(t *testing.T) {
			c := acquire(t, g, pool.Ping)
			first(c)
			assert.PanicsWithValue(t, sentence, c.Release)
			assert.PanicsWithValue(t, sentence, c.Discard)
		})
	}
	t.Run("of a connection that is on loan again", func(t *testing.T) {
		c := acquire(t, g, pool.Ping)
		c.Release()
		again := acquire(t, g, pool.Ping)
		require.Same(t, c.Value(), again.Value())
		assert.PanicsWithValue(t, sentence, c.Release)
		again.Release()
	})
}

func TestThousandCallersNeverHaveMoreThanAllowed(t *testing.T) {
	for _, shared := range []int32{0, 5, 32} {
		t.Run(fmt.Sprint("shared ", shared), func(t *testing.T) {
			n := new(node)
			cfg := n.config()
			cfg.Shared = shared
			g := newGroup(t, cfg)
			var wg sync.WaitGroup
			for i := range 1000 {
				wg.Go(func() {
					for round := range 5 {
						c, err := g.Acquire(context.Background(), pool.Class((i+round)%pool.NumClasses))
						if !assert.NoError(t, err) {
							return
						}
						if (i+round)%50 == 0 {
							c.Discard()
						} else {
							c.Release()
						}
					}
				})
			}
			wg.Wait()
			assert.LessOrEqual(t, n.count(&n.mostOpen), int(13+shared))
			assert.LessOrEqual(t, n.count(&n.mostDialing), 2)
			for class := range pool.Class(pool.NumClasses) {
				assert.EqualValues(t, 1000, g.Stat(class).Acquired)
			}
		})
	}
}

func TestWarmDialsAhead(t *testing.T) {
	n := new(node)
	g := newGroup(t, n.config())
	require.NoError(t, g.Warm(t.Context(), pool.Reg, 0))
	assert.Zero(t, n.count(&n.dials))
	require.NoError(t, g.Warm(t.Context(), pool.Reg, 2))
	assert.EqualValues(t, 2, g.Stat(pool.Reg).Idle)
	require.NoError(t, g.Warm(t.Context(), pool.Reg, 100))
	assert.EqualValues(t, 6, g.Stat(pool.Reg).Idle)
	assert.Equal(t, 6, n.count(&n.dials))
	c := acquire(t, g, pool.Reg)
	assert.True(t, c.Reused(), "it was idle, so the server may have closed it")
}

func TestWarmReturnsTheErrorOfItsDial(t *testing.T) {
	n := &node{fails: true}
	g := newGroup(t, n.config())
	require.ErrorIs(t, g.Warm(t.Context(), pool.Reg, 6), errRefused)
	assert.Equal(t, 1, n.count(&n.dials))
}

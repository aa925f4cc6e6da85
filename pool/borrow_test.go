package pool_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

// sharing returns the configuration of a node of which so many connections may be borrowed.
func sharing(n *node, shared int32) pool.Config[*conn] {
	cfg := n.config()
	cfg.Shared = shared
	cfg.WaitTimeout = time.Second
	return cfg
}

// requireFull requires that the class gets no further connection.
func requireFull(t *testing.T, g *group, class pool.Class) {
	t.Helper()
	_, err := g.Acquire(t.Context(), class)
	require.ErrorIs(t, err, pool.ErrTimeout)
}

func TestClassBorrowsWhenItsOwnAreInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 32))
		acquireAll(t, g, pool.Reg, 6+32)
		requireFull(t, g, pool.Reg)
		for class, size := range pool.DefaultSizes {
			if pool.Class(class) != pool.Reg {
				acquireAll(t, g, pool.Class(class), int(size))
				requireFull(t, g, pool.Class(class))
			}
		}
		assert.Equal(t, 45, n.count(&n.mostOpen))
		assert.EqualValues(t, 38, g.Stat(pool.Reg).Limit)
	})
}

func TestBulkAndRecoveryBorrowHalfTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 32))
		acquireAll(t, g, pool.Bulk, 3+10)
		acquireAll(t, g, pool.Recovery, 2+6)
		requireFull(t, g, pool.Bulk)
		requireFull(t, g, pool.Recovery)
		acquireAll(t, g, pool.State, 1+16)
		requireFull(t, g, pool.State)
		assert.EqualValues(t, 3+16, g.Stat(pool.Bulk).Limit)
	})
}

func TestBulkAloneBorrowsHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, sharing(new(node), 32))
		acquireAll(t, g, pool.Bulk, 3+16)
		requireFull(t, g, pool.Bulk)
	})
}

func TestIdleBorrowedConnectionMakesRoomForAnotherClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 4))
		releaseAll(acquireAll(t, g, pool.Reg, 10))
		assert.EqualValues(t, 10, g.Stat(pool.Reg).Idle, "borrowed ones stay open while nobody needs them")
		acquireAll(t, g, pool.State, 1+3)
		assert.EqualValues(t, 7, g.Stat(pool.Reg).Idle)
		acquireAll(t, g, pool.Ping, 1+1)
		requireFull(t, g, pool.Ping)
		assert.EqualValues(t, 6, g.Stat(pool.Reg).Idle, "a class's own are left to it")
		assert.LessOrEqual(t, n.count(&n.mostOpen), 13+4)
	})
}

func TestWaiterIsServedWhenAnotherClassGivesBack(t *testing.T) {
	for name, back := range map[string]func(pool.Conn[*conn]){
		"released":  pool.Conn[*conn].Release,
		"discarded": pool.Conn[*conn].Discard,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := new(node)
				g := newGroup(t, sharing(n, 2))
				held := acquireAll(t, g, pool.Reg, 8)
				acquire(t, g, pool.Ping)
				waiting := acquireLater(t.Context(), g, pool.Ping)
				synctest.Wait()
				back(held[0])
				got := <-waiting
				require.NoError(t, got.err)
				assert.Zero(t, got.took)
				assert.Equal(t, pool.Ping, got.conn.Value().class)
				assert.LessOrEqual(t, n.count(&n.mostOpen), 15)
			})
		})
	}
}

func TestClassGivesUpTheOnlyOneItBorrowedWhenItHasNoUseForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, sharing(new(node), 2))
		held := acquireAll(t, g, pool.Reg, 6+1)
		acquireAll(t, g, pool.Ping, 1+1)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		held[0].Release()
		require.NoError(t, (<-waiting).err)
	})
}

func TestNoMoreIsGivenUpThanIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 2))
		held := acquireAll(t, g, pool.Reg, 6+2)
		acquire(t, g, pool.Ping)
		n.takes = 100 * time.Millisecond
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		releaseAll(held)
		require.NoError(t, (<-waiting).err)
		assert.Equal(t, 1, n.count(&n.closes))
		assert.EqualValues(t, 7, g.Stat(pool.Reg).Idle)
	})
}

func TestNothingIsGivenUpForAWaiterWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 2))
		held := acquireAll(t, g, pool.Reg, 6+2)
		acquire(t, g, pool.Ping)
		requireFull(t, g, pool.Ping)
		releaseAll(held)
		assert.Zero(t, n.count(&n.closes))
		assert.EqualValues(t, 8, g.Stat(pool.Reg).Idle)
	})
}

func TestOnlyWhatWasBorrowedIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 2))
		held := acquireAll(t, g, pool.Reg, 6)
		acquireAll(t, g, pool.Ping, 3)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		releaseAll(held)
		require.ErrorIs(t, (<-waiting).err, pool.ErrTimeout)
		assert.EqualValues(t, 6, g.Stat(pool.Reg).Idle)
		assert.Zero(t, n.count(&n.closes))
	})
}

func TestBulkInWantDoesNotTakeFromReg(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, sharing(n, 4))
		acquireAll(t, g, pool.Bulk, 3+1)
		acquireAll(t, g, pool.Recovery, 2+1)
		held := acquireAll(t, g, pool.Reg, 6+2)
		waiting := acquireLater(t.Context(), g, pool.Bulk)
		synctest.Wait()
		releaseAll(held)
		require.ErrorIs(t, (<-waiting).err, pool.ErrTimeout)
		assert.Zero(t, n.count(&n.closes), "what reg gives back is not for bulk, which has its half")
		assert.EqualValues(t, 8, g.Stat(pool.Reg).Idle)
	})
}

func TestRecoveryGetsWhatBulkGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, sharing(new(node), 4))
		held := acquireAll(t, g, pool.Bulk, 3+2)
		acquireAll(t, g, pool.Recovery, 2)
		waiting := acquireLater(t.Context(), g, pool.Recovery)
		synctest.Wait()
		held[0].Release()
		require.NoError(t, (<-waiting).err)
	})
}

func TestSaturatedClassesShareEvenlyAndThenKeepTheirConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: 5 * time.Millisecond}
		cfg := sharing(n, 8)
		cfg.WaitTimeout = 0
		g := newGroup(t, cfg)
		stop := make(chan struct{})
		saturate := func(class pool.Class) {
			for range 50 {
				go func() {
					for {
						c, err := g.Acquire(t.Context(), class)
						if err != nil {
							return
						}
						pass(10 * time.Millisecond)
						c.Release()
						select {
						case <-stop:
							return
						default:
						}
					}
				}()
			}
		}
		saturate(pool.Reg)
		pass(time.Second)
		require.EqualValues(t, 6+8, g.Stat(pool.Reg).Open)
		saturate(pool.State)
		pass(time.Second)
		assert.InDelta(t, 6+4, g.Stat(pool.Reg).Open, 1)
		assert.InDelta(t, 1+4, g.Stat(pool.State).Open, 1)
		dials := n.count(&n.dials)
		pass(10 * time.Second)
		assert.Equal(t, dials, n.count(&n.dials))
		assert.LessOrEqual(t, n.count(&n.mostOpen), 13+8)
		close(stop)
		pass(10 * time.Second)
		assert.Zero(t, g.Stat(pool.Reg).Waiting+g.Stat(pool.State).Waiting)
	})
}

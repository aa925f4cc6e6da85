package pool_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

func TestConnectionIdleTooLongIsNotHandedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.MaxIdle = time.Minute
		g := newGroup(t, cfg)
		acquire(t, g, pool.Reg).Release()
		pass(53 * time.Second)
		c := acquire(t, g, pool.Reg)
		assert.Equal(t, 1, c.Value().id, "within the limit, however it is varied")
		c.Release()
		pass(67 * time.Second)
		c = acquire(t, g, pool.Reg)
		assert.Equal(t, 2, c.Value().id)
		assert.False(t, c.Reused())
		assert.Equal(t, 1, n.count(&n.closes))
		stat := g.Stat(pool.Reg)
		assert.EqualValues(t, 3, stat.Acquired)
		assert.Zero(t, stat.DialErrors)
	})
}

func TestConnectionTooOldIsClosedHoweverBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.MaxLifetime = time.Minute
		g := newGroup(t, cfg)
		held := acquire(t, g, pool.Ping)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		pass(67 * time.Second)
		held.Release()
		got := <-waiting
		require.NoError(t, got.err)
		assert.Equal(t, 2, got.conn.Value().id, "not handed on")
		got.conn.Release()
		pass(53 * time.Second)
		c := acquire(t, g, pool.Ping)
		assert.Equal(t, 2, c.Value().id)
		c.Release()
		pass(14 * time.Second)
		assert.Equal(t, 3, acquire(t, g, pool.Ping).Value().id, "too old while it was idle")
	})
}

func TestConnectionsWithoutLimitsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.MaxIdle, cfg.MaxLifetime = -1, 0
		g := newGroup(t, cfg)
		acquire(t, g, pool.Ping).Release()
		pass(1000 * time.Hour)
		g.Sweep()
		assert.Equal(t, 1, acquire(t, g, pool.Ping).Value().id)
		assert.Zero(t, n.count(&n.closes))
	})
}

func TestSweepEmptiesANodeThatIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.MaxIdle = time.Minute
		g := newGroup(t, cfg)
		held := acquireAll(t, g, pool.Reg, 4)
		releaseAll(held[:3])
		pass(30 * time.Second)
		g.Sweep()
		assert.Zero(t, n.count(&n.closes))
		pass(37 * time.Second)
		g.Sweep()
		assert.Equal(t, 3, n.count(&n.closes))
		stat := g.Stat(pool.Reg)
		assert.EqualValues(t, 1, stat.InUse, "connections in use are left alone")
		assert.EqualValues(t, 1, stat.Open)
		held[3].Release()
		assert.EqualValues(t, 1, g.Stat(pool.Reg).Idle)
	})
}

func TestConnectionsDialedTogetherDoNotEndTogether(t *testing.T) {
	for name, set := range map[string]func(*pool.Config[*conn]){
		"idle": func(c *pool.Config[*conn]) { c.MaxIdle = 100 * time.Second },
		"age":  func(c *pool.Config[*conn]) { c.MaxLifetime = 100 * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := new(node)
				cfg := n.config()
				cfg.Sizes[pool.Reg] = 100
				set(&cfg)
				g := newGroup(t, cfg)
				releaseAll(acquireAll(t, g, pool.Reg, 100))
				pass(89 * time.Second)
				g.Sweep()
				assert.Zero(t, n.count(&n.closes))
				pass(11 * time.Second)
				g.Sweep()
				assert.Greater(t, n.count(&n.closes), 5)
				assert.Less(t, n.count(&n.closes), 95)
				pass(11 * time.Second)
				g.Sweep()
				assert.Equal(t, 100, n.count(&n.closes))
			})
		})
	}
}

func TestUnusableConnectionIsReplacedInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		conns := acquireAll(t, g, pool.Reg, 3)
		conns[1].Value().broken, conns[2].Value().broken = true, true
		assert.Empty(t, n.idles, "only a connection that was idle is doubted")
		releaseAll(conns)
		pass(7 * time.Second)
		c := acquire(t, g, pool.Reg)
		assert.Same(t, conns[0].Value(), c.Value())
		assert.Equal(t, []time.Duration{7 * time.Second, 7 * time.Second, 7 * time.Second}, n.idles)
		stat := g.Stat(pool.Reg)
		assert.Equal(t, 2, n.count(&n.closes))
		assert.EqualValues(t, 1, stat.Open)
		assert.EqualValues(t, 4, stat.Acquired)
		assert.Zero(t, stat.DialErrors)
	})
}

func TestAllUnusableConnectionsGiveWayToADial(t *testing.T) {
	n := new(node)
	g := newGroup(t, n.config())
	conns := acquireAll(t, g, pool.Bulk, 3)
	for _, c := range conns {
		c.Value().broken = true
	}
	releaseAll(conns)
	c := acquire(t, g, pool.Bulk)
	assert.Equal(t, 4, c.Value().id)
	assert.False(t, c.Reused())
}

func TestConnectionHandedToAWaiterIsNotDoubted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		held := acquire(t, g, pool.Ping)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		held.Release()
		require.NoError(t, (<-waiting).err)
		assert.Empty(t, n.idles)
	})
}

func TestResetSparesRequestsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		held := acquireAll(t, g, pool.Reg, 3)
		held[0].Release()
		g.Reset()
		assert.Equal(t, 1, n.count(&n.closes), "the idle one goes at once")
		assert.Equal(t, 2, held[1].Value().id)
		held[1].Release()
		held[2].Discard()
		assert.Equal(t, 3, n.count(&n.closes), "the others when they come back")
		fresh := acquire(t, g, pool.Reg)
		assert.Equal(t, 4, fresh.Value().id)
		fresh.Release()
		assert.Equal(t, 4, acquire(t, g, pool.Reg).Value().id)
	})
}

func TestResetGivesWaitersANewConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, new(node).config())
		held := acquire(t, g, pool.Ping)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		g.Reset()
		synctest.Wait()
		assert.EqualValues(t, 1, g.Stat(pool.Ping).Waiting)
		held.Release()
		got := <-waiting
		require.NoError(t, got.err)
		assert.Equal(t, 2, got.conn.Value().id)
	})
}

func TestConnectionDialedBeforeAResetIsNotHandedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: time.Second}
		g := newGroup(t, n.config())
		waiting := acquireLater(t.Context(), g, pool.Ping)
		pass(500 * time.Millisecond)
		g.Reset()
		got := <-waiting
		require.NoError(t, got.err)
		assert.Equal(t, 2, got.conn.Value().id)
		assert.Equal(t, 2*time.Second, got.took)
		assert.Equal(t, 1, n.count(&n.closes))
		assert.Equal(t, 1, n.count(&n.mostOpen))
	})
}

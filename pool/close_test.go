package pool_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

// isClosed reports whether the group is closed and its last connection gone.
func isClosed(g *group) bool {
	select {
	case <-g.Closed():
		return true
	default:
		return false
	}
}

func TestCloseClosesWhatIsIdleAndEndsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		releaseAll(acquireAll(t, g, pool.Reg, 3))
		held := acquire(t, g, pool.Ping)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		g.Close()
		got := <-waiting
		require.ErrorIs(t, got.err, pool.ErrClosed)
		assert.Zero(t, got.took)
		synctest.Wait()
		assert.Equal(t, 3, n.count(&n.closes))
		_, err := g.Acquire(t.Context(), pool.Reg)
		require.ErrorIs(t, err, pool.ErrClosed)
		assert.False(t, isClosed(g))
		held.Release()
		synctest.Wait()
		assert.True(t, isClosed(g))
		assert.Zero(t, n.count(&n.open))
	})
}

func TestClosingTwiceIsClosingOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		held := acquire(t, g, pool.Ping)
		g.Close()
		g.Close()
		held.Discard()
		<-g.Closed()
		g.Close()
		assert.Equal(t, 1, n.count(&n.closes))
	})
}

func TestUnusedGroupIsClosedAtOnce(t *testing.T) {
	g := newGroup(t, new(node).config())
	assert.False(t, isClosed(g))
	g.Close()
	assert.True(t, isClosed(g))
}

func TestCloseDoesNotWaitForASlowClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.Close = func(c *conn) { pass(time.Second); n.close(c) }
		g := newGroup(t, cfg)
		acquire(t, g, pool.Ping).Release()
		start := time.Now()
		g.Close()
		assert.Zero(t, time.Since(start))
		<-g.Closed()
		assert.Equal(t, time.Second, time.Since(start))
	})
}

func TestCloseEndsDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: time.Hour}
		g := newGroup(t, n.config())
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		start := time.Now()
		g.Close()
		require.ErrorIs(t, (<-waiting).err, pool.ErrClosed)
		<-g.Closed()
		assert.Zero(t, time.Since(start))
		assert.Equal(t, 1, n.count(&n.ended))
	})
}

func TestConnectionDialedDuringCloseIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		cfg := n.config()
		cfg.Dial = func(ctx context.Context, class pool.Class) (*conn, error) {
			<-ctx.Done()
			return n.dial(context.WithoutCancel(ctx), class)
		}
		g := newGroup(t, cfg)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		g.Close()
		require.ErrorIs(t, (<-waiting).err, pool.ErrClosed)
		<-g.Closed()
		assert.Equal(t, 1, n.count(&n.closes))
		assert.Zero(t, n.count(&n.open))
	})
}

package pool_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

// addNode adds a node to the set and returns its group.
func addNode(t *testing.T, s *pool.Set[*conn], key string, n *node) *group {
	t.Helper()
	g, err := s.Add(key, n.config())
	require.NoError(t, err)
	return g
}

func TestAddingAKeyTwiceGivesTheSameGroup(t *testing.T) {
	var s pool.Set[*conn]
	defer s.Close()
	g := addNode(t, &s, "a", new(node))
	assert.Same(t, g, addNode(t, &s, "a", new(node)))
	assert.NotSame(t, g, addNode(t, &s, "b", new(node)))
	got, ok := s.Get("a")
	assert.True(t, ok)
	assert.Same(t, g, got)
}

func TestAddPassesTheErrorOfAnImpossibleConfig(t *testing.T) {
	var s pool.Set[*conn]
	_, err := s.Add("a", pool.Config[*conn]{})
	require.Error(t, err)
	_, ok := s.Get("a")
	assert.False(t, ok)
}

func TestNodeWithoutANameIsCalledByItsKey(t *testing.T) {
	var s pool.Set[*conn]
	defer s.Close()
	cfg := (&node{fails: true}).config()
	cfg.Name = ""
	_, err := s.Add("10.0.0.9:9200", cfg)
	require.NoError(t, err)
	_, err = s.Acquire(t.Context(), "10.0.0.9:9200", pool.Reg)
	require.ErrorContains(t, err, "10.0.0.9:9200")
}

func TestUnknownNodeIsClosed(t *testing.T) {
	var s pool.Set[*conn]
	_, err := s.Acquire(t.Context(), "a", pool.Reg)
	require.ErrorIs(t, err, pool.ErrClosed)
	require.EqualError(t, err, "pool: no node a: pool: closed")
}

func TestRetainClosesTheOthersWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s pool.Set[*conn]
		a, b := new(node), new(node)
		kept := addNode(t, &s, "a", a)
		addNode(t, &s, "b", b)
		inUse, err := s.Acquire(t.Context(), "b", pool.Reg)
		require.NoError(t, err)
		releaseAll(acquireAll(t, kept, pool.Reg, 2))

		s.Retain([]string{"a", "unheard-of"})
		_, err = s.Acquire(t.Context(), "b", pool.Reg)
		require.ErrorIs(t, err, pool.ErrClosed)
		got, _ := s.Get("a")
		assert.Same(t, kept, got)
		assert.EqualValues(t, 2, kept.Stat(pool.Reg).Idle)

		again := addNode(t, &s, "b", b)
		acquire(t, again, pool.Reg).Release()
		inUse.Release()
		synctest.Wait()
		assert.Equal(t, 1, b.count(&b.closes), "the old group's connection does not reach the new group")
		s.Close()
		require.NoError(t, s.Wait(t.Context()))
		assert.Zero(t, a.count(&a.open)+b.count(&b.open))
	})
}

func TestWaitEndsWithTheLastConnectionOrTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s pool.Set[*conn]
		g := addNode(t, &s, "a", new(node))
		held := acquire(t, g, pool.Reg)
		s.Close()
		s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.Wait(ctx), context.DeadlineExceeded)
		held.Release()
		require.NoError(t, s.Wait(t.Context()))
		_, err := s.Add("b", new(node).config())
		require.ErrorIs(t, err, pool.ErrClosed)
	})
}

func TestSetSweepsAllItsGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s pool.Set[*conn]
		a, b := new(node), new(node)
		for key, n := range map[string]*node{"a": a, "b": b} {
			cfg := n.config()
			cfg.MaxIdle = time.Second
			g, err := s.Add(key, cfg)
			require.NoError(t, err)
			acquire(t, g, pool.Reg).Release()
		}
		pass(2 * time.Second)
		s.Sweep()
		assert.Zero(t, a.count(&a.open)+b.count(&b.open))
		s.Close()
	})
}

func TestSetSurvivesNodesComingAndGoing(t *testing.T) {
	var s pool.Set[*conn]
	nodes := map[string]*node{"a": new(node), "b": new(node), "c": new(node)}
	var wg sync.WaitGroup
	for key, n := range nodes {
		wg.Go(func() {
			for range 100 {
				_, err := s.Add(key, n.config())
				assert.NoError(t, err)
				s.Retain([]string{"a", key})
			}
		})
		wg.Go(func() {
			for range 1000 {
				c, err := s.Acquire(t.Context(), key, pool.Reg)
				if err != nil {
					assert.ErrorIs(t, err, pool.ErrClosed)
					continue
				}
				c.Release()
			}
		})
	}
	wg.Wait()
	s.Close()
	require.NoError(t, s.Wait(t.Context()))
	for key, n := range nodes {
		assert.Zero(t, n.count(&n.open), key)
	}
}

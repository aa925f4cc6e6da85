package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// newIntGroup returns a group whose dials succeed at once.
func newIntGroup(t *testing.T) *Group[int] {
	t.Helper()
	g, err := NewGroup(intConfig())
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g
}

func intConfig() Config[int] {
	return Config[int]{
		Dial:  func(context.Context, Class) (int, error) { return 1, nil },
		Close: func(int) {},
		Sizes: DefaultSizes, Shared: 4,
	}
}

// A class whose lock is held, however long, stops no other: neither on the fast path, nor in dialing, nor in waiting.
func TestNoClassTakesTheLockOfAnother(t *testing.T) {
	g := newIntGroup(t)
	g.by[Bulk].mu.Lock()
	defer g.by[Bulk].mu.Unlock()

	for range 20 {
		done := make(chan Conn[int], 1)
		c, err := g.Acquire(t.Context(), Ping)
		require.NoError(t, err)
		go func() {
			for range 5 { // more than its own, so that the rest is borrowed
				c, err := g.Acquire(context.Background(), Ping)
				if err != nil {
					return
				}
				done <- c
			}
		}()
		for range 4 {
			(<-done).Release()
		}
		c.Release()
		(<-done).Discard()
	}
}

func TestSetForgetsGroupsThatAreGone(t *testing.T) {
	var s Set[int]
	for range 100 {
		_, err := s.Add("a", intConfig())
		require.NoError(t, err)
		s.Retain(nil)
	}
	require.LessOrEqual(t, len(s.leaving), 1)
}

// The place of a failed dial may be lent to another class before the failure is told.
func TestFailedDialIsToldEvenWhenItsPlaceIsTaken(t *testing.T) {
	for _, asked := range []bool{true, false} {
		g := newIntGroup(t)
		c, err := g.Acquire(t.Context(), Ping)
		require.NoError(t, err)
		defer c.Release()
		g.ledger.lent[Reg] = 4
		p := g.by[Ping]
		w := newWaiter[int]()
		p.mu.Lock()
		p.waiters.push(w)
		p.fail(errors.New("refused"), asked)
		p.mu.Unlock()
		require.Equal(t, asked, len(w.ready) == 1)
	}
}

func TestFullClassDoesNotMakeOthersAskTheLedger(t *testing.T) {
	cfg := intConfig()
	cfg.Shared = 0
	synctest.Test(t, func(t *testing.T) {
		g, err := NewGroup(cfg)
		require.NoError(t, err)
		defer g.Close()
		c, err := g.Acquire(t.Context(), Ping)
		require.NoError(t, err)
		for range 3 {
			go func() { _, _ = g.Acquire(t.Context(), Ping) }()
		}
		synctest.Wait()
		c.Discard() // the first waiter has a new one dialed, the others stay
		synctest.Wait()
		require.EqualValues(t, 2, g.Stat(Ping).Waiting)
		require.Zero(t, g.ledger.short.Load())
		require.Zero(t, g.ledger.eager.Load())
	})
}

// Both ends of a wait may come at once; whichever is taken, the connection is not lost.
func TestConnectionGrantedToACallerWhoLeavesIsNotLost(t *testing.T) {
	g := newIntGroup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := g.by[Ping]
	var had, left int
	for range 100 {
		c, err := g.Acquire(t.Context(), Ping)
		require.NoError(t, err)
		w := newWaiter[int]()
		p.mu.Lock()
		p.waiters.push(w)
		p.mu.Unlock()
		c.Release()
		if c, err = p.wait(ctx, Ping, w); err == nil {
			had++
			c.Release()
		} else {
			require.ErrorIs(t, err, context.Canceled)
			left++
		}
		require.EqualValues(t, 1, g.Stat(Ping).Idle)
	}
	require.NotZero(t, had)
	require.NotZero(t, left)
}

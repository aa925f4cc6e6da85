package pool_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

func TestNeverThreeDialsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: 800 * time.Millisecond}
		g := newGroup(t, n.config())
		var done []<-chan result
		for _, class := range []pool.Class{pool.Reg, pool.Bulk, pool.Ping} {
			done = append(done, acquireLater(t.Context(), g, class))
			synctest.Wait()
		}
		assert.Equal(t, 2, n.count(&n.dials))
		for i, want := range []time.Duration{n.takes, n.takes, 2 * n.takes} {
			got := <-done[i]
			require.NoError(t, got.err)
			assert.Equal(t, want, got.took)
		}
		assert.Equal(t, 2, n.count(&n.mostDialing))
	})
}

func TestThousandCallersAtTheStartDialTwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: time.Second}
		cfg := n.config()
		cfg.Shared = 32
		g := newGroup(t, cfg)
		done := make(chan error)
		for i := range 1000 {
			go func() {
				c, err := g.Acquire(t.Context(), pool.Class(i%pool.NumClasses))
				if err == nil {
					pass(10 * time.Second) // longer than any dial, so that all who may dial do
					c.Release()
				}
				done <- err
			}()
		}
		for range 1000 {
			require.NoError(t, <-done)
		}
		assert.Equal(t, 2, n.count(&n.mostDialing))
		assert.Equal(t, 45, n.count(&n.mostOpen))
	})
}

func TestWaitForDialObeysWaitTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: 800 * time.Millisecond}
		cfg := n.config()
		cfg.WaitTimeout = 50 * time.Millisecond
		g := newGroup(t, cfg)
		for range 3 {
			acquireLater(t.Context(), g, pool.Reg)
		}
		_, err := g.Acquire(t.Context(), pool.Ping)
		var timeout *pool.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Equal(t, cfg.WaitTimeout, timeout.Waited)
		assert.Equal(t, 2, n.count(&n.dials))
	})
}

func TestReturnedConnectionServesWaiterBeforeADialDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		held := acquire(t, g, pool.Reg)
		n.takes = time.Second
		first := acquireLater(t.Context(), g, pool.Reg) // these two dial
		synctest.Wait()
		second := acquireLater(t.Context(), g, pool.Reg)
		synctest.Wait()
		third := acquireLater(t.Context(), g, pool.Reg) // this one waits for a dial to end
		synctest.Wait()
		held.Release()
		got := <-first
		assert.Zero(t, got.took)
		assert.True(t, got.conn.Reused())
		got.conn.Release()
		assert.Zero(t, (<-second).took)
		got = <-third
		assert.Equal(t, time.Second, got.took)
		assert.False(t, got.conn.Reused())
		synctest.Wait()
		assert.Equal(t, 3, n.count(&n.dials), "no dial begins for whom a returned connection served")
		assert.EqualValues(t, 1, g.Stat(pool.Reg).Idle)
	})
}

func TestDialGoesOnWithoutItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: time.Second}
		g := newGroup(t, n.config())
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := g.Acquire(ctx, pool.Reg)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualValues(t, 1, g.Stat(pool.Reg).Dialing)
		pass(2 * time.Second)
		assert.EqualValues(t, 1, g.Stat(pool.Reg).Idle)
		assert.True(t, acquire(t, g, pool.Reg).Reused(), "it was idle, though never used")
		assert.Equal(t, 1, n.count(&n.dials))
	})
}

func TestNewCallerTakesOverTheDialOfOneWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: time.Second}
		g := newGroup(t, n.config())
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		_, err := g.Acquire(ctx, pool.Reg)
		require.Error(t, err)
		got := <-acquireLater(t.Context(), g, pool.Reg)
		assert.Equal(t, 600*time.Millisecond, got.took)
		assert.Equal(t, 1, n.count(&n.dials))
	})
}

func TestFailedDialFailsAllWhoWaitForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: 5 * time.Second, fails: true}
		cfg := n.config()
		cfg.Shared = 32
		g := newGroup(t, cfg)
		var done []<-chan result
		for i := range 1000 {
			done = append(done, acquireLater(t.Context(), g, pool.Class(i%pool.NumClasses)))
		}
		for _, ch := range done {
			got := <-ch
			require.ErrorIs(t, got.err, errRefused)
			require.Equal(t, n.takes, got.took)
		}
		assert.Equal(t, 2, n.count(&n.dials))
	})
}

func TestErrorOfADialNamesClassNodeAndCause(t *testing.T) {
	g := newGroup(t, (&node{fails: true}).config())
	_, err := g.Acquire(t.Context(), pool.Bulk)
	require.EqualError(t, err, "pool: dialing a bulk connection to 10.0.0.1:9200: connection refused")
	var dial *pool.DialError
	require.ErrorAs(t, err, &dial)
	assert.Equal(t, &pool.DialError{Class: pool.Bulk, Node: "10.0.0.1:9200", Err: errRefused}, dial)
	assert.EqualValues(t, 1, g.Stat(pool.Bulk).DialErrors)
}

func TestFailedDialSparesThoseWhoWaitForAConnectionInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		held := acquireAll(t, g, pool.Bulk, 2)
		n.takes = time.Second
		n.setFails(true)
		first := acquireLater(t.Context(), g, pool.Bulk) // has room to dial
		synctest.Wait()
		full := acquireLater(t.Context(), g, pool.Bulk) // has none
		require.ErrorIs(t, (<-first).err, errRefused)
		n.setFails(false)
		synctest.Wait()
		held[0].Release()
		require.NoError(t, (<-full).err)
		held[1].Release()
	})
}

func TestFailedDialSparesAFullClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		held := acquire(t, g, pool.Ping)
		waiting := acquireLater(t.Context(), g, pool.Ping)
		synctest.Wait()
		n.setFails(true)
		_, err := g.Acquire(t.Context(), pool.Reg)
		require.ErrorIs(t, err, errRefused)
		held.Release()
		require.NoError(t, (<-waiting).err)
	})
}

func TestFailingDialDoesNotSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(node)
		g := newGroup(t, n.config())
		acquireAll(t, g, pool.Reg, 3)
		n.setFails(true)
		var done []<-chan result
		for range 10 {
			done = append(done, acquireLater(t.Context(), g, pool.Reg))
		}
		synctest.Wait()
		failed := 10 - int(g.Stat(pool.Reg).Waiting)
		assert.LessOrEqual(t, n.count(&n.dials)-3, failed, "each dial has a caller who learns of its failure")
		pass(time.Hour)
		assert.LessOrEqual(t, n.count(&n.dials)-3, 10)
		g.Close()
		for _, ch := range done {
			require.Error(t, (<-ch).err)
		}
	})
}

func TestCallerAfterAFailureDialsAnew(t *testing.T) {
	n := &node{fails: true}
	g := newGroup(t, n.config())
	_, err := g.Acquire(t.Context(), pool.Ping)
	require.Error(t, err)
	n.setFails(false)
	c, err := g.Acquire(t.Context(), pool.Ping)
	require.NoError(t, err)
	c.Release()
}

func TestDialsContextIsOfNoCaller(t *testing.T) {
	n := new(node)
	cfg := n.config()
	seen := make(chan context.Context, 1)
	cfg.Dial = func(ctx context.Context, _ pool.Class) (*conn, error) {
		seen <- ctx
		return nil, errors.New("enough")
	}
	g := newGroup(t, cfg)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	_, err := g.Acquire(ctx, pool.Ping)
	require.Error(t, err)
	cancel()
	dialed := <-seen
	_, bounded := dialed.Deadline()
	assert.False(t, bounded)
	require.NoError(t, dialed.Err())
	g.Close()
	require.Error(t, dialed.Err())
}

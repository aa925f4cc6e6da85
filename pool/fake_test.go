package pool_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

var errRefused = errors.New("connection refused")

// conn is a connection of a fake node.
type conn struct {
	id     int
	class  pool.Class
	broken bool
}

// node is a fake node: it opens and closes connections and counts them.
type node struct {
	takes time.Duration // a dial; changed only while there is none

	mu                   sync.Mutex // guards all below
	fails                bool       // every dial, after that time
	dials, closes        int
	open, mostOpen       int
	dialing, mostDialing int
	ended                int // dials that ended because their context did
	idles                []time.Duration
}

func (n *node) dial(ctx context.Context, class pool.Class) (*conn, error) {
	c := n.begin(class)
	if n.takes > 0 {
		timer := time.NewTimer(n.takes)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			n.cut()
			return nil, ctx.Err()
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dialing--
	if n.fails {
		n.open--
		return nil, errRefused
	}
	return c, nil
}

// begin counts a connection as open from the moment its dial begins.
func (n *node) begin(class pool.Class) *conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dials++
	n.dialing++
	n.mostDialing = max(n.mostDialing, n.dialing)
	n.open++
	n.mostOpen = max(n.mostOpen, n.open)
	return &conn{id: n.dials, class: class}
}

// cut counts a dial whose context ended.
func (n *node) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dialing--
	n.open--
	n.ended++
}

// setFails makes dials fail, or not, from now on.
func (n *node) setFails(fails bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fails = fails
}

func (n *node) close(*conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closes++
	n.open--
}

func (n *node) usable(c *conn, idle time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.idles = append(n.idles, idle)
	return !c.broken
}

// count returns one of the node's figures.
func (n *node) count(figure *int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return *figure
}

// config returns a configuration with the default sizes, strict, and no limit of time.
func (n *node) config() pool.Config[*conn] {
	return pool.Config[*conn]{
		Dial: n.dial, Close: n.close, Usable: n.usable,
		Sizes: pool.DefaultSizes, Name: "10.0.0.1:9200",
	}
}

type group = pool.Group[*conn]

func newGroup(t testing.TB, cfg pool.Config[*conn]) *group {
	t.Helper()
	g, err := pool.NewGroup(cfg)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g
}

func acquire(t testing.TB, g *group, class pool.Class) pool.Conn[*conn] {
	t.Helper()
	c, err := g.Acquire(t.Context(), class)
	require.NoError(t, err)
	return c
}

// acquireAll takes n connections of the class.
func acquireAll(t testing.TB, g *group, class pool.Class, n int) []pool.Conn[*conn] {
	t.Helper()
	conns := make([]pool.Conn[*conn], n)
	for i := range conns {
		conns[i] = acquire(t, g, class)
	}
	return conns
}

func releaseAll(conns []pool.Conn[*conn]) {
	for _, c := range conns {
		c.Release()
	}
}

// result is what an Acquire in the background returned.
type result struct {
	conn pool.Conn[*conn]
	err  error
	took time.Duration
}

// acquireLater acquires in a goroutine of its own.
func acquireLater(ctx context.Context, g *group, class pool.Class) <-chan result {
	done := make(chan result, 1)
	start := time.Now()
	go func() {
		c, err := g.Acquire(ctx, class)
		done <- result{c, err, time.Since(start)}
	}()
	return done
}

// pass lets time go by in a bubble of synctest.
func pass(d time.Duration) { <-time.NewTimer(d).C }

package fakecluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// listener wraps a node's listener: it applies the faults of the accept stage and tracks connections.
type listener struct {
	net.Listener
	node *Node
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := l.node.conns.add(raw)
		if l.node.refuses() {
			_ = c.Close()
			continue
		}
		return c, nil
	}
}

// conns are the open connections of one node.
type conns struct {
	mu       sync.Mutex // guards the fields below
	open     map[*conn]struct{}
	max      int
	accepted int
	down     bool          // the node was killed: nothing may stay open
	frozen   chan struct{} // closed by thaw; nil while the node runs
}

func (s *conns) add(raw net.Conn) *conn {
	c := &conn{Conn: raw, set: s, closed: make(chan struct{})}
	if !s.admit(c) {
		c.reset()
	}
	return c
}

func (s *conns) admit(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return false
	}
	s.open[c] = struct{}{}
	s.accepted++
	s.max = max(s.max, len(s.open))
	return true
}

func (s *conns) up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = false
}

// goDown resets every connection, those of a race with Accept included.
func (s *conns) goDown() {
	s.mu.Lock()
	s.down = true
	s.mu.Unlock()
	s.resetAll()
}

func (s *conns) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

func (s *conns) counts() (open, most, accepted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open), s.max, s.accepted
}

// resetAll resets every open connection.
func (s *conns) resetAll() {
	s.mu.Lock()
	open := make([]*conn, 0, len(s.open))
	for c := range s.open {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		c.reset()
	}
}

func (s *conns) freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen == nil {
		s.frozen = make(chan struct{})
	}
}

func (s *conns) thaw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen != nil {
		close(s.frozen)
		s.frozen = nil
	}
}

func (s *conns) gate() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frozen
}

// conn is the server's end of one connection.
type conn struct {
	net.Conn
	set    *conns
	once   sync.Once
	closed chan struct{}
}

// Write waits while the node is frozen.
func (c *conn) Write(p []byte) (int, error) {
	if gate := c.set.gate(); gate != nil {
		select {
		case <-gate:
		case <-c.closed:
			return 0, net.ErrClosed
		}
	}
	return c.Conn.Write(p)
}

func (c *conn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		close(c.closed)
		c.set.remove(c)
		err = c.Conn.Close()
	})
	return err
}

// reset closes the connection so that the peer sees a reset rather than an orderly end.
func (c *conn) reset() {
	switch raw := c.Conn.(type) {
	case *net.TCPConn:
		_ = raw.SetLinger(0) // closing then discards what is unsent and sends RST
	case *pipe:
		raw.breakPeer()
	}
	_ = c.Close()
}

// listenAgain listens on an address that was in use a moment ago. While the node was down the kernel
// may have lent its port to an outgoing connection, so it tries for up to listenFor.
func listenAgain(addr string) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(context.Background(), listenFor)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		l, err := net.Listen("tcp", addr)
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, wrapListen(addr, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, wrapListen(addr, err)
		}
	}
}

const listenFor = 2 * time.Second

func wrapListen(addr string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("fakecluster: listen on %s: %w", addr, err)
}

package cluster

import (
	"context"
	"errors"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// Close ends the cluster: new requests fail with ErrClosed, the sampler and the probes end, and what is in
// flight may finish until the context ends; then its connections are cut. It returns the context's error when
// something had to be cut, or a second later when a plug-in has not returned. Further calls wait for the same end
// and return nil. A hook must not wait for it, for it waits for the hooks.
func (c *Cluster) Close(ctx context.Context) error {
	if c.closed.CompareAndSwap(false, true) {
		c.background.stop()
	}
	if c.inFlight.Load() == 0 {
		c.drainOne.Do(func() { close(c.drained) })
	}
	cut := c.drain(ctx)
	c.pools.Close()
	if cut != nil {
		c.cutAll()
	}
	return errors.Join(cut, c.background.wait(ctx))
}

// drain waits until nothing is in flight, or fails with the context's error.
func (c *Cluster) drain(ctx context.Context) error {
	if isClosed(c.drained) {
		return nil
	}
	select {
	case <-c.drained:
	case <-c.cut: // by another call: what is left has lost its connection
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Closed reports whether Close has been called.
func (c *Cluster) Closed() bool { return c.closed.Load() }

// cutAll closes every connection, in use or not, and ends every wait for another attempt.
func (c *Cluster) cutAll() {
	c.cutOnce.Do(func() { close(c.cut) })
	c.connsMu.Lock()
	conns := make([]*httpconn.Conn, 0, len(c.conns))
	for conn := range c.conns {
		conns = append(conns, conn)
	}
	c.connsMu.Unlock()
	for _, conn := range conns {
		_ = conn.Close() // whoever uses it sees the error
	}
}

// begin counts a request in, unless the cluster is closed; end counts it out.
func (c *Cluster) begin() error {
	c.inFlight.Add(1)
	if c.closed.Load() {
		c.end()
		return ErrClosed
	}
	return nil
}

func (c *Cluster) end() {
	if c.inFlight.Add(-1) == 0 && c.closed.Load() {
		c.drainOne.Do(func() { close(c.drained) })
	}
}

// opened notes a connection. One that was dialed while everything was cut is cut as well.
func (c *Cluster) opened(conn *httpconn.Conn) {
	c.connsMu.Lock()
	c.conns[conn] = struct{}{}
	c.connsMu.Unlock()
	if isClosed(c.cut) {
		_ = conn.Close()
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (c *Cluster) discard(conn *httpconn.Conn) {
	c.connsMu.Lock()
	delete(c.conns, conn)
	c.connsMu.Unlock()
	_ = conn.Close() // a connection that is given up has nothing left to lose
}

package cluster

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// ErrHandleBusy is a handle's answer while the body of its last answer is open, and after its end.
var ErrHandleBusy = errors.New("cluster: the handle's connection is in use or was given back")

// Handle is one connection of one node in one class, held until it is given back. Its methods may be called
// from many goroutines, but it serves one request at a time.
type Handle struct {
	c     *Cluster
	peer  *peer
	node  *sampler.Node
	class pool.Class
	conn  pool.Conn[*httpconn.Conn]
	done  func(balancer.Outcome)

	mu     sync.Mutex // mu guards all below
	busy   bool       // a request is under way, or its body is open
	broken bool       // the connection cannot serve another request
	over   bool       // released or discarded
}

// Acquire picks a node and takes one of its connections of the class. It tries each node once that cannot be
// connected to. The handle must be released or discarded, once.
func (c *Cluster) Acquire(ctx context.Context, class pool.Class) (*Handle, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		c.end()
		return nil, err
	}
	r := &request{c: c, req: req, ctx: ctx, class: class, key: routingKeyFrom(ctx)}
	h, err := r.acquire()
	if err != nil {
		c.end()
		return nil, err
	}
	return h, nil
}

// acquire is run without the request: it ends when a connection is at hand.
func (r *request) acquire() (*Handle, error) {
	for {
		a, err := r.next()
		if err != nil {
			return nil, r.fail(err)
		}
		r.tried = append(r.tried, a.node)
		a.peer.inFlight.Add(1)
		if err = a.acquire(r.ctx); err == nil {
			return &Handle{c: r.c, peer: a.peer, node: a.node, class: r.class, conn: a.conn, done: a.picked}, nil
		}
		o := r.judge(a, nil, err)
		a.end(o, true)
		if o.gone {
			return nil, r.ended(a, err)
		}
		r.failures = append(r.failures, a.failed(o, err))
		if !o.retryable || r.c.cfg.NoRetry {
			return nil, r.fail(r.whyNot(&o))
		}
	}
}

// Node returns the node that the connection leads to.
func (h *Handle) Node() *sampler.Node { return h.node }

// Class returns the class that the connection was taken from.
func (h *Handle) Class() pool.Class { return h.class }

// RoundTrip sends the request on the handle's connection, once: what fails is not tried anywhere else. The
// answer's body must be closed before the next call. It does what [Cluster.RoundTrip] does to URL and headers.
func (h *Handle) RoundTrip(req *http.Request) (*http.Response, error) {
	if !h.start() {
		closeBody(req)
		return nil, ErrHandleBusy
	}
	req = withMethod(req)
	r := &request{c: h.c, req: req, ctx: req.Context(), class: h.class}
	if err := checkRequest(r); err != nil {
		closeBody(req)
		h.BodyDone(true, nil)
		return nil, err
	}
	a := &attempt{c: h.c, r: r, peer: h.peer, node: h.node, class: h.class, conn: h.conn, number: 1, began: time.Now()}
	a.hookCtx = h.c.hooks.attemptStart(r.ctx, a.describe())
	resp, err := h.send(a)
	o := r.judge(a, resp, err)
	h.c.hooks.attemptEnd(a.hookCtx, a.describe(), plugins.AttemptResult{
		Outcome: balancer.Outcome{Kind: o.kind, Err: o.err, Status: o.status, Latency: a.header},
		Wrote:   a.wrote, Took: time.Since(a.began),
	})
	if err != nil {
		return nil, a.failed(o, err)
	}
	return resp, nil
}

// send makes the attempt on the handle's connection.
func (h *Handle) send(a *attempt) (*http.Response, error) {
	out, err := a.outgoing(a.r.ctx, a.r.req, nil)
	if err != nil {
		closeBody(a.r.req)
		h.BodyDone(true, nil)
		return nil, err
	}
	timeout := h.c.cfg.AttemptTimeout
	o := httpconn.Options{HeaderTimeout: within(a.r.ctx, timeout), StallTimeout: timeout, Owner: h}
	resp, err := h.conn.Value().RoundTrip(out, o)
	if err != nil {
		a.wrote = wroteOf(err)
		h.BodyDone(false, err)
		return nil, err
	}
	a.header, a.wrote = time.Since(a.began), true
	resp.Request = out
	return resp, nil
}

func wroteOf(err error) bool {
	failure, ok := errors.AsType[*httpconn.Error](err)
	return ok && failure.Wrote
}

func (h *Handle) start() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || h.broken || h.over {
		return false
	}
	h.busy = true
	return true
}

// BodyDone is httpconn's word that the body of an answer has ended.
func (h *Handle) BodyDone(reusable bool, _ error) {
	h.mu.Lock()
	h.busy = false
	h.broken = h.broken || !reusable
	give := h.over
	h.mu.Unlock()
	if give {
		h.give()
	}
}

// Release gives the connection back to its pool; a broken one is closed, and one whose answer is still open
// follows when that is closed. Further calls do nothing.
func (h *Handle) Release() { h.finish(false) }

// Discard closes the connection instead of giving it back. Further calls do nothing.
func (h *Handle) Discard() { h.finish(true) }

func (h *Handle) finish(discard bool) {
	h.mu.Lock()
	if h.over {
		h.mu.Unlock()
		return
	}
	h.over = true
	h.broken = h.broken || discard
	wait := h.busy
	h.mu.Unlock()
	if !wait {
		h.give()
	}
}

func (h *Handle) give() {
	if h.broken {
		h.conn.Discard()
	} else {
		h.conn.Release()
	}
	h.peer.inFlight.Add(-1)
	if h.done != nil {
		h.c.tellPicker(h.done, balancer.Outcome{Kind: balancer.CallerGone})
	}
	h.c.end()
}

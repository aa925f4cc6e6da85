package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// request is one call of RoundTrip: all its attempts.
type request struct {
	c        *Cluster
	req      *http.Request
	out      *http.Request // what attempts send: req, or req with its body compressed
	ctx      context.Context
	cancel   context.CancelFunc // ends the request's own timeout; nil without one
	class    pool.Class
	key      string
	body     *singleBody // the caller's body when it cannot be opened again; nil otherwise
	opened   bool        // req.Body was handed to an attempt
	zipped   bool        // out's body is compressed, and out.GetBody opens it
	triedBuf [3]*sampler.Node
	tried    []*sampler.Node
	failures []error
	verdicts // what the attempts so far allow
}

// RoundTrip sends the request to a node and to another if that is safe, and returns the answer, whatever its
// status. Scheme and host of the URL are replaced by the node's, its path is put behind the node's prefix. The
// answer's Request tells the node. Like every http.RoundTripper it closes the request's body and does not
// change the request; the caller must close the answer's body.
func (c *Cluster) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := c.begin(); err != nil {
		closeBody(req)
		return nil, fmt.Errorf("%s request refused: %w", req.Method, err)
	}
	c.requests.Add(1)
	req = withMethod(req)
	r := &request{c: c, req: req, out: req, ctx: req.Context(), class: c.classOf(req)}
	if err := checkRequest(r); err != nil {
		c.failures.Add(1)
		c.unattempted.Add(1)
		r.release()
		return nil, err
	}
	r.tried = r.triedBuf[:0]
	r.key = routingKeyFrom(r.ctx)
	if c.cfg.Timeout > 0 {
		r.ctx, r.cancel = context.WithTimeoutCause(r.ctx, c.cfg.Timeout, errTimeout)
	}
	resp, err := r.send()
	if err != nil {
		c.failures.Add(1)
		if len(r.tried) == 0 {
			c.unattempted.Add(1)
		}
		r.release()
	}
	return resp, err
}

// withMethod spells the method out that an empty one stands for.
func withMethod(req *http.Request) *http.Request {
	if req.Method != "" {
		return req
	}
	named := *req
	named.Method = http.MethodGet
	return &named
}

// checkRequest refuses what no node could answer.
func checkRequest(r *request) error {
	if r.req.URL == nil {
		return errors.New("cluster: the request has no URL")
	}
	if r.class >= pool.NumClasses {
		return fmt.Errorf("cluster: %s is no class; see pool.WithClass", r.class)
	}
	return nil
}

// errTimeout is why a request's context ends after Config.Timeout. It is a context.DeadlineExceeded as well.
var errTimeout = fmt.Errorf("cluster: the request's timeout is over (key timeout): %w", context.DeadlineExceeded)

func (c *Cluster) classOf(req *http.Request) pool.Class {
	if class, ok := pool.ClassFrom(req.Context()); ok {
		return class
	}
	if c.cfg.DefaultClass != nil {
		return *c.cfg.DefaultClass
	}
	if req.URL == nil {
		return pool.Reg
	}
	return classOf(req.Method, req.URL.Path, req.URL.RawQuery)
}

// send makes the body ready, where something is to be done, and runs the attempts.
func (r *request) send() (*http.Response, error) {
	if r.c.compresses(r.req) {
		if err := r.compress(); err != nil {
			return nil, r.fail(err)
		}
	}
	return r.run()
}

// run makes attempts until one is accepted or no further one is allowed.
func (r *request) run() (*http.Response, error) {
	a, err := r.next()
	for ; err == nil; a, err = r.next() {
		resp, again, attemptErr := r.try(a)
		if attemptErr != nil || !again {
			return resp, attemptErr
		}
	}
	return nil, r.fail(err)
}

// try makes one attempt. again tells that the next is due; otherwise resp or err is the request's end.
func (r *request) try(a *attempt) (resp *http.Response, again bool, err error) {
	if a.number > 1 {
		r.c.retries.Add(1)
	}
	r.tried = append(r.tried, a.node)
	resp, err = a.run()
	o := r.judge(a, resp, err)
	if o.gone {
		a.end(o, false)
		return nil, false, r.ended(a, err)
	}
	retry, why := r.mayRetry(&o)
	a.end(o, retry)
	switch {
	case !retry && resp != nil:
		return resp, false, nil
	case resp != nil:
		_ = resp.Body.Close() // its connection is given back or up; the answer was judged
		err = &statusError{status: resp.StatusCode, reason: o.reason}
	}
	r.failures = append(r.failures, a.failed(o, err))
	if !retry {
		return nil, false, r.fail(why)
	}
	return nil, true, r.wait(o)
}

// ended is the error of a request whose caller has gone, or whose time is over.
func (r *request) ended(a *attempt, err error) error {
	cause := context.Cause(r.ctx)
	if cause == nil {
		cause = err
	}
	if a != nil {
		r.failures = append(r.failures, &plugins.AttemptError{
			Node: a.node.Addr, Name: a.node.Name, Class: a.class, Number: a.number,
			Took: time.Since(a.began), Wrote: a.wrote, Err: cause,
		})
	}
	if r.ctx.Err() != nil && !errors.Is(cause, r.ctx.Err()) {
		cause = errors.Join(r.ctx.Err(), cause)
	}
	return r.fail(cause)
}

// fail makes the request's error.
func (r *request) fail(reason error) error {
	e := &requestError{method: r.req.Method, path: r.req.URL.Path, reason: reason, attempts: r.failures}
	if errors.Is(reason, ErrNoNode) || errors.Is(reason, ErrAllFiltered) {
		e.detail = r.c.describe()
	}
	return e
}

// wait waits before the next attempt; the error is the request's end.
func (r *request) wait(o outcome) error {
	if o.wait <= 0 {
		return nil
	}
	timer := time.NewTimer(o.wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.ctx.Done():
		return r.ended(nil, r.ctx.Err())
	case <-r.c.cut:
		return r.fail(ErrClosed)
	}
}

// next picks a node for the next attempt.
func (r *request) next() (*attempt, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, r.contextEnd()
	}
	snap := r.c.snap.Load()
	if snap.refusal != nil {
		return nil, errors.Join(ErrNoNode, snap.refusal)
	}
	a := &attempt{c: r.c, r: r, class: r.class, number: len(r.failures) + 1}
	if p, n, done := r.pick(snap); p != nil {
		a.peer, a.node, a.picked = p, n, done
		return a, nil
	}
	if p := r.fallback(snap); p != nil {
		a.peer, a.node = p, p.node.Load()
		return a, nil
	}
	return nil, r.c.whyNone(snap)
}

func (r *request) contextEnd() error {
	cause := context.Cause(r.ctx)
	if !errors.Is(cause, r.ctx.Err()) {
		return errors.Join(r.ctx.Err(), cause)
	}
	return cause
}

// pick asks the balancer, and again when its choice has fallen out of service since the snapshot.
func (r *request) pick(snap *snapshot) (*peer, *sampler.Node, func(balancer.Outcome)) {
	if snap.picker == nil {
		return nil, nil, nil
	}
	q := balancer.Request{Class: r.class, Method: r.req.Method, Path: r.req.URL.Path, Key: r.key, Tried: r.tried}
	for range len(snap.all) + 1 {
		choice, err := r.c.askPicker(snap.picker, q)
		if err != nil || choice.Node == nil {
			return nil, nil, nil
		}
		p := snap.byNode[choice.Node]
		if p != nil && !q.HasTried(choice.Node) && (p.serves() || snap.panicked && p.is() == plugins.Suspect) {
			return p, choice.Node, choice.Done
		}
		if choice.Done != nil {
			r.c.tellPicker(choice.Done, balancer.Outcome{Kind: balancer.CallerGone})
		}
		q.Tried = append(slices.Clip(q.Tried), choice.Node)
	}
	return nil, nil, nil
}

// fallback finds the best of the nodes that are out of service: a request is sent rather than refused. A dead
// node is tried by a first attempt alone, since a retry would most likely wait for nothing.
func (r *request) fallback(snap *snapshot) *peer {
	var best *peer
	bestRank := rankDead + 1
	for _, p := range snap.all {
		rank, ok := p.rank()
		if !ok || rank == rankDead && len(r.tried) > 0 || r.hasTried(p.node.Load()) {
			continue
		}
		if rank < bestRank || rank == bestRank && p.sooner(best) {
			best, bestRank = p, rank
		}
	}
	if best == nil && r.repeat {
		return r.again(snap)
	}
	return best
}

// hasTried compares addresses, for a sample may have renewed a node in between.
func (r *request) hasTried(n *sampler.Node) bool {
	return slices.ContainsFunc(r.tried, func(t *sampler.Node) bool { return t == n || t.Addr == n.Addr })
}

// again finds a node that was tried and may be tried once more: after an overload, which passes, and after a
// connection that was no longer fresh, when no other node is there.
func (r *request) again(snap *snapshot) *peer {
	last := r.tried[len(r.tried)-1]
	p := snap.byAddr(last.Addr)
	if p == nil || !p.serves() && p.is() != plugins.Suspect {
		return nil
	}
	return p
}

// sooner reports whether the node is probed before the other.
func (p *peer) sooner(other *peer) bool { return p.due().Before(other.due()) }

func (p *peer) due() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until
}

// whyNone is why no node could be picked.
func (c *Cluster) whyNone(snap *snapshot) error {
	for _, p := range snap.all {
		if p.is() != plugins.Filtered {
			return ErrNoNode
		}
	}
	if len(snap.all) == 0 {
		return ErrNoNode
	}
	return ErrAllFiltered
}

// describe lists the nodes with their states, for errors.
func (c *Cluster) describe() string {
	snap := c.snap.Load()
	var b strings.Builder
	fmt.Fprintf(&b, "list of %s ago:", time.Since(snap.topology.At).Round(time.Millisecond))
	for _, s := range c.nodeStats() {
		fmt.Fprintf(&b, " %s %s", s.Node.Addr, s.State)
		if s.LastErr != nil {
			fmt.Fprintf(&b, " (%v)", s.LastErr)
		}
		b.WriteByte(';')
	}
	return strings.TrimSuffix(b.String(), ";")
}

// release gives back what the request holds. It is called once, at its end.
func (r *request) release() {
	if r.cancel != nil {
		r.cancel()
	}
	if !r.opened {
		closeBody(r.req)
	} else if r.body != nil {
		r.body.finish()
	}
	r.c.end()
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // http.RoundTripper must close it and has nobody to tell
	}
}

// verdicts is what a request remembers of its attempts' outcomes.
type verdicts struct {
	overloads int  // answers that said overloaded
	fullPools int  // pools of ours that had nothing free
	timeouts  int  // attempts that ran out of time
	repeat    bool // a tried node may be tried again
	overload  *backoff.ExponentialBackOff
	failover  *backoff.ExponentialBackOff
}

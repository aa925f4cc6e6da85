package cluster

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// attempt is one try on one node. It owns the connection from the moment it has one to the end of the body.
type attempt struct {
	c      *Cluster
	r      *request // nil for probes and samples
	peer   *peer
	node   *sampler.Node
	class  pool.Class
	number int
	picked func(balancer.Outcome) // the balancer's Done; may be nil

	conn   pool.Conn[*httpconn.Conn]
	began  time.Time
	sent   time.Time // when the connection was at hand
	header time.Duration
	wrote  bool
	fresh  bool // the connection had carried nothing before

	hookCtx  context.Context
	outcome  balancer.Outcome
	final    bool         // its answer is the request's
	progress atomic.Int32 // of bodyEnded and judged: the one who sets the second finishes
}

const (
	bodyEnded = 1 << iota
	judged
)

// run makes the attempt of a request.
func (a *attempt) run() (*http.Response, error) {
	a.began = time.Now()
	a.peer.inFlight.Add(1)
	a.hookCtx = a.r.ctx
	if len(a.c.hooks.attempt) > 0 {
		a.hookCtx = a.c.hooks.attemptStart(a.r.ctx, a.describe())
	}
	return a.do(a.r.ctx, a.r.out, a.r.openBody, a.c.cfg.AttemptTimeout)
}

func (a *attempt) describe() plugins.Attempt {
	return plugins.Attempt{
		Node: a.node, Class: a.class, Number: a.number, Method: a.r.req.Method, Path: a.r.req.URL.Path,
	}
}

// maxStale is how many idle connections that turn out to be closed an attempt passes over.
const maxStale = 3

// do sends the request on a connection of the node. A connection that its server had closed before a byte was
// written is no failure of anybody: another is taken.
func (a *attempt) do(ctx context.Context, req *http.Request, body func() (io.ReadCloser, error), timeout time.Duration) (*http.Response, error) {
	for stale := 0; ; stale++ {
		if err := a.acquire(ctx); err != nil {
			return nil, err
		}
		out, err := a.outgoing(ctx, req, body)
		if err != nil {
			a.conn.Release()
			return nil, err
		}
		bound := within(ctx, timeout)
		resp, err := a.conn.Value().RoundTrip(out, httpconn.Options{HeaderTimeout: bound, StallTimeout: timeout, Owner: a})
		if err == nil {
			a.header, a.wrote = time.Since(a.sent), true
			resp.Request = out
			return resp, nil
		}
		a.conn.Discard()
		var failure *httpconn.Error
		if errors.As(err, &failure) {
			a.wrote = failure.Wrote
			if failure.Stale && !failure.Wrote && stale < maxStale && ctx.Err() == nil {
				continue
			}
		}
		return nil, err
	}
}

// within returns the attempt's timeout, or none when the context ends no later: its end is the caller's and
// must not be taken for the node's.
func within(ctx context.Context, timeout time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= timeout {
		return 0
	}
	return timeout
}

func (a *attempt) acquire(ctx context.Context) error {
	began := time.Now()
	conn, err := a.peer.group.Acquire(ctx, a.class)
	a.sent = time.Now()
	if a.r != nil && len(a.c.hooks.acquire) > 0 {
		a.c.hooks.acquireEnd(ctx, a.node, a.class, a.sent.Sub(began), err)
	}
	if err != nil {
		return err
	}
	a.conn, a.fresh = conn, !conn.Reused()
	return nil
}

// outgoing makes the attempt's own request: the node's address, our credentials, the decorators' changes.
func (a *attempt) outgoing(ctx context.Context, req *http.Request, open func() (io.ReadCloser, error)) (*http.Request, error) {
	out := req.WithContext(ctx)
	out.URL = target(a.node.URL, req.URL)
	out.Host = ""
	if a.c.cfg.Authorize != nil || len(a.c.hooks.decorator) > 0 {
		out.Header = req.Header.Clone()
		if err := a.authorize(out); err != nil {
			return nil, err
		}
	}
	if open == nil {
		return out, nil
	}
	body, err := open()
	if err != nil {
		return nil, &localError{err}
	}
	out.Body = body
	return out, nil
}

func (a *attempt) authorize(out *http.Request) error {
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if a.c.cfg.Authorize != nil && out.Header.Get("Authorization") == "" {
		if err := a.c.askAuthorize(out); err != nil {
			return &localError{err}
		}
	}
	if err := a.c.hooks.decorate(out, a.node); err != nil {
		return &localError{err}
	}
	return nil
}

// localError is a failure on our side before anything was sent: it says nothing of the node and another
// attempt would fail alike.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }

// target puts the request's path and query behind the node's base, escaped bytes as they are.
func target(base, u *url.URL) *url.URL {
	out := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	if out.Path == "" || out.Path[0] != '/' {
		out.Path = "/" + out.Path
		if out.RawPath != "" {
			out.RawPath = "/" + out.RawPath
		}
	}
	if prefix := strings.TrimSuffix(base.Path, "/"); prefix != "" {
		escaped := strings.TrimSuffix(base.EscapedPath(), "/") + out.EscapedPath()
		out.Path, out.RawPath = prefix+out.Path, escaped
	}
	return out
}

// BodyDone is httpconn's word that the body has ended: the connection goes back to its pool or is given up.
func (a *attempt) BodyDone(reusable bool, err error) {
	if reusable {
		a.conn.Release()
	} else {
		a.conn.Discard()
	}
	if a.r == nil {
		return
	}
	if err != nil {
		a.cutShort(err)
	}
	a.reached(bodyEnded)
}

// cutShort notes an answer whose body broke off. The caller sees the error at Read.
func (a *attempt) cutShort(err error) {
	if a.r.ctx.Err() != nil || a.c.closed.Load() {
		return
	}
	a.c.unanswered(a.peer, err)
}

// end notes the attempt's outcome. An attempt without an answer, and one whose body has ended, is over then.
func (a *attempt) end(o outcome, retry bool) {
	a.outcome = balancer.Outcome{Kind: o.kind, Err: o.err, Status: o.status, Latency: a.header}
	a.final = !retry && o.status != 0
	if len(a.c.hooks.attempt) > 0 {
		a.c.hooks.attemptEnd(a.hookCtx, a.describe(), plugins.AttemptResult{
			Outcome: a.outcome, Wrote: a.wrote, Retry: retry, Took: time.Since(a.began),
		})
	}
	if o.status == 0 {
		a.finish()
		return
	}
	a.reached(judged)
}

func (a *attempt) reached(what int32) {
	if a.progress.Or(what)|what == bodyEnded|judged {
		a.finish()
	}
}

// finish is called once, when both the outcome is known and the body has ended.
func (a *attempt) finish() {
	a.peer.inFlight.Add(-1)
	if a.picked != nil {
		a.c.tellPicker(a.picked, a.outcome)
	}
	if a.final {
		a.r.release()
	}
}

// failed is the attempt's error.
func (a *attempt) failed(o outcome, err error) error {
	return &plugins.AttemptError{
		Node: a.node.Addr, Name: a.node.Name, Class: a.class, Number: a.number,
		Took: time.Since(a.began), Wrote: a.wrote, Err: err,
	}
}

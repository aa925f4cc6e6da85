package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/pool"
)

// outcome is how an attempt ended, and what that allows:
//
//	caller gone             no mark      never again
//	our pool was full       no mark      another node, once
//	no connection           dead         another node
//	stale idle connection   no mark      another node
//	sent, no answer         suspect      if idempotent, another node
//	attempt timeout         suspect      if idempotent, another node
//	502, 503, 504           suspect or not-ready   if idempotent, another node, after a wait
//	429, rejection          overloaded   twice, after a wait
//	any other answer        alive        never again
type outcome struct {
	kind   balancer.Kind
	err    error
	status int
	reason string // the server's error type, where it was looked at

	gone       bool // the caller has gone: return at once
	unsent     bool // nothing was sent: safe to repeat
	retryable  bool // another attempt may help
	rejected   bool // the server has refused to do it: safe to repeat
	staleReuse bool // sent on a connection that was idle before, and lost
	retryAfter time.Duration
	wait       time.Duration
}

// judge classifies an attempt's end and marks the node.
func (r *request) judge(a *attempt, resp *http.Response, err error) outcome {
	if err != nil {
		return r.judgeError(a, err)
	}
	return r.judgeAnswer(a, resp)
}

func (r *request) judgeError(a *attempt, err error) outcome {
	o := outcome{kind: balancer.NodeFailed, err: err, retryable: true, unsent: !a.wrote}
	var local *localError
	var dial *pool.DialError
	var failure *httpconn.Error
	switch {
	case r.ctx.Err() != nil:
		o.kind, o.gone = balancer.CallerGone, true
	case errors.As(err, &local):
		o.kind, o.retryable = balancer.CallerGone, false
	case errors.Is(err, pool.ErrTimeout):
		o.kind = balancer.PoolFull
		r.fullPools++
		o.retryable = r.fullPools < 2
	case errors.Is(err, pool.ErrClosed) && r.c.closed.Load():
		o.kind, o.retryable, o.err = balancer.CallerGone, false, ErrClosed
	case errors.Is(err, pool.ErrClosed), ours(err):
		o.kind = balancer.PoolFull // the node has left the list, or we lack something
	case errors.As(err, &dial):
		r.c.unreachable(a.peer, err)
	case errors.As(err, &failure):
		r.judgeFailure(a, failure, &o)
	}
	if o.kind == balancer.NodeFailed {
		r.c.nudgeSampler()
	}
	return o
}

// ours reports whether an error comes of a lack on this machine: such a failure says nothing of the node.
func ours(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// judgeFailure judges a connection that broke.
func (r *request) judgeFailure(a *attempt, f *httpconn.Error, o *outcome) {
	switch {
	case r.c.closed.Load():
		o.kind, o.retryable = balancer.CallerGone, false
		o.err = errors.Join(ErrClosed, f)
	case f.Ours():
		o.kind, o.retryable = balancer.CallerGone, false
		o.unsent = !f.Wrote || !executesHalf(r.req) // half of any other request is not executed
	case f.Stale && !f.Wrote:
		o.kind = balancer.CallerGone
	case f.Timeout():
		r.timeouts++
		o.retryable = r.timeouts < maxTimeouts || r.hasDeadline()
		r.c.unanswered(a.peer, f)
	default:
		a.peer.group.Reset()
		o.staleReuse = !a.fresh
		r.c.unanswered(a.peer, f)
	}
}

// executesHalf reports whether servers begin to work before the request has come whole: on the items of a bulk, since
// Elasticsearch 8.16 (IncrementalBulkService.java, rest.incremental_bulk).
func executesHalf(req *http.Request) bool {
	return parseOperation(req.Method, req.URL.Path).api == "_bulk"
}

// maxTimeouts is how many attempts may run out of time when the caller has set no time of his own for the request: the
// second was on another node, so it is not the node that is slow, and a third would hold him up for as long again.
const maxTimeouts = 2

// hasDeadline reports whether the request's context ends by itself.
func (r *request) hasDeadline() bool {
	_, ok := r.ctx.Deadline()
	return ok
}

func (r *request) judgeAnswer(a *attempt, resp *http.Response) outcome {
	o := outcome{kind: balancer.OK, status: resp.StatusCode}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		o.reason = peekError(resp)
		r.judgeOverload(a, resp, &o)
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		o.reason = peekError(resp)
		r.judgeUnavailable(a, resp, &o)
	default:
		r.c.succeeded(a.peer, !resp.Close)
	}
	if resp.Close && !asksForClose(r.req) {
		r.c.draining(a.peer)
	}
	return o
}

// asksForClose reports whether the caller wants the connection closed, which the node then does for him.
func asksForClose(req *http.Request) bool {
	return req.Close || strings.EqualFold(req.Header.Get("Connection"), "close")
}

// judgeOverload judges a 429. Elasticsearch 9 answers so to a search that took too long, too (recorded on
// 9.5, search_timeout_exception): nothing is overloaded then.
func (r *request) judgeOverload(a *attempt, resp *http.Response, o *outcome) {
	r.c.succeeded(a.peer, !resp.Close)
	if o.reason == "search_timeout_exception" {
		return
	}
	o.kind = balancer.Overloaded
	r.overloads++
	o.rejected = !byQuery(r.req)
	o.retryable = r.overloads <= maxOverloads
	o.retryAfter = retryAfter(resp.Header, time.Now())
}

// maxOverloads is how often a request is tried again after a 429.
const maxOverloads = 2

// byQuery reports whether the request changes documents one after the other: a rejection on the way leaves
// part of them changed, so it is not safe to repeat.
func byQuery(req *http.Request) bool {
	switch parseOperation(req.Method, req.URL.Path).api {
	case "_update_by_query", "_delete_by_query", "_reindex":
		return true
	}
	return false
}

func (r *request) judgeUnavailable(a *attempt, resp *http.Response, o *outcome) {
	err := &statusError{status: resp.StatusCode, reason: o.reason}
	switch {
	case rejection(o.reason):
		r.judgeOverload(a, resp, o)
		return
	case notReady(o.reason):
		r.c.unavailable(a.peer, err)
	case resp.StatusCode == http.StatusGatewayTimeout && o.reason != "":
		r.c.succeeded(a.peer, !resp.Close) // the server's own word on a slow statement, not a proxy's on a lost server
		return
	default:
		r.c.refused(a.peer, err)
	}
	o.kind, o.retryable = balancer.NodeFailed, true
	o.retryAfter = retryAfter(resp.Header, time.Now())
}

func rejection(reason string) bool {
	return reason == "es_rejected_execution_exception" || reason == "rejected_execution_exception" ||
		reason == "circuit_breaking_exception"
}

func notReady(reason string) bool {
	return reason == "cluster_block_exception" || reason == "master_not_discovered_exception" ||
		reason == "cluster_manager_not_discovered_exception"
}

// maxPeek is how much of an answer is read to judge it; the caller still gets all of it.
const maxPeek = 64 << 10

// peekError returns the type of the error in an answer's body and leaves the body as it was.
func peekError(resp *http.Response) string {
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxPeek))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failingReader{err}
	}
	resp.Body = &peekedBody{Reader: io.MultiReader(bytes.NewReader(head), rest), Closer: resp.Body}
	var body struct{ Error json.RawMessage }
	if json.Unmarshal(head, &body) != nil {
		return ""
	}
	var detail struct{ Type string }
	if json.Unmarshal(body.Error, &detail) != nil {
		return ""
	}
	return detail.Type
}

type peekedBody struct {
	io.Reader
	io.Closer
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// mayRetry decides on another attempt and works out the wait before it. why is the reason when there is none;
// nil when the outcome says it all.
func (r *request) mayRetry(o *outcome) (retry bool, why error) {
	r.repeat = false
	if !o.retryable || r.c.cfg.NoRetry || o.gone {
		return false, r.whyNot(o)
	}
	if !o.unsent && !o.rejected {
		if idempotent, _ := idempotency(r.req); !idempotent {
			return false, ErrMaybeExecuted
		}
	}
	if !r.replayable() {
		return false, bodyIsGone(o)
	}
	r.repeat = o.kind == balancer.Overloaded || o.staleReuse && len(r.failures) == 0
	if o.status != 0 && !r.another() {
		return false, nil
	}
	if !r.scheduleWait(o) {
		return false, errNoTime
	}
	if !o.unsent && !r.c.budget.take(r.c.requests.Load(), time.Now()) {
		return false, ErrRetryBudget
	}
	return true, nil
}

var errNoTime = fmt.Errorf("cluster: no time is left for another attempt: %w", context.DeadlineExceeded)

// longestRetryAfter is the longest wait that a server may ask for; past it the caller gets the answer instead.
const longestRetryAfter = 30 * time.Second

// scheduleWait works out the wait before another attempt and reports whether the request has time for it.
// A connection that failed is made up for at once, by another node.
func (r *request) scheduleWait(o *outcome) bool {
	switch {
	case o.kind == balancer.Overloaded:
		if r.overload == nil {
			r.overload = overloadWaits()
		}
		o.wait = r.overload.NextBackOff()
	case o.status != 0:
		if r.failover == nil {
			r.failover = failoverWaits()
		}
		o.wait = r.failover.NextBackOff()
	}
	o.wait = max(o.wait, o.retryAfter)
	deadline, ok := r.ctx.Deadline()
	return o.retryAfter <= longestRetryAfter && (!ok || time.Until(deadline) > o.wait)
}

// whyNot is the reason for the end of a request that is not tried again.
func (r *request) whyNot(o *outcome) error {
	switch {
	case o.status != 0 || o.gone:
		return nil
	case errors.Is(o.err, ErrClosed):
		return ErrClosed
	case !o.unsent:
		if idempotent, _ := idempotency(r.req); !idempotent {
			return ErrMaybeExecuted
		}
	}
	return nil
}

// bodyIsGone is the reason where another attempt would have been safe. The caller gets an answer as it is.
func bodyIsGone(o *outcome) error {
	if o.status != 0 {
		return nil
	}
	return errBodyOnce
}

// another reports whether a further node, or the same again where that helps, is there for another attempt.
func (r *request) another() bool {
	snap := r.c.snap.Load()
	return r.fallback(snap) != nil
}

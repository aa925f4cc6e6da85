package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/esdriver/esdriver/plugins"
)

// The sentinels of this package; package esdriver documents them for its users.
var (
	ErrClosed        = errors.New("cluster: closed")
	ErrNoNode        = errors.New("cluster: no node is available")
	ErrAllFiltered   = errors.New("cluster: every node that answers belongs to another cluster")
	ErrRetryBudget   = errors.New("cluster: retry budget is used up")
	ErrMaybeExecuted = errors.New("cluster: the request was sent and may have been executed")

	errBodyOnce = errors.New("cluster: the body can be read only once; set GetBody to let it be sent again")
)

// requestError is a request that ended without an answer: why it ended, and every attempt's failure.
type requestError struct {
	method, path string
	reason       error // a sentinel, or nil when the attempts say it all
	detail       string
	attempts     []error // *plugins.AttemptError, in order
}

func (e *requestError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.method, e.path)
	if e.reason != nil {
		fmt.Fprintf(&b, ": %v", e.reason)
	}
	if e.detail != "" {
		fmt.Fprintf(&b, ": %s", e.detail)
	}
	for _, err := range e.attempts {
		fmt.Fprintf(&b, "; %v", err)
	}
	return b.String()
}

// Unwrap returns the reason and every attempt.
func (e *requestError) Unwrap() []error {
	if e.reason == nil {
		return e.attempts
	}
	return append([]error{e.reason}, e.attempts...)
}

// SafeToRetry reports whether no attempt sent a byte.
func (e *requestError) SafeToRetry() bool {
	for _, err := range e.attempts {
		var attempt *plugins.AttemptError
		if errors.As(err, &attempt) && attempt.Wrote {
			return false
		}
	}
	return !errors.Is(e.reason, ErrMaybeExecuted)
}

// Timeout reports whether the request or its last attempt ran out of time.
func (e *requestError) Timeout() bool {
	if errors.Is(e.reason, context.DeadlineExceeded) {
		return true
	}
	if len(e.attempts) == 0 {
		return false
	}
	var t interface{ Timeout() bool }
	return errors.As(e.attempts[len(e.attempts)-1], &t) && t.Timeout()
}

// statusError is an answer that was not accepted and led to another attempt.
type statusError struct {
	status int
	reason string // the server's error type, empty when its body did not tell
}

func (e *statusError) Error() string {
	if e.reason == "" {
		return fmt.Sprintf("answered %d", e.status)
	}
	return fmt.Sprintf("answered %d %s", e.status, e.reason)
}

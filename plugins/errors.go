package plugins

import (
	"fmt"
	"time"

	"github.com/esdriver/esdriver/pool"
)

// AttemptError is one failed attempt of a request. The error of a request that failed on several nodes
// joins one AttemptError for each; errors.As finds the first.
type AttemptError struct {
	Node   string // the node's address
	Name   string // the node's name, empty when not known
	Class  pool.Class
	Number int           // 1 for the first attempt
	Took   time.Duration // the attempt, waiting for a connection included
	Wrote  bool          // whether a byte of the request left: the server may have acted on it
	Err    error         // the cause
}

// Error names the attempt, node, class, duration and cause.
func (e *AttemptError) Error() string {
	sent := "nothing sent"
	if e.Wrote {
		sent = "request sent"
	}
	name := e.Node
	if e.Name != "" {
		name = e.Name + " " + e.Node
	}
	return fmt.Sprintf("attempt %d on %s (class %s, %s, %s): %v",
		e.Number, name, e.Class, e.Took.Round(time.Microsecond), sent, e.Err)
}

// Unwrap returns the cause.
func (e *AttemptError) Unwrap() error { return e.Err }

// SafeToRetry reports whether nothing was sent, so that a second try cannot do the work twice.
func (e *AttemptError) SafeToRetry() bool { return !e.Wrote }

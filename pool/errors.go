package pool

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrClosed is what Acquire answers after Close, and for a node that its set does not hold.
	ErrClosed = errors.New("pool: closed")

	// ErrTimeout is what every [TimeoutError] is, as errors.Is sees it.
	ErrTimeout = errors.New("pool: no connection came free in time")
)

// TimeoutError says that WaitTimeout passed before a connection came free. It tells of our own limits
// and nothing of the node, which may be in the best of health.
type TimeoutError struct {
	Class   Class
	Node    string        // the group's name
	InUse   int32         // connections of the class in use when the wait ended
	Waiting int32         // callers that waited then, this one included
	Waited  time.Duration // how long this one did
}

// Error names the class, the node, the figures and the settings that help.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("pool: no %s connection to %s came free in %s: "+
		"%d in use, %d waiting (raise pool.%s or pool.shared)",
		e.Class, e.Node, e.Waited.Round(time.Microsecond), e.InUse, e.Waiting, e.Class)
}

// Unwrap returns [ErrTimeout].
func (e *TimeoutError) Unwrap() error { return ErrTimeout }

// Timeout returns true.
func (e *TimeoutError) Timeout() bool { return true }

// DialError is a failed dial, as told to every caller that waited for a dial to the node when it failed.
// Nothing was sent for any of them.
type DialError struct {
	Class Class  // the class that the connection was meant for
	Node  string // the group's name
	Err   error  // what Config.Dial returned
}

// Error names the class, the node and the cause.
func (e *DialError) Error() string {
	return fmt.Sprintf("pool: dialing a %s connection to %s: %v", e.Class, e.Node, e.Err)
}

// Unwrap returns the cause.
func (e *DialError) Unwrap() error { return e.Err }

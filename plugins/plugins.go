// Package plugins is the contract between a cluster and those who watch or extend it. A [Hook] is any value
// that implements one or more of this package's interfaces; only what it implements is called. A hook that panics is
// recovered from and counted in [Stats], and breaks nothing.
//
// What belongs to a request ([AttemptHook], [AcquireHook], [StatementHook], [Decorator]) is called on the request's
// goroutine and from many at once: it must be fast and safe for concurrent use. What happens in the background
// ([TopologyHook], [HealthHook], [ProbeHook], [ErrorHook]) is told a moment later, one event after the other, on a
// goroutine that all hooks share: such a hook may take its time and may call the cluster, but must not wait for its
// Close. When more than 1,024 events wait, further ones are lost.
//
// No hook is given a secret: URLs carry no user info, and requests are shown by method and path alone.
// The exception is [Decorator], whose task may be to add one.
package plugins

import (
	"context"
	"net/http"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Hook is any value that implements one or more of AttemptHook, AcquireHook, TopologyHook, HealthHook, ProbeHook,
// ErrorHook, StatementHook and Decorator.
type Hook any

// AttemptHook watches attempts: each try of a request on one node, probes and samples excluded.
type AttemptHook interface {
	// AttemptStart is called before the request is sent. The context that it returns is handed to AttemptEnd.
	AttemptStart(ctx context.Context, a Attempt) context.Context
	// AttemptEnd is called when the header of the answer has come or the attempt has failed.
	AttemptEnd(ctx context.Context, a Attempt, r AttemptResult)
}

// Attempt describes one try of a request on one node.
type Attempt struct {
	Node         *sampler.Node
	Class        pool.Class
	Number       int // 1 for the first attempt of a request
	Method, Path string
}

// AttemptResult says how an attempt ended.
type AttemptResult struct {
	Outcome balancer.Outcome
	Wrote   bool          // whether a byte of the request left
	Retry   bool          // whether another attempt follows
	Took    time.Duration // the whole attempt, waiting for a connection included
}

// AcquireHook watches the waiting for connections.
type AcquireHook interface {
	// AcquireEnd is called when a connection is at hand (err nil) or could not be had.
	AcquireEnd(ctx context.Context, n *sampler.Node, class pool.Class, waited time.Duration, err error)
}

// TopologyHook watches the list of nodes.
type TopologyHook interface {
	// TopologyChanged is called after a changed list is in force.
	TopologyChanged(change TopologyChange)
	// SampleEnd is called after every sample; err is nil for a good one.
	SampleEnd(t sampler.Topology, took time.Duration, err error)
}

// TopologyChange is the difference between two lists of nodes.
type TopologyChange struct {
	Added, Removed []*sampler.Node
	Filtered       []*sampler.Node // newly found to be of another cluster
	Topology       sampler.Topology
}

// HealthHook watches the state of nodes.
type HealthHook interface {
	// HealthChanged is called after a node has changed from one state to another.
	HealthChanged(change HealthChange)
}

// HealthChange is one change of a node's state.
type HealthChange struct {
	Node     *sampler.Node
	From, To State
	Err      error         // what led to it; nil for a recovery
	Retry    time.Duration // how long until the node is probed next; 0 when at once or not at all
}

// ProbeHook watches background probes of nodes.
type ProbeHook interface {
	// ProbeEnd is called after a probe; err is nil when the node is well.
	ProbeEnd(n *sampler.Node, took time.Duration, err error)
}

// ErrorHook hears of errors in the background that no other hook is told of: connections that could not be dialed ahead,
// nonsense that a sampler or balancer gave, panics of plug-ins.
type ErrorHook interface {
	// BackgroundError is called after such an error.
	BackgroundError(err error)
}

// StatementHook watches SQL statements.
type StatementHook interface {
	// StatementStart is called before the first request of a statement. The context that it returns is used
	// for the statement and handed to StatementEnd.
	StatementStart(ctx context.Context, s Statement) context.Context
	// StatementEnd is called when the statement has been executed, or its rows were closed.
	StatementEnd(ctx context.Context, s Statement, rows int64, err error)
}

// Statement describes one SQL statement. Arguments are not shown.
type Statement struct {
	Text string // as the caller wrote it
	Args int    // how many arguments it was given
}

// Decorator changes requests just before they are sent, after the node is known: signatures, headers.
// It is called for each attempt, probes and samples included, with a request that is the attempt's own;
// its Body must be left alone. GetBody, where it is set, gives the bytes that are sent, compressed where Config.Compress
// has it so, for a hash. An error ends the attempt, nothing sent, and says nothing of the node.
type Decorator interface {
	Decorate(req *http.Request, n *sampler.Node) error
}

package plugins

import (
	"fmt"
	"time"

	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// State is what the cluster thinks of a node.
type State uint8

// The states.
const (
	Unverified State = iota // new in the list, not yet probed: no traffic
	Alive                   // takes its share
	Suspect                 // failed lately; out of rotation while others serve, and being probed
	NotReady                // answers, but its cluster is not available through it
	Draining                // said it is shutting down, or was removed: finishes what it has
	Dead                    // cannot be reached; probed with growing pauses
	Filtered                // of another cluster
)

var stateNames = [...]string{"unverified", "alive", "suspect", "not-ready", "draining", "dead", "filtered"}

// String returns the state in words, such as "not-ready".
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// Stats is a picture of a cluster's work since it was opened. Counters only grow.
type Stats struct {
	Requests uint64 // requests that callers made
	Failures uint64 // of these, how many ended with an error instead of an answer
	Attempts uint64 // tries on nodes
	Retries  uint64 // attempts after the first

	Samples        uint64
	SampleFailures uint64
	Probes         uint64
	ProbeFailures  uint64
	HookPanics     uint64 // panics recovered from in hooks, samplers, balancers and Config.Authorize

	RetryTokens float64   // what is left of the retry budget
	LastError   error     // the last error in the background, nil when there was none
	LastErrorAt time.Time // when that was

	Nodes []NodeStats // in the order of the topology, filtered nodes last
}

// NodeStats is a picture of one node.
type NodeStats struct {
	Node     *sampler.Node
	State    State
	Failures int       // failures in a row
	LastErr  error     // the last failure, nil when there was none
	DeadTill time.Time // when it is probed next; zero when it is alive
	InFlight int64     // attempts whose body has not ended
	Pools    [pool.NumClasses]pool.Stat
}

// Explanation tells how a request would be routed now. It is meant for people and tests.
type Explanation struct {
	Class      pool.Class
	Idempotent bool
	Why        string // the rule that decided Idempotent
	Picked     *sampler.Node
	Nodes      []NodeStats
	Tokens     float64 // what is left of the retry budget
	Text       string  // the same in words, several lines
}

// String returns the explanation in words.
func (e Explanation) String() string { return e.Text }

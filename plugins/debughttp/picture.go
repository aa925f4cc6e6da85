package debughttp

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Picture is what the page shows, and its JSON: an object whose names are those of the fields in snake case. They stay;
// others may be added. Counters run since the cluster was opened. Times are RFC 3339, and absent while there is none.
type Picture struct {
	At          time.Time `json:"at"`                  // when the picture was taken
	ClusterName string    `json:"cluster_name"`        // empty while not known
	ClusterUUID string    `json:"cluster_uuid"`        // empty while not known
	SampledAt   time.Time `json:"sampled_at,omitzero"` // when the last sample ended
	Partial     bool      `json:"partial"`             // whether that sample may lack nodes

	Requests       uint64 `json:"requests"`
	Failures       uint64 `json:"failures"` // requests that ended with an error instead of an answer
	Attempts       uint64 `json:"attempts"`
	Retries        uint64 `json:"retries"`
	RetriesLeft    int    `json:"retries_left"` // in the retry budget
	Samples        uint64 `json:"samples"`
	SampleFailures uint64 `json:"sample_failures"`
	Probes         uint64 `json:"probes"`
	ProbeFailures  uint64 `json:"probe_failures"`
	HookPanics     uint64 `json:"hook_panics"`

	LastError   string    `json:"last_error"`             // the last error in the background; empty when there was none
	LastErrorAt time.Time `json:"last_error_at,omitzero"` // when that was

	Nodes      []Node       `json:"nodes"`             // those that are not alive first
	Unanswered []Unanswered `json:"unanswered"`        // addresses that the last sample had no answer from
	Explain    *Explanation `json:"explain,omitempty"` // when it was asked where a request would go
}

// Node is one node.
type Node struct {
	Name          string            `json:"name"` // empty while not known, as are ID and Version
	ID            string            `json:"id"`
	Addr          string            `json:"addr"` // host:port
	State         string            `json:"state"`
	Version       string            `json:"version"`
	Roles         []string          `json:"roles"`     // null while not known
	Attrs         map[string]string `json:"attrs"`     // null when there is none
	InFlight      int64             `json:"in_flight"` // attempts whose body has not ended
	FailuresInRow int               `json:"failures_in_row"`
	LastFailure   string            `json:"last_failure"`            // empty when there was none
	ProbedNextAt  time.Time         `json:"probed_next_at,omitzero"` // absent when the node is alive
	Pools         []Pool            `json:"pools"`                   // one for each class, in the order of pool.Class
}

// Pool is the connections of one class to a node.
type Pool struct {
	Class        string `json:"class"`
	Used         int32  `json:"used"`
	Idle         int32  `json:"idle"`
	Waiting      int32  `json:"waiting"` // callers that wait for a connection
	Dialing      int32  `json:"dialing"`
	Own          int32  `json:"own"`      // connections that the class may have for itself
	Limit        int32  `json:"limit"`    // the most it may have, with borrowed ones
	Acquired     uint64 `json:"acquired"` // connections handed out
	Timeouts     uint64 `json:"timeouts"` // callers that waited in vain
	WaitedMS     int64  `json:"waited_ms"`
	Dials        uint64 `json:"dials"`
	DialFailures uint64 `json:"dial_failures"`
}

// Unanswered is an address that did not answer a sample.
type Unanswered struct {
	Addr  string `json:"addr"`
	Error string `json:"error"`
}

func picture(c *esdriver.Cluster) Picture {
	t, s := c.Topology(), c.Stats()
	p := Picture{
		At: time.Now(), ClusterName: t.ClusterName, ClusterUUID: t.ClusterUUID, SampledAt: t.At, Partial: t.Partial,
		Requests: s.Requests, Failures: s.Failures, Attempts: s.Attempts, Retries: s.Retries,
		RetriesLeft: int(s.RetryTokens), // part of one pays for none
		Samples:     s.Samples, SampleFailures: s.SampleFailures, Probes: s.Probes, ProbeFailures: s.ProbeFailures,
		HookPanics: s.HookPanics, LastError: reason(s.LastError), LastErrorAt: s.LastErrorAt,
		Nodes: []Node{}, Unanswered: []Unanswered{},
	}
	for _, n := range s.Nodes {
		p.Nodes = append(p.Nodes, node(&n))
	}
	slices.SortStableFunc(p.Nodes, func(a, b Node) int { return cmp.Compare(a.trouble(), b.trouble()) })
	for _, f := range t.Failures {
		p.Unanswered = append(p.Unanswered, unanswered(f))
	}
	return p
}

func node(n *plugins.NodeStats) Node {
	shown := Node{
		Name: n.Node.Name, ID: n.Node.ID, Addr: n.Node.Addr, State: n.State.String(), Version: n.Node.Version,
		Roles: n.Node.Roles, Attrs: n.Node.Attrs, InFlight: n.InFlight, FailuresInRow: n.Failures,
		LastFailure: reason(n.LastErr), ProbedNextAt: n.DeadTill,
	}
	for class, s := range n.Pools {
		shown.Pools = append(shown.Pools, Pool{
			Class: pool.Class(class).String(), Used: s.InUse, Idle: s.Idle, Waiting: s.Waiting, Dialing: s.Dialing,
			Own: s.Size, Limit: s.Limit, Acquired: s.Acquired, Timeouts: s.Timeouts, WaitedMS: s.Waited.Milliseconds(),
			Dials: s.Dials, DialFailures: s.DialErrors,
		})
	}
	return shown
}

// trouble is what nodes are sorted by: those that one looks for come first.
func (n *Node) trouble() int {
	if n.State == plugins.Alive.String() {
		return 1
	}
	return 0
}

func unanswered(f sampler.Failure) Unanswered { return Unanswered{Addr: f.Addr, Error: reason(f.Err)} }

// What may be secret in the text of an error is user info and query of a URL, which errors of net/http and of plug-ins
// carry. A password may hold an @, so the last one before the path counts.
var (
	userInfo = regexp.MustCompile(`(://)[^\s"/]*@`)
	query    = regexp.MustCompile(`(://[^\s"?]*\?)[^\s"]*`)
)

// reason is the text of an error without secrets, "" of none.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return query.ReplaceAllString(userInfo.ReplaceAllString(err.Error(), "${1}"), "${1}…")
}

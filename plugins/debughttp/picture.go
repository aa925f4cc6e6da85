package debughttp

import (
	"net/http"
	"regexp"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Picture is what the page shows, in the form of its JSON. Counters run since the cluster was opened.
type Picture struct {
	At          time.Time // when the picture was taken
	ClusterName string    // empty while not known
	ClusterUUID string
	SampledAt   time.Time // when the last sample ended
	Partial     bool      // whether that sample may lack nodes

	Requests, Failures, Attempts, Retries uint64
	Samples, SampleFailures               uint64
	Probes, ProbeFailures                 uint64
	HookPanics                            uint64
	RetryTokens                           float64 // retries that are left in the budget

	LastError   string    // the last error in the background; empty when there was none
	LastErrorAt time.Time // when that was

	Nodes   []Node
	Failed  []Failure    // addresses that the last sample had no answer from
	Explain *Explanation `json:",omitempty"`
}

// Node is one node.
type Node struct {
	Name, ID, Addr, Version, State string
	Roles                          []string
	Attrs                          map[string]string
	InFlight                       int64     // attempts whose body has not ended
	Failures                       int       // in a row
	LastFailure                    string    // empty when there was none
	ProbedNext                     time.Time // zero when the node is alive
	Pools                          []Pool
}

// Pool is one class of a node.
type Pool struct {
	Class                               string
	InUse, Idle, Dialing, Waiting       int32
	Size, Limit                         int32 // its own connections, and with those that it may borrow
	Acquired, Timeouts, Dials, Failures uint64
	Waited                              time.Duration // by all callers together, in nanoseconds
}

// Failure is an address that did not answer.
type Failure struct{ Addr, Error string }

// Explanation is where a request would go.
type Explanation struct{ Request, Text string }

func picture(c *esdriver.Cluster) Picture {
	t, s := c.Topology(), c.Stats()
	p := Picture{
		At: time.Now(), ClusterName: t.ClusterName, ClusterUUID: t.ClusterUUID, SampledAt: t.At, Partial: t.Partial,
		Requests: s.Requests, Failures: s.Failures, Attempts: s.Attempts, Retries: s.Retries,
		Samples: s.Samples, SampleFailures: s.SampleFailures, Probes: s.Probes, ProbeFailures: s.ProbeFailures,
		HookPanics: s.HookPanics, RetryTokens: s.RetryTokens,
		LastError: reason(s.LastError), LastErrorAt: s.LastErrorAt, Nodes: []Node{}, Failed: []Failure{},
	}
	for _, n := range s.Nodes {
		p.Nodes = append(p.Nodes, node(&n))
	}
	for _, f := range t.Failures {
		p.Failed = append(p.Failed, failure(f))
	}
	return p
}

func node(n *plugins.NodeStats) Node {
	shown := Node{
		Name: n.Node.Name, ID: n.Node.ID, Addr: n.Node.Addr, Version: n.Node.Version, State: n.State.String(),
		Roles: n.Node.Roles, Attrs: n.Node.Attrs, InFlight: n.InFlight, Failures: n.Failures,
		LastFailure: reason(n.LastErr), ProbedNext: n.DeadTill,
	}
	for class, s := range n.Pools {
		shown.Pools = append(shown.Pools, Pool{
			Class: pool.Class(class).String(), InUse: s.InUse, Idle: s.Idle, Dialing: s.Dialing, Waiting: s.Waiting,
			Size: s.Size, Limit: s.Limit, Acquired: s.Acquired, Timeouts: s.Timeouts, Dials: s.Dials,
			Failures: s.DialErrors, Waited: s.Waited,
		})
	}
	return shown
}

func failure(f sampler.Failure) Failure { return Failure{Addr: f.Addr, Error: reason(f.Err)} }

// explain adds where a request would go. Nothing is sent.
func (p *Picture) explain(c *esdriver.Cluster, question string, r *http.Request) {
	p.Explain = &Explanation{Request: question, Text: redact(c.Explain(r).Text)}
}

// What may be secret in the text of an error is user info and query of a URL, which errors of net/http and of plug-ins
// carry. A password may hold an @, so the last one before the path counts.
var (
	userInfo = regexp.MustCompile(`(://)[^\s"/]*@`)
	query    = regexp.MustCompile(`(://[^\s"?]*\?)[^\s"]*`)
)

func redact(text string) string {
	return query.ReplaceAllString(userInfo.ReplaceAllString(text, "${1}"), "${1}…")
}

// reason is the text of an error, "" of none.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return redact(err.Error())
}

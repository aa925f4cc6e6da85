package debughttp

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/plugins"
)

// Explanation is where a request would go now, judged without its body: a bulk counts as one that must not be sent twice,
// and so does SQL. Another one may go elsewhere: a balancer may draw lots.
type Explanation struct {
	Method     string      `json:"method"`
	Path       string      `json:"path"`
	Error      string      `json:"error,omitempty"` // what is wrong with method and path; then all below is empty
	Class      string      `json:"class"`
	Idempotent bool        `json:"idempotent"` // whether it may be sent twice
	Why        string      `json:"why"`        // the rule that decided Idempotent
	Picked     string      `json:"picked"`     // the address of the node that it would go to; empty when none can take it
	Candidates []Candidate `json:"candidates"` // all nodes: the picked one, those that are alive, the others
}

// Candidate is a node as a request sees it.
type Candidate struct {
	Name     string `json:"name"` // empty while not known
	Addr     string `json:"addr"`
	State    string `json:"state"`
	InFlight int64  `json:"in_flight"` // attempts of all classes
	Used     int32  `json:"used"`      // connections of the request's class, as are Idle and Waiting
	Idle     int32  `json:"idle"`
	Waiting  int32  `json:"waiting"`
	Why      string `json:"why"` // why the request goes there, or does not
}

// explain tells where a request would go. Nothing is sent.
func explain(c *esdriver.Cluster, method, path string) *Explanation {
	e := &Explanation{Method: method, Path: path, Candidates: []Candidate{}}
	r, err := question(method, path)
	if err != nil {
		e.Error = err.Error()
		return e
	}
	x := c.Explain(r)
	e.Class, e.Idempotent, e.Why = x.Class.String(), x.Idempotent, x.Why
	if x.Picked != nil {
		e.Picked = x.Picked.Addr
	}
	slices.SortStableFunc(x.Nodes, func(a, b plugins.NodeStats) int { return cmp.Compare(e.rank(&a), e.rank(&b)) })
	for _, n := range x.Nodes {
		e.Candidates = append(e.Candidates, e.candidate(&n, &x))
	}
	return e
}

// body stands for the one that nobody was asked for: of a bulk whose items have no id, and of no SELECT.
const body = "{\"index\":{}}\n{}\n"

func question(method, path string) (*http.Request, error) {
	u, err := url.ParseRequestURI(strings.TrimSpace(path))
	if err != nil {
		return nil, err
	}
	return http.NewRequest(method, u.String(), strings.NewReader(body))
}

// rank is the order of candidates.
func (e *Explanation) rank(n *plugins.NodeStats) int {
	switch {
	case n.Node.Addr == e.Picked:
		return 0
	case n.State == plugins.Alive:
		return 1
	}
	return 2
}

func (e *Explanation) candidate(n *plugins.NodeStats, x *plugins.Explanation) Candidate {
	s := n.Pools[x.Class]
	return Candidate{
		Name: n.Node.Name, Addr: n.Node.Addr, State: n.State.String(), InFlight: n.InFlight,
		Used: s.InUse, Idle: s.Idle, Waiting: s.Waiting, Why: e.whyNode(n),
	}
}

func (e *Explanation) whyNode(n *plugins.NodeStats) string {
	why := "out of rotation"
	switch rank := e.rank(n); {
	case rank == 0 && n.State == plugins.Alive:
		return "picked by the balancer"
	case rank == 0:
		why = "picked although it is " + n.State.String() + ": too few nodes are alive"
	case rank == 1:
		return "alive, for a further attempt"
	}
	if n.LastErr != nil {
		why += "; last failure: " + reason(n.LastErr)
	}
	return why
}

package fakecluster

import (
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// Fault says which requests go wrong and how. Its zero fields restrict nothing: Fault{Action: Hang} hangs
// every request. Faults that match the same request act in the order they were injected, until one of
// them ends the request; [Slow] and the actions that only change the answer do not end it.
type Fault struct {
	// Method is the HTTP method; empty means every one.
	Method string
	// Path is a pattern for the path: with any of * ? [ as path.Match reads it (a * does not cross a /),
	// else the whole path or its first segments: "/_nodes" is "/_nodes" and "/_nodes/http", "/" is only
	// the root. Empty means every path.
	Path string
	// Match is asked last, on the handler's goroutine; nil means yes. It must not read the body.
	Match func(*http.Request) bool
	// Times is how often the fault acts before it is used up; zero or less means always.
	Times int
	// Chance is the probability that the fault acts on a request that matches; zero means 1.
	Chance float64
	// Action is what happens. The zero Action does nothing, which is a way to count.
	Action Action
}

// matchPath is the rule of [Fault].Path.
func matchPath(pattern, p string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		ok, err := path.Match(pattern, p)
		return ok && err == nil
	}
	if pattern == "" || pattern == p {
		return true
	}
	prefix := strings.TrimSuffix(pattern, "/")
	return prefix != "" && (p == prefix || strings.HasPrefix(p, prefix+"/"))
}

// faults are the injected faults of a cluster, in order.
type faults struct {
	mu    sync.Mutex // guards rules and what they point to
	rules []*rule
}

type rule struct {
	Fault
	node  *Node // nil means every node
	times int   // how often it has acted
}

// Inject adds the fault for every node. The returned function takes it out again and may be called
// more than once. Faults survive a node's restart.
func (c *Cluster) Inject(f Fault) (remove func()) { return c.faults.add(&rule{Fault: f}) }

// Inject adds the fault for this node alone; see [Cluster.Inject].
func (n *Node) Inject(f Fault) (remove func()) {
	return n.cluster.faults.add(&rule{Fault: f, node: n})
}

// ClearFaults takes out every fault of the cluster and of its nodes.
func (c *Cluster) ClearFaults() {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.rules = nil
}

func (f *faults) add(r *rule) (remove func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, r)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.rules = slices.DeleteFunc(f.rules, func(other *rule) bool { return other == r })
	}
}

// forRequest returns the actions for a request, in order, and counts them as used. Match functions are
// called without the lock, so that they may inject and remove faults.
func (f *faults) forRequest(n *Node, r *http.Request) []Action {
	var actions []Action
	for _, rule := range f.candidates(n, false) {
		if rule.matches(r) && f.use(rule) {
			actions = append(actions, rule.Action)
		}
	}
	return actions
}

// forAccept says whether a connection is to be closed as soon as it is accepted.
func (f *faults) forAccept(n *Node) bool {
	for _, rule := range f.candidates(n, true) {
		if rule.lucky() && f.use(rule) {
			return true
		}
	}
	return false
}

func (f *faults) candidates(n *Node, accept bool) []*rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rules) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.rules), func(r *rule) bool {
		return r.Action.accept != accept || r.node != nil && r.node != n
	})
}

func (f *faults) use(r *rule) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Times > 0 && r.times >= r.Times {
		return false
	}
	r.times++
	return true
}

func (r *rule) matches(req *http.Request) bool {
	if r.Method != "" && r.Method != req.Method || !matchPath(r.Path, req.URL.EscapedPath()) {
		return false
	}
	return (r.Match == nil || r.Match(req)) && r.lucky()
}

func (r *rule) lucky() bool { return r.Chance <= 0 || rand.Float64() < r.Chance }

func (n *Node) refuses() bool { return n.cluster.faults.forAccept(n) }

package demo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// watch keeps what the driver tells of its nodes over the live part. It is for one goroutine.
type watch struct {
	nodes   []*watched // in the order in which they were met
	events  []event
	retries uint64
	base    uint64 // retries before the live part
	changed bool   // whether a node has changed since the flag was taken down
}

// watched is a node.
type watched struct {
	addr, name string
	state      string
	requests   uint64 // sent to it in class reg since the watch began: the queries, with retries
	acquired   uint64 // the driver's own count at the last look
	pools      [pool.NumClasses]pool.Stat
}

// event is something that happened.
type event struct {
	at   time.Duration
	who  string // demo: what was done; driver: what it made of that
	what string
}

// gone is the state of a node that the driver has dropped from its list.
const gone = "gone"

func newWatch(s plugins.Stats) *watch {
	w := &watch{base: s.Retries}
	for _, n := range s.Nodes {
		w.nodes = append(w.nodes, &watched{addr: n.Node.Addr, state: n.State.String(), acquired: n.Pools[pool.Reg].Acquired})
	}
	w.look(s, 0)
	slices.SortFunc(w.nodes, func(a, b *watched) int { return strings.Compare(a.name, b.name) })
	return w
}

// look takes in a picture and notes what has changed since the last one.
func (w *watch) look(s plugins.Stats, at time.Duration) {
	w.retries = s.Retries - w.base
	seen := map[*watched]bool{}
	for _, n := range s.Nodes {
		seen[w.take(n, at)] = true
	}
	for _, n := range w.nodes {
		if !seen[n] {
			w.enter(n, gone, at, nil)
			n.pools, n.acquired = [pool.NumClasses]pool.Stat{}, 0
		}
	}
}

// take takes in one node's figures.
func (w *watch) take(s plugins.NodeStats, at time.Duration) *watched {
	n := w.node(s.Node.Addr)
	n.name = nameOf(s.Node)
	w.enter(n, s.State.String(), at, s.LastErr)
	count := s.Pools[pool.Reg].Acquired
	n.requests += count - min(n.acquired, count)
	n.acquired, n.pools = count, s.Pools
	return n
}

func (w *watch) node(addr string) *watched {
	i := slices.IndexFunc(w.nodes, func(n *watched) bool { return n.addr == addr })
	if i < 0 {
		w.nodes = append(w.nodes, &watched{addr: addr})
		i = len(w.nodes) - 1
	}
	return w.nodes[i]
}

func (w *watch) enter(n *watched, state string, at time.Duration, err error) {
	if n.state == state {
		return
	}
	what := fmt.Sprintf("%s: %s -> %s", n.name, n.state, state)
	if n.state == "" {
		what = fmt.Sprintf("%s joins the list, %s", n.name, state)
	}
	if state == plugins.Dead.String() || state == plugins.Suspect.String() {
		what += cause(err)
	}
	n.state, w.changed = state, true
	w.note(at, "driver", what)
}

func (w *watch) note(at time.Duration, who, what string) {
	w.events = append(w.events, event{at: at, who: who, what: what})
}

// cause is the reason of a change in a few words.
func cause(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return " (" + errno.Error() + ")"
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if err == nil {
		return ""
	}
	return " (" + clip(err.Error(), causeWidth) + ")"
}

const causeWidth = 30 // keeps a line of the log within the screen

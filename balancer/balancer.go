// Package balancer chooses a node for each request. A [Balancer] turns the list of usable nodes into an
// immutable [Picker]; the picker is asked for every attempt, from all goroutines at once, without a lock.
//
// A balancer of one's own needs this package alone:
//
//	type first struct{}
//
//	func (first) Update(nodes []*balancer.Node) balancer.Picker { return picker(nodes) }
//
//	type picker []*balancer.Node
//
//	func (p picker) Pick(r balancer.Request) (balancer.Choice, error) {
//		for _, n := range p {
//			if !r.HasTried(n) {
//				return balancer.Choice{Node: n}, nil
//			}
//		}
//		return balancer.Choice{}, balancer.ErrNoNode
//	}
package balancer

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Node and Class are aliases, so that a balancer of one's own imports this package alone.
type (
	Node  = sampler.Node
	Class = pool.Class
)

// The classes of traffic; see package pool.
const (
	Recovery = pool.Recovery
	Bulk     = pool.Bulk
	Reg      = pool.Reg
	State    = pool.State
	Ping     = pool.Ping

	NumClasses = pool.NumClasses
)

// ErrNoNode is Pick's answer when every node it knows was tried, or it knows none.
var ErrNoNode = errors.New("balancer: no node left to pick")

// Request is what a picker is told of one attempt.
type Request struct {
	Class  Class
	Method string
	Path   string
	Key    string  // a routing key, empty when the request has none
	Tried  []*Node // nodes that this request has tried; never pick one of them
}

// HasTried reports whether the request has tried the node.
func (r *Request) HasTried(n *Node) bool { return slices.Contains(r.Tried, n) }

// Kind says how an attempt ended, as far as a balancer is concerned.
type Kind uint8

// The kinds of outcome.
const (
	OK         Kind = iota // answered, whatever the status, unless one of the next applies
	Overloaded             // answered 429 or a rejection: alive, wants less
	NodeFailed             // no connection, no answer, or 502, 503, 504
	CallerGone             // the caller's context ended: says nothing of the node
	PoolFull               // our own pool had no connection free in time: says nothing of the node
)

// String returns the kind in words, such as "node failed".
func (k Kind) String() string {
	names := [...]string{"ok", "overloaded", "node failed", "caller gone", "pool full"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Outcome is how one attempt ended.
type Outcome struct {
	Kind    Kind
	Err     error         // nil when an answer came
	Status  int           // 0 when no answer came
	Latency time.Duration // from the connection being at hand to the answer's header; 0 when none came
}

// Choice is a picked node.
type Choice struct {
	Node *Node
	// Done, when not nil, is called exactly once, when the attempt is over: for an answer that is when its
	// body was read to the end or closed. It must not block.
	Done func(Outcome)
}

// Picker picks a node for one attempt. It is called concurrently and must not block; it may keep
// counters of its own, if atomic.
type Picker interface {
	// Pick returns one of the nodes it was built from that is not in r.Tried, or ErrNoNode.
	Pick(r Request) (Choice, error)
}

// Balancer builds pickers.
type Balancer interface {
	// Update returns a picker over the usable nodes. The cluster calls it from one goroutine whenever the
	// list changes; earlier pickers may still be asked for a moment. nodes is not empty, belongs to the
	// balancer, and holds the same *Node for an unchanged node as the call before, so that figures can be kept.
	Update(nodes []*Node) Picker
}

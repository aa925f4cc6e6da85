// Package sampler keeps the list of a cluster's nodes. A [Sampler] answers one question, "who is in the
// cluster now?"; the cluster asks it at intervals and decides what to do with the answer.
//
// Three are built in: "ping" asks only the configured addresses and never learns others (right behind a
// load balancer, NAT or a container network), "sniff" asks the nodes for all nodes, "static" asks nobody.
package sampler

import "context"

// Getter fetches path from the node with GET, in class state, with the cluster's authentication and a
// connection of the node's pool where it has one. It returns any HTTP status without an error; err tells
// that no answer came. body is complete and belongs to the caller. It may be called from many goroutines.
type Getter func(ctx context.Context, n *Node, path string) (status int, body []byte, err error)

// Sampler takes samples of a cluster. The cluster calls Sample from one goroutine, never twice at a time,
// with a context that carries the deadline of the sample; a Sampler owns no timer, goroutine or HTTP client.
type Sampler interface {
	// Sample returns the present topology. prev is the topology in force: Seeds is always set, Nodes is
	// empty before the first sample, ClusterName is the expected or known name or empty when any is welcome.
	// Sample must not change prev or what it points to.
	//
	// An error, an empty or a partial answer evicts nobody: return what is known together with Partial or
	// Failures, and an error only when nothing at all was learnt.
	Sample(ctx context.Context, prev Topology, get Getter) (Topology, error)
}

package sampler

import (
	"net/url"
	"time"
)

// Node is one member of a cluster, or one address that leads to it. A Node is never changed after
// it was published in a [Topology]: readers may keep it and share it between goroutines.
// While a node stays the same (ID, EphemeralID and Addr), the cluster keeps the same *Node from
// sample to sample, so pointers may serve as keys.
type Node struct {
	ID          string // the server's node id; empty when only an address is known (GET / does not tell it)
	EphemeralID string // changes at each start of the process; empty where the server does not tell it
	Name        string // the server's node.name; empty when not known
	Addr        string // host:port as dialed; the node's key in the cluster, lower case, IPv6 in brackets
	Version     string // product version such as "8.19.7"; empty when not known

	// URL is the base of every request to the node: scheme, host and the seed's path prefix; no user info.
	URL *url.URL
	// Roles are the server's words, such as "data_hot" or "cluster_manager"; nil when not known,
	// empty but not nil for a coordinating-only node.
	Roles []string
	// Attrs are node attributes such as "zone" or "rack_id"; nil when there are none.
	Attrs map[string]string

	// ClusterName and ClusterUUID are what the node said of its cluster; empty when it did not say.
	// The cluster compares them with its own and filters a stranger out.
	ClusterName, ClusterUUID string
}

// Topology is one picture of a cluster. It is immutable once published.
type Topology struct {
	ClusterName string  // empty until the cluster is known or configured
	ClusterUUID string  // empty until the cluster is known
	Seeds       []*Node // the configured addresses as they were given, in order; a permanent floor
	Nodes       []*Node // the members that requests may be routed to
	Filtered    []*Node // reached, but of another cluster
	Failures    []Failure
	Partial     bool      // some members may be missing from Nodes; nobody is evicted because of such a picture
	At          time.Time // when the sample ended
}

// Failure tells why one address could not be sampled.
type Failure struct {
	Addr string
	Err  error
}

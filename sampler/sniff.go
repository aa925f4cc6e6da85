package sampler

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func init() { Register("sniff", newSniff) }

// DefaultFanout is how many answers a [Sniff] compares in each sample.
const DefaultFanout = 3

// Sniff is the sampler "sniff": it asks nodes for all nodes of their cluster, with GET /_nodes/_all/http,jvm
// (privilege cluster:monitor/nodes/info, part of "monitor"), and gives the addresses that these publish. It
// asks several nodes, always a seed among them, compares their answers, and asks further ones until it has as
// many answers as it wants or has asked every seed and every known node.
//
// A node that most of the answers list is a member. One that only a minority lists is taken if it was known
// before or was the one that answered, else it is a Failure with [ErrMinority]: it may be the memory of a node
// that is cut off from the others. Where less than half of the asked nodes gave a whole answer the topology is Partial
// and earlier members stay in it. Answers of a cluster of another name are not used, and who gave them is in
// Filtered; while no name is known the first seed that answers gives it.
//
// A node's URL has the scheme and path prefix of the node that told of it; a seed's is the one configured. The start
// time of its JVM serves as EphemeralID. A member whose published address cannot be used is a Failure.
// Nodes are sorted by address.
//
// The zero Sniff is ready for use, and so are its copies. Its methods may be called from many goroutines, if Resolve may.
type Sniff struct {
	// Roles are the wanted roles: a node that has one of them may be routed to. "data" takes in the data tiers,
	// "master" and "cluster_manager" mean the same, "coordinating_only" stands for no role. Empty means every
	// node but dedicated masters. Nodes that are not routed to may still be asked, if they are seeds.
	Roles []string
	// Attrs are attributes that a node must have to be routed to, with these values. Empty demands none.
	Attrs map[string]string
	// Resolve maps a member, whose Addr and URL are as published, to the URL it is reached at, for networks that
	// translate addresses. A nil URL drops the member, as the filter does; an error is its Failure, and where it was known it
	// stays as it was. Port 9200 is taken where the URL has none, user info and query are ignored. Resolve must not change the node.
	// It is called once for each member in each sample, one at a time, with the context of the sample. Nil resolves nothing.
	Resolve func(ctx context.Context, n *Node) (*url.URL, error)
	// Fanout is how many answers are wanted, and how many nodes are asked at a time. Less than 1 means DefaultFanout.
	Fanout int
}

// newSniff knows the keys roles (comma-separated), attr.NAME and fanout.
func newSniff(params url.Values) (Sampler, error) {
	if err := checkKeys("sniff", params, "attr.NAME", "fanout", "roles"); err != nil {
		return nil, err
	}
	s := Sniff{Attrs: map[string]string{}}
	for key := range params {
		if name, ok := strings.CutPrefix(key, "attr."); ok {
			s.Attrs[name] = params.Get(key)
		}
	}
	for role := range strings.SplitSeq(params.Get("roles"), ",") {
		if role = strings.ToLower(strings.TrimSpace(role)); role != "" {
			s.Roles = append(s.Roles, role)
		}
	}
	if text := params.Get("fanout"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("sampler: sniff: %w", &ParamError{Name: "fanout", Value: text, Want: "a number from 1 on"})
		}
		s.Fanout = n
	}
	return s, nil
}

// Sample asks nodes and joins their answers. The error is not nil when no member was learnt: then Nodes are
// prev's. It is a [*NoMatchError] when there are members and the filter refuses all of them: then there are no Nodes.
// Answers that are all of another cluster are no error: then Nodes has no node that gave one.
func (s Sniff) Sample(ctx context.Context, prev Topology, get Getter) (Topology, error) {
	asked := s.ask(ctx, prev, get)
	t := Topology{ClusterName: asked.expected(), ClusterUUID: prev.ClusterUUID, Seeds: prev.Seeds}
	answers := asked.judge(&t)
	r := newRoll(prev, answers, &t)
	s.call(ctx, r, answers)
	strangers := len(answers) == 0 && len(t.Filtered) > 0
	nothing := r.barren() && !strangers
	t.Partial = t.Partial || nothing
	if t.Partial {
		s.keepEarlier(r, prev)
	}
	sortByAddr(t.Nodes)
	t.At = time.Now()
	switch {
	case nothing:
		return t, noAnswer(t.Failures, ctx.Err())
	case len(t.Nodes) == 0 && len(r.rejected) > 0:
		return t, &NoMatchError{Filter: s.filter(), Seeds: prev.Seeds, Rejected: r.rejected}
	}
	return t, nil
}

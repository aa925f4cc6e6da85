package sampler

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// serverTimeout is how long a node waits for the others it asks in turn. A node that hangs then costs the
	// answer that one node, and not the whole answer.
	serverTimeout = time.Second
	// lonePatience is the patience of a sample whose context has no deadline.
	lonePatience = 2 * time.Second
)

// fields keeps an answer small: the jvm part alone is ten times the rest, and shows command lines.
// Elasticsearch before 1.6 does not know filter_path and answers in full.
const fields = "_nodes,cluster_name,nodes.*.name,nodes.*.version,nodes.*.ephemeral_id,nodes.*.roles," +
	"nodes.*.attributes,nodes.*.http_address,nodes.*.http.publish_address,nodes.*.jvm.start_time_in_millis"

// answer is what asking one node came to: members, or an error.
type answer struct {
	order   int   // the place of the asked node among the candidates
	asked   *Node // the node asked
	members *members
	err     error
	took    time.Duration
}

// round is one sample's asking.
type round struct {
	prev    Topology
	answers []answer // in the order of the candidates
}

// ask asks candidates, want at a time, until want of them have given an answer that can be used. For each that
// fails, another is asked. When patience ends the silent ones are left to it and as many others are asked beside
// them; when there are no others, the answers at hand must do. All asking has ended when ask returns.
func (s Sniff) ask(ctx context.Context, prev Topology, get Getter) round {
	nodes := candidates(prev)
	want := s.fanout()
	patience, path := pace(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tick := time.NewTicker(patience)
	defer tick.Stop()

	r := round{prev: prev}
	results := make(chan answer)
	for started, good, budget := 0, 0, want; ; {
		for ; started < min(budget, len(nodes)) && ctx.Err() == nil; started++ {
			go askOne(ctx, started, nodes[started], path, get, results)
		}
		if good >= want || len(r.answers) == started {
			return r.finish(cancel, started, patience, results)
		}
		select {
		case a := <-results:
			r.answers = append(r.answers, a)
			if a.usable(prev) {
				good++
			} else {
				budget++
			}
		case <-tick.C:
			if good > 0 && started == len(nodes) {
				return r.finish(cancel, started, patience, results)
			}
			budget += want
		}
	}
}

func (s Sniff) fanout() int {
	if s.Fanout < 1 {
		return DefaultFanout
	}
	return s.Fanout
}

// pace divides the time that is left: a quarter is how long an answer is waited for before others are asked too,
// and the server's own timeout is shorter than that.
func pace(ctx context.Context) (patience time.Duration, path string) {
	patience = lonePatience
	if deadline, ok := ctx.Deadline(); ok {
		patience = max(time.Until(deadline)/4, time.Millisecond)
	}
	server := max(min(serverTimeout, patience*4/5), time.Millisecond)
	return patience, fmt.Sprintf("/_nodes/_all/http,jvm?timeout=%dms&filter_path=%s", server.Milliseconds(), fields)
}

// candidates returns the seeds and the nodes of prev, each address once. A seed comes first, the rest is shuffled
// so that the load of sampling is spread; before anything is known it is the seeds in their order.
func candidates(prev Topology) []*Node {
	seeds := slices.Clone(prev.Seeds)
	if firstContact(prev) {
		return uniqueByAddr(append(seeds, prev.Nodes...))
	}
	rand.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
	nodes := uniqueByAddr(append(seeds, prev.Nodes...))
	rest := nodes[min(1, len(nodes)):]
	rand.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return nodes
}

func askOne(ctx context.Context, order int, n *Node, path string, get Getter, results chan<- answer) {
	begin := time.Now()
	m, err := askMembers(ctx, n, path, get)
	results <- answer{order: order, asked: n, members: m, err: err, took: time.Since(begin)}
}

// usable reports whether the answer counts as one of those wanted.
func (a *answer) usable(prev Topology) bool {
	return a.err == nil && !foreign(prev.ClusterName, a.members.ClusterName)
}

// foreign reports whether a cluster of that name is not the expected one; an empty name does not tell.
func foreign(expected, name string) bool {
	return expected != "" && name != "" && name != expected
}

// finish ends what is still being asked and puts the answers in order. A node that was cut off before patience
// ended has not failed.
func (r *round) finish(cancel func(), started int, patience time.Duration, results <-chan answer) round {
	cancel()
	for left := started - len(r.answers); left > 0; left-- {
		a := <-results
		switch {
		case a.err == nil:
			r.answers = append(r.answers, a)
		case a.took >= patience:
			a.err = fmt.Errorf("sampler: no answer within %s: %w", patience, a.err)
			r.answers = append(r.answers, a)
		}
	}
	slices.SortFunc(r.answers, func(a, b answer) int { return a.order - b.order })
	return *r
}

// firstContact reports whether no cluster is known: no name, and no node that told one.
func firstContact(prev Topology) bool {
	told := func(n *Node) bool { return n.ClusterName != "" }
	return prev.ClusterName == "" && !slices.ContainsFunc(prev.Nodes, told)
}

// expected returns the name that an answer's cluster must have. At first contact it is that of the first answer in
// the order of the seeds. Later an empty one means that any is welcome.
func (r *round) expected() string {
	if !firstContact(r.prev) {
		return r.prev.ClusterName
	}
	for _, a := range r.answers {
		if a.err == nil && a.members.ClusterName != "" {
			return a.members.ClusterName
		}
	}
	return ""
}

// judge returns the answers to use, notes in t who failed or is of another cluster, and whether t is partial.
func (r *round) judge(t *Topology) []answer {
	var good []answer
	whole, failed := 0, 0
	k := newKnown(r.prev)
	for _, a := range r.answers {
		switch {
		case a.err != nil:
			failed++
			t.Failures = append(t.Failures, Failure{Addr: a.asked.Addr, Err: a.err})
		case foreign(t.ClusterName, a.members.ClusterName):
			t.Filtered = append(t.Filtered, k.keep(stranger(a)))
		default:
			good = append(good, a)
			if a.members.whole() {
				whole++
			}
		}
	}
	t.Partial = whole < failed || whole == 0 && len(good) > 0
	if t.ClusterName == "" && len(good) > 0 {
		t.ClusterName = good[0].members.ClusterName
	}
	return good
}

// stranger returns the asked node as a member of the cluster that it told of.
func stranger(a answer) *Node {
	n := *a.asked
	n.ClusterName, n.ClusterUUID = a.members.ClusterName, ""
	return &n
}

package sampler

import (
	"context"
	"net/url"
	"time"
)

func init() { Register("static", newStatic) }

// Static is the sampler "static": the nodes are the seeds, each address once, and nobody is asked. It sends no
// request and needs no privilege, never fails and never learns a name, version or cluster. It has no parameters.
// Its methods may be called from many goroutines.
type Static struct{}

func newStatic(params url.Values) (Sampler, error) {
	return Static{}, checkKeys("static", params)
}

// Sample returns prev's seeds as the nodes; get is not called.
func (Static) Sample(_ context.Context, prev Topology, _ Getter) (Topology, error) {
	t := Topology{ClusterName: prev.ClusterName, ClusterUUID: prev.ClusterUUID, Seeds: prev.Seeds}
	k := newKnown(prev)
	for _, seed := range uniqueByAddr(prev.Seeds) {
		t.Nodes = append(t.Nodes, k.keep(seed))
	}
	t.At = time.Now()
	return t, nil
}

package samplertest_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/esdriver/esdriver/sampler"
	"github.com/esdriver/esdriver/sampler/samplertest"
)

// listed is a sampler of nodes that are written down somewhere.
type listed []string

func (l listed) Sample(ctx context.Context, prev sampler.Topology, _ sampler.Getter) (sampler.Topology, error) {
	if ctx.Err() != nil {
		return prev, ctx.Err()
	}
	known := map[string]*sampler.Node{}
	for _, n := range prev.Nodes {
		known[n.Addr] = n
	}
	next := prev
	next.Nodes = nil
	for _, addr := range l {
		n := known[addr] // a node that is there already keeps its pointer, and with it its connections
		if n == nil {
			n = &sampler.Node{Addr: addr, URL: &url.URL{Scheme: "http", Host: addr}}
		}
		next.Nodes = append(next.Nodes, n)
	}
	return next, nil
}

// conformance is the whole of a test of the sampler: func TestListed(t *testing.T) { conformance(t) }.
func conformance(t *testing.T) {
	samplertest.Run(t, func() sampler.Sampler { return listed{"10.0.0.1:9200", "10.0.0.2:9200"} })
}

// The suite is run from a test; here the sampler is asked by hand what the suite asks it first.
func ExampleRun() {
	first, err := listed{"10.0.0.1:9200"}.Sample(context.Background(), sampler.Topology{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := listed{"10.0.0.1:9200", "10.0.0.2:9200"}.Sample(context.Background(), first, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(second.Nodes), "nodes, the first one kept:", first.Nodes[0] == second.Nodes[0])
	// Output: 2 nodes, the first one kept: true
}

package sampler_test

import (
	"context"
	"fmt"
	"net/url"

	"github.com/esdriver/esdriver/sampler"
)

// clusterOfThree stands for a cluster that answers.
func clusterOfThree(context.Context, *sampler.Node, string) (int, []byte, error) {
	return 200, []byte(`{"cluster_name":"prod","nodes":{
		"a":{"roles":["master"],"http":{"publish_address":"10.0.0.1:9200"}},
		"b":{"roles":["data"],"attributes":{"zone":"east"},"http":{"publish_address":"10.0.0.2:9200"}},
		"c":{"roles":["data"],"attributes":{"zone":"west"},"http":{"publish_address":"10.0.0.3:9200"}}}}`), nil
}

func ExampleSniff() {
	seed := &sampler.Node{Addr: "es.example.com:9200", URL: &url.URL{Scheme: "https", Host: "es.example.com:9200"}}
	prev := sampler.Topology{Seeds: []*sampler.Node{seed}}

	t, err := sampler.Sniff{Attrs: map[string]string{"zone": "east"}}.Sample(context.Background(), prev, clusterOfThree)
	fmt.Println(t.ClusterName, err)
	for _, n := range t.Nodes {
		fmt.Println(n.ID, n.URL, n.Roles)
	}
	// Output:
	// prod <nil>
	// b https://10.0.0.2:9200 [data]
}

// A sampler of one's own is registered in an init function; this one's members are listed by a service that is no
// part of the cluster.
func init() {
	sampler.Register("inventory", func(params url.Values) (sampler.Sampler, error) {
		return inventory{zone: params.Get("zone")}, nil
	})
}

func ExampleNew() {
	s, _ := sampler.New("inventory", url.Values{"zone": {"east"}})
	t, _ := s.Sample(context.Background(), sampler.Topology{}, nil)
	fmt.Println(t.Nodes[0].Addr)
	// Output: es-east.example.com:9200
}

type inventory struct{ zone string }

func (i inventory) Sample(_ context.Context, prev sampler.Topology, _ sampler.Getter) (sampler.Topology, error) {
	addr := "es-" + i.zone + ".example.com:9200"
	n := &sampler.Node{Addr: addr, URL: &url.URL{Scheme: "https", Host: addr}}
	return sampler.Topology{ClusterName: prev.ClusterName, Seeds: prev.Seeds, Nodes: []*sampler.Node{n}}, nil
}

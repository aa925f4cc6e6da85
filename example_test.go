package esdriver_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/pool"
)

// fake starts a cluster inside the process and returns its DSN, for examples that run without a server.
func fake() (dsn string, stop func()) {
	cluster, err := fakecluster.Start(fakecluster.Nodes(3))
	if err != nil {
		log.Fatal(err)
	}
	return cluster.DSN(), cluster.Close
}

// A Cluster is an http.RoundTripper: it runs under any client. Scheme and host of a URL do not matter.
func ExampleOpen() {
	dsn, stop := fake()
	defer stop()

	config, err := esdriver.ParseDSN(dsn)
	if err != nil {
		log.Fatal(err)
	}
	cluster, err := esdriver.Open(config)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close(context.Background())

	client := &http.Client{Transport: cluster}
	resp, err := client.Get("http://cluster/_cluster/health")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	fmt.Println(len(cluster.Topology().Nodes), "nodes of cluster", cluster.Topology().ClusterName)
	// Output:
	// 200 OK
	// 3 nodes of cluster fake
}

// A Handle is for several requests to one node.
func ExampleCluster_Acquire() {
	dsn, stop := fake()
	defer stop()
	config, err := esdriver.ParseDSN(dsn)
	if err != nil {
		log.Fatal(err)
	}
	cluster, err := esdriver.Open(config)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close(context.Background())

	handle, err := cluster.Acquire(context.Background(), pool.State)
	if err != nil {
		log.Fatal(err)
	}
	defer handle.Release()
	for range 2 {
		req, _ := http.NewRequest(http.MethodGet, "/_cluster/health", nil)
		resp, err := handle.RoundTrip(req)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
		fmt.Println(handle.Class(), resp.Request.URL.Host == handle.Node().Addr)
	}
	// Output:
	// state true
	// state true
}

// What is wrong with a DSN is said together with what would be right.
func ExampleParseDSN() {
	for _, dsn := range []string{
		"elasticsearch://h1,h2:9201?sampler=sniff&timeout=10s",
		"elasticsearch://h1?time_out=10s",
		"elasticsearch://h1?pool.reg=0",
	} {
		config, err := esdriver.ParseDSN(dsn)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(config.Seeds, config.SamplerName, config.Timeout)
	}
	// Output:
	// [h1:9200 h2:9201] sniff 10s
	// esdriver: time_out: unknown key; did you mean timeout?
	// esdriver: pool.reg: got "0": want a whole number from 1 to 65535
}

// A Config prints without its secrets; FormatDSN is the way to have them.
func ExampleConfig_FormatDSN() {
	config := esdriver.Config{
		Flavor: esdriver.OpenSearch, Seeds: []string{"h1", "h2"}, User: "reader", Password: "p@ss", TLS: true,
	}
	fmt.Println(config)
	fmt.Println(config.FormatDSN())
	// Output:
	// opensearch://reader:xxxxx@h1:9200,h2:9200?tls=true
	// opensearch://reader:p%40ss@h1:9200,h2:9200?tls=true
}

// first is a balancer that stays with the first node as long as it can.
type first struct{}

func (first) Update(nodes []*balancer.Node) balancer.Picker { return inOrder(nodes) }

type inOrder []*balancer.Node

func (nodes inOrder) Pick(r balancer.Request) (balancer.Choice, error) {
	for _, n := range nodes {
		if !r.HasTried(n) {
			return balancer.Choice{Node: n}, nil
		}
	}
	return balancer.Choice{}, balancer.ErrNoNode
}

func init() {
	balancer.Register("first", func(url.Values) (balancer.Balancer, error) { return first{}, nil })
}

// A balancer of one's own is put into the Config, or registered and named in the DSN.
func ExampleConfig_balancer() {
	dsn, stop := fake()
	defer stop()
	config, err := esdriver.ParseDSN(dsn + "?balancer=first")
	if err != nil {
		log.Fatal(err)
	}
	cluster, err := esdriver.Open(config)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close(context.Background())

	req, _ := http.NewRequest(http.MethodGet, "/index/_search", nil)
	explanation := cluster.Explain(req)
	fmt.Println(explanation.Class, explanation.Idempotent, explanation.Picked == cluster.Topology().Nodes[0])
	// Output: reg true true
}

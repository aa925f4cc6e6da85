package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/opensearch-project/opensearch-go/v4/opensearchtransport"

	"github.com/esdriver/esdriver"
)

// client sends requests whose URL has a path alone.
type client struct {
	send  func(*http.Request) (*http.Response, error)
	close func()
}

// patience is how long the tuned clients wait for an answer's header.
const patience = 2 * time.Second

// clients are those that are compared: each as it comes, and with the settings that its documentation offers for
// nodes that do not answer.
var clients = map[string]func([]*url.URL) (client, error){
	"esdriver":                func(nodes []*url.URL) (client, error) { return ours(nodes, "") },
	"esdriver-tuned":          func(nodes []*url.URL) (client, error) { return ours(nodes, "?attempt_timeout="+patience.String()) },
	"elastic-transport":       func(nodes []*url.URL) (client, error) { return elastic(nodes, false) },
	"elastic-transport-tuned": func(nodes []*url.URL) (client, error) { return elastic(nodes, true) },
	"opensearch-go": func(nodes []*url.URL) (client, error) {
		return opensearch(opensearchtransport.Config{URLs: nodes})
	},
	"opensearch-go-tuned": func(nodes []*url.URL) (client, error) {
		return opensearch(opensearchtransport.Config{URLs: nodes, Transport: tuned()})
	},
}

func clientNames() []string { return slices.Sorted(maps.Keys(clients)) }

func newClient(name string, addrs []string) (client, error) {
	open, ok := clients[name]
	if !ok {
		return client{}, fmt.Errorf("no such client (known: %s)", strings.Join(clientNames(), ", "))
	}
	nodes := make([]*url.URL, len(addrs))
	for i, addr := range addrs {
		var err error
		if nodes[i], err = url.Parse(addr); err != nil {
			return client{}, err
		}
	}
	return open(nodes)
}

func ours(nodes []*url.URL, keys string) (client, error) {
	hosts := make([]string, len(nodes))
	for i, n := range nodes {
		hosts[i] = n.Host
	}
	cfg, err := esdriver.ParseDSN("http://" + strings.Join(hosts, ",") + keys)
	if err != nil {
		return client{}, err
	}
	c, err := esdriver.Open(cfg)
	if err != nil {
		return client{}, err
	}
	return client{c.RoundTrip, func() { _ = c.Close(context.Background()) }}, nil
}

func elastic(nodes []*url.URL, tune bool) (client, error) {
	//lint:ignore SA1019 the constructor that most programs use
	cfg := elastictransport.Config{URLs: nodes}
	if tune {
		cfg.Transport, cfg.RetryOnStatus = tuned(), []int{429, 502, 503, 504}
	}
	//lint:ignore SA1019 the same
	c, err := elastictransport.New(cfg)
	if err != nil {
		return client{}, err
	}
	return client{c.Perform, func() { _ = c.Close(context.Background()) }}, nil
}

func opensearch(cfg opensearchtransport.Config) (client, error) {
	c, err := opensearchtransport.New(cfg)
	if err != nil {
		return client{}, err
	}
	//lint:ignore SA1019 what its API calls used in every version so far
	return client{c.Perform, func() { _ = c.Close() }}, nil
}

// tuned keeps connections, and does not wait for ever.
func tuned() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	t.ResponseHeaderTimeout = patience
	return t
}

package cluster

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/sampler"
)

// What others have written is called here: a panic of theirs is an error to report, and what makes no sense is left out.

// caught turns a panic into an error, counts it and tells it. It is to be deferred.
func (c *Cluster) caught(who string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("cluster: %s panicked: %v", who, r)
		c.panicked(*err)
	}
}

// askPicker picks a node.
func (c *Cluster) askPicker(p balancer.Picker, q balancer.Request) (choice balancer.Choice, err error) {
	defer c.caught("the balancer's Pick", &err)
	return p.Pick(q)
}

// askBalancer makes a picker; nil when the balancer has none to give.
func (c *Cluster) askBalancer(nodes []*sampler.Node) (p balancer.Picker) {
	var err error
	defer c.caught("the balancer's Update", &err)
	if p = c.cfg.Balancer.Update(nodes); p == nil {
		c.trouble(errors.New("cluster: the balancer's Update gave no picker"))
	}
	return p
}

// tellPicker hands an outcome to the balancer.
func (c *Cluster) tellPicker(done func(balancer.Outcome), o balancer.Outcome) {
	var err error
	defer c.caught("the balancer's Done", &err)
	done(o)
}

// askAuthorize sets credentials on a request.
func (c *Cluster) askAuthorize(req *http.Request) (err error) {
	defer c.caught("Authorize", &err)
	return c.cfg.Authorize(req)
}

// proper returns the nodes of a sample that can be used, each address once.
func (c *Cluster) proper(nodes []*sampler.Node) []*sampler.Node {
	good := make([]*sampler.Node, 0, len(nodes))
	seen := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		if why := flaw(n); why != "" {
			c.trouble(fmt.Errorf("cluster: the sampler gave %s; it is left out", why))
			continue
		}
		if !seen[n.Addr] {
			seen[n.Addr] = true
			good = append(good, n)
		}
	}
	return good
}

// flaw says what makes a node useless; empty when it can be used.
func flaw(n *sampler.Node) string {
	switch {
	case n == nil:
		return "a nil node"
	case n.Addr == "":
		return fmt.Sprintf("a node without an address (name %q)", n.Name)
	case n.URL == nil || n.URL.Host == "" || n.URL.Scheme != "http" && n.URL.Scheme != "https":
		return fmt.Sprintf("node %s without a URL of http://host:port or https://host:port", n.Addr)
	}
	return ""
}

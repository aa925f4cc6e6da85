package fakecluster

import (
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
)

// Flavor is the server the cluster pretends to be.
type Flavor string

// The two flavors. They differ in GET /, headers, error shapes, SQL and points in time.
const (
	Elasticsearch Flavor = "elasticsearch"
	OpenSearch    Flavor = "opensearch"
)

// Option configures a cluster before it starts. Options are applied in order; the last one wins.
type Option func(*config)

// NodeOption configures one node.
type NodeOption func(*nodeConfig)

type config struct {
	flavor      Flavor
	version     string
	name        string
	inMemory    bool
	nodes       int
	tls         *tls.Config
	credentials []string // values of the Authorization header that are let in; empty: everybody is
	engine      SQLEngine
	keep        int
	perNode     map[int][]NodeOption
}

type nodeConfig struct {
	name  string
	addr  string
	roles []string
	attrs map[string]string
}

// Nodes sets how many nodes the cluster starts with. The default is 3; zero or less makes Start fail.
func Nodes(n int) Option { return func(c *config) { c.nodes = n } }

// Product sets the flavor. The default is [Elasticsearch]. Without [Version] the version is 8.19.7
// (Elasticsearch) or 2.19.6 (OpenSearch), the recorded ones.
func Product(f Flavor) Option { return func(c *config) { c.flavor = f } }

// Version sets the version the nodes report, "8.19.7" by default. Behaviour follows it where the
// recordings differ: X-Elastic-Product from 7.14, media types from 8.0, points in time.
func Version(v string) Option { return func(c *config) { c.version = v } }

// ClusterName sets the cluster's name, "fake" by default.
func ClusterName(name string) Option { return func(c *config) { c.name = name } }

// InMemory replaces the loopback sockets by pipes that only [Cluster.DialContext] reaches. All waiting
// is then on channels, so the cluster works inside a testing/synctest bubble it was started in.
func InMemory() Option { return func(c *config) { c.inMemory = true } }

// TLS makes the nodes speak https with the configuration, which must hold a certificate. It is cloned.
func TLS(cfg *tls.Config) Option { return func(c *config) { c.tls = cfg.Clone() } }

// Credentials demands this user and password (basic authentication) of every request; others are
// answered 401. It may be given several times and together with [APIKey].
func Credentials(user, password string) Option {
	return func(c *config) { c.credentials = append(c.credentials, basic(user, password)) }
}

// APIKey demands this API key, in the encoded form that follows the word ApiKey in the header.
func APIKey(encoded string) Option {
	return func(c *config) { c.credentials = append(c.credentials, "ApiKey "+encoded) }
}

// SQL sets the engine behind /_sql and /_plugins/_sql. Without one every statement is answered 400.
func SQL(engine SQLEngine) Option { return func(c *config) { c.engine = engine } }

// KeepRequests bounds the request log to the last n requests, for long loads. The default is 100000;
// zero or less keeps none.
func KeepRequests(n int) Option { return func(c *config) { c.keep = max(n, 0) } }

// ForNode applies options to the i-th node (from 0) that the cluster starts with.
func ForNode(i int, opts ...NodeOption) Option {
	return func(c *config) { c.perNode[i] = append(c.perNode[i], opts...) }
}

// Name sets the node's name; the default is node-0, node-1 and so on.
func Name(name string) NodeOption { return func(n *nodeConfig) { n.name = name } }

// Addr sets the node's listening address; the default is 127.0.0.1:0.
// Only loopback addresses are sensible: the fake answers anybody who can reach it.
func Addr(addr string) NodeOption { return func(n *nodeConfig) { n.addr = addr } }

// Roles sets the node's roles.
func Roles(roles ...string) NodeOption {
	return func(n *nodeConfig) { n.roles = append([]string{}, roles...) }
}

// Attrs adds attributes to the node.
func Attrs(attrs map[string]string) NodeOption {
	return func(n *nodeConfig) { maps.Copy(n.attrs, attrs) }
}

func newConfig(opts []Option) (*config, error) {
	c := &config{flavor: Elasticsearch, name: "fake", nodes: 3, keep: 100_000, perNode: map[int][]NodeOption{}}
	for _, o := range opts {
		o(c)
	}
	if c.version == "" {
		c.version = map[Flavor]string{Elasticsearch: "8.19.7", OpenSearch: "2.19.6"}[c.flavor]
	}
	return c, c.check()
}

func (c *config) check() error {
	switch {
	case c.flavor != Elasticsearch && c.flavor != OpenSearch:
		return fmt.Errorf("fakecluster: unknown flavor %q (known: elasticsearch, opensearch)", c.flavor)
	case c.nodes < 1:
		return fmt.Errorf("fakecluster: a cluster needs a node, got %d", c.nodes)
	}
	_, err := parseRelease(c.version)
	return err
}

// nodeConfig returns the configuration of the i-th node.
func (c *config) node(i int, opts []NodeOption) *nodeConfig {
	n := &nodeConfig{name: fmt.Sprintf("node-%d", i), addr: "127.0.0.1:0", attrs: map[string]string{}}
	for _, o := range append(slices.Clone(c.perNode[i]), opts...) {
		o(n)
	}
	return n
}

package esdriver

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/dsn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Flavor says which product a cluster runs.
type Flavor uint8

// The flavours.
const (
	FlavorAuto    Flavor = iota // found out at the first answer
	Elasticsearch               // Elasticsearch
	OpenSearch                  // OpenSearch
)

// String returns the flavour as the DSN's scheme spells it; "auto" stands for http and https.
func (f Flavor) String() string {
	names := [...]string{"auto", dsn.Elasticsearch, dsn.OpenSearch}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("flavor(%d)", uint8(f))
}

// Config says how a cluster is reached and how statements are run on it. Seeds is all it needs:
//
//	cluster, err := esdriver.Open(esdriver.Config{Seeds: []string{"h1:9200", "h2:9200"}})
//
// The DSN is a way to write it: what a field means, its DSN key says too. A field's zero value means its
// documented default; a negative value means "off" where the field's text says so and is an error elsewhere. In
// the DSN, 0 stands for off. [ParseDSN] fills only the fields whose keys are given.
//
// A Config is a plain value: those who keep one ([NewConnector], [Open]) take a deep copy.
type Config struct {
	// Flavor is the product, and the DSN's scheme. Default FlavorAuto.
	Flavor Flavor
	// Seeds are the nodes to begin with, host or host:port; the port is 9200 by default, IPv6 stands in
	// brackets. They stay candidates for ever, whatever the sampler finds. At least one is needed.
	Seeds []string
	// Prefix is a path before every request's path, such as "/search", for a cluster behind a reverse proxy.
	Prefix string

	// User and Password are sent as basic authentication. At most one of User, APIKey, Bearer and Authorize may
	// be set; it goes with every request, probes and samples included, but not with one that brings an
	// Authorization header of its own.
	User, Password string
	// APIKey is an API key: id:key, or the servers' encoded form. DSN key api_key.
	APIKey string
	// Bearer is a token. DSN key bearer.
	Bearer string
	// Authorize sets credentials on each request, just before it is sent: for tokens that change. The context is
	// the request's. It is called from many goroutines; its error ends the attempt, nothing sent. Go only.
	Authorize func(context.Context, *http.Request) error

	// TLS encrypts connections. DSN key tls, and the scheme https. Default false.
	TLS bool
	// TLSSkipVerify encrypts without checking who answers; it is of use in tests. DSN key tls=skip-verify.
	TLSSkipVerify bool
	// TLSCA is a PEM file of authorities to trust instead of the system's. DSN key tls.ca.
	TLSCA string
	// TLSCert and TLSKey are PEM files of the client's certificate and its key. DSN keys tls.cert and tls.key.
	TLSCert, TLSKey string
	// TLSFingerprint is the SHA-256 of a certificate in the server's chain, in hexadecimal, colons allowed: the
	// chain is trusted if one matches, whoever signed it. DSN key tls.fingerprint.
	TLSFingerprint string
	// TLSServerName is the name that the server's certificate must bear. Default: the node's host. DSN key
	// tls.servername.
	TLSServerName string
	// TLSConfig replaces TLSSkipVerify, TLSCA, TLSCert, TLSKey and TLSServerName. It needs TLS. Go only.
	TLSConfig *tls.Config

	// ClusterName is the name that nodes must give as their cluster's; a node of another cluster gets no
	// requests. Default "": the first name seen. DSN key cluster.
	ClusterName string
	// IgnoreClusterName takes nodes of any cluster. DSN key cluster.ignore_name.
	IgnoreClusterName bool

	// SamplerName is a registered sampler: ping (the seeds and nothing else), sniff (the nodes tell of each
	// other), static (nobody is asked), or one of [sampler.Register]. Default ping. DSN key sampler.
	SamplerName string
	// SamplerParams go to the sampler's constructor, one value each. DSN keys sampler.*, sampler.roles included.
	SamplerParams url.Values
	// Sampler is used instead of a registered one, and by one cluster alone. Go only.
	Sampler sampler.Sampler
	// SampleEvery is the pause between two samples of the topology, with jitter. Default 5 s; negative: one
	// sample at start and none after. DSN key sampler.interval.
	SampleEvery time.Duration
	// SampleTimeout bounds a sample and each probe. Default 5 s. DSN key sampler.timeout.
	SampleTimeout time.Duration

	// BalancerName is a registered balancer: leastbusy, roundrobin, zone, or one of [balancer.Register]. Default
	// leastbusy. DSN key balancer.
	BalancerName string
	// BalancerParams go to the balancer's constructor, one value each. DSN keys balancer.*.
	BalancerParams url.Values
	// Balancer is used instead of a registered one, and by one cluster alone. Go only.
	Balancer balancer.Balancer

	// PoolSizes are the connections that each class has for itself on each node. Zero for a class means
	// [pool.DefaultSizes]' 2, 3, 6, 1, 1. Negative means none, which only recovery and bulk can do without:
	// they use another class's then. DSN keys pool.recovery, pool.bulk, pool.reg, pool.state, pool.ping.
	PoolSizes pool.Sizes
	// PoolShared is how many further connections of a node any class may borrow. Default 32; negative: none, so
	// that PoolSizes is exact. DSN key pool.shared.
	PoolShared int32
	// PoolWait bounds the waiting for a connection. Default 30 s; negative: the context alone does. DSN key
	// pool.wait.
	PoolWait time.Duration
	// PoolMaxIdle is how long an unused connection is kept, with jitter. Default 60 s; negative: for ever. DSN
	// key pool.max_idle.
	PoolMaxIdle time.Duration
	// PoolMaxLifetime is how old a connection gets, with jitter. Default 5 min; negative: no limit. DSN key
	// pool.max_lifetime.
	PoolMaxLifetime time.Duration
	// PoolWarm says what is dialed when a node joins: none, light (one connection) or full (every class's own).
	// Default none. DSN key pool.warm.
	PoolWarm string

	// Class is the class of every request whose context names none. Default nil: by method and path. DSN key
	// class.
	Class *pool.Class
	// Timeout bounds a whole request, all attempts and the body included. Default 0: the context alone does. DSN
	// key timeout.
	Timeout time.Duration
	// AttemptTimeout bounds one attempt up to the answer's header, and each pause within its body. Default 30 s;
	// negative: none. DSN key attempt_timeout.
	AttemptTimeout time.Duration
	// DialTimeout bounds one dial: TCP, proxy and TLS together. Default 5 s. DSN key dial_timeout.
	DialTimeout time.Duration
	// NoRetry makes one attempt, whatever happens. DSN key retry=false.
	NoRetry bool
	// RetryBudget is how many retries there may be, as a share of requests, at most 1; ten a second are free.
	// Default 0.2; negative: the free ones alone. DSN key retry.budget.
	RetryBudget float64
	// DialContext replaces the dialer; TLS is put on top of its connections. DialTimeout applies. Go only.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Proxy returns the HTTP proxy for a node's URL, nil for none. Default: the environment's (HTTP_PROXY,
	// HTTPS_PROXY, NO_PROXY). Go only.
	Proxy func(*url.URL) (*url.URL, error)
	// Compress sends request bodies over 1 KiB gzipped. DSN key compress.
	Compress bool

	// FetchSize is how many rows a page holds. Default 1000; negative: no paging, and with that no more rows than
	// the server gives at once. DSN key fetch_size.
	FetchSize int
	// MaxOffset is the largest OFFSET on Elasticsearch, whose SQL has none: so many rows are read and dropped.
	// Default 10,000; negative: no limit. DSN key max_offset.
	MaxOffset int64
	// StrictLimits makes a SELECT fail with a [*LimitError], after its last row, when the server has probably cut
	// the result: it has just as many rows as OpenSearch, or ES|QL, gives at most for such a statement. DSN key
	// strict_limits.
	StrictLimits bool
	// TimeZone is the zone that the server reckons dates in: an IANA name or an offset such as +05:30. Default
	// UTC. DSN key time_zone.
	TimeZone string
	// Catalog is the cluster that tables without one belong to: Elasticsearch's, for cross-cluster SQL. DSN key
	// catalog.
	Catalog string
	// Arrays says what a field with several values becomes: error, first (the first value), or json (all, as
	// JSON text). Default error. DSN key arrays; field_multi_value_leniency=true is first.
	Arrays string
	// Refresh says when a write becomes visible to searches: wait_for (the statement waits for it), true (at
	// once, at a cost), false (within the index's refresh interval). Default wait_for. DSN key refresh.
	Refresh string
	// Tx says what BEGIN does: error, or noop (transactions are accepted and protect nothing). Default error. DSN
	// key tx.
	Tx string
	// AllowFullTable lets UPDATE and DELETE without WHERE change every row; [WithFullTable] does so for a context.
	// Otherwise they fail, and change nothing. TRUNCATE is not concerned. DSN key allow_full_table.
	AllowFullTable bool
	// DDLUnsupported says what becomes of what a search engine cannot keep, such as UNIQUE, foreign keys, CHECK and
	// CREATE INDEX: error, or ignore. Default error. DSN key ddl_unsupported.
	DDLUnsupported string
	// NoRealtimeGet sends a SELECT by primary key alone through SQL too, instead of reading the document itself,
	// which sees writes at once. DSN key realtime_get=false.
	NoRealtimeGet bool

	// Logger is told of changes of the topology (info), failures of nodes (warn) and attempts (debug); never of
	// secrets. Default nil: silence. Go only; the DSN key log takes none alone.
	Logger *slog.Logger
	// Hooks watch the cluster, change requests, or both; see package plugins. Go only.
	Hooks []plugins.Hook
}

// Clone returns a deep copy. What is behind an interface, a function or Logger is shared.
func (c Config) Clone() Config {
	c.Seeds = slices.Clone(c.Seeds)
	c.SamplerParams = cloneParams(c.SamplerParams)
	c.BalancerParams = cloneParams(c.BalancerParams)
	c.Hooks = slices.Clone(c.Hooks)
	c.TLSConfig = c.TLSConfig.Clone()
	if c.Class != nil {
		c.Class = new(*c.Class)
	}
	return c
}

func cloneParams(params url.Values) url.Values {
	clone := maps.Clone(params)
	for name, values := range clone {
		clone[name] = slices.Clone(values)
	}
	return clone
}

// String returns the DSN with every secret as xxxxx: the password, the API key, the token, and what goes to a
// sampler or balancer under a name that sounds like one. Go-only fields do not show.
func (c Config) String() string { return c.format(redacted) }

// GoString is String, so that %#v hides secrets too.
func (c Config) GoString() string { return "esdriver.Config(" + c.String() + ")" }

// LogValue is String, so that package slog hides secrets too.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

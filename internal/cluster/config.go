package cluster

import (
	"net/http"
	"net/url"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Config says how a cluster is reached. Open takes it as it is: defaults are the caller's work, so a zero
// duration means what the field says and not a default.
type Config struct {
	Seeds       []*url.URL // base URLs: scheme, host:port, path prefix; user info is not looked at
	ClusterName string     // expected name; empty takes the first that answers
	IgnoreName  bool       // takes nodes of any cluster name and UUID

	Sampler       sampler.Sampler
	SampleEvery   time.Duration // pause between samples; zero or less: one sample at start only
	SampleTimeout time.Duration // bounds a sample, and each probe

	Balancer balancer.Balancer

	Sizes        pool.Sizes
	Shared       int32
	PoolWait     time.Duration // waiting for a connection; zero or less: as long as the context allows
	MaxIdle      time.Duration
	MaxLifetime  time.Duration
	Warm         Warm
	Dialer       *httpconn.Dialer
	DefaultClass *pool.Class // the class of every request that the context does not class; nil: by method and path

	Timeout        time.Duration // a whole request to its last byte; zero or less: the context's
	AttemptTimeout time.Duration // one attempt to its header, then each pause within its body; zero or less: none
	Compress       bool          // gzips request bodies of known length over 1 KiB that have no Content-Encoding
	NoRetry        bool          // one attempt, whatever happens
	RetryBudget    float64       // retries as a share of requests

	// Authorize sets credentials on a request that is about to be sent; nil sets none. An Authorization
	// header of the caller's own goes before it: it is then not called.
	Authorize func(*http.Request) error
	Hooks     []plugins.Hook
}

// Warm says how many connections are dialed when a node joins.
type Warm uint8

// The ways to warm a node.
const (
	WarmNone  Warm = iota // none but the probe's
	WarmLight             // one of class reg
	WarmFull              // every class's own
)

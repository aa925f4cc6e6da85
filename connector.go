package esdriver

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/dsn"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/plugins/slogger"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

var (
	_ driver.Connector = (*Connector)(nil)
	_ io.Closer        = (*Connector)(nil)
)

// closeWait is how long Connector.Close lets requests end that are still under way.
const closeWait = 5 * time.Second

// Connector makes sessions on one cluster, which it opens when it is first needed. sql.OpenDB takes a Connector, and
// closing the *sql.DB closes it. All methods may be called from many goroutines.
type Connector struct {
	cfg    Config         // with its defaults filled in
	inner  cluster.Config // the same for the cluster
	shared bool           // opened belongs to somebody else

	turn   chan struct{} // full while opened and closed are held; unlike a mutex, a context can end the wait for it
	opened *Cluster
	closed bool

	sql statements
}

// NewConnector checks the Config, reads its certificates, makes its sampler and balancer, and connects nothing. The
// error is a [*ConfigError].
func NewConnector(c Config) (*Connector, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.resolved()
	inner, err := c.inner()
	if err != nil {
		return nil, err
	}
	return &Connector{cfg: c, inner: inner, turn: make(chan struct{}, 1)}, nil
}

// Driver returns the driver.
func (*Connector) Driver() driver.Driver { return &Driver{} }

// Connect makes a session. The first one opens the cluster, as Cluster does; the session itself costs no request.
// database/sql calls it.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	cl, err := c.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	return c.sql.conn(cl, c.cfg)
}

// Cluster returns the connector's cluster, which closes with the connector. The first call opens it and returns after
// the first sample, or without one when the context ends or SampleTimeout is over. It fails with ErrClosed after
// Close, or with the error of a context that ends while another call opens the cluster.
func (c *Connector) Cluster(ctx context.Context) (*Cluster, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	switch {
	case c.closed:
		return nil, ErrClosed
	case ctx.Err() != nil: // the select above may have taken the turn all the same
		return nil, context.Cause(ctx)
	}
	if c.opened == nil {
		inner, err := cluster.Open(ctx, c.inner)
		if err != nil {
			return nil, &ConfigError{Key: "seeds", Err: err}
		}
		c.opened = &Cluster{inner: inner, cfg: c.cfg}
	}
	return c.opened, nil
}

// Close closes the cluster, if it was opened: requests that are under way have 5 seconds to end and are cut then, which
// is an error. Further calls do nothing.
func (c *Connector) Close() error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	first := !c.closed
	c.closed = true
	c.sql.close()
	if !first || c.shared || c.opened == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return c.opened.Close(ctx)
}

// inner returns what the Config, its defaults filled in, means to the cluster.
func (c *Config) inner() (cluster.Config, error) {
	inner := cluster.Config{
		ClusterName: c.ClusterName, IgnoreName: c.IgnoreClusterName,
		SampleEvery: c.SampleEvery, SampleTimeout: c.SampleTimeout,
		Sizes: c.sizes(), Shared: max(c.PoolShared, 0), PoolWait: c.PoolWait,
		MaxIdle: c.PoolMaxIdle, MaxLifetime: c.PoolMaxLifetime, Warm: c.warm(),
		DefaultClass: c.Class, Timeout: c.Timeout, AttemptTimeout: c.AttemptTimeout,
		Compress: c.Compress, NoRetry: c.NoRetry, RetryBudget: max(c.RetryBudget, 0),
		Authorize: c.authorizer(), Hooks: c.hooks(),
	}
	var err error
	if inner.Seeds, err = c.urls(c.Seeds); err != nil {
		return cluster.Config{}, err
	}
	if inner.Sampler, err = c.newSampler(); err != nil {
		return cluster.Config{}, err
	}
	if inner.Balancer, err = c.newBalancer(); err != nil {
		return cluster.Config{}, err
	}
	inner.Dialer, err = c.newDialer()
	return inner, err
}

// urls returns the base URLs of seeds.
func (c *Config) urls(seeds []string) ([]*url.URL, error) {
	scheme := dsn.HTTP
	if c.TLS {
		scheme = dsn.HTTPS
	}
	var urls []*url.URL
	for _, seed := range seeds {
		host, err := dsn.Host(seed)
		if err != nil {
			return nil, &ConfigError{Key: "seeds", Err: err}
		}
		urls = append(urls, &url.URL{Scheme: scheme, Host: host, Path: dsn.Prefix(c.Prefix)})
	}
	return urls, nil
}

func (c *Config) sizes() pool.Sizes {
	sizes := c.PoolSizes
	for class := range sizes {
		sizes[class] = max(sizes[class], 0)
	}
	return sizes
}

func (c *Config) warm() cluster.Warm {
	return map[string]cluster.Warm{"none": cluster.WarmNone, "light": cluster.WarmLight, "full": cluster.WarmFull}[c.PoolWarm]
}

func (c *Config) newSampler() (sampler.Sampler, error) {
	if c.Sampler != nil {
		return c.Sampler, nil
	}
	s, err := sampler.New(c.SamplerName, c.SamplerParams)
	if err == nil && s == nil {
		err = errNoPlugin
	}
	if err != nil {
		return nil, pluginError("sampler", c.SamplerName, sampler.Names(), err)
	}
	return s, nil
}

func (c *Config) newBalancer() (balancer.Balancer, error) {
	if c.Balancer != nil {
		return c.Balancer, nil
	}
	b, err := balancer.New(c.BalancerName, c.BalancerParams)
	if err == nil && b == nil {
		err = errNoPlugin
	}
	if err != nil {
		return nil, pluginError("balancer", c.BalancerName, balancer.Names(), err)
	}
	return b, nil
}

var errNoPlugin = errors.New("its constructor gave nothing")

func (c *Config) newDialer() (*httpconn.Dialer, error) {
	tlsConfig, err := c.tlsConfig()
	if err != nil {
		return nil, &ConfigError{Key: "tls", Err: err}
	}
	d, err := httpconn.NewDialer(httpconn.Config{
		DialContext: c.DialContext, DialTimeout: c.DialTimeout, Proxy: c.Proxy,
		TLS: tlsConfig, Fingerprint: c.TLSFingerprint,
	})
	if err != nil {
		return nil, &ConfigError{Key: "tls", Err: err}
	}
	return d, nil
}

func (c *Config) tlsConfig() (*tls.Config, error) {
	if !c.TLS || c.TLSConfig != nil {
		return c.TLSConfig, nil
	}
	return httpconn.NewTLSConfig(httpconn.TLSOptions{
		CAFile: c.TLSCA, CertFile: c.TLSCert, KeyFile: c.TLSKey, ServerName: c.TLSServerName, SkipVerify: c.TLSSkipVerify,
	})
}

func (c *Config) hooks() []plugins.Hook {
	hooks := slices.Clone(c.Hooks)
	if c.Logger != nil {
		hooks = append(hooks, slogger.New(c.Logger))
	}
	return hooks
}

// authorizer returns what sets the credentials on a request; nil when there are none.
func (c *Config) authorizer() func(*http.Request) error {
	switch {
	case c.Authorize != nil:
		return func(r *http.Request) error { return c.Authorize(r.Context(), r) }
	case c.APIKey != "":
		return authorization("ApiKey " + encodedKey(c.APIKey))
	case c.Bearer != "":
		return authorization("Bearer " + c.Bearer)
	case c.User != "":
		return authorization("Basic " + base64.StdEncoding.EncodeToString([]byte(c.User+":"+c.Password)))
	}
	return nil
}

func authorization(value string) func(*http.Request) error {
	return func(r *http.Request) error {
		r.Header.Set("Authorization", value)
		return nil
	}
}

// encodedKey returns the form that the servers want: base64 of id:key. What has no colon is in it already, or is one
// of the newer keys that are no base64 and are sent as they are.
func encodedKey(key string) string {
	if strings.Contains(key, ":") {
		return base64.StdEncoding.EncodeToString([]byte(key))
	}
	return key
}

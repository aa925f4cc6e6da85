package esdriver

import (
	"context"
	"net/http"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

var _ http.RoundTripper = (*Cluster)(nil)

// Cluster sends requests to the nodes of one cluster, each to a healthy node and, where that is safe, to another one
// after a failure. It is an http.RoundTripper and runs under any client that takes one. All methods may be called from
// many goroutines. [Open] and [Connector.Cluster] make it.
type Cluster struct {
	inner *cluster.Cluster
	cfg   Config // with its defaults filled in
}

// RoundTrip sends the request to a node, and to another after a failure where that is safe, and returns the answer,
// whatever its status. Scheme and host of the URL do not matter and may be empty; the path is put behind the Config's
// Prefix. The class is the context's ([pool.WithClass]), else the Config's, else it follows from method and path.
//
// A request whose body can be read only once is sent once; GetBody, which http.NewRequest sets for the usual bodies,
// lets it be sent again. As every http.RoundTripper does, it closes the request's body and leaves the request
// unchanged; the caller must close the answer's body. The answer's Request tells the node in its URL.
//
// The error, if no answer was had, tells every attempt: errors.As finds an [*AttemptError], errors.Is the sentinels of
// this package and the context's error. [SafeToRetry] tells whether anything was sent.
func (c *Cluster) RoundTrip(r *http.Request) (*http.Response, error) { return c.inner.RoundTrip(r) }

// WithIdempotent returns a context that says whether its request may be sent again after it may have been carried out,
// whatever this package would think of it by itself.
func WithIdempotent(ctx context.Context, idempotent bool) context.Context {
	return cluster.WithIdempotent(ctx, idempotent)
}

// WithRoutingKey returns a context whose requests show the key to the balancer (balancer.Request.Key), which may keep
// those of one key on one node. The built-in balancers do not look at it.
func WithRoutingKey(ctx context.Context, key string) context.Context {
	return cluster.WithRoutingKey(ctx, key)
}

// Acquire picks a node for the class and returns one of its connections of that class, waiting for one at most
// PoolWait and as long as the context lets it. It is for those who must send several requests to one node. It fails
// with the errors of RoundTrip. The caller must Release or Discard the handle, once.
func (c *Cluster) Acquire(ctx context.Context, class pool.Class) (*Handle, error) {
	h, err := c.inner.Acquire(ctx, class)
	if err != nil {
		return nil, err
	}
	return &Handle{inner: h}, nil
}

// Topology returns the list of nodes in force. It is immutable and costs nothing.
func (c *Cluster) Topology() sampler.Topology { return c.inner.Topology() }

// Stats returns figures of the cluster, its nodes and their connections.
func (c *Cluster) Stats() plugins.Stats { return c.inner.Stats() }

// Refresh takes a sample now and returns its error, the context's, or ErrClosed.
func (c *Cluster) Refresh(ctx context.Context) error { return c.inner.Refresh(ctx) }

// AddSeeds adds nodes to the Config's Seeds, written as there, and takes a sample: those that answer are in use when
// it returns. One that is known is nothing new. It returns the failures of the new ones, joined; they stay listed.
func (c *Cluster) AddSeeds(ctx context.Context, seeds ...string) error {
	urls, err := c.cfg.urls(seeds)
	if err != nil {
		return err
	}
	return c.inner.AddSeeds(ctx, urls...)
}

// RemoveSeeds takes nodes out of the seeds and out of use, and takes a sample. What is under way on them may end. With
// a sampler that finds nodes, a removed one that is a member comes back as a found one. One that is not listed is no
// error.
func (c *Cluster) RemoveSeeds(ctx context.Context, seeds ...string) error {
	urls, err := c.cfg.urls(seeds)
	if err != nil {
		return err
	}
	return c.inner.RemoveSeeds(ctx, urls...)
}

// Explain tells how the request would be routed now: class, whether it may be sent twice, the node, and what is
// thought of every node. It sends nothing. It is meant for people and tests.
func (c *Cluster) Explain(r *http.Request) plugins.Explanation { return c.inner.Explain(r) }

// Close ends the cluster: new requests fail with ErrClosed, and what is under way may end until the context does; then
// it is cut, and the context's error returned. Further calls wait for the same end and return nil. It waits for the
// hooks, samplers and balancers too, but no more than a second longer than the context lasts; a hook must not call it.
// A cluster that a [Connector] opened is closed by the connector.
func (c *Cluster) Close(ctx context.Context) error { return c.inner.Close(ctx) }

// ErrHandleBusy says that the last answer of a [Handle] is still open, or that the handle was given back.
var ErrHandleBusy = cluster.ErrHandleBusy

// Handle is one connection of one node's class. It is for one goroutine at a time.
type Handle struct{ inner *cluster.Handle }

// RoundTrip sends the request on this connection and nowhere else: it is one attempt, which AttemptTimeout bounds and
// Timeout does not. The answer's body must be read to its end or closed before the next one. The error is an
// [*AttemptError], or says that the handle is in use; after one the handle is of no use and must be discarded.
func (h *Handle) RoundTrip(r *http.Request) (*http.Response, error) { return h.inner.RoundTrip(r) }

// Node returns the node that the connection leads to.
func (h *Handle) Node() *sampler.Node { return h.inner.Node() }

// Class returns the class that the connection was taken from.
func (h *Handle) Class() pool.Class { return h.inner.Class() }

// Release gives the connection back for others to use.
func (h *Handle) Release() { h.inner.Release() }

// Discard closes the connection.
func (h *Handle) Discard() { h.inner.Discard() }

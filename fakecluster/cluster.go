package fakecluster

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// TB is the part of testing.TB that [Run] needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(func())
}

// Cluster is a running fake cluster. Its documents belong to the cluster, not to a node: a node that
// is killed loses nothing. All methods may be called concurrently.
type Cluster struct {
	cfg     *config
	release release
	uuid    string
	memory  *memory
	dialer  net.Dialer
	log     log
	faults  faults
	table   []route
	data    *store
	cursors *cursors

	mu      sync.Mutex // guards the fields below
	nodes   []*Node
	created int // nodes ever created; numbers the next one
	closed  bool
}

// Run starts a cluster for a test and closes it when the test ends. An error fails the test.
func Run(t TB, opts ...Option) *Cluster {
	t.Helper()
	c, err := Start(opts...)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(c.Close)
	return c
}

// Start starts a cluster; the caller must [Cluster.Close] it. It returns when every node listens. It
// fails when an option makes no sense or an address cannot be listened on.
func Start(opts ...Option) (*Cluster, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	c := &Cluster{cfg: cfg, uuid: newID(), memory: &memory{listeners: map[string]*memoryListener{}}, log: log{keep: cfg.keep}}
	c.release, _ = parseRelease(cfg.version) // newConfig has checked it
	c.data = newStore(c)
	c.cursors = newCursors()
	c.table = c.newTable()
	for range cfg.nodes {
		if _, err := c.addNode(nil); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Close kills every node and waits for all goroutines of the cluster to end. Closing twice is harmless.
// It must not be called from a [Fault].Match function.
func (c *Cluster) Close() {
	c.mu.Lock()
	c.closed = true
	nodes := slices.Clone(c.nodes)
	c.mu.Unlock()
	for _, n := range nodes {
		n.Kill()
		n.wait()
	}
}

// DSN returns a data source name that lists every node, such as elasticsearch://127.0.0.1:1,127.0.0.1:2.
// Credentials are included, TLS adds tls=skip-verify.
func (c *Cluster) DSN() string {
	var addrs []string
	for _, n := range c.Nodes() {
		addrs = append(addrs, n.Addr())
	}
	dsn := string(c.cfg.flavor) + "://" + c.userinfo() + strings.Join(addrs, ",")
	if c.cfg.tls != nil {
		dsn += "?tls=skip-verify"
	}
	return dsn
}

// URLs returns the nodes' URLs, in the order of [Cluster.Nodes].
func (c *Cluster) URLs() []string {
	var urls []string
	for _, n := range c.Nodes() {
		urls = append(urls, n.URL())
	}
	return urls
}

// Name returns the cluster's name.
func (c *Cluster) Name() string { return c.cfg.name }

// UUID returns the cluster's UUID.
func (c *Cluster) UUID() string { return c.uuid }

// Nodes returns the nodes, killed ones included, in the order they were added.
func (c *Cluster) Nodes() []*Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.nodes)
}

// Node returns the i-th node, from 0; it panics if there is none.
func (c *Cluster) Node(i int) *Node { return c.Nodes()[i] }

// AddNode starts one more node. It fails as [Start] does, or when the cluster is closed.
func (c *Cluster) AddNode(opts ...NodeOption) (*Node, error) { return c.addNode(opts) }

func (c *Cluster) addNode(opts []NodeOption) (*Node, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("fakecluster: closed")
	}
	n := newNode(c, c.cfg.node(c.created, opts))
	if err := n.Start(); err != nil {
		return nil, err
	}
	c.created++
	c.nodes = append(c.nodes, n)
	return n, nil
}

// RemoveNode kills the node and takes it out of the cluster, so that no other node lists it.
func (c *Cluster) RemoveNode(n *Node) {
	n.Kill()
	n.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes = slices.DeleteFunc(c.nodes, func(other *Node) bool { return other == n })
}

// DialContext connects to a node: through memory if the cluster is [InMemory], else by a socket. A
// node that is not running refuses the connection. It fits http.Transport.DialContext.
func (c *Cluster) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.cfg.inMemory {
		return c.memory.dial(ctx, network, addr)
	}
	return c.dialer.DialContext(ctx, network, addr)
}

// Requests returns the log: every request whose header reached a node, oldest first.
func (c *Cluster) Requests() Requests { return c.log.snapshot() }

// ResetRequests empties the log. Requests in flight do not appear in it later.
func (c *Cluster) ResetRequests() { c.log.reset() }

// running returns the nodes that other nodes see: those that listen.
func (c *Cluster) running() []*Node {
	return slices.DeleteFunc(c.Nodes(), func(n *Node) bool { return !n.Running() })
}

func (c *Cluster) listen(addr string) (net.Listener, error) {
	if c.cfg.inMemory {
		return c.memory.listen(addr)
	}
	return listenAgain(addr)
}

// newID returns an identifier of the kind the servers make: 16 random bytes in 22 characters.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func (c *Cluster) now() time.Time { return time.Now() }

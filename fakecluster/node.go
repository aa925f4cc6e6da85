package fakecluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Node is one node of a [Cluster]. It may be killed and started any number of times; it keeps its
// address, name and id.
type Node struct {
	cluster *Cluster
	cfg     *nodeConfig
	conns   conns

	life sync.Mutex // serialises Start, Kill and Drain

	mu        sync.Mutex // guards the fields below
	addr      string     // with the port once it is known
	id        string
	ephemeral string
	started   time.Time
	process   *process // nil while the node is down
	last      *process // the latest process, to be waited for
}

// process is one run of a node, from Start to Kill.
type process struct {
	node     *Node
	listener net.Listener
	server   *http.Server
	down     chan struct{} // closed by Kill
	served   chan struct{} // closed when the accept loop has ended
	wg       sync.WaitGroup
	draining atomic.Bool
}

func newNode(c *Cluster, cfg *nodeConfig) *Node {
	n := &Node{cluster: c, cfg: cfg, addr: cfg.addr, id: newID()}
	n.conns.open = map[*conn]struct{}{}
	return n
}

// Name returns the node's name.
func (n *Node) Name() string { return n.cfg.name }

// ID returns the node's id, as _nodes reports it.
func (n *Node) ID() string { return n.locked(func() string { return n.id }) }

// EphemeralID returns the id that changes with every start, as _cluster/state reports it.
func (n *Node) EphemeralID() string { return n.locked(func() string { return n.ephemeral }) }

// Addr returns the host:port the node listens on. It stays the same while the node is down.
func (n *Node) Addr() string { return n.locked(func() string { return n.addr }) }

// URL returns the node's address with its scheme.
func (n *Node) URL() string {
	if n.cluster.cfg.tls != nil {
		return "https://" + n.Addr()
	}
	return "http://" + n.Addr()
}

func (n *Node) locked(f func() string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return f()
}

// Running says whether the node is up and not draining. A frozen node is running.
func (n *Node) Running() bool {
	p := n.current()
	return p != nil && !p.draining.Load()
}

func (n *Node) current() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.process
}

// Start starts a node that is down, on its old address, with its old id and a new ephemeral id. A node
// that drains is killed first; one that runs is left alone. It fails if the address is taken by others.
func (n *Node) Start() error {
	n.life.Lock()
	defer n.life.Unlock()
	if n.Running() {
		return nil
	}
	n.kill()
	l, err := n.cluster.listen(n.Addr())
	if err != nil {
		return err
	}
	n.begin(l)
	return nil
}

func (n *Node) begin(l net.Listener) {
	p := &process{node: n, down: make(chan struct{}), served: make(chan struct{})}
	p.listener = &listener{Listener: l, node: n}
	if cfg := n.cluster.cfg.tls; cfg != nil {
		p.listener = tls.NewListener(p.listener, cfg)
	}
	p.server = &http.Server{Handler: p, ConnState: p.connState, ErrorLog: stdlog.New(io.Discard, "", 0)}
	n.mu.Lock()
	n.addr, n.ephemeral, n.started = l.Addr().String(), newID(), time.Now()
	n.process, n.last = p, p
	n.mu.Unlock()
	n.conns.up()
	go p.serve()
}

// serve accepts until Kill or Drain closes the listener.
func (p *process) serve() {
	defer close(p.served)
	if err := p.server.Serve(p.listener); !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
		panic(fmt.Sprintf("fakecluster: serve: %v", err))
	}
}

// connState counts the goroutines of connections. A hijacked one is counted until its handler ends.
func (p *process) connState(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		p.wg.Add(1)
	case http.StateClosed:
		p.wg.Done()
	}
}

// Kill ends the node as kill -9 does: the listener is closed, every connection is reset, no request in
// progress is answered. The cluster's documents stay. Killing a node that is down is harmless.
func (n *Node) Kill() {
	n.life.Lock()
	defer n.life.Unlock()
	n.kill()
}

func (n *Node) kill() {
	n.mu.Lock()
	p := n.process
	n.process = nil
	n.mu.Unlock()
	if p == nil {
		return
	}
	_ = p.listener.Close()
	n.conns.goDown() // before the handlers hear of it: they would close in an orderly way
	close(p.down)
	n.conns.thaw()
	_ = p.server.Close()
	<-p.served
}

// wait returns when all goroutines of the node have ended. The node must be down.
func (n *Node) wait() {
	n.mu.Lock()
	p := n.last
	n.mu.Unlock()
	if p != nil {
		p.wg.Wait()
	}
}

// Restart kills the node and starts it again. A fresh node has a new id too, as when another process
// takes over the address; otherwise only the ephemeral id changes.
func (n *Node) Restart(fresh bool) error {
	n.Kill()
	if fresh {
		n.mu.Lock()
		n.id = newID()
		n.mu.Unlock()
	}
	return n.Start()
}

// Drain begins an orderly shutdown as Elasticsearch 8.19 does (elasticsearch PR 128025): the listener is
// closed, requests are still answered on open connections, every answer carries "Connection: close"
// and closes its connection. Other nodes no longer list the node. Kill ends it, Start brings it back.
func (n *Node) Drain() {
	n.life.Lock()
	defer n.life.Unlock()
	p := n.current()
	if p == nil {
		return
	}
	p.draining.Store(true)
	_ = p.listener.Close()
	<-p.served
}

// Freeze makes the node accept and read but answer nothing, as a process stopped by SIGSTOP: requests
// that arrive are executed after [Node.Thaw], even if their clients have gone.
func (n *Node) Freeze() { n.conns.freeze() }

// Thaw ends [Node.Freeze].
func (n *Node) Thaw() { n.conns.thaw() }

// Conns returns how many connections to the node are open.
func (n *Node) Conns() int {
	open, _, _ := n.conns.counts()
	return open
}

// MaxConns returns how many connections to the node have been open at the same time, ever.
func (n *Node) MaxConns() int {
	_, most, _ := n.conns.counts()
	return most
}

// Accepted returns how many connections the node has accepted, ever.
func (n *Node) Accepted() int {
	_, _, accepted := n.conns.counts()
	return accepted
}

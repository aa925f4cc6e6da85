package fakecluster

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

// memory is a network without sockets: addresses with listeners, and pipes between them.
type memory struct {
	mu        sync.Mutex // guards the fields below
	listeners map[string]*memoryListener
	lastPort  int
}

// listen claims the address; a port of 0 is replaced by the next unused number.
func (m *memory) listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, wrapListen(addr, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if port == "0" {
		m.lastPort++
		port = strconv.Itoa(m.lastPort)
	}
	addr = net.JoinHostPort(host, port)
	if m.listeners[addr] != nil {
		return nil, wrapListen(addr, syscall.EADDRINUSE)
	}
	l := &memoryListener{memory: m, addr: tcpAddr(addr), queue: make(chan net.Conn), closed: make(chan struct{})}
	m.listeners[addr] = l
	return l, nil
}

func (m *memory) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	m.mu.Lock()
	l := m.listeners[addr]
	m.lastPort++
	local := net.JoinHostPort("127.0.0.1", strconv.Itoa(m.lastPort))
	m.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: tcpAddr(addr), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	client, server := newPipe(tcpAddr(local), l.addr)
	select {
	case l.queue <- server:
		return client, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: network, Addr: l.addr, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Addr: l.addr, Err: ctx.Err()}
	}
}

type memoryListener struct {
	memory *memory
	addr   net.Addr
	queue  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.memory.mu.Lock()
		defer l.memory.mu.Unlock()
		delete(l.memory.listeners, l.addr.String())
	})
	return nil
}

func (l *memoryListener) Addr() net.Addr { return l.addr }

// pipe is one end of a net.Pipe with addresses and with the errors of a TCP connection.
type pipe struct {
	net.Conn
	local, remote net.Addr
	broken        *atomic.Bool // of this end: the peer was reset
	peerBroken    *atomic.Bool
}

func newPipe(client, server net.Addr) (*pipe, *pipe) {
	c, s := net.Pipe()
	var cb, sb atomic.Bool
	return &pipe{c, client, server, &cb, &sb}, &pipe{s, server, client, &sb, &cb}
}

func (p *pipe) breakPeer()           { p.peerBroken.Store(true) }
func (p *pipe) LocalAddr() net.Addr  { return p.local }
func (p *pipe) RemoteAddr() net.Addr { return p.remote }

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if err == io.EOF && p.broken.Load() {
		err = p.opError("read", syscall.ECONNRESET)
	}
	return n, err
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	switch {
	case !errors.Is(err, io.ErrClosedPipe):
	case p.broken.Load():
		err = p.opError("write", syscall.ECONNRESET)
	default:
		err = p.opError("write", syscall.EPIPE)
	}
	return n, err
}

func (p *pipe) opError(op string, errno syscall.Errno) error {
	return &net.OpError{Op: op, Net: "tcp", Source: p.local, Addr: p.remote, Err: os.NewSyscallError(op, errno)}
}

// tcpAddr gives the address the type a TCP connection has, as far as its text allows.
func tcpAddr(addr string) net.Addr {
	host, port, err := net.SplitHostPort(addr)
	if n, perr := strconv.Atoi(port); err == nil && perr == nil {
		return &net.TCPAddr{IP: net.ParseIP(host), Port: n}
	}
	return &net.TCPAddr{}
}

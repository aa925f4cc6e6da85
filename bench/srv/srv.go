// Package srv is a node that costs next to nothing: it reads requests without understanding them and answers
// from memory. It runs as a process of its own, so that what it costs is not counted as the client's.
package srv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Nodes is that many listening nodes. They must be closed.
type Nodes struct{ listeners []net.Listener }

// Listen starts the nodes, each on a free port of loopback.
func Listen(count int) (*Nodes, error) {
	n := &Nodes{}
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			n.Close()
			return nil, fmt.Errorf("srv: %w", err)
		}
		n.listeners = append(n.listeners, l)
		go accept(l) // ends when the listener is closed
	}
	return n, nil
}

// Addrs returns the nodes' addresses, host:port.
func (n *Nodes) Addrs() []string {
	var addrs []string
	for _, l := range n.listeners {
		addrs = append(addrs, l.Addr().String())
	}
	return addrs
}

// Close ends the listening. Connections end with their clients.
func (n *Nodes) Close() {
	for _, l := range n.listeners {
		_ = l.Close() // it is closed, whatever it says
	}
}

func accept(l net.Listener) {
	for {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		c := &conn{nc: nc, buf: make([]byte, headBuffer)}
		go c.serve() // ends when the client closes
	}
}

const (
	headBuffer = 8 << 10
	sinkBuffer = 512 << 10
)

// conn is one connection, without pipelining: a request is read to its end before it is answered.
type conn struct {
	nc   net.Conn
	buf  []byte // the header, and what came of the body with it
	sink []byte // where large bodies go; nil until there is one
}

func (c *conn) serve() {
	defer c.nc.Close()
	for {
		path, err := c.read()
		if err != nil {
			return // the client has gone, or is not worth an answer
		}
		if path == SlowBulk {
			<-time.NewTimer(Delay).C
		}
		if _, err := c.nc.Write(Answer(path)); err != nil {
			return
		}
	}
}

// read reads one request and returns its path.
func (c *conn) read() (string, error) {
	have := 0
	for {
		n, err := c.nc.Read(c.buf[have:])
		if err != nil {
			return "", err
		}
		have += n
		if end := bytes.Index(c.buf[:have], []byte("\r\n\r\n")); end >= 0 {
			head := c.buf[:end+2]
			return path(head), c.skip(head, have-end-4)
		}
		if have == len(c.buf) {
			return "", errors.New("srv: header too long")
		}
	}
}

// skip reads the rest of the body, of which come bytes are there already.
func (c *conn) skip(head []byte, come int) error {
	size, err := contentLength(head)
	if err != nil {
		return err
	}
	left := size - come
	if left > 0 && c.sink == nil {
		c.sink = make([]byte, sinkBuffer)
	}
	for left > 0 {
		n, err := c.nc.Read(c.sink[:min(left, len(c.sink))])
		if err != nil {
			return err
		}
		left -= n
	}
	if left < 0 {
		return io.ErrUnexpectedEOF // bytes beyond the request: pipelining
	}
	return nil
}

// path returns the request's path without its query. The names of those that have an answer are not copied.
func path(head []byte) string {
	_, rest, _ := bytes.Cut(head, []byte(" "))
	target, _, _ := bytes.Cut(rest, []byte(" "))
	target, _, _ = bytes.Cut(target, []byte("?"))
	for _, known := range []string{Small, Large, SQL, Bulk, SlowBulk, Refused} {
		if string(target) == known {
			return known
		}
	}
	return Root
}

func contentLength(head []byte) (int, error) {
	if head[0] == 'G' {
		return 0, nil // a GET of ours has no body
	}
	if bytes.Contains(head, []byte("chunked")) {
		return 0, errors.New("srv: chunked body")
	}
	_, rest, ok := bytes.Cut(head, []byte("ontent-Length: "))
	if !ok {
		return 0, nil
	}
	digits, _, _ := bytes.Cut(rest, []byte("\r"))
	return strconv.Atoi(string(digits))
}

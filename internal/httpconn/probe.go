package httpconn

import (
	"net"
	"syscall"
	"time"
)

const (
	// probeAfter is the idleness from which a connection is looked at before use. A look costs about 0.3 µs;
	// below it the connection is going from hand to hand.
	probeAfter = time.Millisecond
	// recordFor is what TLS is given to digest bytes that came while idle: a ticket, or the peer's goodbye.
	recordFor = time.Millisecond
)

// sight is what a look at an idle socket showed.
type sight uint8

const (
	quiet   sight = iota // open, nothing to read; also when it could not be looked at
	bytesIn              // something to read
	gone                 // closed or broken
)

// prober looks at a socket without waiting and without taking anything from it.
type prober struct {
	raw  syscall.RawConn // nil when the connection has no socket of the system's
	look func(fd uintptr)
	seen sight
}

func (p *prober) init(nc net.Conn) {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return
	}
	p.raw = raw
	p.look = func(fd uintptr) { p.seen = peek(fd) }
}

func (p *prober) sight() sight {
	if p.raw == nil {
		return quiet
	}
	// Control, not Read: a deadline of the request before must not count.
	if err := p.raw.Control(p.look); err != nil {
		return gone
	}
	return p.seen
}

// Usable reports whether the idle connection may carry a request, as far as one look at the socket tells: the
// peer has not closed it, and no bytes have come that nobody asked for. idle is how long it has been idle;
// below 1 ms it is not looked at. A connection without a socket of the system's is trusted.
func (c *Conn) Usable(idle time.Duration) bool {
	if !c.keep || c.br.Buffered() > 0 {
		return false
	}
	if idle < probeAfter {
		return true
	}
	switch c.probe.sight() {
	case gone:
		return false
	case bytesIn:
		return c.secure && c.digest()
	}
	return true
}

// digest lets TLS read what has come. Records of its own may come at any time; anything else is the end.
func (c *Conn) digest() bool {
	c.setReadDeadline(time.Now().Add(recordFor))
	c.armed = true
	_, err := c.br.Peek(1)
	return err != nil && isTimeout(err)
}

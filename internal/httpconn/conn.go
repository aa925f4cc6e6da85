// Package httpconn is one HTTP/1.1 connection that carries one request at a time. It owns the socket, so it
// knows whether a byte of a request left, and sees before use that a peer has closed. Messages of the usual shape
// are written and read by a short codec of its own (requesthead.go, answerhead.go), all others by net/http's
// ([http.Request.Write], [http.ReadResponse]); HTTP/2 is never negotiated.
package httpconn

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	readBuffer  = 4 << 10
	headBuffer  = 4 << 10
	inlineBody  = 64 << 10              // the largest body written before the answer is looked for
	sendGrace   = 50 * time.Millisecond // what a streamed body is given to end once its answer is there
	crossing    = 10 * time.Millisecond // a close that crossed our request on the way shows within a round trip
	maxInterim  = 5                     // 1xx answers before the final one
	continueFor = 1 * time.Second       // how long Expect: 100-continue waits for its answer
	maxDrain    = 64 << 10              // what is read of a body closed early, to keep the connection
	drainFor    = 20 * time.Millisecond // and for how long
)

// past is a deadline that interrupts whatever the connection is doing.
var past = time.Unix(1, 0)

// Options are what one round trip is given beside the request.
type Options struct {
	// HeaderTimeout bounds the time from the start of RoundTrip to the end of the answer's header.
	// Zero and less mean no bound but the request's context. Running out is ErrAttemptTimeout.
	HeaderTimeout time.Duration
	// StallTimeout bounds each wait for more bytes of the answer's body while the caller reads, to within an eighth.
	// Zero and less mean no bound but the request's context. Running out is ErrAttemptTimeout.
	StallTimeout time.Duration
	// Owner is told when the answer's body is over; nil when nobody wants to know.
	Owner Owner
}

// Owner is told when a connection has done its work for one request.
type Owner interface {
	// BodyDone is called exactly once after each RoundTrip that gave an answer: when the body was read to its
	// end, was closed, or failed; before RoundTrip returns if the answer has no body. reusable says whether the
	// connection may carry another request; it must be closed otherwise. err is nil or an *Error of OpBody.
	// It is called on the goroutine that reads or closes the body, with no lock held, and must not block.
	BodyDone(reusable bool, err error)
}

// phase is what the reading side is doing.
type phase uint8

const (
	idling phase = iota
	inHeader
	inBody
	inDrain
)

// Conn is one connection. One goroutine at a time may use it, from RoundTrip to the end of the answer's body;
// Close alone may be called at any time and from any goroutine.
type Conn struct {
	nc     net.Conn // what is written and read: the socket, or TLS over it
	socket net.Conn
	addr   string
	secure bool // TLS
	probe  prober
	br     *bufio.Reader
	wire   wire

	maxHeader int
	viaProxy  bool     // requests go by absolute URI
	proxyAuth []string // Proxy-Authorization; nil when there is none

	onCancel func()

	mu          sync.Mutex // guards interrupted and every change of a deadline
	interrupted bool

	// The rest belongs to the request under way.
	out      http.Request // what is sent: the caller's request with headers of ours
	header   http.Header  // of out
	body     outBody
	up       *upload     // nil when the body was written before reading
	stop     func() bool // ends the watch on the context; nil when the context has no end
	started  time.Time
	sent     time.Time // when the request was written; started while it is not
	stall    time.Duration
	phase    phase
	headLeft int   // bytes that the header may still have
	received int64 // bytes of the answer
	readErr  error // the socket's first error
	keep     bool  // so far nothing is known that forbids another request
	asksGzip bool  // the answer's compression is ours to undo
	armed    bool  // a deadline may be set
	// stallUntil is the deadline for more of the answer's body; zero while none is set for this answer.
	stallUntil time.Time
	reused     bool // an earlier request went well
}

// newConn wraps a connected socket.
func newConn(socket net.Conn, addr string, cfg *Config) *Conn {
	c := &Conn{nc: socket, socket: socket, addr: addr, header: http.Header{}, keep: true,
		maxHeader: cfg.MaxHeaderBytes}
	c.probe.init(socket)
	c.br = bufio.NewReaderSize((*source)(c), readBuffer)
	c.wire = wire{nc: socket, buf: make([]byte, 0, headBuffer)}
	c.body.wire = &c.wire
	c.onCancel = c.interrupt
	return c
}

// RoundTrip sends the request and returns the answer as soon as its header is there; the answer's body is read
// from the connection, so the connection is busy until Owner.BodyDone. req.URL must be complete. The request is
// not changed, its Body is closed in every case, and nothing of it is touched after BodyDone or after an error,
// save that a Body whose Read does not return may see its Close and end later, its bytes unsent.
//
// Bodies in memory (bytes.Reader, bytes.Buffer, strings.Reader) of up to 64 KiB are written before the answer is
// read; all others beside the reading of it. An answer that comes early ends the writing and the connection.
// Without an Accept-Encoding or Range of the caller's, gzip is asked for and undone, as http.Transport does.
//
// Every error is an *Error. After one the connection must be closed; BodyDone is not called.
func (c *Conn) RoundTrip(req *http.Request, o Options) (*http.Response, error) {
	ctx := req.Context()
	c.begin(o)
	if err := c.prepare(req); err != nil {
		c.keep = false
		closeBody(req)
		return nil, c.failure(ctx, OpWrite, &ownError{err})
	}
	if ctx.Done() != nil {
		c.stop = context.AfterFunc(ctx, c.onCancel)
	}
	resp, err := c.exchange(req)
	if err != nil {
		c.release()
		c.keep = false
		return nil, err
	}
	c.deliver(resp, o.Owner)
	return resp, nil
}

// begin forgets the request before and sets the deadline of this one.
func (c *Conn) begin(o Options) {
	c.up, c.stop, c.readErr = nil, nil, nil
	c.started = time.Now()
	c.sent = c.started
	c.stall, c.stallUntil, c.received = o.StallTimeout, time.Time{}, 0
	c.phase, c.headLeft = inHeader, c.maxHeader+readBuffer
	c.wire.begin()
	if o.HeaderTimeout > 0 {
		c.setDeadline(c.started.Add(o.HeaderTimeout))
	} else if c.armed {
		c.setDeadline(time.Time{})
	}
	c.armed = o.HeaderTimeout > 0
}

// exchange sends what prepare made and reads the header of the final answer.
func (c *Conn) exchange(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	sendErr := c.transmit()
	if sendErr != nil && !c.mayBeAnswered(sendErr) {
		return nil, c.failure(ctx, OpWrite, sendErr)
	}
	resp, err := c.receive(req)
	switch {
	case c.up != nil && err == nil:
		sendErr = c.up.settle(c)
	case c.up != nil:
		sendErr = c.up.abandon(c)
	}
	if isOurs(sendErr) || err != nil && sendErr != nil {
		return nil, c.failure(ctx, OpWrite, sendErr)
	}
	if err != nil {
		return nil, c.failure(ctx, OpRead, err)
	}
	c.keep = c.keep && sendErr == nil && !req.Close && !resp.Close && resp.ProtoAtLeast(1, 1)
	return resp, nil
}

// mayBeAnswered reports whether a node that took only part of the request can have said why: it closed its side
// after an answer. It cannot when the request itself or a deadline of ours failed.
func (c *Conn) mayBeAnswered(sendErr error) bool {
	return !isOurs(sendErr) && c.wire.accepted.Load() > 0 && isClosed(sendErr)
}

// failure makes the error of a failed step. The caller's context goes before all else.
func (c *Conn) failure(ctx context.Context, op Op, err error) *Error {
	e := &Error{Op: op, Addr: c.addr, Wrote: c.wire.accepted.Load() > 0, Err: err}
	switch {
	case ctx.Err() != nil:
		e.Err = contextError(ctx)
	case isOurs(err):
		// It stands, though a body's error may look like one of the socket's.
	case errors.Is(err, os.ErrDeadlineExceeded):
		e.Err = timedOut(time.Since(c.started))
	case c.reused && c.received == 0 && isClosed(err):
		e.Stale = !e.Wrote || time.Since(c.sent) < crossing
	}
	return e
}

// deliver hands the answer's body to the caller, or tells the owner that there is none.
func (c *Conn) deliver(resp *http.Response, owner Owner) {
	if resp.Body == http.NoBody {
		reusable := c.finish()
		if owner != nil {
			owner.BodyDone(reusable, nil)
		}
		return
	}
	c.phase = inBody
	b := &body{c: c, req: resp.Request, owner: owner, src: resp.Body, left: resp.ContentLength}
	if c.asksGzip && isGzip(resp.Header) {
		b.unzip = takeUnzipper()
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	resp.Body = b
}

// finish ends a request whose answer was read to its end, and reports whether another may follow.
func (c *Conn) finish() bool {
	c.release()
	// Bytes that nobody asked for would be taken for the next answer.
	c.keep = c.keep && c.br.Buffered() == 0
	c.reused = true
	return c.keep
}

// release ends the watch on the context. Once the watch has fired the connection is lost: its deadline may
// still be about to be set.
func (c *Conn) release() {
	c.phase = idling
	if c.stop != nil && !c.stop() {
		c.keep = false
	}
	c.stop = nil
	c.mu.Lock()
	c.keep = c.keep && !c.interrupted
	c.mu.Unlock()
}

// interrupt ends every read and write for good.
func (c *Conn) interrupt() {
	c.mu.Lock()
	c.interrupted = true
	_ = c.nc.SetDeadline(past) // fails only on a closed socket, which is as good
	c.mu.Unlock()
}

func (c *Conn) setDeadline(t time.Time) {
	c.mu.Lock()
	if !c.interrupted {
		_ = c.nc.SetDeadline(t)
	}
	c.mu.Unlock()
}

// stopWriting ends the writing alone: the answer is there, and no more bytes are to leave.
func (c *Conn) stopWriting() {
	c.mu.Lock()
	_ = c.nc.SetWriteDeadline(past)
	c.mu.Unlock()
	c.armed = true
}

func (c *Conn) setReadDeadline(t time.Time) {
	c.mu.Lock()
	if !c.interrupted {
		_ = c.nc.SetReadDeadline(t)
	}
	c.mu.Unlock()
}

// RemoteAddr returns the address of the peer: the node's, or the proxy's when there is one.
func (c *Conn) RemoteAddr() net.Addr { return c.socket.RemoteAddr() }

// Close closes the connection and fails a request under way. A second call does no harm and returns an error.
// TLS is not told goodbye: HTTP/1.1 messages tell their own length, and a full socket could make that block.
func (c *Conn) Close() error { return c.socket.Close() }

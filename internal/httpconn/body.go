package httpconn

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// body is the body of an answer. Close may be called while another goroutine reads: that interrupts the read.
type body struct {
	c     *Conn
	req   *http.Request // for its context
	owner Owner
	src   io.ReadCloser // net/http's; never closed, as its Close would read all the rest
	unzip *unzipper     // nil when the body is passed on as it comes
	left  int64         // bytes still to come; negative when not known

	mu      sync.Mutex // guards reading, closed, err
	reading bool
	closed  bool
	err     error // what Read returns from now on; nil while the connection is in use
}

// Read reads the body. After the last byte it returns io.EOF, and the connection is no longer used.
func (b *body) Read(p []byte) (int, error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	var n int
	var err error
	if b.unzip != nil {
		n, err = b.unzip.read((*rawBody)(b), p)
	} else {
		n, err = (*rawBody)(b).Read(p)
	}
	return n, b.leave(err)
}

func (b *body) enter() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = b.err == nil
	return b.err
}

// leave ends a read, and with it the body unless more may come.
func (b *body) leave(err error) error {
	b.mu.Lock()
	b.reading = false
	closed := b.closed
	switch {
	case closed:
		b.err = ErrBodyClosed
	case err == io.EOF:
		b.err = io.EOF
	case err != nil:
		b.err = b.failure(err)
	}
	err = b.err
	b.mu.Unlock()
	switch {
	case closed:
		b.end(false, nil)
	case err == io.EOF:
		b.end(true, nil)
	case err != nil:
		b.end(false, err)
	}
	return err
}

// Close ends the body. If little of it is left that is read, and the connection can be used again.
func (b *body) Close() error {
	b.mu.Lock()
	first := !b.closed && b.err == nil
	b.closed = true
	if b.reading {
		b.mu.Unlock()
		b.c.interrupt() // the reader does the rest
		return nil
	}
	if b.err == nil || b.err == io.EOF {
		b.err = ErrBodyClosed
	}
	b.mu.Unlock()
	if first {
		b.end(b.drain(), nil)
	}
	return nil
}

// end gives the connection back to its owner.
func (b *body) end(whole bool, err error) {
	c := b.c
	c.keep = c.keep && whole
	if b.unzip != nil {
		b.unzip.release()
		b.unzip = nil
	}
	reusable := c.finish()
	if b.owner != nil {
		b.owner.BodyDone(reusable, err)
	}
}

// drain reads the rest if it is short and at hand.
func (b *body) drain() bool {
	if !b.c.keep || b.left > maxDrain {
		return false
	}
	b.c.phase = inDrain
	b.c.setReadDeadline(time.Now().Add(drainFor))
	b.c.armed = true
	_, err := io.CopyN(io.Discard, (*rawBody)(b), maxDrain+1)
	return err == io.EOF
}

// failure makes the error of a body that broke off. The caller's context goes before all else.
func (b *body) failure(err error) *Error {
	e := &Error{Op: OpBody, Addr: b.c.addr, Wrote: true, Err: err}
	if ctx := b.req.Context(); ctx.Err() != nil {
		e.Err = contextError(ctx)
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		e.Err = timedOut(b.c.stall)
	}
	return e
}

// rawBody is the body as it comes, compressed or not.
type rawBody body

func (r *rawBody) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if r.left > 0 {
		r.left -= int64(n)
	}
	return n, err
}

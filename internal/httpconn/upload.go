package httpconn

import (
	"errors"

	"time"
)

var errStopped = errors.New("writing stopped: the answer came before the end of the request")

// upload is the writing of a request beside the reading of its answer. Its goroutine ends when the request is
// written, when a write fails, or at end, which interrupts both; only a Read of the caller's that ignores
// Close can hold it longer, and then none of its bytes leave.
type upload struct {
	done chan struct{} // closed last
	err  error         // valid after done
	sent time.Time     // valid after done
	quit chan struct{} // closed when the request is no longer wanted
	gate chan struct{} // closed when the node wants the body; nil when it was not asked
	open bool          // gate is closed
}

// startUpload begins the upload of the prepared request, whose goroutine looks at c.up.
func (c *Conn) startUpload(expect bool) {
	u := &upload{done: make(chan struct{}), quit: make(chan struct{})}
	if expect {
		u.gate = make(chan struct{})
		c.body.gate = &gate{open: u.gate, quit: u.quit}
	}
	c.up = u
	go u.run(c)
}

func (u *upload) run(c *Conn) {
	u.err = c.send()
	u.sent = time.Now()
	close(u.done)
	if isOurs(u.err) && !isOver(u.quit) {
		c.interrupt() // the node waits for the rest, and the reader for the node
	}
}

// proceed lets the body go out: the node has answered 100.
func (u *upload) proceed() {
	if u.gate != nil && !u.open {
		close(u.gate)
		u.open = true
	}
}

// abandon ends the writing after the reading has failed. It returns the write's own error if that came first.
func (u *upload) abandon(c *Conn) error {
	if isOver(u.done) {
		c.sent = u.sent
		return u.err
	}
	close(u.quit)
	c.interrupt()
	_ = c.body.Close()     // frees a Read that waits; the error of this request is another
	u.ended(c.body.memory) // what was written is known exactly only then
	return nil
}

// settle ends the writing after the answer has come. A node answers when it has read all, so as a rule all is
// written and only the goroutine is behind: it is waited for.
func (u *upload) settle(c *Conn) error {
	if isOver(u.done) {
		return u.err
	}
	close(u.quit)
	c.stopWriting()
	if !u.ended(c.body.memory) {
		_ = c.body.Close()
		return errStopped
	}
	if u.err == nil || isOurs(u.err) && !errors.Is(u.err, errStopped) {
		return u.err
	}
	return errStopped
}

// ended waits for the goroutine: for ever when nothing but the socket can hold it, else for a moment.
func (u *upload) ended(memory bool) bool {
	if memory {
		<-u.done
		return true
	}
	t := time.NewTimer(sendGrace)
	defer t.Stop()
	select {
	case <-u.done:
		return true
	case <-t.C:
		return false
	}
}

func isOver(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// gate holds a body back until the node has asked for it, as Expect: 100-continue promises.
type gate struct {
	open <-chan struct{}
	quit <-chan struct{}
}

// wait returns when the body may go: after 100, or when the node keeps silent, for it may not know Expect
// (RFC 9110, 10.1.1).
func (g *gate) wait() error {
	t := time.NewTimer(continueFor)
	defer t.Stop()
	select {
	case <-g.open:
	case <-t.C:
	case <-g.quit:
		return errStopped
	}
	return nil
}

// ownError is a failure of the request itself or of the caller's body; the socket has nothing to do with it.
type ownError struct{ err error }

func (e *ownError) Error() string { return e.err.Error() }
func (e *ownError) Unwrap() error { return e.err }

func isOurs(err error) bool {
	_, ok := errors.AsType[*ownError](err)
	return ok
}

package httpconn

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// wire is the sending side under http.Request.Write. It is an io.ByteWriter, or Request.Write would buffer a
// second time; small writes are gathered, and large ones leave with what was gathered in one system call.
type wire struct {
	nc       net.Conn
	buf      []byte
	vec      [2][]byte
	bufs     net.Buffers
	accepted atomic.Int64 // bytes of the request that the socket took
	err      error        // the socket's first error
}

func (w *wire) begin() {
	w.buf, w.err = w.buf[:0], nil
	w.accepted.Store(0)
}

func (w *wire) Write(p []byte) (int, error) {
	if len(p) <= cap(w.buf)-len(w.buf) {
		w.buf = append(w.buf, p...)
		return len(p), nil
	}
	if err := w.push(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *wire) WriteString(s string) (int, error) {
	if len(s) <= cap(w.buf)-len(w.buf) {
		w.buf = append(w.buf, s...)
		return len(s), nil
	}
	return w.Write([]byte(s))
}

func (w *wire) WriteByte(b byte) error {
	_, err := w.Write([]byte{b})
	return err
}

// Flush sends what was gathered.
func (w *wire) Flush() error {
	if len(w.buf) == 0 {
		return w.err
	}
	return w.push(nil)
}

// push sends what was gathered and p behind it.
func (w *wire) push(p []byte) error {
	if w.err != nil {
		return w.err
	}
	w.vec = [2][]byte{w.buf, p}
	w.bufs = w.vec[:]
	if len(p) == 0 {
		w.bufs = w.vec[:1]
	} else if len(w.buf) == 0 {
		w.bufs = w.vec[1:]
	}
	n, err := w.pass()
	if _, tls := w.nc.(*tls.Conn); !tls { // the meter below TLS has counted
		w.accepted.Add(n)
	}
	w.vec = [2][]byte{}
	w.buf, w.err = w.buf[:0], err
	return err
}

// pass gives the buffers to the socket.
func (w *wire) pass() (int64, error) {
	if len(w.bufs) == 1 {
		n, err := w.nc.Write(w.bufs[0])
		return int64(n), err
	}
	return w.bufs.WriteTo(w.nc)
}

// pieces are the buffers through which bodies go that are not in memory.
var pieces = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// ReadFrom sends a body of known length; Request.Write hands it over under an io.LimitedReader.
func (w *wire) ReadFrom(r io.Reader) (int64, error) {
	if limited, ok := r.(*io.LimitedReader); ok {
		if body, ok := limited.R.(*outBody); ok && body.isBytes(limited.N) {
			return body.r.(io.WriterTo).WriteTo(w)
		}
	}
	return copyPieces(w, r)
}

// copyPieces copies through a large buffer: each piece is one system call.
func copyPieces(w io.Writer, r io.Reader) (int64, error) {
	piece := pieces.Get().(*[64 << 10]byte)
	defer pieces.Put(piece)
	return io.CopyBuffer(onlyWriter{w}, r, piece[:])
}

// onlyWriter hides ReadFrom from io.CopyBuffer.
type onlyWriter struct{ io.Writer }

// source is the receiving side under the connection's bufio.Reader.
type source Conn

func (s *source) Read(p []byte) (int, error) {
	c := (*Conn)(s)
	switch c.phase {
	case inHeader:
		if c.headLeft <= 0 {
			return 0, ErrHeaderTooLarge
		}
		p = p[:min(len(p), c.headLeft)]
	case inBody:
		c.armStall()
	}
	n, err := c.nc.Read(p)
	c.received += int64(n)
	c.headLeft -= n
	if err != nil && c.readErr == nil {
		c.readErr = err
	}
	return n, err
}

// armStall bounds the next read of the body, and takes back the header's deadline. A deadline costs more than a look at
// the clock: it is set with an eighth to spare, and stands as long as it leaves the whole time.
func (c *Conn) armStall() {
	if c.stall <= 0 {
		if c.armed {
			c.setDeadline(time.Time{})
			c.armed = false
		}
		return
	}
	now := time.Now()
	if c.stallUntil.Sub(now) < c.stall {
		c.stallUntil = now.Add(c.stall + c.stall/8)
		c.setReadDeadline(c.stallUntil)
		c.armed = true
	}
}

// meter counts what TLS puts into the socket, so that a record cut short counts too.
type meter struct {
	net.Conn
	accepted *atomic.Int64
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.accepted.Add(int64(n))
	return n, err
}

// receive reads interim answers and the header of the final one.
func (c *Conn) receive(req *http.Request) (*http.Response, error) {
	for range maxInterim + 1 {
		if first, err := c.br.Peek(1); err != nil {
			return nil, err
		} else if first[0] == tlsAlert {
			return nil, errSpeaksTLS
		}
		if resp := readHead(c.br, req); resp != nil {
			return resp, nil
		}
		resp, err := http.ReadResponse(c.br, req)
		switch {
		case err != nil:
			return nil, c.codecError(err)
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, fmt.Errorf("%w: answered 101 though no upgrade was asked for", ErrProtocol)
		case resp.StatusCode >= 200:
			return resp, nil
		case resp.StatusCode < 100:
			return nil, fmt.Errorf("%w: status %d", ErrProtocol, resp.StatusCode)
		case resp.StatusCode == http.StatusContinue && c.up != nil:
			c.up.proceed()
		}
	}
	return nil, fmt.Errorf("%w: more than %d interim answers", ErrProtocol, maxInterim)
}

// codecError tells a broken rule from a broken socket.
func (c *Conn) codecError(err error) error {
	if c.readErr != nil || err == ErrHeaderTooLarge {
		return err
	}
	text := err.Error() // may quote a whole line of the answer
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return fmt.Errorf("%w: %s", ErrProtocol, strings.ToValidUTF8(text, ""))
}

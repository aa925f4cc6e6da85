package httpconn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
)

// userAgent is sent when the caller's header has none.
const userAgent = "esdriver"

// Values of headers of ours, made once. They are only read.
var (
	userAgentValue = []string{userAgent}
	gzipValue      = []string{"gzip"}
	chunkedValue   = []string{"chunked"}
)

var (
	errNoURL  = errors.New("request without a URL")
	errMethod = errors.New("method of the request is not a token")
)

// prepare makes out from the caller's request: the same, with the headers that we add and a body that we watch.
func (c *Conn) prepare(req *http.Request) error {
	if err := req.Context().Err(); err != nil {
		return err
	}
	if req.URL == nil {
		return errNoURL
	}
	if req.Method != "" && !isToken(req.Method) {
		return errMethod
	}
	c.out = *req
	clear(c.header)
	maps.Copy(c.header, req.Header)
	c.out.Header = c.header
	c.addHeaders()
	return c.body.take(&c.out)
}

func (c *Conn) addHeaders() {
	if _, ok := c.header["User-Agent"]; !ok {
		c.header["User-Agent"] = userAgentValue
	}
	if c.asksGzip = wantsGzip(&c.out); c.asksGzip {
		c.header["Accept-Encoding"] = gzipValue
	}
	if c.proxyAuth != nil {
		c.header["Proxy-Authorization"] = c.proxyAuth
	}
}

// transmit writes the request, or starts the writing of it.
func (c *Conn) transmit() error {
	expect := c.body.r != nil && strings.EqualFold(c.header.Get("Expect"), "100-continue")
	if expect || !c.body.memory || c.body.size > inlineBody {
		c.startUpload(expect)
		return nil
	}
	err := c.send()
	c.sent = time.Now()
	return err
}

// send writes the prepared request, on whichever goroutine it was decided to.
func (c *Conn) send() error {
	err := c.write()
	c.out = http.Request{} // keeps nothing of the caller's alive
	_ = c.body.Close()     // net/http has closed it, but for an error before
	switch {               // net/http hides what it wraps
	case c.wire.err != nil:
		return c.wire.err
	case c.body.err != nil:
		return &ownError{fmt.Errorf("body of the request: %w", c.body.err)}
	case err != nil:
		return &ownError{err}
	}
	return nil
}

func (c *Conn) write() error {
	if done, err := c.writePlain(); done {
		return err
	}
	write := c.out.Write
	if c.viaProxy {
		write = c.out.WriteProxy
	}
	if err := write(&c.wire); err != nil {
		return err
	}
	return c.wire.Flush()
}

// closeBody closes the body of a request that was not sent.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // nothing was read, so its error says nothing
	}
}

// outBody is the body of the request as Request.Write sees it.
type outBody struct {
	wire   *wire
	r      io.Reader // without its NopCloser; nil when there is no body
	closer io.Closer
	closed atomic.Bool
	memory bool  // Read never blocks
	size   int64 // of a body in memory
	// left is what may still be read: ContentLength and one byte more, which shows a body that is too long.
	// Negative means that the length is not known.
	left int64
	gate *gate // nil when nothing has to be waited for
	err  error // Read's first error but for io.EOF
}

// take puts itself in the place of out's body, and says what net/http leaves open about the length.
func (b *outBody) take(out *http.Request) error {
	b.r, b.closer, b.gate, b.err = nil, nil, nil, nil
	b.memory, b.size, b.left = true, 0, -1
	b.closed.Store(false)
	if out.Body == nil || out.Body == http.NoBody {
		return nil
	}
	b.r, b.closer = unwrap(out.Body), out.Body
	b.size, b.memory = memorySize(b.r)
	chunked := len(out.TransferEncoding) > 0 && out.TransferEncoding[0] == "chunked"
	if b.memory && out.ContentLength <= 0 && !chunked {
		out.ContentLength = b.size
	}
	out.Body = b
	switch {
	case chunked || out.ContentLength < 0 || out.ContentLength == 0 && !b.memory:
		// net/http would look whether a GET's body is empty, on a goroutine and with a timer of its own.
		out.ContentLength, out.TransferEncoding = -1, chunkedValue
	case b.memory && out.ContentLength != b.size:
		return fmt.Errorf("ContentLength is %d but the body holds %d bytes", out.ContentLength, b.size)
	case out.ContentLength == 0:
		out.Body, out.TransferEncoding, b.r = http.NoBody, nil, nil
	default:
		out.TransferEncoding = nil
		b.left = out.ContentLength + 1
	}
	return nil
}

// isBytes reports whether the body is n bytes in one piece, which its WriteTo passes on in one call.
func (b *outBody) isBytes(n int64) bool {
	if b.gate != nil {
		return false
	}
	switch r := b.r.(type) {
	case *bytes.Reader:
		return int64(r.Len()) == n
	case *bytes.Buffer:
		return int64(r.Len()) == n
	}
	return false
}

func (b *outBody) Read(p []byte) (int, error) {
	if err := b.ready(); err != nil {
		b.err = err
		return 0, err
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.left > 0 {
		p = p[:min(int64(len(p)), b.left)]
	}
	n, err := b.r.Read(p)
	if b.left > 0 {
		b.left -= int64(n)
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// ready waits for the gate, and fails once the body is closed. What was gathered goes out before a Read that may
// take its time, but for the line end of the last chunk, which nobody waits for.
func (b *outBody) ready() error {
	if b.closed.Load() {
		return errStopped
	}
	g := b.gate
	if (g != nil || !b.memory) && len(b.wire.buf) > len("\r\n") {
		if err := b.wire.Flush(); err != nil {
			return err
		}
	}
	if g == nil {
		return nil
	}
	b.gate = nil
	return g.wait()
}

// Close closes the caller's body, once. It may be called while Read waits, to free it.
func (b *outBody) Close() error {
	if b.closer == nil || b.closed.Swap(true) {
		return nil
	}
	return b.closer.Close()
}

// The types that io.NopCloser returns; net/http knows them by the same means.
var (
	nopCloser         = reflect.TypeOf(io.NopCloser(nil))
	nopCloserWriterTo = reflect.TypeOf(io.NopCloser(struct {
		io.Reader
		io.WriterTo
	}{}))
)

// unwrap returns what is inside an io.NopCloser.
func unwrap(r io.ReadCloser) io.Reader {
	if t := reflect.TypeOf(r); t == nopCloser || t == nopCloserWriterTo {
		return reflect.ValueOf(r).Field(0).Interface().(io.Reader)
	}
	return r
}

// memorySize returns what is left of a reader that is known to read from memory.
func memorySize(r io.Reader) (int64, bool) {
	switch r := r.(type) {
	case *bytes.Reader:
		return int64(r.Len()), true
	case *bytes.Buffer:
		return int64(r.Len()), true
	case *strings.Reader:
		return int64(r.Len()), true
	}
	return 0, false
}

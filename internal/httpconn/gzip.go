package httpconn

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

const (
	compressOver = 1 << 10 // bodies up to this go as they are
	keepZipped   = 4 << 20 // larger buffers are left to the garbage collector
)

// wantsGzip reports whether the answer's compression is ours to ask for and to undo.
func wantsGzip(req *http.Request) bool {
	_, chosen := req.Header["Accept-Encoding"]
	_, part := req.Header["Range"]
	return !chosen && !part && req.Method != http.MethodHead
}

// isGzip reports whether an answer is compressed, and with gzip alone.
func isGzip(h http.Header) bool { return strings.EqualFold(h.Get("Content-Encoding"), "gzip") }

// zipper holds one compressed request body.
type zipper struct {
	buf bytes.Buffer
	zw  *gzip.Writer
}

var zippers = sync.Pool{New: func() any {
	zw, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &zipper{zw: zw}
}}

func takeZipper() *zipper {
	z := zippers.Get().(*zipper)
	z.buf.Reset()
	z.zw.Reset(&z.buf)
	return z
}

func (z *zipper) release() {
	if z.buf.Cap() <= keepZipped {
		zippers.Put(z)
	}
}

// compress puts the compressed body in the place of the body. Its length is then known, whatever GetBody says.
func (b *outBody) compress(z *zipper, out *http.Request) error {
	g := b.gate
	b.gate = nil // the header is not written yet: the node cannot ask
	n, err := copyPieces(z.zw, b)
	if err == nil {
		err = z.zw.Close()
	}
	if err == nil && n != out.ContentLength {
		err = fmt.Errorf("ContentLength is %d but the body holds %d bytes or more", out.ContentLength, n)
	}
	out.ContentLength = int64(z.buf.Len())
	out.Header["Content-Encoding"] = gzipValue
	b.r, b.left, b.gate = bytes.NewReader(z.buf.Bytes()), out.ContentLength+1, g
	return err
}

// unzipper undoes the compression of one answer. The pool spares 40 KiB of window for each.
type unzipper struct {
	br    *bufio.Reader
	zr    gzip.Reader
	begun bool
	err   error
}

var unzippers = sync.Pool{New: func() any { return &unzipper{br: bufio.NewReader(nil)} }}

func takeUnzipper() *unzipper { return unzippers.Get().(*unzipper) }

// read starts at the first call, since gzip's own header is part of the body and may come late.
func (u *unzipper) read(raw io.Reader, p []byte) (int, error) {
	if !u.begun {
		u.begun = true
		u.br.Reset(raw)
		u.err = u.zr.Reset(u.br)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.zr.Read(p)
}

func (u *unzipper) release() {
	u.br.Reset(nil)
	u.begun, u.err = false, nil
	unzippers.Put(u)
}

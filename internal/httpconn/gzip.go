package httpconn

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// wantsGzip reports whether the answer's compression is ours to ask for and to undo.
func wantsGzip(req *http.Request) bool {
	_, chosen := req.Header["Accept-Encoding"]
	_, part := req.Header["Range"]
	return !chosen && !part && req.Method != http.MethodHead
}

// isGzip reports whether an answer is compressed, and with gzip alone.
func isGzip(h http.Header) bool { return strings.EqualFold(h.Get("Content-Encoding"), "gzip") }

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

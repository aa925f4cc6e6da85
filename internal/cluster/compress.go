package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
)

const (
	compressOver = 1 << 10 // bodies up to this go as they are
	keepZipped   = 4 << 20 // larger buffers are left to the garbage collector
)

// compresses reports whether the request's body is to be compressed: one of known length that is worth it, and that
// nobody has encoded.
func (c *Cluster) compresses(req *http.Request) bool {
	_, encoded := req.Header["Content-Encoding"]
	return c.cfg.Compress && !encoded && req.ContentLength > compressOver && len(req.TransferEncoding) == 0 && req.Body != nil
}

// compress reads the request's body, once for all attempts, so that what signs a body signs what is sent.
func (r *request) compress() error {
	r.opened = true // zip closes it, whatever happens
	zipped, err := zip(r.ctx, r.req.Body, r.req.ContentLength)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return r.contextEnd()
	case err != nil:
		return fmt.Errorf("cluster: body of the request: %w", err)
	}
	out := *r.req
	out.Header = http.Header{}
	for key, values := range r.req.Header {
		out.Header[key] = values
	}
	out.Header["Content-Encoding"] = []string{"gzip"}
	out.ContentLength = int64(len(zipped))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(zipped)), nil }
	r.out, r.zipped = &out, true
	return nil
}

// zip returns the body compressed, and closes it. When the context ends before, a Read that does not return keeps a
// goroutine and nobody else.
func zip(ctx context.Context, body io.ReadCloser, length int64) ([]byte, error) {
	type result struct {
		zipped []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		zipped, err := zipAll(body, length)
		done <- result{zipped, err}
	}()
	defer body.Close() // frees a Read that waits
	select {
	case r := <-done:
		return r.zipped, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// zipper holds what compressing needs and can be used again.
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

// zipAll compresses length bytes. One more is asked for, which shows a body that is too long.
func zipAll(body io.Reader, length int64) ([]byte, error) {
	z := zippers.Get().(*zipper)
	z.buf.Reset()
	z.zw.Reset(&z.buf)
	n, err := io.Copy(z.zw, io.LimitReader(body, length+1))
	if err == nil && n != length {
		err = fmt.Errorf("ContentLength is %d but the body holds %d bytes or more", length, n)
	}
	if err == nil {
		err = z.zw.Close()
	}
	zipped := bytes.Clone(z.buf.Bytes()) // the buffer serves other requests, while a slow node still reads this one
	if z.buf.Cap() <= keepZipped {
		zippers.Put(z)
	}
	return zipped, err
}

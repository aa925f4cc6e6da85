package cluster

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// openBody opens the request's body for an attempt. The first gets the caller's; later ones what GetBody
// gives. A body that can be opened only once may still serve another attempt as long as nobody has read of it.
func (r *request) openBody() (io.ReadCloser, error) {
	switch {
	case r.zipped:
		return r.out.GetBody()
	case r.req.Body == nil || r.req.Body == http.NoBody:
		return r.req.Body, nil
	case r.req.GetBody == nil:
		if r.body == nil {
			r.body, r.opened = &singleBody{body: r.req.Body}, true
		}
		if r.body.touched.Load() {
			return nil, errBodyOnce
		}
		return r.body, nil
	case !r.opened:
		r.opened = true
		return r.req.Body, nil
	}
	return openAgain(r.req)
}

// openAgain calls the request's GetBody.
func openAgain(req *http.Request) (io.ReadCloser, error) {
	body, err := req.GetBody()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cluster: GetBody: %w", err)
	case body == nil:
		return nil, errors.New("cluster: GetBody gave no body")
	}
	return body, nil
}

// replayable reports whether another attempt can send the same bytes.
func (r *request) replayable() bool {
	return r.zipped || r.req.GetBody != nil || r.req.Body == nil || r.req.Body == http.NoBody || r.body == nil || !r.body.touched.Load()
}

// singleBody is a body that can be read only once. Its Close is put off to the request's end, so that an
// attempt that has not read of it leaves it to the next.
type singleBody struct {
	body    io.ReadCloser
	touched atomic.Bool
}

func (b *singleBody) Read(p []byte) (int, error) {
	b.touched.Store(true)
	return b.body.Read(p)
}

// Close leaves the body open unless it was read of.
func (b *singleBody) Close() error {
	if b.touched.Load() {
		return b.body.Close()
	}
	return nil
}

// finish closes a body that no attempt has read of.
func (b *singleBody) finish() {
	if !b.touched.Load() {
		_ = b.body.Close() // nobody is left to tell
	}
}

// readAll reads a small body to its end and closes it.
func readAll(body io.ReadCloser, limit int64) ([]byte, error) {
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("longer than %d bytes", limit)
	}
	return data, err
}

// snippet is the start of a body, for an error.
func snippet(body []byte) string {
	const most = 120
	if len(body) > most {
		return string(body[:most]) + "…"
	}
	return string(body)
}

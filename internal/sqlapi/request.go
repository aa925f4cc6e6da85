package sqlapi

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/pool"
)

const headerRequestID = "X-Opaque-Id"

// request is one HTTP request to any node.
type request struct {
	method, path string
	query        string // URL parameters, encoded
	body         []byte
	id           string // X-Opaque-Id, or empty
	repeat       repeat
}

// repeat says whether a request may be sent again after it may have been executed.
type repeat uint8

const (
	repeatByTable repeat = iota // the cluster's table of operations decides, or the caller's mark
	repeatYes
	repeatNo
)

// send sends the request and returns an answer of status 200. The caller closes its body, which ends with ctx.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	resp, err := c.doer.RoundTrip(c.httpRequest(ctx, r))
	if err != nil {
		return nil, err
	}
	c.learn(resp.Header)
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(resp)
	}
	return resp, nil
}

// outgoing is what a request points to, in one piece.
type outgoing struct {
	url  url.URL
	body bytes.Reader
}

func (c *Client) httpRequest(ctx context.Context, r request) *http.Request {
	out := &outgoing{url: url.URL{Scheme: "http", Path: r.path, RawQuery: r.query}}
	req := http.Request{
		Method: r.method, URL: &out.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: r.header(),
	}
	if r.body != nil {
		out.body.Reset(r.body)
		// The transport writes a body at once when it sees that it is in memory: it knows io.NopCloser and what is in it.
		req.Body, req.ContentLength = io.NopCloser(&out.body), int64(len(r.body))
		again := r.body
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(again)), nil }
	}
	return req.WithContext(c.marked(ctx, r.repeat))
}

// The headers of most requests are shared: no http.RoundTripper changes its request.
var (
	headerBare = http.Header{"Accept": {"application/json"}}
	headerJSON = http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}
)

func (r *request) header() http.Header {
	shared := headerBare
	if r.body != nil {
		shared = headerJSON
	}
	if r.id == "" {
		return shared
	}
	own := maps.Clone(shared)
	own[headerRequestID] = []string{r.id}
	return own
}

// marked returns the context with the class and the mark that the cluster looks for.
func (c *Client) marked(ctx context.Context, r repeat) context.Context {
	if _, ok := pool.ClassFrom(ctx); !ok {
		ctx = pool.WithClass(ctx, c.class)
	}
	if r != repeatByTable {
		ctx = cluster.WithIdempotent(ctx, r == repeatYes)
	}
	return ctx
}

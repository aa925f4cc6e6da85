package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/esdriver/esdriver/bench/srv"
)

// What every layer sends beside method and path, as the clients of the two products do.
const (
	userAgent     = "bench/1 (linux amd64)"
	authorization = "ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw=="
	accept        = "application/json"
	contentType   = "application/x-ndjson"
)

// operation is one kind of request.
type operation struct {
	method, path string
	body         []byte // nil: none
	text         string // body again, for clients that want a string
}

var operations = map[string]*operation{
	"get300":   {method: http.MethodGet, path: srv.Small},
	"get1m":    {method: http.MethodGet, path: srv.Large},
	"bulk1m":   bulk(srv.Bulk),
	"slowbulk": bulk(srv.SlowBulk),
	"select1":  query(pointSelect),
}

// pointSelect is a SELECT of one row; its parameter is 1.
const pointSelect = "SELECT id, name FROM people WHERE age = ? LIMIT 1"

// query is what a SELECT sends.
func query(text string) *operation {
	body := fmt.Sprintf(`{"query":%q,"params":[1],"fetch_size":1000,"time_zone":"UTC"}`, text)
	return &operation{method: http.MethodPost, path: srv.SQL, body: []byte(body), text: body}
}

// bulk is a bulk of 1 MiB.
func bulk(path string) *operation {
	const size = 1 << 20
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "{\"index\":{\"_index\":\"a\",\"_id\":\"%d\"}}\n{\"f\":\"%d\",\"text\":\"lorem ipsum dolor\"}\n", i, i*7919)
	}
	body := b.Bytes()[:size]
	return &operation{method: http.MethodPost, path: path, body: body, text: string(body)}
}

// request makes the operation's request to a host, which may be empty for layers that pick one themselves. It is made
// by hand, since what is measured is not net/url's parser.
func (o *operation) request(ctx context.Context, host string) *http.Request {
	r := &http.Request{
		Method: o.method, URL: &url.URL{Scheme: "http", Host: host, Path: o.path}, Host: host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{
			"User-Agent": {userAgent}, "Authorization": {authorization}, "Accept": {accept},
		},
	}
	if o.body != nil {
		r.Header["Content-Type"] = []string{contentType}
		r.ContentLength = int64(len(o.body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(o.body)), nil }
		r.Body, _ = r.GetBody()
	}
	return r.WithContext(ctx)
}

// bytes is the request as it is on the wire.
func (o *operation) bytes(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nAuthorization: %s\r\nAccept: %s\r\n",
		o.method, o.path, host, userAgent, authorization, accept)
	if o.body != nil {
		fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n", contentType, len(o.body))
	}
	b.WriteString("\r\n")
	b.Write(o.body)
	return b.Bytes()
}

package httpconn

import (
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
)

// writePlain gathers the head of a request, and sends it with its body, if all of it is as plain as in nearly all
// requests: no proxy, a body in memory or none, no byte that has to be escaped, cleaned or
// refused. It returns false without having written anything otherwise, and http.Request.Write does it; where both
// would write they say the same, which a fuzz test holds them to.
func (c *Conn) writePlain() (bool, error) {
	if c.viaProxy || c.up != nil {
		return false, nil
	}
	head, ok := appendHead(c.wire.buf, &c.out)
	if !ok || len(head) > cap(c.wire.buf) {
		return false, nil
	}
	c.wire.buf = head
	if c.body.r != nil {
		if _, err := c.body.r.(io.WriterTo).WriteTo(&c.wire); err != nil {
			return true, err
		}
	}
	return true, c.wire.Flush()
}

// appendHead appends a request's head. Its Body is nil, http.NoBody, or as long as ContentLength says.
func appendHead(buf []byte, out *http.Request) (head []byte, ok bool) {
	method := out.Method
	if method == "" {
		method = http.MethodGet
	}
	host := out.Host
	if host == "" {
		host = out.URL.Host
	}
	hasBody := out.Body != nil && out.Body != http.NoBody
	if !isToken(method) || method == http.MethodConnect || !isPlainHost(host) || out.Close || out.Trailer != nil ||
		out.TransferEncoding != nil || hasBody != (out.ContentLength > 0) {
		return buf, false
	}
	buf = append(append(buf, method...), ' ')
	if buf, ok = appendTarget(buf, out.URL); !ok {
		return buf, false
	}
	buf = append(append(buf, " HTTP/1.1\r\nHost: "...), host...)
	if hasBody || method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
		buf = strconv.AppendInt(append(buf, "\r\nContent-Length: "...), out.ContentLength, 10)
	}
	buf = append(buf, "\r\n"...)
	if buf, ok = appendHeader(buf, out.Header); !ok {
		return buf, false
	}
	return append(buf, "\r\n"...), true
}

// appendTarget appends path and query.
func appendTarget(buf []byte, u *url.URL) ([]byte, bool) {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.Opaque != "" || path[0] != '/' || !isVisible(path) || !isVisible(u.RawQuery) {
		return buf, false
	}
	buf = append(buf, path...)
	if u.ForceQuery || u.RawQuery != "" {
		buf = append(append(buf, '?'), u.RawQuery...)
	}
	return buf, true
}

// appendHeader appends the header's lines in any order, but for those that a request's own fields stand for.
func appendHeader(buf []byte, header http.Header) ([]byte, bool) {
	for key, values := range header {
		switch key {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		case "User-Agent":
			values = values[:min(1, len(values))]
			if len(values) == 0 || values[0] == "" {
				continue
			}
		}
		// A key in another case may stand for what is written already.
		if !isToken(key) || textproto.CanonicalMIMEHeaderKey(key) != key {
			return buf, false
		}
		for _, value := range values {
			if !isPlainValue(value) {
				return buf, false
			}
			buf = append(append(append(append(buf, key...), ": "...), value...), "\r\n"...)
		}
	}
	return buf, true
}

// isPlainValue reports whether a header's value can be sent as it is.
func isPlainValue(s string) bool {
	return isText(s) && (s == "" || s[0] > ' ' && s[len(s)-1] > ' ')
}

// isPlainHost reports whether a host, with or without its port, needs no cleaning.
func isPlainHost(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '-', c == ':', c == '[', c == ']':
		default:
			return false
		}
	}
	return s != ""
}

// isVisible reports whether s is printable ASCII without spaces.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

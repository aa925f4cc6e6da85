package httpconn

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"strings"
)

// Nearly all answers have a head of one shape: a status from 200 on, plain header lines, a Content-Length. readHead
// makes the response of such a head in a few allocations. It leaves all others, and whatever it is not sure of, to
// http.ReadResponse; where both would answer they give the same, which a fuzz test holds them to.

const (
	statusStart = "HTTP/1.1 "
	shortest    = len(statusStart) + len("200 x")
)

// readHead returns the answer of a head that has arrived whole, or nil without having read anything.
func readHead(br *bufio.Reader, req *http.Request) *http.Response {
	buffered, _ := br.Peek(br.Buffered()) // never fails: it is there
	end := bytes.Index(buffered, []byte("\r\n\r\n"))
	if end < shortest || req.Method == http.MethodHead {
		return nil
	}
	head := string(buffered[:end])
	line, lines, _ := strings.Cut(head, "\r\n")
	resp := plainStatus(line)
	if resp == nil || !plainHeader(resp, lines) {
		return nil
	}
	_, _ = br.Discard(end + len("\r\n\r\n")) // never fails either
	resp.Request = req
	resp.Body = http.NoBody
	if resp.ContentLength > 0 {
		resp.Body = &knownBody{br: br, left: resp.ContentLength}
	}
	return resp
}

// plainStatus reads a status line such as "HTTP/1.1 200 OK".
func plainStatus(line string) *http.Response {
	if len(line) < shortest || !strings.HasPrefix(line, statusStart) || !isText(line) {
		return nil
	}
	status := line[len(statusStart):]
	code := 0
	for _, d := range []byte(status[:3]) {
		if d < '0' || d > '9' {
			return nil
		}
		code = code*10 + int(d-'0')
	}
	if code < 200 || code == http.StatusNoContent || code == http.StatusNotModified || status[3] != ' ' {
		return nil
	}
	return &http.Response{Status: status, StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1}
}

// plainHeader reads header lines into the response. It returns false at any line that has a meaning of its own for
// the message, save for Content-Length, which must be there once.
func plainHeader(resp *http.Response, lines string) bool {
	n := strings.Count(lines, "\r\n") + 1
	resp.Header = make(http.Header, n)
	values := make([]string, 0, n) // all values in one piece; each header has a part of it, without room to grow
	for more := lines != ""; more; {
		var line string
		line, lines, more = strings.Cut(lines, "\r\n")
		key, value, ok := plainLine(line)
		if !ok {
			return false
		}
		switch key {
		case "Connection", "Transfer-Encoding", "Trailer", "Pragma":
			return false
		case "Content-Length":
			if resp.ContentLength >= 0 {
				return false
			}
			if resp.ContentLength = length(value); resp.ContentLength < 0 {
				return false
			}
		}
		if before := resp.Header[key]; before != nil {
			resp.Header[key] = append(before, value)
			continue
		}
		values = append(values, value)
		resp.Header[key] = values[len(values)-1 : len(values) : len(values)]
	}
	return resp.ContentLength >= 0
}

// plainLine splits a header line.
func plainLine(line string) (key, value string, ok bool) {
	colon := strings.IndexByte(line, ':')
	if colon <= 0 || !isToken(line[:colon]) || !isText(line[colon:]) {
		return "", "", false
	}
	return canonical(line[:colon]), strings.Trim(line[colon+1:], " \t"), true
}

// canonical is the key's usual form. The keys that servers send most, in their lower case, cost no allocation.
func canonical(key string) string {
	switch key {
	case "content-type":
		return "Content-Type"
	case "content-length":
		return "Content-Length"
	case "content-encoding":
		return "Content-Encoding"
	case "X-elastic-product":
		return "X-Elastic-Product"
	}
	return textproto.CanonicalMIMEHeaderKey(key)
}

// length reads a Content-Length; negative means that it is not a plain number.
func length(value string) int64 {
	if value == "" || len(value) > 15 {
		return -1
	}
	n := int64(0)
	for _, d := range []byte(value) {
		if d < '0' || d > '9' {
			return -1
		}
		n = n*10 + int64(d-'0')
	}
	return n
}

// isText reports whether s is printable ASCII with spaces and tabs.
func isText(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// isToken reports whether s is not empty and a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

var tokenBytes = func() (is [256]bool) {
	const signs = "!#$%&'*+-.^_`|~"
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for _, c := range []byte(signs + letters + strings.ToUpper(letters) + "0123456789") {
		is[c] = true
	}
	return is
}()

// knownBody is a body of known length.
type knownBody struct {
	br   *bufio.Reader
	left int64
}

func (b *knownBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.br.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case b.left == 0 && (err == nil || err == io.EOF):
		return n, io.EOF
	case err == io.EOF:
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// Close does nothing: the rest is the connection's matter.
func (b *knownBody) Close() error { return nil }

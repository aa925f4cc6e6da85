package httpconn

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answers that a head of the usual shape opens, and some that must be left to net/http.
var heads = []string{
	"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nX-elastic-product: Elasticsearch\r\nContent-Type:application/json \r\nwarning: 299 a\r\nwarning: 299 b\r\ncontent-length: 0\r\n\r\n",
	"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nab",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
	"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: \x80\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n",
}

// FuzzAnswerHead holds readHead to http.ReadResponse: what it takes, both read alike.
func FuzzAnswerHead(f *testing.F) {
	for _, head := range heads {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, answer []byte) { compareAnswers(t, answer) })
}

// compareAnswers reports whether readHead took the answer.
func compareAnswers(t *testing.T, answer []byte) bool {
	req := &http.Request{Method: http.MethodGet}
	br := bufio.NewReader(bytes.NewReader(answer))
	_, _ = br.Peek(1)
	got := readHead(br, req)
	if got == nil {
		return false
	}
	want, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), req)
	require.NoError(t, err)
	gotBody, gotErr := io.ReadAll(got.Body)
	wantBody, wantErr := io.ReadAll(want.Body)
	assert.Equal(t, string(wantBody), string(gotBody))
	assert.Equal(t, wantErr, gotErr)
	got.Body, want.Body = nil, nil
	assert.Equal(t, want, got)
	return true
}

func TestAnswersOfTheUsualShapeAreReadWithoutNetHTTP(t *testing.T) {
	for i, head := range heads {
		assert.Equal(t, i < 3, compareAnswers(t, []byte(head)), "%q", head)
	}
}

func TestHeadThatHasNotArrivedWholeIsLeftToNetHTTP(t *testing.T) {
	head := heads[0]
	for cut := range strings.Index(head, "{}") {
		assert.False(t, compareAnswers(t, []byte(head[:cut])), "%q", head[:cut])
	}
}

// requestParts is a request as fuzzing makes it.
type requestParts struct{ method, host, path, query, key, value, body string }

var requests = []requestParts{
	{"GET", "h:9200", "/idx/_doc/1", "", "Accept", "application/json", ""},
	{"", "[::1]:9200", "", "q=a%20b&x", "User-Agent", "mine", ""},
	{"POST", "h", "/_bulk", "refresh", "Content-Type", "application/x-ndjson", "{}\n"},
	{"PUT", "h", "/ü/%2F", "", "X-Opaque-Id", "", ""},
	{"GET", "h", "/a b", "c d", "X", " a ", ""},
	{"GET", "h%eth0", "/", "", "X", "a\r\nb", ""},
	{"CONNECT", "ü", "*", "", "Host", "other", ""},
	{"GE T", "", "/\x00", "", "bad key", "a", "x"},
	{"DELETE", "h", "//x", "?", "Transfer-Encoding", "chunked", "y"},
	{"POST", "h", "/", "", "TRAnsfer-EnCoding", "Chunked", "0"},
	{"GET", "h", "/", "", "User-AgEnt", "1", ""},
}

// FuzzRequestHead holds appendHead to http.Request.Write: what it takes, a server reads alike from both.
func FuzzRequestHead(f *testing.F) {
	for _, r := range requests {
		f.Add(r.method, r.host, r.path, r.query, r.key, r.value, r.body)
	}
	f.Fuzz(func(t *testing.T, method, host, path, query, key, value, body string) {
		compareRequests(t, requestParts{method, host, path, query, key, value, body})
	})
}

// compareRequests reports whether appendHead took the request.
func compareRequests(t *testing.T, p requestParts) bool {
	req := &http.Request{
		Method: p.method, URL: &url.URL{Scheme: "http", Host: p.host, Path: p.path, RawQuery: p.query},
		Header: http.Header{p.key: {p.value}, "User-Agent": userAgentValue},
	}
	if p.body != "" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(p.body)), int64(len(p.body))
	}
	head, ok := appendHead(nil, req)
	if !ok {
		return false
	}
	var want bytes.Buffer
	require.NoError(t, req.Write(&want), "net/http refuses what was written: %q", head)
	assert.Equal(t, parseRequest(t, want.Bytes()), parseRequest(t, append(head, p.body...)))
	return true
}

// parsedRequest is what a server reads.
type parsedRequest struct {
	request http.Request
	body    string
	rest    string // what it takes for the next one
	err     string // why it reads nothing, a bad host for one
}

func parseRequest(t *testing.T, message []byte) parsedRequest {
	br := bufio.NewReader(bytes.NewReader(message))
	req, err := http.ReadRequest(br)
	if err != nil {
		return parsedRequest{err: err.Error()}
	}
	body, err := io.ReadAll(req.Body)
	if err != nil { // a Transfer-Encoding of the caller's, in a case that net/http does not look for
		return parsedRequest{err: err.Error()}
	}
	rest, err := io.ReadAll(br)
	require.NoError(t, err)
	req.Body = nil
	return parsedRequest{request: *req, body: string(body), rest: string(rest)}
}

func TestRequestsOfTheUsualShapeAreWrittenWithoutNetHTTP(t *testing.T) {
	taken := []bool{true, true, true, true, false, false, false, false, true, false, false}
	for i, r := range requests {
		assert.Equal(t, taken[i], compareRequests(t, r), "%+v", r)
	}
}

package httpconn_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

func TestRefusedDialIsADialError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	l.Close()
	_, err = tryDial(t, &url.URL{Scheme: "http", Host: addr}, httpconn.Config{})
	e := asError(t, err)
	assert.Equal(t, httpconn.OpDial, e.Op)
	assert.Equal(t, addr, e.Addr)
	assert.False(t, e.Wrote)
	assert.False(t, e.Timeout())
}

func TestUnknownSchemeIsADialError(t *testing.T) {
	_, err := tryDial(t, &url.URL{Scheme: "elasticsearch", Host: "127.0.0.1:9"}, httpconn.Config{})
	assert.Equal(t, httpconn.OpDial, asError(t, err).Op)
}

// hang dials until its context ends.
func hang(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
}

func TestDialTimeoutIsOursAndNotTheCallers(t *testing.T) {
	_, err := tryDial(t, &url.URL{Scheme: "http", Host: "127.0.0.1:9"}, httpconn.Config{DialContext: hang, DialTimeout: time.Millisecond})
	e := asError(t, err)
	assert.Equal(t, httpconn.OpDial, e.Op)
	assert.ErrorIs(t, e, httpconn.ErrDialTimeout)
	assert.NotErrorIs(t, e, context.DeadlineExceeded)
	assert.True(t, e.Timeout())
	assert.Contains(t, e.Error(), "raise dial_timeout")
}

func TestCancelledDialIsTheCallers(t *testing.T) {
	d, err := httpconn.NewDialer(httpconn.Config{DialContext: hang, DialTimeout: time.Minute})
	require.NoError(t, err)
	why := errors.New("user went home")
	ctx, cancel := context.WithCancelCause(context.Background())
	go cancel(why)
	_, err = d.Dial(ctx, &url.URL{Scheme: "http", Host: "127.0.0.1:9"})
	e := asError(t, err)
	assert.ErrorIs(t, e, context.Canceled)
	assert.ErrorIs(t, e, why)
	late, cancelLate := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancelLate()
	_, err = d.Dial(late, &url.URL{Scheme: "http", Host: "127.0.0.1:9"})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotErrorIs(t, err, httpconn.ErrDialTimeout)
}

func TestNameIsResolvedAtEachDial(t *testing.T) {
	var asked []string
	base := &url.URL{Scheme: "http", Host: "node.example"}
	for range 2 {
		tryDial(t, base, httpconn.Config{DialContext: func(_ context.Context, _, addr string) (net.Conn, error) {
			asked = append(asked, addr)
			return nil, io.EOF
		}})
	}
	assert.Equal(t, []string{"node.example:80", "node.example:80"}, asked)
}

func TestContextOfTheDialDoesNotBoundTheConnection(t *testing.T) {
	base := serve(t, answers(okAnswer))
	d, err := httpconn.NewDialer(httpconn.Config{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := d.Dial(ctx, base)
	require.NoError(t, err)
	defer c.Close()
	cancel()
	_, body, _ := exchange(t, c, get(t, base))
	assert.Equal(t, "ok", body)
}

// proxyTo is a proxy that takes CONNECT when the credentials are right, and answers other requests itself.
func proxyTo(t *testing.T, auth string) (*url.URL, chan *http.Request) {
	seen := make(chan *http.Request, 10)
	u := serve(t, func(nc net.Conn, br *bufio.Reader) {
		for {
			req, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			io.Copy(io.Discard, req.Body)
			seen <- req
			if req.Header.Get("Proxy-Authorization") != auth {
				io.WriteString(nc, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
				continue
			}
			if req.Method != http.MethodConnect {
				io.WriteString(nc, okAnswer)
				continue
			}
			node, err := net.Dial("tcp", req.RequestURI)
			if err != nil {
				return
			}
			io.WriteString(nc, "HTTP/1.1 200 Connection established\r\n\r\n")
			go func() { io.Copy(node, br); node.Close() }()
			io.Copy(nc, node)
			return
		}
	})
	return u, seen
}

func fixed(u *url.URL) func(*url.URL) (*url.URL, error) {
	return func(*url.URL) (*url.URL, error) { return u, nil }
}

func TestPlainNodesAreReachedThroughAProxyByAbsoluteURI(t *testing.T) {
	proxy, seen := proxyTo(t, "Basic dXNlcjpzM2NyM3Q=")
	proxy.User = url.UserPassword("user", "s3cr3t")
	base := &url.URL{Scheme: "http", Host: "node.example:9200"}
	c := dial(t, base, httpconn.Config{Proxy: fixed(proxy)})
	for range 2 {
		_, body, reusable := exchange(t, c, newRequest(t, context.Background(), "GET", base, "/a%2Fb?x=1", nil))
		assert.Equal(t, "ok", body)
		assert.True(t, reusable)
		req := <-seen
		assert.Equal(t, "http://node.example:9200/a%2Fb?x=1", req.RequestURI)
		assert.Equal(t, "node.example:9200", req.Host)
	}
	assert.Equal(t, proxy.Host, c.RemoteAddr().String())
}

func TestProxyErrorsNameTheProxyAndHideItsPassword(t *testing.T) {
	proxy, _ := proxyTo(t, "Basic other")
	proxy.User = url.UserPassword("user", "s3cr3t")
	base := &url.URL{Scheme: "https", Host: "node.example:9200"}
	_, err := tryDial(t, base, httpconn.Config{Proxy: fixed(proxy)})
	e := asError(t, err)
	assert.Equal(t, httpconn.OpProxy, e.Op)
	assert.Equal(t, "node.example:9200", e.Addr)
	assert.Contains(t, e.Error(), proxy.Host)
	assert.Contains(t, e.Error(), "407")
	assert.NotContains(t, e.Error(), "s3cr3t")

	proxy.Scheme = "socks5"
	_, err = tryDial(t, base, httpconn.Config{Proxy: fixed(proxy)})
	assert.Equal(t, httpconn.OpProxy, asError(t, err).Op)
	assert.NotContains(t, err.Error(), "s3cr3t")

	_, err = tryDial(t, base, httpconn.Config{Proxy: func(*url.URL) (*url.URL, error) { return nil, io.EOF }})
	assert.Equal(t, httpconn.OpProxy, asError(t, err).Op)
	assert.ErrorIs(t, err, io.EOF)
}

func TestSilentProxyRunsIntoTheDialTimeout(t *testing.T) {
	proxy := serve(t, func(_ net.Conn, br *bufio.Reader) { io.Copy(io.Discard, br) })
	base := &url.URL{Scheme: "https", Host: "node.example:9200"}
	_, err := tryDial(t, base, httpconn.Config{Proxy: fixed(proxy), DialTimeout: 30 * time.Millisecond})
	e := asError(t, err)
	assert.Equal(t, httpconn.OpProxy, e.Op)
	assert.ErrorIs(t, e, httpconn.ErrDialTimeout)
}

func TestConfigHasItsErrors(t *testing.T) {
	for _, fp := range []string{"zz", "00", "00:11"} {
		_, err := httpconn.NewDialer(httpconn.Config{Fingerprint: fp})
		assert.ErrorContains(t, err, "tls.fingerprint")
	}
}

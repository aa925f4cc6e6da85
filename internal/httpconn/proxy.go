package httpconn

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// maxConnectHeader bounds a proxy's answer to CONNECT.
const maxConnectHeader = 64 << 10

var errProxySpoke = errors.New("the proxy sent bytes before TLS began")

// openProxy reaches the proxy, and for https the node behind it.
func (a *dialing) openProxy(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	if proxy.Scheme != "http" && proxy.Scheme != "https" {
		return nil, fmt.Errorf("proxy %s: scheme %q is neither http nor https", proxy.Host, proxy.Scheme)
	}
	nc, err := a.dialTCP(ctx, hostPort(proxy))
	if err != nil {
		return nil, fmt.Errorf("proxy %s: %w", proxy.Host, err)
	}
	tunnel, err := a.enter(ctx, nc, proxy)
	if err != nil {
		_ = nc.Close()
		return nil, fmt.Errorf("proxy %s: %w", proxy.Host, err)
	}
	return tunnel, nil
}

// enter does what the proxy wants before the node can be talked to.
func (a *dialing) enter(ctx context.Context, nc net.Conn, proxy *url.URL) (net.Conn, error) {
	if proxy.Scheme == "https" {
		t := tls.Client(nc, cloneTLS(a.cfg.TLS, proxy.Hostname()))
		if err := t.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		nc = t
	}
	if a.base.Scheme == "http" {
		return nc, nil
	}
	return nc, connectThrough(ctx, nc, a.addr, proxyAuth(proxy))
}

// connectThrough asks for a tunnel to addr.
func connectThrough(ctx context.Context, nc net.Conn, addr string, auth []string) error {
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(past) })
	err := tunnel(nc, addr, auth)
	if !stop() {
		return ctx.Err()
	}
	return err
}

func tunnel(nc net.Conn, addr string, auth []string) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr,
		Header: http.Header{"User-Agent": userAgentValue}}
	if auth != nil {
		req.Header["Proxy-Authorization"] = auth
	}
	if err := req.Write(nc); err != nil {
		return err
	}
	br := bufio.NewReader(io.LimitReader(nc, maxConnectHeader))
	resp, err := http.ReadResponse(br, req)
	switch {
	case err != nil:
		return fmt.Errorf("CONNECT %s: %w", addr, err)
	case resp.StatusCode == http.StatusProxyAuthRequired:
		return fmt.Errorf("CONNECT %s: answered %s (put the user and password of the proxy into its URL)", addr, resp.Status)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("CONNECT %s: answered %s", addr, resp.Status)
	case br.Buffered() > 0:
		return errProxySpoke
	}
	return nil
}

// proxyAuth returns the header that the proxy's user info stands for; nil without any.
func proxyAuth(proxy *url.URL) []string {
	if proxy.User == nil {
		return nil
	}
	password, _ := proxy.User.Password()
	token := proxy.User.Username() + ":" + password
	return []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(token))}
}

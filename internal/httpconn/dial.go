package httpconn

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	defaultDialTimeout    = 5 * time.Second
	defaultMaxHeaderBytes = 1 << 20
)

// Config says how connections are made. A Dialer copies it.
type Config struct {
	// DialContext opens the TCP connection; nil means a net.Dialer that asks for TCP keep-alive after 15 s, each
	// 15 s, three times. Names are resolved by it, at each dial. Deadlines of the connection must work.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// DialTimeout bounds a dial: TCP, proxy and TLS together. Zero means 5 s; negative, no bound but the context.
	DialTimeout time.Duration
	// TLS is used for https; nil means the defaults of crypto/tls. It is cloned for each dial, ServerName is
	// filled with the host if empty, and HTTP/1.1 is the only protocol that is offered.
	TLS *tls.Config
	// Fingerprint is the SHA-256 of a certificate in hexadecimal, colons allowed; empty means none. If set, a
	// node is trusted if and only if it presents that certificate as its own or as one that its own is signed
	// with, whatever name, issuer or TLS.InsecureSkipVerify say. It must not be that of a public authority.
	Fingerprint string
	// Proxy tells the proxy for a base URL, or nil for none; nil means the environment's (HTTP_PROXY,
	// HTTPS_PROXY, NO_PROXY by http.ProxyFromEnvironment's rules, which never takes one for loopback).
	// The proxy's scheme is http or https. Nodes with https are reached by CONNECT, nodes with http by absolute
	// URI, for proxies as a rule allow CONNECT to few ports. The user info becomes Proxy-Authorization.
	Proxy func(base *url.URL) (*url.URL, error)
	// MaxHeaderBytes bounds the header of an answer, to within 4 KiB. Zero and less mean 1 MiB.
	MaxHeaderBytes int
}

// Dialer opens connections. It is safe for concurrent use.
type Dialer struct {
	cfg         Config
	fingerprint []byte
}

// NewDialer checks the configuration and fills in defaults. The only errors are of a Fingerprint that is none.
func NewDialer(cfg Config) (*Dialer, error) {
	fp, err := parseFingerprint(cfg.Fingerprint)
	if err != nil {
		return nil, err
	}
	if cfg.DialContext == nil {
		cfg.DialContext = (&net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 3,
		}}).DialContext
	}
	if cfg.DialTimeout == 0 {
		cfg.DialTimeout = defaultDialTimeout
	}
	if cfg.MaxHeaderBytes <= 0 {
		cfg.MaxHeaderBytes = defaultMaxHeaderBytes
	}
	if cfg.Proxy == nil {
		cfg.Proxy = environmentProxy
	}
	return &Dialer{cfg: cfg, fingerprint: fp}, nil
}

// Dial connects to the node of a base URL with scheme http or https; without a port it is the scheme's. The
// context bounds the dial alone, not the connection. Every error is an *Error of OpDial, OpProxy or OpTLS, and
// matches the context's error if that is over, ErrDialTimeout if DialTimeout is.
func (d *Dialer) Dial(ctx context.Context, base *url.URL) (*Conn, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if d.cfg.DialTimeout > 0 {
		limited, cancel = context.WithTimeout(ctx, d.cfg.DialTimeout)
	}
	defer cancel()
	a := &dialing{Dialer: d, base: base, addr: hostPort(base)}
	c, err := a.connect(limited)
	if err != nil {
		return nil, &Error{Op: a.op, Addr: a.addr, Err: d.cause(ctx, limited, err)}
	}
	return c, nil
}

// cause says whose time is over. The texts of ours must not match context.DeadlineExceeded: that is the caller's.
func (d *Dialer) cause(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	end, bounded := limited.Deadline()
	if limited.Err() == nil && !(bounded && isTimeout(err) && !time.Now().Before(end)) {
		return err
	}
	// The network may see a deadline before the context does.
	if own, ok := ctx.Deadline(); ok && !own.After(end) {
		return context.DeadlineExceeded
	}
	return fmt.Errorf("%w: waited %s", ErrDialTimeout, d.cfg.DialTimeout)
}

// dialing is one dial under way.
type dialing struct {
	*Dialer
	base *url.URL
	addr string
	op   Op // the step under way
}

func (a *dialing) connect(ctx context.Context) (*Conn, error) {
	a.op = OpDial
	if a.base.Scheme != "http" && a.base.Scheme != "https" {
		return nil, fmt.Errorf("scheme %q is neither http nor https", a.base.Scheme)
	}
	a.op = OpProxy
	proxy, err := a.cfg.Proxy(a.base)
	if err != nil {
		return nil, err
	}
	socket, err := a.open(ctx, proxy)
	if err != nil {
		return nil, err
	}
	c, err := a.wrap(ctx, socket, proxy)
	if err != nil {
		_ = socket.Close() // the first error is the one to tell
		return nil, err
	}
	return c, nil
}

// open reaches the node, or the proxy and for https the node through it.
func (a *dialing) open(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	if proxy != nil {
		return a.openProxy(ctx, proxy)
	}
	a.op = OpDial
	return a.dialTCP(ctx, a.addr)
}

func (a *dialing) dialTCP(ctx context.Context, addr string) (net.Conn, error) {
	nc, err := a.cfg.DialContext(ctx, "tcp", addr)
	if err == nil && nc == nil {
		return nil, errNoConn
	}
	return nc, err
}

var errNoConn = errors.New("DialContext gave no connection")

// wrap makes the connection, with TLS where the node wants it.
func (a *dialing) wrap(ctx context.Context, socket net.Conn, proxy *url.URL) (*Conn, error) {
	c := newConn(socket, a.addr, &a.cfg)
	if a.base.Scheme == "http" {
		if proxy != nil {
			c.viaProxy, c.proxyAuth = true, proxyAuth(proxy)
		}
		return c, nil
	}
	a.op = OpTLS
	return c, c.secureWith(ctx, a.tlsConfig())
}

func (a *dialing) tlsConfig() *tls.Config {
	cfg := cloneTLS(a.cfg.TLS, a.base.Hostname())
	if a.fingerprint != nil {
		pin(cfg, a.fingerprint)
	}
	return cfg
}

// hostPort returns the address to dial.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

var errProxyEnvironment = errors.New("the environment's proxy address cannot be parsed (HTTP_PROXY, HTTPS_PROXY)")

// environmentProxy hides net/http's error, which quotes the address with its password.
func environmentProxy(base *url.URL) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	if err != nil {
		return nil, errProxyEnvironment
	}
	return u, nil
}

package httpconn_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// identity is a certificate with its key.
type identity struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue makes a certificate, signed by itself when there is no authority.
func issue(t testing.TB, name string, authority *identity) *identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true, IsCA: authority == nil, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	by := &identity{template, key}
	if authority != nil {
		by = authority
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, &key.PublicKey, by.key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &identity{cert, key}
}

func (id *identity) tls(chain ...*identity) tls.Certificate {
	c := tls.Certificate{Certificate: [][]byte{id.cert.Raw}, PrivateKey: id.key}
	for _, more := range chain {
		c.Certificate = append(c.Certificate, more.cert.Raw)
	}
	return c
}

func (id *identity) fingerprint() string {
	sum := sha256.Sum256(id.cert.Raw)
	return hex.EncodeToString(sum[:])
}

// write puts the certificate and the key into files.
func (id *identity) write(t testing.TB, dir, name string) (cert, key string) {
	t.Helper()
	cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	der, err := x509.MarshalECPrivateKey(id.key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: id.cert.Raw}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600))
	return cert, key
}

// serveTLS is serve under TLS.
func serveTLS(t testing.TB, cfg *tls.Config, handle func(net.Conn, *bufio.Reader)) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	serveOn(t, tls.NewListener(l, cfg), handle)
	return &url.URL{Scheme: "https", Host: l.Addr().String()}
}

func TestTLSTrustsTheGivenAuthority(t *testing.T) {
	ca := issue(t, "ca", nil)
	node := issue(t, "node.example", ca)
	file, _ := ca.write(t, t.TempDir(), "ca")
	base := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{node.tls()}, NextProtos: []string{"h2", "http/1.1"}}, echo)
	cfg, err := httpconn.NewTLSConfig(httpconn.TLSOptions{CAFile: file})
	require.NoError(t, err)
	c := dial(t, base, httpconn.Config{TLS: cfg})
	for _, size := range []int{0, 10_000, 1 << 20} {
		text := strings.Repeat("x", size)
		_, body, reusable := exchange(t, c, newRequest(t, context.Background(), "POST", base, "/", bytes.NewReader([]byte(text))))
		assert.True(t, strings.HasSuffix(body, text))
		assert.True(t, reusable)
		assert.True(t, c.Usable(time.Second))
	}
	assert.Nil(t, cfg.NextProtos, "the given configuration is left alone")

	_, err = tryDial(t, base, httpconn.Config{})
	e := asError(t, err)
	assert.Equal(t, httpconn.OpTLS, e.Op)
	assert.Contains(t, e.Error(), "tls.ca")
}

func TestTLSAsksForTheServerName(t *testing.T) {
	ca := issue(t, "ca", nil)
	node := issue(t, "node.example", ca)
	names := make(chan string, 1)
	server := &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- h.ServerName
		c := node.tls()
		return &c, nil
	}}
	base := serveTLS(t, server, answers(okAnswer))
	file, _ := ca.write(t, t.TempDir(), "ca")
	cfg, err := httpconn.NewTLSConfig(httpconn.TLSOptions{CAFile: file, ServerName: "node.example"})
	require.NoError(t, err)
	exchange(t, dial(t, base, httpconn.Config{TLS: cfg}), get(t, base))
	assert.Equal(t, "node.example", <-names)

	cfg.ServerName = "other.example"
	_, err = tryDial(t, base, httpconn.Config{TLS: cfg})
	assert.Contains(t, asError(t, err).Error(), "tls.servername")
	<-names

	cfg, err = httpconn.NewTLSConfig(httpconn.TLSOptions{SkipVerify: true})
	require.NoError(t, err)
	exchange(t, dial(t, base, httpconn.Config{TLS: cfg}), get(t, base))
}

func TestTLSSendsTheHostAsServerName(t *testing.T) {
	ca := issue(t, "ca", nil)
	node := issue(t, "localhost", ca)
	names := make(chan string, 1)
	base := serveTLS(t, &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- h.ServerName
		c := node.tls()
		return &c, nil
	}}, answers(okAnswer))
	base.Host = "localhost:" + base.Port()
	file, _ := ca.write(t, t.TempDir(), "ca")
	cfg, err := httpconn.NewTLSConfig(httpconn.TLSOptions{CAFile: file})
	require.NoError(t, err)
	exchange(t, dial(t, base, httpconn.Config{TLS: cfg}), get(t, base))
	assert.Equal(t, "localhost", <-names)
}

func TestClientCertificateIsTakenUpWhenRenewed(t *testing.T) {
	ca := issue(t, "ca", nil)
	node := issue(t, "node.example", ca)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	who := make(chan string, 1)
	base := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{node.tls()}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		VerifyConnection: func(s tls.ConnectionState) error { who <- s.PeerCertificates[0].Subject.CommonName; return nil }}, answers(okAnswer))
	dir := t.TempDir()
	caFile, _ := ca.write(t, dir, "ca")
	cert, key := issue(t, "first", ca).write(t, dir, "client")
	cfg, err := httpconn.NewTLSConfig(httpconn.TLSOptions{CAFile: caFile, CertFile: cert, KeyFile: key})
	require.NoError(t, err)
	connect := func() string {
		exchange(t, dial(t, base, httpconn.Config{TLS: cfg}), get(t, base))
		return <-who
	}
	assert.Equal(t, "first", connect())
	issue(t, "second", ca).write(t, dir, "client")
	assert.Equal(t, "second", connect())
	require.NoError(t, os.WriteFile(key, []byte("half written"), 0o600))
	assert.Equal(t, "second", connect())
}

func TestTLSFilesHaveClearErrors(t *testing.T) {
	dir := t.TempDir()
	a, b := issue(t, "a", nil), issue(t, "b", nil)
	certA, keyA := a.write(t, dir, "a")
	_, keyB := b.write(t, dir, "b")
	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, []byte("hello"), 0o600))
	missing := filepath.Join(dir, "missing")
	for _, tc := range []struct {
		o    httpconn.TLSOptions
		want []string
	}{
		{httpconn.TLSOptions{CAFile: missing}, []string{"tls.ca", missing}},
		{httpconn.TLSOptions{CAFile: text}, []string{"tls.ca", text, "PEM"}},
		{httpconn.TLSOptions{CertFile: missing, KeyFile: keyA}, []string{"tls.cert", missing}},
		{httpconn.TLSOptions{CertFile: certA, KeyFile: missing}, []string{"tls.key", missing}},
		{httpconn.TLSOptions{CertFile: certA, KeyFile: keyB}, []string{"tls.key", keyB, "PEM"}},
		{httpconn.TLSOptions{CertFile: text, KeyFile: text}, []string{"tls.cert", text, "PEM"}},
		{httpconn.TLSOptions{KeyFile: keyA}, []string{"tls.key", "tls.cert"}},
	} {
		_, err := httpconn.NewTLSConfig(tc.o)
		for _, want := range tc.want {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestFingerprintIsTheOnlyTrust(t *testing.T) {
	ca, stranger := issue(t, "ca", nil), issue(t, "stranger", nil)
	node, self := issue(t, "node.example", ca), issue(t, "self", nil)
	colons := strings.ToUpper(self.fingerprint())
	for i := len(colons) - 2; i > 0; i -= 2 {
		colons = colons[:i] + ":" + colons[i:]
	}
	for _, tc := range []struct {
		name, fingerprint string
		chain             tls.Certificate
		trusted           bool
	}{
		{"self-signed", self.fingerprint(), self.tls(), true},
		{"with colons", colons, self.tls(), true},
		{"the node's own", node.fingerprint(), node.tls(ca), true},
		{"the authority's", ca.fingerprint(), node.tls(ca), true},
		{"another's", stranger.fingerprint(), node.tls(ca), false},
		{"appended but not the signer", ca.fingerprint(), stranger.tls(ca), false},
		{"authority not presented", ca.fingerprint(), node.tls(), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ended := make(chan struct{}, 1)
			base := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{tc.chain}}, func(nc net.Conn, br *bufio.Reader) {
				answers(okAnswer)(nc, br)
				ended <- struct{}{}
			})
			c, err := tryDial(t, base, httpconn.Config{Fingerprint: tc.fingerprint, TLS: &tls.Config{InsecureSkipVerify: true}})
			if tc.trusted {
				require.NoError(t, err)
				exchange(t, c, get(t, base))
				c.Close()
			} else {
				e := asError(t, err)
				assert.Equal(t, httpconn.OpTLS, e.Op)
				assert.ErrorIs(t, e, httpconn.ErrFingerprint)
			}
			<-ended // the socket is closed
		})
	}
}

func TestWrongSchemeIsExplained(t *testing.T) {
	plain := serve(t, func(nc net.Conn, br *bufio.Reader) {
		br.Peek(1)
		io.WriteString(nc, "HTTP/1.1 400 Bad Request\r\n\r\n")
	})
	plain.Scheme = "https"
	_, err := tryDial(t, plain, httpconn.Config{})
	assert.Contains(t, asError(t, err).Error(), "tls=false")

	secure := serve(t, answers("\x15\x03\x01\x00\x02\x02\x50"))
	e := failed(t, dial(t, secure, httpconn.Config{}), get(t, secure), httpconn.Options{})
	assert.Contains(t, e.Error(), "tls=true")
}

func TestClosedIdleTLSConnectionIsSeenBeforeUse(t *testing.T) {
	self := issue(t, "self", nil)
	for name, politely := range map[string]bool{"with goodbye": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			base := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{self.tls()}}, func(nc net.Conn, br *bufio.Reader) {
				readRequest(br)
				io.WriteString(nc, okAnswer)
				if politely {
					nc.Close()
				} else {
					nc.(*tls.Conn).NetConn().Close()
				}
				close(gone)
			})
			c := dial(t, base, httpconn.Config{Fingerprint: self.fingerprint()})
			require.True(t, c.Usable(time.Second), "tickets may have come, and are no harm")
			exchange(t, c, get(t, base))
			<-gone
			assert.False(t, c.Usable(time.Second))
		})
	}
}

func TestSilentTLSHandshakeRunsIntoTheDialTimeout(t *testing.T) {
	base := serve(t, func(_ net.Conn, br *bufio.Reader) { io.Copy(io.Discard, br) })
	base.Scheme = "https"
	_, err := tryDial(t, base, httpconn.Config{DialTimeout: 30 * time.Millisecond})
	e := asError(t, err)
	assert.Equal(t, httpconn.OpTLS, e.Op)
	assert.ErrorIs(t, e, httpconn.ErrDialTimeout)
	assert.NotErrorIs(t, e, context.DeadlineExceeded)
}

func TestTLSNodesAreReachedThroughAProxyByConnect(t *testing.T) {
	self := issue(t, "self", nil)
	base := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{self.tls()}}, answers(okAnswer))
	proxy, seen := proxyTo(t, "Basic dTpw")
	proxy.User = url.UserPassword("u", "p")
	c := dial(t, base, httpconn.Config{Proxy: fixed(proxy), Fingerprint: self.fingerprint()})
	for range 2 {
		_, body, reusable := exchange(t, c, get(t, base))
		assert.Equal(t, "ok", body)
		assert.True(t, reusable)
	}
	assert.Equal(t, base.Host, (<-seen).RequestURI)
	assert.Empty(t, seen, "the node's requests are not the proxy's")
}

func TestCutTLSWriteIsWritten(t *testing.T) {
	self := issue(t, "self", nil)
	base := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{self.tls()}}, func(_ net.Conn, br *bufio.Reader) { io.Copy(io.Discard, br) })
	c := dial(t, base, httpconn.Config{Fingerprint: self.fingerprint()})
	e := failed(t, c, get(t, base), httpconn.Options{HeaderTimeout: 50 * time.Millisecond})
	assert.True(t, e.Wrote)
	c = dial(t, base, httpconn.Config{Fingerprint: self.fingerprint()})
	c.Close()
	e = failed(t, c, get(t, base), httpconn.Options{})
	assert.False(t, e.Wrote, "the handshake's bytes are not the request's")
}

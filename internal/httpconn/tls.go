package httpconn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// tlsAlert is the first byte of what a TLS port answers to plain text (RFC 8446, 5.1: record type alert).
const tlsAlert = 0x15

var errSpeaksTLS = fmt.Errorf("%w: the port speaks TLS (use https, or tls=true)", ErrProtocol)

// TLSOptions are the TLS keys of the DSN.
type TLSOptions struct {
	CAFile     string // tls.ca: certificates to trust, PEM; empty means the system's
	CertFile   string // tls.cert: the client's certificate, PEM, with intermediates after it; empty means none
	KeyFile    string // tls.key: the key of CertFile, PEM; empty means that CertFile holds it too
	ServerName string // tls.servername: the name to ask for and to verify; empty means the node's host
	SkipVerify bool   // tls=skip-verify: trust whoever answers
}

// NewTLSConfig reads the files and returns a configuration for [Config]. Errors name the DSN's key, the file and
// what was expected in it. CertFile and KeyFile are read again at each handshake that asks for them, so that a
// renewed certificate is taken up; while they do not fit each other, the last pair that did is used. CAFile is
// read once.
func NewTLSConfig(o TLSOptions) (*tls.Config, error) {
	cfg := &tls.Config{ServerName: o.ServerName, InsecureSkipVerify: o.SkipVerify}
	if o.CAFile != "" {
		pool, err := readCA(o.CAFile)
		if err != nil {
			return nil, err
		}
		cfg.RootCAs = pool
	}
	if o.CertFile == "" {
		if o.KeyFile != "" {
			return nil, errors.New("httpconn: tls.key is set but tls.cert is not")
		}
		return cfg, nil
	}
	pair, err := newKeyPair(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, err
	}
	cfg.GetClientCertificate = pair.get
	return cfg, nil
}

func readCA(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("httpconn: tls.ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("httpconn: tls.ca: %s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)", file)
	}
	return pool, nil
}

// keyPair is a client certificate on disk.
type keyPair struct {
	cert, key string
	mu        sync.Mutex // guards last
	last      *tls.Certificate
}

func newKeyPair(cert, key string) (*keyPair, error) {
	if key == "" {
		key = cert
	}
	k := &keyPair{cert: cert, key: key}
	for name, file := range map[string]string{"tls.cert": cert, "tls.key": key} {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("httpconn: %s: %w", name, err)
		}
	}
	if _, err := k.load(); err != nil {
		return nil, fmt.Errorf("httpconn: tls.cert %s with tls.key %s: %w (both must be PEM and belong together)", cert, key, err)
	}
	return k, nil
}

func (k *keyPair) load() (*tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(k.cert, k.key)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.last = &c
	k.mu.Unlock()
	return &c, nil
}

func (k *keyPair) get(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if c, err := k.load(); err == nil {
		return c, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last, nil
}

// cloneTLS returns the configuration for one host.
func cloneTLS(cfg *tls.Config, host string) *tls.Config {
	if cfg == nil {
		cfg = &tls.Config{}
	}
	cfg = cfg.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = host
	}
	cfg.NextProtos = []string{"http/1.1"}
	return cfg
}

// secureWith shakes hands over the connection's socket.
func (c *Conn) secureWith(ctx context.Context, cfg *tls.Config) error {
	t := tls.Client(&meter{c.socket, &c.wire.accepted}, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		return err
	}
	c.nc, c.wire.nc, c.secure = t, t, true
	return nil
}

func parseFingerprint(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	fp, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(text), ":", ""))
	if err != nil || len(fp) != sha256.Size {
		return nil, fmt.Errorf("httpconn: tls.fingerprint %q is not a SHA-256 in hexadecimal (64 digits, colons allowed)", text)
	}
	return fp, nil
}

// pin makes the fingerprint the only thing that is trusted. The check runs for resumed sessions too.
func pin(cfg *tls.Config, fingerprint []byte) {
	also := cfg.VerifyConnection
	cfg.InsecureSkipVerify = true
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if err := matchFingerprint(s.PeerCertificates, fingerprint); err != nil {
			return err
		}
		if also != nil {
			return also(s)
		}
		return nil
	}
}

// matchFingerprint looks for the certificate. Anybody can append a known certificate to a chain, so one that is
// not the node's own must have signed the node's own, directly or through others of the chain.
func matchFingerprint(chain []*x509.Certificate, fingerprint []byte) error {
	i := slices.IndexFunc(chain, func(c *x509.Certificate) bool {
		sum := sha256.Sum256(c.Raw)
		return bytes.Equal(sum[:], fingerprint)
	})
	if i <= 0 {
		if i < 0 {
			return ErrFingerprint
		}
		return nil
	}
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(chain[i])
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFingerprint, err)
	}
	return nil
}

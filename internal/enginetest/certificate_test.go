package enginetest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins"
)

// signer makes certificates; it is an authority or what an authority has signed.
type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// authority makes one that signs itself.
func authority(t *testing.T) *signer { return (*signer)(nil).issue(t, 24*time.Hour) }

// issue makes a certificate for 127.0.0.1, good for so long from now; a nil signer's signs itself.
func (s *signer) issue(t *testing.T, valid time.Duration) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: serial.String()},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(valid),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: s == nil,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	by := s
	if by == nil {
		by = &signer{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &signer{cert, key}
}

func (s *signer) pair() *tls.Certificate {
	return &tls.Certificate{Certificate: [][]byte{s.cert.Raw}, PrivateKey: s.key}
}

func (s *signer) fingerprint() string {
	sum := sha256.Sum256(s.cert.Raw)
	return hex.EncodeToString(sum[:])
}

// pems writes certificates into one file, and the first one's key into another.
func pems(t *testing.T, dir string, certs ...*signer) (cert, key string) {
	t.Helper()
	var text []byte
	for _, s := range certs {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.cert.Raw})...)
	}
	der, err := x509.MarshalECPrivateKey(certs[0].key)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, text, 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600))
	return cert, key
}

// rotating is what the nodes of a fake show at each handshake.
type rotating struct {
	atomic.Pointer[tls.Certificate]
}

func (r *rotating) config() *tls.Config {
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return r.Load(), nil }}
}

// verified is the fake's DSN without its leave to trust anybody.
func verified(fake *fakecluster.Cluster) string {
	dsn, _, _ := strings.Cut(fake.DSN(), "?")
	return dsn + "?tls=true"
}

// onceMore restarts every node, so that every connection is a new one, and asks the nodes something.
func onceMore(t *testing.T, fake *fakecluster.Cluster, c *esdriver.Cluster) error {
	t.Helper()
	for _, n := range fake.Nodes() {
		require.NoError(t, n.Restart(false))
	}
	_ = c.Refresh(t.Context()) // its failure is the request's too
	a, err := roundTrip(t.Context(), c, "GET", "/_cluster/health", "")
	if err == nil {
		assert.Equal(t, 200, a.status, a.text)
	}
	return err
}

func TestCertificateThatExpiresIsNoticedAndSoIsTheNewOne(t *testing.T) {
	leaktest.Check(t)
	ca := authority(t)
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	var shown rotating
	shown.Store(ca.issue(t, time.Hour).pair())
	fake := fakecluster.Run(t, fakecluster.TLS(shown.config()))
	cfg := parse(t, verified(fake), "timeout=5s")
	var later atomic.Int64 // how far the client's clock is ahead
	cfg.TLSConfig = &tls.Config{RootCAs: roots, Time: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }}
	c := openConfig(t, cfg)
	require.NoError(t, onceMore(t, fake, c))

	later.Store(int64(2 * time.Hour))
	require.Equal(t, 200, send(t, c, "GET", "/_cluster/health", "").status, "open connections go on")
	err := onceMore(t, fake, c)
	require.ErrorContains(t, err, "expired")
	var invalid x509.CertificateInvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, x509.Expired, invalid.Reason)

	shown.Store(ca.issue(t, 10*time.Hour).pair())
	require.NoError(t, onceMore(t, fake, c))
}

func TestRenewedCertificatesAreTrustedWithTheirAuthorities(t *testing.T) {
	leaktest.Check(t)
	old, next, stranger := authority(t), authority(t), authority(t)
	file, _ := pems(t, t.TempDir(), old, next)
	var shown rotating
	shown.Store(old.issue(t, time.Hour).pair())
	fake := fakecluster.Run(t, fakecluster.TLS(shown.config()))
	c := openCluster(t, verified(fake), "tls.ca="+file, "timeout=5s")
	for _, by := range []*signer{old, old, next, next} {
		shown.Store(by.issue(t, time.Hour).pair())
		require.NoError(t, onceMore(t, fake, c))
	}
	shown.Store(stranger.issue(t, time.Hour).pair())
	err := onceMore(t, fake, c)
	require.ErrorContains(t, err, "tls.ca")
	var unknown x509.UnknownAuthorityError
	assert.ErrorAs(t, err, &unknown)
}

func TestRenewedCertificateIsNotThePinnedOne(t *testing.T) {
	leaktest.Check(t)
	first := authority(t)
	var shown rotating
	shown.Store(first.pair())
	fake := fakecluster.Run(t, fakecluster.TLS(shown.config()))
	c := openCluster(t, verified(fake), "tls.fingerprint="+first.fingerprint(), "timeout=5s")
	require.NoError(t, onceMore(t, fake, c))
	shown.Store(authority(t).pair())
	assert.ErrorContains(t, onceMore(t, fake, c), "tls.fingerprint")
}

func TestNodeWithAnExpiredCertificateCostsNoRequest(t *testing.T) {
	leaktest.Check(t)
	ca := authority(t)
	file, _ := pems(t, t.TempDir(), ca)
	good, expired := ca.issue(t, time.Hour).pair(), ca.issue(t, -time.Hour).pair()
	var bad atomic.Value // the address of the node whose certificate has expired
	bad.Store("")
	fake := fakecluster.Run(t, fakecluster.TLS(&tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if h.Conn.LocalAddr().String() == bad.Load() {
			return expired, nil
		}
		return good, nil
	}}))
	bad.Store(fake.Node(1).Addr())
	c := openCluster(t, verified(fake), "tls.ca="+file)
	for range 20 {
		require.Equal(t, 200, send(t, c, "POST", "/_search", `{}`).status)
	}
	for _, n := range c.Stats().Nodes {
		if n.Node.Addr == fake.Node(1).Addr() {
			assert.NotEqual(t, plugins.Alive, n.State)
			assert.ErrorContains(t, n.LastErr, "expired")
		}
	}
}

func TestClientCertificateIsRenewedInItsFiles(t *testing.T) {
	leaktest.Check(t)
	ca := authority(t)
	dir, trust := t.TempDir(), t.TempDir()
	file, _ := pems(t, trust, ca)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	fake := fakecluster.Run(t, fakecluster.TLS(&tls.Config{
		Certificates: []tls.Certificate{*ca.issue(t, time.Hour).pair()}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}))
	cert, key := pems(t, dir, ca.issue(t, -time.Hour)) // expired
	c := openCluster(t, verified(fake), "tls.ca="+file, "tls.cert="+cert, "tls.key="+key, "sampler.timeout=1s", "timeout=5s")
	_, err := roundTrip(t.Context(), c, "GET", "/_cluster/health", "")
	require.Error(t, err)
	pems(t, dir, ca.issue(t, time.Hour))
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, 200, send(t, c, "GET", "/_cluster/health", "").status)
}

package doctor_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/doctor"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// examine returns what the doctor has shown, and how many things it finds wrong.
func examine(t *testing.T, dsn string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	err := doctor.Run(t.Context(), doctor.Config{DSN: dsn, Screen: screen.New(&out, true)})
	_, findings, _ := strings.Cut(out.String(), "\n") // the first line is the DSN
	for line := range strings.Lines(findings) {
		assert.LessOrEqual(t, len([]rune(line)), 81, "%q", line)
	}
	wrong, ok := errors.AsType[*doctor.WrongError](err)
	if !ok {
		require.NoError(t, err)
		return out.String(), 0
	}
	return out.String(), wrong.Findings
}

func healthy(t *testing.T, opts ...fakecluster.Option) *fakecluster.Cluster {
	t.Helper()
	leaktest.Check(t)
	c := fakecluster.Run(t, append(opts, fakecluster.SQL(sqlite.New()))...)
	tellTime(c, 0)
	return c
}

// tellTime makes the nodes' clocks differ from this machine's.
func tellTime(c *fakecluster.Cluster, by time.Duration) (undo func()) {
	body := fmt.Sprintf(`{"nodes":{"a":{"name":"node-0","timestamp":%d}}}`, time.Now().Add(by).UnixMilli())
	return c.Inject(fakecluster.Fault{Path: "/_nodes/stats", Action: fakecluster.Status(200, body, nil)})
}

func refuse(c *fakecluster.Cluster, path string, status int) {
	c.Inject(fakecluster.Fault{Path: path, Action: fakecluster.Status(status, `{"error":{"type":"security_exception","reason":"not allowed"}}`, nil)})
}

func TestHealthyClusterOfEitherProductHasNothingWrong(t *testing.T) {
	for _, product := range []fakecluster.Flavor{fakecluster.Elasticsearch, fakecluster.OpenSearch} {
		t.Run(string(product), func(t *testing.T) {
			c := healthy(t, fakecluster.Product(product), fakecluster.Credentials("joe", "hush"))
			out, wrong := examine(t, c.DSN())
			assert.Zero(t, wrong, out)
			for _, text := range []string{
				"TCP        connected", "HTTP       node-2, ", "cluster    fake", "the nodes can be listed: 3",
				"3 of 3 addresses can be reached", "clock      node-0 is", "statements are answered", "Nothing is wrong.",
			} {
				assert.Contains(t, out, text)
			}
			assert.NotContains(t, out, "hush")
			assert.NotContains(t, out, "note ")
		})
	}
}

func TestAddressesThatDoNotAnswerAreWrong(t *testing.T) {
	c := healthy(t)
	c.Node(1).Kill()
	out, wrong := examine(t, c.DSN())
	assert.Equal(t, 1, wrong)
	assert.Contains(t, out, "connection refused")
	assert.Contains(t, out, "statements are answered", "the others are looked at all the same")
}

func TestWrongCredentialsAreWrong(t *testing.T) {
	c := healthy(t, fakecluster.Nodes(1), fakecluster.Credentials("joe", "hush"))
	out, wrong := examine(t, strings.Replace(c.DSN(), "joe:hush", "joe:no", 1))
	assert.Equal(t, 1, wrong)
	assert.Contains(t, out, "the credentials are refused")
}

func TestPermissionsAreLookedAt(t *testing.T) {
	c := healthy(t, fakecluster.Nodes(1))
	refuse(c, "/_nodes/http", 403)
	refuse(c, "/_sql", 403)
	out, wrong := examine(t, c.DSN())
	assert.Equal(t, 1, wrong, "sniffing is needed only by those who sniff")
	assert.Contains(t, out, "note   sniffing")
	assert.Contains(t, out, "the user may run no statement")
	out, wrong = examine(t, c.DSN()+"?sampler=sniff")
	assert.Equal(t, 2, wrong)
	assert.Contains(t, out, "WRONG  sniffing")
}

func TestPublishAddressThatCannotBeReachedIsWrongForThoseWhoSniff(t *testing.T) {
	c := healthy(t, fakecluster.Nodes(1))
	c.Inject(fakecluster.Fault{Action: fakecluster.PublishAddress("127.0.0.1/127.0.0.1:1")})
	out, wrong := examine(t, c.DSN())
	assert.Zero(t, wrong)
	assert.Contains(t, out, "note   publish")
	out, wrong = examine(t, c.DSN()+"?sampler=sniff")
	assert.Equal(t, 1, wrong)
	assert.Contains(t, out, "127.0.0.1:1, which cannot be")
}

func TestClocksAreCompared(t *testing.T) {
	for off, mark := range map[time.Duration]string{
		time.Second: "ok     clock", -10 * time.Second: "note   clock", time.Hour: "WRONG  clock",
	} {
		leaktest.Check(t)
		c := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.SQL(sqlite.New()))
		tellTime(c, off)
		out, _ := examine(t, c.DSN())
		assert.Contains(t, out, mark, off)
	}
}

func TestAddressesOfTwoClustersAreWrong(t *testing.T) {
	a, b := healthy(t, fakecluster.Nodes(1)), healthy(t, fakecluster.Nodes(1), fakecluster.ClusterName("other"))
	out, wrong := examine(t, a.DSN()+","+b.Node(0).Addr())
	assert.Equal(t, 1, wrong)
	assert.Contains(t, out, "to other")
}

func TestWrongProductInTheDSNIsWrong(t *testing.T) {
	c := healthy(t, fakecluster.Nodes(1))
	out, wrong := examine(t, strings.Replace(c.DSN(), "elasticsearch:", "opensearch:", 1))
	assert.Equal(t, 1, wrong, out)
	assert.Contains(t, out, "the DSN says opensearch, and it is elasticsearch")
}

func TestTLSWhereThereIsNoneAndTheOtherWayRoundAreWrong(t *testing.T) {
	plain := healthy(t, fakecluster.Nodes(1))
	out, _ := examine(t, "https://"+plain.Node(0).Addr())
	assert.Contains(t, out, "the port does not speak TLS")

	certificate, _ := selfSigned(t, 90*24*time.Hour)
	secure := healthy(t, fakecluster.Nodes(1), fakecluster.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	out, wrong := examine(t, "http://"+secure.Node(0).Addr())
	assert.Equal(t, 1, wrong)
	assert.Contains(t, out, "does it speak")
}

func TestCertificatesAreLookedAt(t *testing.T) {
	certificate, file := selfSigned(t, 10*24*time.Hour)
	c := healthy(t, fakecluster.Nodes(1), fakecluster.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	addr := "https://" + c.Node(0).Addr()
	out, wrong := examine(t, addr)
	assert.Equal(t, 1, wrong)
	assert.Contains(t, out, "authority is not known here")
	assert.Contains(t, out, "tls.ca=FILE")

	out, wrong = examine(t, addr+"?tls.ca="+file)
	assert.Zero(t, wrong, out)
	assert.Contains(t, out, "Renew the server's certificate soon.")

	certificate, file = selfSigned(t, -time.Hour)
	ended := healthy(t, fakecluster.Nodes(1), fakecluster.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	out, wrong = examine(t, "https://"+ended.Node(0).Addr()+"?tls.ca="+file)
	assert.Positive(t, wrong)
	assert.Contains(t, out, "it has ended")
}

// selfSigned makes a certificate for the loopback that ends after some time, and the file of its authority.
func selfSigned(t *testing.T, left time.Duration) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fake"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(left),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

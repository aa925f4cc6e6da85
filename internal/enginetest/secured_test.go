package enginetest_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
)

// newSecured is newReal for a cluster with TLS and users.
func newSecured(t *testing.T) *realEngine {
	t.Helper()
	e := newReal(t)
	if e.addrs[0].Scheme != "https" || e.addrs[0].User == nil {
		t.Skipf("%s names no cluster with TLS and users: set it to https://user:password@host:port[,…] to run this test.", addrsVariable)
	}
	return e
}

// refusedAs opens the client with a DSN and expects every node to be there and to answer with the status.
func refusedAs(t *testing.T, e *realEngine, dsn string, status int, method, path, body string) answer {
	t.Helper()
	c := openCluster(t, dsn, "sampler=static")
	a := send(t, c, method, path, body)
	assert.Equal(t, status, a.status, a.text)
	assert.Equal(t, "security_exception", a.word("error.type"), a.text)
	stats := c.Stats()
	assert.Len(t, stats.Nodes, len(e.addrs))
	assert.Zero(t, stats.Retries, "the other nodes would say the same")
	for _, n := range stats.Nodes {
		assert.Zero(t, n.Failures, "a node that refuses is alive: %s", n.Node.Addr)
	}
	return a
}

func TestSecuredClusterRefusesThoseItDoesNotKnow(t *testing.T) {
	leaktest.Check(t)
	e := newSecured(t)
	refusedAs(t, e, e.dsnAs(nil), 401, "GET", "/_cluster/health", "")
	refusedAs(t, e, e.dsnAs(url.UserPassword("elastic", "wrong")), 401, "GET", "/_cluster/health", "")
	refusedAs(t, e, e.dsnAs(url.UserPassword("nobody", "wrong")), 401, "PUT", "/enginetest-secured/_doc/1", `{"n":1}`)
}

func TestSecuredClusterRefusesWhatAUserMayNot(t *testing.T) {
	leaktest.Check(t)
	e := newSecured(t)
	user, password, ok := strings.Cut(os.Getenv(readerVariable), ":")
	if !ok {
		t.Skipf("%s names no user: set it to user:password of one who may only read the cluster of %s.", readerVariable, addrsVariable)
	}
	admin := openCluster(t, e.DSN())
	a := send(t, admin, "PUT", "/enginetest-secured/_doc/1?refresh=true", `{"n":1}`)
	require.Less(t, a.status, 300, a.text)
	t.Cleanup(func() {
		_, err := roundTrip(context.Background(), admin, "DELETE", "/enginetest-secured", "")
		assert.NoError(t, err)
	})
	reader := e.dsnAs(url.UserPassword(user, password))
	a = send(t, openCluster(t, reader), "POST", "/enginetest-secured/_search", `{"query":{"match_all":{}}}`)
	assert.Equal(t, "1", a.ids(), a.text)
	refusedAs(t, e, reader, 403, "PUT", "/enginetest-secured/_doc/2", `{"n":2}`)
	refusedAs(t, e, reader, 403, "POST", "/enginetest-secured/_update/1", `{"doc":{"n":2}}`)
	refusedAs(t, e, reader, 403, "DELETE", "/enginetest-secured", "")
	refusedAs(t, e, reader, 403, "POST", "/enginetest-secured/_bulk", `{"create":{"_id":"2"}}`+"\n"+`{"n":2}`+"\n")
}

func TestSecuredClusterIsTrustedByFingerprintAlone(t *testing.T) {
	leaktest.Check(t)
	e := newSecured(t)
	e.ca = ""
	c := openCluster(t, e.DSN(), "tls.fingerprint="+fingerprint(t, e.addrs[0]))
	assert.Equal(t, 200, send(t, c, "GET", "/_cluster/health", "").status)
	other := sha256.Sum256([]byte("another certificate"))
	err := unreachable(t, e, "tls.fingerprint="+hex.EncodeToString(other[:]))
	assert.ErrorContains(t, err, "tls.fingerprint")
}

func TestSecuredClusterIsNotTrustedWithoutItsAuthority(t *testing.T) {
	leaktest.Check(t)
	e := newSecured(t)
	e.ca = ""
	err := unreachable(t, e)
	assert.ErrorContains(t, err, "tls.ca")
	var verify *tls.CertificateVerificationError
	assert.ErrorAs(t, err, &verify)
	assert.NotContains(t, err.Error(), "test-password")
}

// unreachable opens the client and returns the error of its first request.
func unreachable(t *testing.T, e *realEngine, keys ...string) error {
	t.Helper()
	c := openCluster(t, e.DSN(), append(keys, "sampler=static", "timeout=5s")...)
	_, err := roundTrip(t.Context(), c, http.MethodGet, "/", "")
	require.Error(t, err)
	return err
}

// fingerprint is the SHA-256 of the certificate that a node shows.
func fingerprint(t *testing.T, addr *url.URL) string {
	t.Helper()
	conn, err := tls.Dial("tcp", addr.Host, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	defer conn.Close()
	sum := sha256.Sum256(conn.ConnectionState().PeerCertificates[0].Raw)
	return hex.EncodeToString(sum[:])
}

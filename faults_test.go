package esdriver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// inMemory opens a cluster on a fake one without sockets. It is for a bubble of testing/synctest.
func inMemory(t *testing.T, params string, opts ...fakecluster.Option) (*fakecluster.Cluster, *esdriver.Cluster) {
	t.Helper()
	fake := fakecluster.Run(t, append(opts, fakecluster.InMemory())...)
	cfg := mustParse(t, fake.DSN()+params)
	cfg.DialContext = fake.DialContext
	return fake, open(t, cfg)
}

func TestCallerThatGivesUpCondemnsNoNodeAndSendsNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, cluster := inMemory(t, "", fakecluster.Nodes(4))
		fake.Inject(fakecluster.Fault{Path: "/i", Action: fakecluster.Hang})
		for i := range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			if i%2 == 0 {
				time.AfterFunc(20*time.Millisecond, cancel)
			}
			_, err := get(ctx, t, cluster, "http://any/i/_search")
			require.Error(t, err)
			require.ErrorIs(t, err, ctx.Err())
			cancel()
		}
		stats := cluster.Stats()
		assert.Zero(t, stats.Retries)
		assert.Len(t, fake.Requests().Path("/i/_search"), 20)
		for _, n := range stats.Nodes {
			assert.Equal(t, plugins.Alive, n.State, n.Node.Addr)
			assert.Zero(t, n.Failures)
			assert.Zero(t, n.InFlight)
		}
	})
}

func TestPostWhoseBytesLeftIsExecutedOnce(t *testing.T) {
	faults := map[string]fakecluster.Action{
		"reset": fakecluster.ResetAfterExecute, "closed": fakecluster.CloseAfterExecute, "garbage": fakecluster.Garbage,
		"unavailable": fakecluster.Status(503, "{}", nil), "bad gateway": fakecluster.Status(502, "{}", nil),
	}
	for name, action := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake, cluster := inMemory(t, "")
				warm(t, cluster)
				fake.Inject(fakecluster.Fault{Path: "/i/_doc", Action: action})
				resp, err := post(t, cluster, "http://any/i/_doc", `{"a":1}`)
				assert.Len(t, fake.Requests().Path("/i/_doc"), 1)
				if err != nil {
					require.ErrorIs(t, err, esdriver.ErrMaybeExecuted)
					assert.False(t, esdriver.SafeToRetry(err))
					return
				}
				assert.GreaterOrEqual(t, resp.StatusCode, 502)
			})
		})
	}
}

func TestSearchIsNeverMaybeExecuted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, cluster := inMemory(t, "?retry=false")
		fake.Inject(fakecluster.Fault{Path: "/i/_search", Action: fakecluster.ResetAfterExecute})
		_, err := post(t, cluster, "http://any/i/_search", "{}")
		require.Error(t, err)
		assert.NotErrorIs(t, err, esdriver.ErrMaybeExecuted)
		assert.False(t, esdriver.SafeToRetry(err), "it was sent, harmless as it is to send it again")
	})
}

// TestBulkWhoseBodyBreaksOffIsMaybeExecuted: servers begin with the first items before the last have come. Of another
// request half is nothing.
func TestBulkWhoseBodyBreaksOffIsMaybeExecuted(t *testing.T) {
	broken := errors.New("the source of the items is gone")
	for path, maybe := range map[string]bool{"/_bulk": true, "/i/_doc": false} {
		synctest.Test(t, func(t *testing.T) {
			_, cluster := inMemory(t, "")
			first := strings.Repeat("{\"create\":{\"_index\":\"i\"}}\n{\"a\":1}\n", 10_000)
			body := io.MultiReader(strings.NewReader(first), iotest.ErrReader(broken))
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://any"+path, body)
			require.NoError(t, err)
			req.Header.Set("Content-Type", "application/x-ndjson")
			_, err = cluster.RoundTrip(req)
			require.ErrorIs(t, err, broken)
			assert.Equal(t, maybe, errors.Is(err, esdriver.ErrMaybeExecuted), path)
		})
	}
}

// warm uses the connections once, so that later requests travel on idle ones.
func warm(t *testing.T, rt http.RoundTripper) {
	t.Helper()
	for range 6 {
		_, err := post(t, rt, "http://any/i/_count", "{}")
		require.NoError(t, err)
	}
}

func post(t *testing.T, rt http.RoundTripper, url, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := rt.RoundTrip(req)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, errors.Join(err, resp.Body.Close()))
	}
	return resp, err
}

func TestSaturatedBulkClassDelaysNoSearchAndNoPing(t *testing.T) {
	for _, params := range []string{"", "?pool.shared=0"} {
		t.Run(params, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake, cluster := inMemory(t, params)
				fake.Inject(fakecluster.Fault{Path: "/_bulk", Action: fakecluster.Slow(5 * time.Second)})
				var writers sync.WaitGroup
				for range 200 {
					writers.Go(func() {
						_, _ = post(t, cluster, "http://any/_bulk", "{\"create\":{\"_index\":\"i\"}}\n{}\n")
					})
				}
				synctest.Wait()
				began := time.Now()
				for range 10 {
					_, err := post(t, cluster, "http://any/i/_search", "{}")
					require.NoError(t, err)
					_, err = get(t.Context(), t, cluster, "http://any/")
					require.NoError(t, err)
				}
				assert.Zero(t, time.Since(began))
				writers.Wait()
			})
		})
	}
}

func TestStaleIdleConnectionIsNobodysFailure(t *testing.T) {
	fake, cfg := run(t)
	cluster := open(t, cfg)
	warm(t, cluster)
	for _, n := range fake.Nodes() {
		require.NoError(t, n.Restart(false)) // every idle connection is reset
	}
	for range 6 {
		_, err := post(t, cluster, "http://any/i/_doc", "{}")
		require.NoError(t, err)
	}
	assert.Len(t, fake.Requests().Path("/i/_doc"), 6)
}

func TestEscapedPathsArriveAsTheyWereGiven(t *testing.T) {
	fake, cfg := run(t)
	cfg.Prefix = "/a b"
	cluster := open(t, cfg)
	for _, path := range []string{"/i/_doc/a%2Fb", "/i/_doc/a%25", "/i/_doc/%3F%23", "/i/_doc/+", "/i/_doc/%C3%A9", "/i/_doc/a%2Fb%20c"} {
		_, err := get(t.Context(), t, cluster, "http://any"+path)
		require.NoError(t, err)
		requests := fake.Requests()
		assert.Equal(t, "/a%20b"+path, requests[len(requests)-1].Path)
	}
}

func TestBrokenAnswersAreTypedErrorsThatNameTheNode(t *testing.T) {
	for name, c := range map[string]struct {
		action fakecluster.Action
		want   error
	}{
		"truncated body": {fakecluster.CutBody(2), io.ErrUnexpectedEOF},
		"no HTTP":        {fakecluster.Garbage, nil},
		"hanging":        {fakecluster.Hang, httpconn.ErrAttemptTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake, cluster := inMemory(t, "?attempt_timeout=1s", fakecluster.Nodes(1))
				fake.Inject(fakecluster.Fault{Path: "/_cluster/health", Action: c.action})
				began := time.Now()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://any/_cluster/health", nil)
				require.NoError(t, err)
				resp, err := cluster.RoundTrip(req)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					require.NoError(t, resp.Body.Close())
				}
				require.ErrorContains(t, err, fake.Node(0).Addr())
				if c.want != nil {
					require.ErrorIs(t, err, c.want)
				}
				assert.LessOrEqual(t, time.Since(began), 3*time.Second)
			})
		})
	}
}

func TestStatementOnAProxysPageIsATypedError(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.SQL(&engine{}))
	fake.Inject(fakecluster.Fault{Path: "/_sql", Action: fakecluster.HTML})
	db, err := sql.Open("esdriver", fake.DSN())
	require.NoError(t, err)
	defer db.Close()
	_, err = db.QueryContext(t.Context(), "SELECT 1")
	require.Error(t, err)
	var answer *esdriver.AnswerError
	require.ErrorAs(t, err, &answer)
	assert.ErrorContains(t, err, fake.Node(0).Addr())
	assert.ErrorContains(t, err, "not JSON")
}

func TestHugeAnswerIsStreamedAndEndsWithItsReader(t *testing.T) {
	fake, cfg := run(t)
	cfg.SampleEvery = -1 // samples have connections of the same class
	cluster := open(t, cfg)
	fake.Inject(fakecluster.Fault{Path: "/_cluster/health", Action: fakecluster.HugeBody(64 << 20)})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://any/_cluster/health", nil)
	require.NoError(t, err)
	resp, err := cluster.RoundTrip(req)
	require.NoError(t, err)
	_, err = io.CopyN(io.Discard, resp.Body, 10<<20)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	for _, n := range cluster.Stats().Nodes {
		assert.Zero(t, n.Pools[pool.State].InUse, "an answer left in the middle holds no connection")
	}
}

func TestCertificateOfAnotherAuthorityIsAnErrorThatNamesTheKey(t *testing.T) {
	leaktest.Check(t)
	certificate := selfSigned(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	cfg := mustParse(t, fake.URLs()[0])
	cfg.SampleTimeout = 2 * time.Second
	cluster := open(t, cfg)
	_, err := get(t.Context(), t, cluster, "http://any/")
	require.ErrorContains(t, err, fake.Node(0).Addr())
	require.ErrorContains(t, err, "tls.ca")
	var verify *tls.CertificateVerificationError
	require.ErrorAs(t, err, &verify)
}

func TestPlainSocketWhereTLSIsExpectedFailsInTime(t *testing.T) {
	leaktest.Check(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never says a word
	require.NoError(t, err)
	defer listener.Close()
	cfg := mustParse(t, fmt.Sprintf("https://%s?dial_timeout=200ms&sampler=static", listener.Addr()))
	cluster := open(t, cfg)
	began := time.Now()
	_, err = get(t.Context(), t, cluster, "http://any/")
	require.ErrorContains(t, err, "dial_timeout")
	assert.Less(t, time.Since(began), 10*time.Second)
}

// selfSigned makes a certificate for 127.0.0.1 that nobody else has signed.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fake"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

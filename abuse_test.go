package esdriver_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

func TestAbsurdNamesAreRefusedWithTheirKey(t *testing.T) {
	for name, key := range map[string]string{
		"http://h?timeout=-1s":                            "timeout",
		"http://h?attempt_timeout=-5ms":                   "attempt_timeout",
		"http://h?dial_timeout=0":                         "dial_timeout",
		"http://h?timeout=99999999999999999999h":          "timeout",
		"http://h?timeout=1e3":                            "timeout",
		"http://h?timeout=":                               "timeout",
		"http://h?timeout":                                "timeout",
		"http://h?timeout=NaN":                            "timeout",
		"http://h?pool.wait=-1s":                          "pool.wait",
		"http://h?pool.reg=0":                             "pool.reg",
		"http://h?pool.state=0":                           "pool.state",
		"http://h?pool.ping=-1":                           "pool.ping",
		"http://h?pool.bulk=2147483648":                   "pool.bulk",
		"http://h?pool.bulk=99999999999999999999":         "pool.bulk",
		"http://h?pool.shared=70000":                      "pool.shared",
		"http://h?pool.reg=1.5":                           "pool.reg",
		"http://h?pool.reg=0x10":                          "pool.reg",
		"http://h?retry.budget=NaN":                       "retry.budget",
		"http://h?retry.budget=-0.1":                      "retry.budget",
		"http://h?retry.budget=Inf":                       "retry.budget",
		"http://h?retry.budget=1e309":                     "retry.budget",
		"http://h?retry=maybe":                            "retry",
		"http://h?class=urgent":                           "class",
		"http://h?sampler.interval=-1s":                   "sampler.interval",
		"http://h?sampler.timeout=0":                      "sampler.timeout",
		"http://h?timeout=1s&timeout=2s":                  "timeout",
		"http://h?timeout=1s&time%6Fut=2s":                "timeout",
		"http://h?timeuot=1s":                             "timeuot",
		"http://h?Timeout=1s":                             "Timeout",
		"http://h?=1":                                     "no key",
		"http://h?api_key=a%0d%0ab":                       "api_key",
		"http://u%0d%0a:p@h":                              "user",
		"http://u:p%00@h":                                 "user",
		"http://h?tls.fingerprint=zz":                     "tls.fingerprint",
		"http://h,,h2":                                    "host 2",
		"http://,":                                        "host 1",
		"http://h:99999":                                  "host 1",
		"http://[::1":                                     "host 1",
		"http://h%00":                                     "host 1",
		"http://ho st":                                    "host 1",
		"http://h?fetch_size=-1":                          "fetch_size",
		"http://h?fetch_size=99999999999":                 "fetch_size",
		"http://h?cluster=a%00b":                          "cluster",
		"https://h?tls=false":                             "tls",
		"http://h?tls.ca=/no/such/file":                   "tls",
		"gopher://h":                                      "scheme",
		strings.Repeat("x", 1<<20):                        "scheme",
		"http://h?" + strings.Repeat("timeout=1s&", 1000): "given twice",
	} {
		_, err := esdriver.ParseDSN(name)
		require.Error(t, err, name[:min(len(name), 80)])
		var wrong *esdriver.ConfigError
		require.ErrorAs(t, err, &wrong)
		require.ErrorContains(t, err, key)
		assert.Less(t, len(err.Error()), 500)
		_, err = sql.Open("esdriver", name)
		require.Error(t, err)
	}
}

func TestNamesWithManyHostsAndOddEscapesAreTaken(t *testing.T) {
	hosts := make([]string, 1000)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%d:%d", i, 1+i)
	}
	cfg := mustParse(t, "http://us%40er:p%3A%2F%3F@"+strings.Join(hosts, ",")+"/a%20b/?cluster=%e4%B8%96&time_zone=+05:30")
	assert.Len(t, cfg.Seeds, 1000)
	assert.Equal(t, "p:/?", cfg.Password)
	assert.Equal(t, "/a b", cfg.Prefix)
	assert.Equal(t, "世", cfg.ClusterName)
	assert.Equal(t, cfg, mustParse(t, cfg.FormatDSN()))
	assert.NotContains(t, cfg.String(), "p:/?")
}

func TestEveryRequestOfOursCarriesTheCredentials(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.Credentials("elastic", "s3cret"))
	cfg := mustParse(t, fake.DSN()+"?sampler=sniff")
	cfg.User, cfg.Password = "elastic", "s3cret"
	cfg.Seeds = cfg.Seeds[:1]
	cluster := open(t, cfg)
	require.Len(t, cluster.Topology().Nodes, 3, "samples are let in")
	for i := 0; i < 10_000 && len(fake.Requests().Path("/i/_count").CountByNode()) < 3; i++ { // found nodes are probed first
		_, err := get(t.Context(), t, cluster, "http://any/i/_count")
		require.NoError(t, err)
	}
	for _, r := range fake.Requests() {
		assert.NotEmpty(t, r.Header.Get("Authorization"), "%s to %s", r.Path, r.Node)
	}
	assert.Len(t, fake.Requests().Path("/i/_count").CountByNode(), 3, "found nodes get them too")
	for _, n := range cluster.Topology().Nodes {
		assert.NotContains(t, fmt.Sprint(n, n.URL), "s3cret")
	}
}

func TestWrongPasswordLeavesTheNodesAliveAndIsTold(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(2), fakecluster.Credentials("elastic", "s3cret"))
	cfg := mustParse(t, fake.DSN())
	cfg.User, cfg.Password = "elastic", "wr0ng"
	cluster := open(t, cfg)
	resp, err := get(t.Context(), t, cluster, "http://any/i/_count")
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	for _, n := range cluster.Stats().Nodes {
		assert.Equal(t, plugins.Alive, n.State)
	}
	require.ErrorContains(t, cluster.Stats().LastError, "401")
	assert.NotContains(t, cluster.Stats().LastError.Error(), "wr0ng")
	require.ErrorIs(t, cluster.Stats().LastError, sampler.ErrUnauthorized)
}

func TestClusterIsNotOpenedForACallerWhoHasLeft(t *testing.T) {
	leaktest.Check(t)
	connector := newConnector(t, mustParse(t, "http://127.0.0.1:1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := connector.Cluster(ctx)
		require.ErrorIs(t, err, context.Canceled)
		_, err = connector.Connect(ctx)
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestIPv6NodesAreReached(t *testing.T) {
	leaktest.Check(t)
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		assert.ErrorContains(t, err, "assign") // a machine without IPv6
		return
	}
	hosts := make(chan string, 10)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			hosts <- r.Host
		}
		_, _ = w.Write([]byte(rootAnswer))
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	cluster := open(t, mustParse(t, "http://"+listener.Addr().String()))
	_, err = get(t.Context(), t, cluster, "http://any/i/_search")
	require.NoError(t, err)
	assert.Equal(t, listener.Addr().String(), <-hosts)
}

func TestClosedClusterRefusesEverythingAndMayBeClosedAgain(t *testing.T) {
	_, cfg := run(t)
	cluster, err := esdriver.Open(cfg)
	require.NoError(t, err)
	require.NoError(t, cluster.Close(t.Context()))
	require.NoError(t, cluster.Close(t.Context()))
	_, err = get(t.Context(), t, cluster, "http://any/")
	require.ErrorIs(t, err, esdriver.ErrClosed)
	assert.True(t, esdriver.SafeToRetry(err))
	_, err = cluster.Acquire(t.Context(), 0)
	require.ErrorIs(t, err, esdriver.ErrClosed)
	require.ErrorIs(t, cluster.Refresh(t.Context()), esdriver.ErrClosed)
	require.ErrorIs(t, cluster.AddSeeds(t.Context(), "h"), esdriver.ErrClosed)
	require.ErrorIs(t, cluster.RemoveSeeds(t.Context(), "h"), esdriver.ErrClosed)
	assert.NotPanics(t, func() {
		cluster.Stats()
		cluster.Topology()
		cluster.Explain(&http.Request{})
		cluster.Explain(&http.Request{URL: &url.URL{Path: "/"}})
	})
}

func TestEveryClassAtOnceDelaysNoOther(t *testing.T) {
	for _, saturated := range []string{"/_bulk", "/_reindex", "/i/_doc", "/_cluster/health"} {
		t.Run(saturated, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake, cluster := inMemory(t, "?pool.shared=0&sampler.interval=1s", fakecluster.Nodes(1))
				fake.Inject(fakecluster.Fault{Path: saturated, Action: fakecluster.Slow(20 * time.Second)})
				ctx, stop := context.WithCancel(t.Context())
				for range 50 {
					go func() { _, _, _ = exchange(ctx, t, cluster, http.MethodPost, saturated, strings.NewReader("{}")) }()
				}
				<-time.NewTimer(10 * time.Second).C
				for _, other := range []string{"/_bulk", "/_reindex", "/i/_doc", "/_cluster/health", "/"} {
					if other == saturated {
						continue
					}
					began := time.Now()
					method := http.MethodPost
					if other == "/" {
						method = http.MethodGet
					}
					_, _, err := exchange(t.Context(), t, cluster, method, other, nil)
					require.NoError(t, err, other)
					assert.Less(t, time.Since(began), 10*time.Millisecond, "%s beside %s", other, saturated)
				}
				assert.Equal(t, plugins.Alive, cluster.Stats().Nodes[0].State)
				stop()
				synctest.Wait()
			})
		})
	}
}

// noBalancer gives no picker.
type noBalancer struct{}

func (noBalancer) Update([]*balancer.Node) balancer.Picker { return nil }

func TestBrokenAuthorizeAndBalancerBreakNothingElse(t *testing.T) {
	leaktest.Check(t)
	n := raw(t, func(nc net.Conn, req *http.Request, br *bufio.Reader) bool {
		return says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")(nc, req, br)
	})
	cfg := mustParse(t, "http://"+n.addr)
	cfg.Balancer = noBalancer{}
	cfg.Authorize = func(_ context.Context, r *http.Request) error {
		if r.URL.Path == "/panic" {
			panic("no token")
		}
		return nil
	}
	cluster := open(t, cfg)
	_, err := get(t.Context(), t, cluster, "http://any/i/_search")
	require.NoError(t, err)
	_, err = get(t.Context(), t, cluster, "http://any/panic")
	require.ErrorContains(t, err, "no token")
	assert.True(t, esdriver.SafeToRetry(err))
	assert.EqualValues(t, 1, n.served.Load())
	idle(t, cluster)
}

func TestHandleThatIsBusyOrGivenBackSaysSo(t *testing.T) {
	_, cfg := run(t)
	cluster := open(t, cfg)
	h, err := cluster.Acquire(t.Context(), pool.Reg)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/_cluster/health", nil)
	require.NoError(t, err)
	resp, err := h.RoundTrip(req)
	require.NoError(t, err)
	_, err = h.RoundTrip(req)
	require.ErrorIs(t, err, esdriver.ErrHandleBusy)
	require.NoError(t, resp.Body.Close())
	resp, err = h.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	h.Release()
	_, err = h.RoundTrip(req)
	require.ErrorIs(t, err, esdriver.ErrHandleBusy)
	h.Discard()
	_, err = cluster.Acquire(t.Context(), pool.Class(200))
	require.ErrorContains(t, err, "class(200)")
	idle(t, cluster)
}

func TestConstructorThatGivesNothingIsAConfigError(t *testing.T) {
	sampler.Register("test-nothing", func(url.Values) (sampler.Sampler, error) { return nil, nil })
	balancer.Register("test-nothing", func(url.Values) (balancer.Balancer, error) { return nil, nil })
	for _, key := range []string{"sampler", "balancer"} {
		_, err := esdriver.NewConnector(mustParse(t, "http://h?"+key+"=test-nothing"))
		var wrong *esdriver.ConfigError
		require.ErrorAs(t, err, &wrong)
		assert.Equal(t, key, wrong.Key)
	}
}

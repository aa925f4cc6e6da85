package esdriver_test

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

func run(t *testing.T) (*fakecluster.Cluster, esdriver.Config) {
	t.Helper()
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(2))
	return fake, mustParse(t, fake.DSN())
}

func newConnector(t *testing.T, c esdriver.Config) *esdriver.Connector {
	t.Helper()
	connector, err := esdriver.NewConnector(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, connector.Close()) })
	return connector
}

func open(t *testing.T, c esdriver.Config) *esdriver.Cluster {
	t.Helper()
	cluster, err := esdriver.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cluster.Close(context.Background())) })
	return cluster
}

func get(ctx context.Context, t *testing.T, rt http.RoundTripper, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return resp, err
}

func TestDriverIsRegisteredAsEsdriverAlone(t *testing.T) {
	assert.Contains(t, sql.Drivers(), "esdriver")
	assert.NotContains(t, sql.Drivers(), "elasticsearch")
	assert.NotContains(t, sql.Drivers(), "opensearch")
}

func TestRegisterPanicsOnAnEmptyOrTakenName(t *testing.T) {
	assert.Panics(t, func() { esdriver.Register("") })
	assert.Panics(t, func() { esdriver.Register("esdriver") })
}

func init() { esdriver.Register("further") }

func TestRegisterTakesAFurtherName(t *testing.T) {
	db, err := sql.Open("further", "http://127.0.0.1:1")
	require.NoError(t, err)
	assert.NoError(t, db.Close())
}

func TestOpenReportsAWrongDSNAtOnce(t *testing.T) {
	_, err := sql.Open("esdriver", "http://h?tiemout=1s")
	assert.EqualError(t, err, "esdriver: tiemout: unknown key; did you mean timeout?")
	_, err = (&esdriver.Driver{}).Open("x")
	assert.ErrorContains(t, err, "esdriver: dsn: no scheme: want SCHEME://")
}

func TestUnknownPluginIsAnsweredWithTheKnownOnes(t *testing.T) {
	for dsn, want := range map[string]string{
		"http://h?sampler=gossip":     `esdriver: sampler: got "gossip": want ping, sniff, static`,
		"http://h?balancer=random":    `esdriver: balancer: got "random": want first, leastbusy, roundrobin`,
		"http://h?sampler.colour=red": `esdriver: sampler.colour: sampler=ping has no such key`,
		"http://h?balancer.x=y":       `esdriver: balancer.x: balancer=leastbusy has no such key`,
	} {
		_, err := esdriver.NewConnector(mustParse(t, dsn))
		var wrong *esdriver.ConfigError
		require.ErrorAs(t, err, &wrong, dsn)
		assert.ErrorContains(t, err, want)
	}
}

func TestBrokenCertificateIsReportedBeforeAnythingIsDialed(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(broken, []byte("no certificate"), 0o600))
	for _, file := range []string{broken, broken + ".missing"} {
		_, err := esdriver.NewConnector(mustParse(t, "https://127.0.0.1:1?tls.ca="+file))
		var wrong *esdriver.ConfigError
		require.ErrorAs(t, err, &wrong)
		assert.ErrorContains(t, err, "tls.ca")
		assert.ErrorContains(t, err, file)
	}
}

func TestNewConnectorConnectsNothing(t *testing.T) {
	fake, c := run(t)
	connector := newConnector(t, c)
	db := sql.OpenDB(connector)
	assert.Zero(t, fake.Node(0).Accepted()+fake.Node(1).Accepted())
	_, err := connector.Cluster(t.Context())
	require.NoError(t, err)
	assert.NotZero(t, fake.Node(0).Accepted()+fake.Node(1).Accepted())
	assert.NoError(t, db.Close())
}

func TestConnectorOpensItsClusterOnce(t *testing.T) {
	_, c := run(t)
	connector := newConnector(t, c)
	clusters := make([]*esdriver.Cluster, 8)
	var wg sync.WaitGroup
	for i := range clusters {
		wg.Go(func() { clusters[i], _ = connector.Cluster(t.Context()) })
	}
	wg.Wait()
	require.NotNil(t, clusters[0])
	assert.Len(t, slices.Compact(clusters), 1)
}

func TestClosingTheDBClosesTheCluster(t *testing.T) {
	_, c := run(t)
	connector := newConnector(t, c)
	cluster, err := connector.Cluster(t.Context())
	require.NoError(t, err)
	require.NoError(t, sql.OpenDB(connector).Close())

	_, err = get(t.Context(), t, cluster, "/")
	require.ErrorIs(t, err, esdriver.ErrClosed)
	assert.True(t, esdriver.SafeToRetry(err))
	_, err = connector.Cluster(t.Context())
	require.ErrorIs(t, err, esdriver.ErrClosed)
	_, err = connector.Connect(t.Context())
	require.ErrorIs(t, err, esdriver.ErrClosed)
	require.NoError(t, connector.Close())
}

func TestConnectorNeverUsedClosesWithoutOpening(t *testing.T) {
	fake, c := run(t)
	require.NoError(t, newConnector(t, c).Close())
	assert.Zero(t, fake.Node(0).Accepted()+fake.Node(1).Accepted())
}

func TestOpenDBLeavesTheClusterOpen(t *testing.T) {
	_, c := run(t)
	cluster := open(t, c)
	db := esdriver.OpenDB(cluster)
	session, err := db.Conn(t.Context())
	require.NoError(t, err)
	require.NoError(t, session.Close())
	require.NoError(t, db.Close())
	_, err = get(t.Context(), t, cluster, "/")
	require.NoError(t, err)
}

func TestSessionOfDriverOpenOwnsItsCluster(t *testing.T) {
	fake, _ := run(t)
	session, err := (&esdriver.Driver{}).Open(fake.DSN())
	require.NoError(t, err)
	assert.NotZero(t, fake.Node(0).Conns()+fake.Node(1).Conns())
	require.NoError(t, session.Close()) // the leak check sees what stays
}

// stuck is a sampler that never comes to an end by itself.
type stuck struct{ entered chan struct{} }

func (s stuck) Sample(ctx context.Context, prev sampler.Topology, _ sampler.Getter) (sampler.Topology, error) {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return prev, ctx.Err()
}

func TestWaitingForAClusterThatOpensEndsWithTheContext(t *testing.T) {
	_, c := run(t)
	s := stuck{make(chan struct{}, 1)}
	c.SamplerName, c.Sampler = "", s
	connector := newConnector(t, c)

	first, give := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		_, err := connector.Cluster(first)
		opened <- err
	}()
	<-s.entered // the first caller waits for a sample now
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := connector.Cluster(gone)
	require.ErrorIs(t, err, context.Canceled)
	give()
	require.NoError(t, <-opened, "the first caller's context ends its waiting, not the cluster")
}

func TestConfigGivenAwayIsCopied(t *testing.T) {
	_, c := run(t)
	connector := newConnector(t, c)
	c.Seeds[0], c.Seeds[1] = "127.0.0.1:1", "127.0.0.1:1"
	cluster, err := connector.Cluster(t.Context())
	require.NoError(t, err)
	assert.NotEqual(t, "127.0.0.1:1", cluster.Topology().Seeds[0].Addr)
}

func TestClusterRunsUnderAnHTTPClient(t *testing.T) {
	fake, c := run(t)
	client := &http.Client{Transport: open(t, c)}
	resp, err := client.Get("http://placeholder/_cluster/health")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Contains(t, []string{fake.Node(0).Addr(), fake.Node(1).Addr()}, resp.Request.URL.Host)
}

func TestHandleStaysOnItsNode(t *testing.T) {
	_, c := run(t)
	h, err := open(t, c).Acquire(t.Context(), pool.Bulk)
	require.NoError(t, err)
	defer h.Release()
	assert.Equal(t, pool.Bulk, h.Class())
	for range 5 {
		resp, err := get(t.Context(), t, h, "/_cluster/health")
		require.NoError(t, err)
		assert.Equal(t, h.Node().Addr, resp.Request.URL.Host)
	}
}

func TestSeedsAreAddedAndRemovedAsTheConfigWritesThem(t *testing.T) {
	fake, c := run(t)
	c.Seeds = c.Seeds[:1]
	cluster := open(t, c)
	added := fake.Node(1).Addr()
	require.NoError(t, cluster.AddSeeds(t.Context(), added))
	assert.Len(t, cluster.Topology().Seeds, 2)
	require.NoError(t, cluster.RemoveSeeds(t.Context(), added))
	assert.Len(t, cluster.Topology().Seeds, 1)
	var wrong *esdriver.ConfigError
	require.ErrorAs(t, cluster.AddSeeds(t.Context(), "h:x"), &wrong)
	require.ErrorAs(t, cluster.RemoveSeeds(t.Context(), "http://h"), &wrong)
}

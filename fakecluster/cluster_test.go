package fakecluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
)

// client returns a client of the cluster's own network that keeps connections alive.
func client(t *testing.T, c *fakecluster.Cluster) *http.Client {
	t.Helper()
	tr := &http.Transport{DialContext: c.DialContext, MaxIdleConnsPerHost: 8}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// ask sends a request and returns the status and the whole body.
func ask(hc *http.Client, method, url, body string) (int, string, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := hc.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// do sends a request that must be answered, and decodes the answer.
func do(t *testing.T, c *fakecluster.Cluster, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, text, err := ask(client(t, c), method, c.Node(0).URL()+path, body)
	require.NoError(t, err)
	var v map[string]any
	if text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	}
	return status, v
}

func TestEveryNodeAnswersItsOwnName(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.ClusterName("try"))
	for _, n := range c.Nodes() {
		status, body, err := ask(client(t, c), "GET", n.URL()+"/", "")
		require.NoError(t, err)
		assert.Equal(t, 200, status)
		assert.Contains(t, body, `"name":"`+n.Name()+`"`)
		assert.Contains(t, body, `"cluster_name":"try"`)
		assert.Contains(t, body, c.UUID())
	}
}

func TestKilledNodeResetsItsConnectionsAndRefusesNewOnes(t *testing.T) {
	c := fakecluster.Run(t)
	hc := client(t, c)
	n := c.Node(1)
	_, _, err := ask(hc, "GET", n.URL()+"/", "")
	require.NoError(t, err)
	require.Equal(t, 1, n.Conns())
	n.Kill()
	assert.Zero(t, n.Conns())
	hc.CloseIdleConnections()
	_, _, err = ask(hc, "GET", n.URL()+"/", "")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
	addr := n.Addr()
	require.NoError(t, n.Start())
	assert.Equal(t, addr, n.Addr())
	_, _, err = ask(hc, "GET", n.URL()+"/", "")
	assert.NoError(t, err)
}

func TestKillResetsARequestInProgress(t *testing.T) {
	c := fakecluster.Run(t)
	n := c.Node(0)
	reached := make(chan struct{}, 1)
	c.Inject(fakecluster.Fault{Match: func(*http.Request) bool { reached <- struct{}{}; return true }, Action: fakecluster.Hang})
	failed := make(chan error, 1)
	go func() {
		_, _, err := ask(client(t, c), "POST", n.URL()+"/x/_search", "{}")
		failed <- err
	}()
	<-reached
	n.Kill()
	assert.ErrorIs(t, <-failed, syscall.ECONNRESET)
}

func TestRestartGivesANewEphemeralIDAndAFreshOneANewID(t *testing.T) {
	c := fakecluster.Run(t)
	n := c.Node(0)
	id, ephemeral := n.ID(), n.EphemeralID()
	require.NoError(t, n.Restart(false))
	assert.Equal(t, id, n.ID())
	assert.NotEqual(t, ephemeral, n.EphemeralID())
	require.NoError(t, n.Restart(true))
	assert.NotEqual(t, id, n.ID())
}

func TestFaultActsTimesOftenAndOnItsNodeOnly(t *testing.T) {
	c := fakecluster.Run(t)
	c.Node(0).Inject(fakecluster.Fault{Path: "/_nodes", Times: 2, Action: fakecluster.Status(503, `{}`, nil)})
	var got []int
	for range 3 {
		status, _, err := ask(client(t, c), "GET", c.Node(0).URL()+"/_nodes/http", "")
		require.NoError(t, err)
		got = append(got, status)
	}
	assert.Equal(t, []int{503, 503, 200}, got)
	status, _, _ := ask(client(t, c), "GET", c.Node(1).URL()+"/_nodes/http", "")
	assert.Equal(t, 200, status)
}

func TestRequestLogTellsNodeStatusAndBody(t *testing.T) {
	c := fakecluster.Run(t)
	do(t, c, "GET", "/_cluster/health?level=cluster", "")
	reqs := c.Requests().Path("/_cluster/health")
	require.Len(t, reqs, 1)
	assert.Equal(t, c.Node(0).Name(), reqs[0].Node)
	assert.Equal(t, 200, reqs[0].Status)
	assert.Equal(t, "cluster", reqs[0].Query.Get("level"))
	assert.Positive(t, reqs[0].Bytes)
	c.ResetRequests()
	assert.Empty(t, c.Requests())
}

func TestInMemoryClusterWorksInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fakecluster.Run(t, fakecluster.InMemory(), fakecluster.Nodes(3))
		hc := client(t, c)
		c.Node(1).Inject(fakecluster.Fault{Action: fakecluster.Slow(time.Hour)})
		start := time.Now()
		_, _, err := ask(hc, "GET", c.Node(1).URL()+"/", "")
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(start))
		c.Node(2).Inject(fakecluster.Fault{Action: fakecluster.Hang})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "GET", c.Node(2).URL()+"/", nil)
		_, err = hc.Do(req)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		c.Node(0).Kill()
		_, _, err = ask(hc, "GET", c.Node(0).URL()+"/", "")
		assert.ErrorIs(t, err, syscall.ECONNREFUSED)
		hc.CloseIdleConnections()
	})
}

func TestFrozenNodeAcceptsAndAnswersAfterThaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fakecluster.Run(t, fakecluster.InMemory())
		hc := client(t, c)
		c.Node(0).Freeze()
		answered := make(chan error, 1)
		go func() {
			_, _, err := ask(hc, "GET", c.Node(0).URL()+"/", "")
			answered <- err
		}()
		synctest.Wait()
		assert.Equal(t, 1, c.Node(0).Conns())
		assert.Empty(t, answered)
		c.Node(0).Thaw()
		assert.NoError(t, <-answered)
		hc.CloseIdleConnections()
	})
}

func TestDrainingNodeAnswersWithConnectionCloseAndRefusesNewConnections(t *testing.T) {
	c := fakecluster.Run(t)
	hc := client(t, c)
	n := c.Node(0)
	_, _, err := ask(hc, "GET", n.URL()+"/", "")
	require.NoError(t, err)
	n.Drain()
	resp, err := hc.Get(n.URL() + "/")
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	assert.True(t, resp.Close)
	_, err = hc.Get(n.URL() + "/")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoError(t, n.Start())
	_, _, err = ask(hc, "GET", n.URL()+"/", "")
	assert.NoError(t, err)
}

func TestCutBodyEndsTheBodyEarly(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.CutBody(10)})
	_, body, err := ask(client(t, c), "GET", c.Node(0).URL()+"/", "")
	assert.True(t, errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
	assert.Len(t, body, 10)
}

package fakecluster_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
)

// put writes a document to node 0 and returns what the client saw.
func put(t *testing.T, c *fakecluster.Cluster, id string) (int, string, error) {
	t.Helper()
	return ask(client(t, c), "PUT", c.Node(0).URL()+"/i/_doc/"+id, `{"a":1}`)
}

func TestResetBeforeExecuteDoesNothingAndAfterExecuteDoesTheWork(t *testing.T) {
	c := fakecluster.Run(t)
	remove := c.Inject(fakecluster.Fault{Action: fakecluster.ResetBeforeExecute})
	_, _, err := put(t, c, "1")
	assert.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Empty(t, c.Docs("i"))
	remove()
	c.Inject(fakecluster.Fault{Action: fakecluster.ResetAfterExecute})
	_, _, err = put(t, c, "1")
	assert.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Len(t, c.Docs("i"), 1)
	for _, r := range c.Requests() {
		assert.Zero(t, r.Status, "no answer was sent")
	}
}

func TestCloseAfterExecuteEndsTheConnectionInOrder(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.CloseAfterExecute})
	_, _, err := put(t, c, "1")
	assert.ErrorIs(t, err, io.EOF)
	assert.Len(t, c.Docs("i"), 1)
}

func TestResetBeforeReadLeavesTheBodyUnread(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.ResetBeforeRead})
	_, _, err := put(t, c, "1")
	assert.Error(t, err)
	assert.Nil(t, c.Requests()[0].Body)
}

func TestEarlyAnswerComesWhileTheBodyIsStillBeingSent(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Path: "/_bulk", Action: fakecluster.EarlyAnswer(413)})
	conn, err := net.Dial("tcp", c.Node(0).Addr())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nonly a little")
	require.NoError(t, err)
	answer := make([]byte, len("HTTP/1.1 413"))
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 413", string(answer))
}

func TestRefuseClosesConnectionsAtAccept(t *testing.T) {
	c := fakecluster.Run(t)
	n := c.Node(0)
	n.Inject(fakecluster.Fault{Times: 1, Action: fakecluster.Refuse})
	_, _, err := ask(client(t, c), "POST", n.URL()+"/i/_doc", `{}`)
	assert.Error(t, err)
	assert.Empty(t, c.Requests())
	_, _, err = ask(client(t, c), "POST", n.URL()+"/i/_doc", `{}`)
	assert.NoError(t, err)
	assert.Equal(t, 2, n.Accepted())
}

func TestAnswersThatAreNoAnswers(t *testing.T) {
	c := fakecluster.Run(t)
	remove := c.Inject(fakecluster.Fault{Action: fakecluster.Garbage})
	_, _, err := put(t, c, "1")
	assert.ErrorContains(t, err, "malformed HTTP")
	remove()
	c.Inject(fakecluster.Fault{Action: fakecluster.HTML})
	status, body, err := put(t, c, "1")
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Contains(t, body, "<html>")
}

func TestRetryAfterIsAnOverload(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.RetryAfter(1500 * time.Millisecond)})
	resp, err := client(t, c).Get(c.Node(0).URL() + "/i/_search")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	assert.Equal(t, 429, resp.StatusCode)
	assert.Equal(t, "2", resp.Header.Get("Retry-After"))
	assert.Contains(t, string(body), "es_rejected_execution_exception")
}

func TestIdentityFaultsChangeWhatANodeSaysOfItself(t *testing.T) {
	c := fakecluster.Run(t)
	n := c.Node(0)
	n.Inject(fakecluster.Fault{Action: fakecluster.WrongClusterUUID})
	n.Inject(fakecluster.Fault{Action: fakecluster.WrongClusterName})
	n.Inject(fakecluster.Fault{Action: fakecluster.PublishAddress("10.9.9.9:9200")})
	_, root := do(t, c, "GET", "/", "")
	assert.NotEqual(t, c.UUID(), root["cluster_uuid"])
	assert.NotEqual(t, c.Name(), root["cluster_name"])
	_, info := do(t, c, "GET", "/_nodes/_local/http", "")
	node := info["nodes"].(map[string]any)[n.ID()].(map[string]any)
	assert.Equal(t, "10.9.9.9:9200", node["http"].(map[string]any)["publish_address"])
}

func TestPartialAndEmptyNodes(t *testing.T) {
	c := fakecluster.Run(t)
	remove := c.Inject(fakecluster.Fault{Action: fakecluster.PartialNodes})
	_, info := do(t, c, "GET", "/_nodes/http", "")
	assert.Equal(t, map[string]any{"total": 3.0, "successful": 2.0, "failed": 1.0}, map[string]any{
		"total": info["_nodes"].(map[string]any)["total"], "successful": info["_nodes"].(map[string]any)["successful"],
		"failed": info["_nodes"].(map[string]any)["failed"],
	})
	assert.Len(t, info["nodes"], 2)
	remove()
	c.Inject(fakecluster.Fault{Action: fakecluster.EmptyNodes})
	_, info = do(t, c, "GET", "/_nodes/http", "")
	assert.Empty(t, info["nodes"])
}

func TestNodeThatIsNotReadyAnswersItsRootAndBlocksTheRest(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.NotReady})
	status, body := do(t, c, "POST", "/i/_search", "{}")
	assert.Equal(t, 503, status)
	assert.Equal(t, "cluster_block_exception", body["error"].(map[string]any)["type"])
	status, body = do(t, c, "GET", "/", "")
	assert.Equal(t, 200, status)
	assert.Equal(t, "_na_", body["cluster_uuid"])
}

func TestHugeBodyStaysJSON(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.HugeBody(1 << 20)})
	status, _ := do(t, c, "GET", "/", "")
	assert.Equal(t, 200, status)
	req, _ := http.NewRequest("GET", c.Node(0).URL()+"/", nil)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := client(t, c).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.EqualValues(t, 1<<20, resp.ContentLength)
}

func TestConnectionCloseEndsTheConnectionAfterTheAnswer(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Action: fakecluster.ConnectionClose})
	hc := client(t, c)
	for range 2 {
		_, _, err := ask(hc, "GET", c.Node(0).URL()+"/", "")
		require.NoError(t, err)
	}
	assert.Equal(t, 2, c.Node(0).Accepted())
}

func TestFaultPathMatchesWholeSegmentsAndPatterns(t *testing.T) {
	c := fakecluster.Run(t)
	for _, fault := range []struct{ path, pattern string }{{"/_nodes/http", "/_nodes"}, {"/i/_doc/1", "/*/_doc/*"}, {"/", "/"}} {
		c.ClearFaults()
		c.Inject(fakecluster.Fault{Path: fault.pattern, Action: fakecluster.Status(418, "{}", nil)})
		status, _ := do(t, c, "GET", fault.path, "")
		assert.Equal(t, 418, status, fault.pattern)
	}
	status, _ := do(t, c, "GET", "/_nodes", "") // the last pattern is the root alone
	assert.Equal(t, 200, status)
}

func TestChanceIsAProbability(t *testing.T) {
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Chance: 0.5, Action: fakecluster.Status(503, "{}", nil)})
	hc := client(t, c)
	failed := 0
	for range 200 {
		status, _, err := ask(hc, "GET", c.Node(0).URL()+"/", "")
		require.NoError(t, err)
		if status == 503 {
			failed++
		}
	}
	assert.InDelta(t, 100, failed, 60) // 8 standard deviations
}

func TestFrozenNodeExecutesWhatArrivedAfterThaw(t *testing.T) {
	c := fakecluster.Run(t)
	n := c.Node(0)
	n.Freeze()
	conn, err := net.Dial("tcp", n.Addr())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "PUT /i/_doc/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	require.NoError(t, err)
	assert.Empty(t, c.Docs("i"))
	n.Thaw()
	answer := make([]byte, 12)
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 201", string(answer))
	assert.Len(t, c.Docs("i"), 1)
}

func TestKillWhileFrozenExecutesNothing(t *testing.T) {
	c := fakecluster.Run(t)
	n := c.Node(0)
	n.Freeze()
	failed := make(chan error, 1)
	go func() {
		_, _, err := ask(client(t, c), "PUT", n.URL()+"/i/_doc/1", "{}")
		failed <- err
	}()
	for len(c.Requests()) == 0 {
		_, _, err := ask(client(t, c), "GET", c.Node(1).URL()+"/", "")
		require.NoError(t, err)
		if len(c.Requests().Node(n.Name())) > 0 {
			break
		}
	}
	n.Kill()
	assert.Error(t, <-failed)
	assert.Empty(t, c.Docs("i"))
}

func TestLargeBodiesAreLoggedInPart(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.KeepRequests(2))
	line := `{"index":{"_index":"i"}}` + "\n" + `{"s":"` + strings.Repeat("x", 100_000) + `"}` + "\n"
	for range 4 {
		status, _ := do(t, c, "POST", "/_bulk", line)
		require.Equal(t, 200, status)
	}
	reqs := c.Requests()
	require.Len(t, reqs, 2)
	assert.Len(t, reqs[0].Body, 64<<10)
	assert.EqualValues(t, len(line), reqs[0].Length)
	assert.True(t, bytes.HasPrefix(reqs[0].Body, []byte(`{"index"`)))
}

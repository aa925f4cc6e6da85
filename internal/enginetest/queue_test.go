package enginetest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins"
)

// TestFullQueueIsAnsweredAsTheFakeDoes is for a cluster whose nodes have little room for writes: small thread pools
// and queues. The nodes refuse some of many writes that come at once; they are alive nevertheless.
func TestFullQueueIsAnsweredAsTheFakeDoes(t *testing.T) {
	leaktest.Check(t)
	e := newReal(t)
	l := newLoad(t, e, "enginetest-queue")
	c := openCluster(t, e.DSN(), "sampler=sniff", "pool.shared=256", "retry=false")
	refused := flood(t, c, l.index)
	require.NotNil(t, refused.body, "no write was refused: the cluster has room")

	fake := newFake(t, e.facts)
	fake.Inject(fakecluster.Fault{Path: "/*/_doc/*", Action: fakecluster.RetryAfter(0)})
	compare(t, "full-queue", e.facts, []exchange{{"PUT /_doc", refused}},
		[]exchange{{"", send(t, openCluster(t, fake.DSN(), "retry=false"), "PUT", "/i/_doc/1", `{"mark":"1"}`)}})
	for _, n := range c.Stats().Nodes {
		assert.Equal(t, plugins.Alive, n.State, "%s: %v", n.Node.Addr, n.LastErr)
	}
}

// flood sends writes of one document, many at once, until one is refused, and returns that answer.
func flood(t *testing.T, c *esdriver.Cluster, index string) (refused answer) {
	t.Helper()
	text := strings.Repeat("word ", 2000)
	var mu sync.Mutex // guards refused
	for round := 0; round < 20 && refused.body == nil; round++ {
		var writers sync.WaitGroup
		for i := range 200 {
			writers.Go(func() {
				a, err := roundTrip(t.Context(), c, "PUT", fmt.Sprintf("/%s/_doc/%d-%d", index, round, i), fmt.Sprintf(`{"mark":"1","text":%q}`, text))
				mu.Lock()
				defer mu.Unlock()
				if assert.NoError(t, err) && a.status == 429 {
					refused = a
				}
			})
		}
		writers.Wait()
	}
	return refused
}

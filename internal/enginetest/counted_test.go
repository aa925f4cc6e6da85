package enginetest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/internal/leaktest"
)

const countTable = "enginetest-counted"

// TestKilledNodeChangesNoCounterInSilence kills the primary of a row that several writers increment. What is told as
// done is done once, and nothing else is done but what is told as not known. With -long it happens five times.
func TestKilledNodeChangesNoCounterInSilence(t *testing.T) {
	leaktest.Check(t)
	e, h := newReal(t), newHarness(t)
	c := newCount(t, e)
	times := 1
	if *long {
		times = 5
	}
	c.during(func() {
		for range times {
			pass(time.Second)
			place := c.primary(t)
			h.do(t, "kill %d", place)
			pass(2 * time.Second)
			h.do(t, "up %d", place)
			c.began = time.Now()
			c.answers(t, place)
			c.whole(t)
		}
		pass(time.Second)
	})
	n := c.value(t)
	t.Logf("%d increments done, %d not known, %d counted over %s", c.done.Load(), c.unknown.Load(), n, e.facts.release())
	assert.GreaterOrEqual(t, n, c.done.Load())
	assert.LessOrEqual(t, n, c.done.Load()+2*c.unknown.Load(), "one that is not known may be done twice")
	assert.Greater(t, c.done.Load(), int64(20))
}

// count is a row of a table of one shard that several writers increment.
type count struct {
	*load
	done, unknown atomic.Int64
}

func newCount(t *testing.T, e *realEngine) *count {
	t.Helper()
	c := &count{load: &load{engine: e, index: countTable, nodes: e.facts.nodes}}
	c.patient = openCluster(t, e.DSN(), "sampler=sniff")
	c.cluster = openCluster(t, e.DSN(), "sampler=sniff", "refresh=false", "attempt_timeout="+attemptTimeout.String())
	c.db = esdriver.OpenDB(c.cluster)
	t.Cleanup(func() { require.NoError(t, c.db.Close()) })
	c.delete(t)
	t.Cleanup(func() { c.delete(t) })
	for _, text := range []string{
		`CREATE TABLE "` + countTable + `" (id INT PRIMARY KEY, n BIGINT) WITH (number_of_shards = 1, number_of_replicas = 1)`,
		`INSERT INTO "` + countTable + `" VALUES (1, 0)`,
	} {
		_, err := c.db.Exec(text)
		require.NoError(t, err)
	}
	c.whole(t)
	return c
}

// during increments until the story has been told.
func (c *count) during(story func()) {
	var writers sync.WaitGroup
	defer writers.Wait()
	over := make(chan struct{})
	defer close(over)
	for range 4 {
		writers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					c.increment()
				}
			}
		})
	}
	story()
}

func (c *count) increment() {
	_, err := c.db.ExecContext(context.Background(), `UPDATE "`+countTable+`" SET n = n + 1 WHERE id = 1`)
	var some *esdriver.PartialWriteError
	switch {
	case err == nil:
		c.done.Add(1)
	case errors.As(err, &some):
		c.unknown.Add(some.Unknown)
	}
}

// primary is the place of the node that has the row's primary.
func (c *count) primary(t *testing.T) int {
	t.Helper()
	shards := send(t, c.patient, "GET", "/_cat/shards/"+countTable+"?format=json", "")
	for i := range 2 {
		if shards.word(fmt.Sprintf("%d.prirep", i)) == "p" {
			place, err := strconv.Atoi(strings.TrimPrefix(shards.word(fmt.Sprintf("%d.node", i)), "n"))
			require.NoError(t, err)
			return place
		}
	}
	require.Fail(t, "there is no primary", shards.text)
	return 0
}

func (c *count) value(t *testing.T) int64 {
	t.Helper()
	return int64(send(t, c.patient, "GET", "/"+countTable+"/_doc/1", "").number("_source.n"))
}

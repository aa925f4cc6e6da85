//go:build unix

package load_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// patchy is a file of rows that are long, of which every 100th from the 50th on is too short to be taken.
func patchy(t *testing.T, rows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("n,text\n")
	for i := range rows {
		if i%100 == 50 {
			fmt.Fprintf(&b, "%d\n", i)
			continue
		}
		fmt.Fprintf(&b, "%d,%s\n", i, strings.Repeat("long ", 1600))
	}
	return write(t, "rows.csv", b.String())
}

// requirePatchy fails unless each row is in the table or among the rejected ones, once.
func requirePatchy(t *testing.T, c *fakecluster.Cluster, file string, rows int) {
	t.Helper()
	seen := make([]int, rows)
	for _, d := range c.Docs("rows") {
		var document struct{ N int }
		require.NoError(t, json.Unmarshal(d.Source, &document))
		seen[document.N]++
	}
	kept, err := os.ReadFile(file + ".rows.rejected.ndjson")
	require.NoError(t, err)
	for line := range bytes.Lines(kept) {
		var rejected struct{ Row int }
		require.NoError(t, json.Unmarshal(line, &rejected))
		require.Equal(t, 51, rejected.Row%100)
		seen[rejected.Row-1]++
	}
	for i, times := range seen {
		require.Equal(t, 1, times, "row %d", i+1)
	}
}

// loadUntil loads a file in a process of its own and kills that, as kill -9 does, when the channel closes. It returns
// what the process has written, and whether it was killed.
func loadUntil(t *testing.T, c *fakecluster.Cluster, file string, stop <-chan struct{}) (shown string, killed bool) {
	t.Helper()
	cmd := process(t, "load", c.DSN(), file)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // rows are rejected, hence its status is 1
	}()
	select {
	case <-stop:
		require.NoError(t, cmd.Process.Kill())
		<-ended
	case <-ended:
	}
	return out.String(), !cmd.ProcessState.Exited()
}

// done returns how many rows the journal of a file says are settled.
func done(file string) int {
	var journal struct{ Done struct{ Rows int } }
	text, err := os.ReadFile(file + ".rows.journal")
	if err != nil || json.Unmarshal(text, &journal) != nil {
		return 0
	}
	return journal.Done.Rows
}

// atBulk returns a channel that closes at the n-th bulk request from now on, before that is carried out.
func atBulk(c *fakecluster.Cluster, n int64) <-chan struct{} {
	reached := make(chan struct{})
	onBulk(c, n, func() { close(reached) })
	return reached
}

// after returns a channel that closes when the time is over: it is meant to hit anything.
func after(d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(d, func() { close(over) })
	return over
}

func TestProcessKilledAnywhereLosesAndDoublesNoRow(t *testing.T) {
	leaktest.Check(t)
	const rows, kills = 3000, 12
	c := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.KeepRequests(0))
	file := patchy(t, rows)
	random := rand.New(rand.NewPCG(1, 2))
	hit := 0
	for kill := range kills {
		c.ClearFaults()
		c.Inject(fakecluster.Fault{Path: bulkPath, Chance: 0.2, Action: fakecluster.ResetAfterExecute})
		c.Inject(fakecluster.Fault{Path: bulkPath, Chance: 0.5, Action: fakecluster.Slow(5 * time.Millisecond)})
		stop := atBulk(c, 1+random.Int64N(10))
		if kill%2 == 0 {
			stop = after(time.Duration(random.Int64N(int64(100 * time.Millisecond))))
		}
		if _, killed := loadUntil(t, c, file, stop); killed {
			hit++
		}
	}
	require.GreaterOrEqual(t, hit, kills/2)
	c.ClearFaults()
	shown, killed := loadUntil(t, c, file, nil)
	require.False(t, killed)
	assert.Contains(t, shown, "30 rejected")
	requirePatchy(t, c, file, rows)
	assert.NoFileExists(t, file+".rows.journal")
}

func TestProcessKilledWithANodeLosesAndDoublesNoRow(t *testing.T) {
	leaktest.Check(t)
	const rows = 3000
	c := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.KeepRequests(0))
	file := patchy(t, rows)
	for i, n := range c.Nodes() {
		c.ClearFaults()
		stop := atBulk(c, int64(2+3*i))
		var killing sync.WaitGroup
		killing.Go(func() { // Kill waits for the node's requests, that at which it is called included
			<-stop
			n.Kill()
		})
		_, killed := loadUntil(t, c, file, stop)
		assert.True(t, killed)
		killing.Wait()
		if i > 0 {
			require.NoError(t, c.Node(i-1).Start())
		}
	}
	c.ClearFaults()
	_, killed := loadUntil(t, c, file, nil)
	require.False(t, killed)
	requirePatchy(t, c, file, rows)
}

// written returns a channel that closes when the journal of a file says that rows are settled.
func written(t *testing.T, file string) <-chan struct{} {
	found := make(chan struct{})
	look := time.NewTicker(5 * time.Millisecond)
	t.Cleanup(look.Stop)
	go func() {
		defer close(found)
		for done(file) == 0 {
			select {
			case <-look.C:
			case <-t.Context().Done():
				return
			}
		}
	}()
	return found
}

func TestProcessKilledAfterItsJournalWasWrittenRepeatsOnlyTheRest(t *testing.T) {
	leaktest.Check(t)
	const rows = 3000
	c := fakecluster.Run(t, fakecluster.Nodes(3))
	file := patchy(t, rows)
	var bulks atomic.Int64 // a late batch keeps what comes after it out of the journal
	c.Inject(fakecluster.Fault{Path: bulkPath, Action: fakecluster.Slow(3 * time.Second), Match: func(*http.Request) bool {
		return bulks.Add(1) == 3
	}})
	_, killed := loadUntil(t, c, file, written(t, file))
	require.True(t, killed)
	settled := done(file)
	require.Positive(t, settled)
	require.Less(t, settled, len(c.Docs("rows")))
	bad, err := os.OpenFile(file+".rows.rejected.ndjson", os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = bad.WriteString("{\"row\":2951}\n{\"ro") // rejected after the journal was written, and a line that was not ended
	require.NoError(t, errors.Join(err, bad.Close()))

	c.ClearFaults()
	c.ResetRequests()
	shown, killed := loadUntil(t, c, file, nil)
	require.False(t, killed)
	assert.Contains(t, shown, "going on after row ")
	requirePatchy(t, c, file, rows)
	for _, r := range c.Requests().Path(bulkPath) {
		var n int
		_, err := fmt.Sscanf(string(r.Body[bytes.IndexByte(r.Body, '\n')+1:]), `{"n":%d,`, &n)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, n, settled, "a row that the journal has is not sent again")
	}
}

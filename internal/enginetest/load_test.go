package enginetest_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
)

const (
	every          = 5 * time.Millisecond // between two requests: 200 a second
	attemptTimeout = 2 * time.Second
	seeded         = 50 // documents that the reads read
)

// kind is what a call of the load does.
type kind int

const (
	read   kind = iota // a document by its id
	create             // of a document with an id: may be repeated, the server refuses the second
	post               // of a document without one: must not be repeated
)

// mix is the order of the load's calls: half of them read.
var mix = []kind{read, create, read, post}

// load is a steady stream of requests on an index of its own.
type load struct {
	engine  *realEngine
	cluster *esdriver.Cluster
	index   string

	mu    sync.Mutex // guards calls
	calls []call
}

// call is one request of the load and its end.
type call struct {
	kind   kind
	name   string        // what the document is marked with; no two calls share one
	at     time.Duration // since the load began
	took   time.Duration
	status int
	err    error
}

// failed reports whether the caller did not get what was asked. A create that is answered 409 is done: nobody else
// writes its id, so an attempt before it, whose answer was lost, was carried out.
func (c call) failed() bool {
	done := c.status == http.StatusOK || c.status == http.StatusCreated || c.kind == create && c.status == http.StatusConflict
	return c.err != nil || !done
}

func newLoad(t *testing.T, e *realEngine, index string) *load {
	t.Helper()
	l := &load{engine: e, index: index}
	l.cluster = openCluster(t, e.DSN(), "sampler=sniff", "pool.shared=256", "attempt_timeout="+attemptTimeout.String())
	l.delete(t)
	t.Cleanup(func() { l.delete(t) })
	a := send(t, l.cluster, "PUT", "/"+index+"?wait_for_active_shards=all",
		`{"settings":{"number_of_shards":3,"number_of_replicas":1},"mappings":{"properties":{"mark":{"type":"keyword"}}}}`)
	require.Equal(t, 200, a.status, a.text)
	for i := range seeded {
		a := send(t, l.cluster, "PUT", fmt.Sprintf("/%s/_create/read-%d", index, i), `{"mark":"read"}`)
		require.Equal(t, 201, a.status, a.text)
	}
	return l
}

func (l *load) delete(t *testing.T) {
	a, err := roundTrip(context.Background(), l.cluster, "DELETE", "/"+l.index+"?ignore_unavailable=true", "")
	require.NoError(t, err)
	require.Equal(t, 200, a.status, a.text)
}

// event is something that happens to the cluster during the load.
type event struct {
	at      time.Duration
	command string
}

// run sends requests for so long and returns when the last has ended. A node that does not answer holds nothing up:
// the pace is the clock's.
func (l *load) run(t *testing.T, h harness, length time.Duration, events ...event) {
	t.Helper()
	var wg sync.WaitGroup
	defer wg.Wait()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	began := time.Now()
	for n := 0; time.Since(began) < length; n++ {
		if len(events) > 0 && time.Since(began) >= events[0].at {
			command := events[0].command
			events = events[1:]
			wg.Go(func() {
				if err := h.do(t.Context(), command); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() { l.call(t.Context(), n, began) })
		<-ticker.C
	}
}

func (l *load) call(ctx context.Context, n int, began time.Time) {
	c := call{kind: mix[n%len(mix)], name: fmt.Sprintf("mark-%d", n), at: time.Since(began)}
	method, path, body := "GET", fmt.Sprintf("/%s/_doc/read-%d", l.index, n%seeded), ""
	switch c.kind {
	case create:
		method, path, body = "PUT", fmt.Sprintf("/%s/_create/%s", l.index, c.name), fmt.Sprintf(`{"mark":%q}`, c.name)
	case post:
		method, path, body = "POST", fmt.Sprintf("/%s/_doc", l.index), fmt.Sprintf(`{"mark":%q}`, c.name)
	}
	a, err := roundTrip(ctx, l.cluster, method, path, body)
	c.took = time.Since(began) - c.at
	c.status, c.err = a.status, err
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
}

// stored counts the documents in the index by their marks.
func (l *load) stored(t *testing.T) map[string]int {
	t.Helper()
	require.Equal(t, 200, send(t, l.cluster, "POST", "/"+l.index+"/_refresh", "").status)
	a := send(t, l.cluster, "POST", "/"+l.index+"/_search", `{"size":10000}`)
	require.Equal(t, 200, a.status, a.text)
	require.Less(t, len(a.list("hits.hits")), 10000, "a page holds no more")
	found := map[string]int{}
	for _, hit := range a.list("hits.hits") {
		found[hit.(map[string]any)["_source"].(map[string]any)["mark"].(string)]++
	}
	return found
}

// figures are what came of a load.
type figures struct {
	calls, failed [3]int // by kind
	conflicts     int    // creates that were answered 409
	duplicates    int    // documents more than one for a call
	lost          int    // calls that were acknowledged and have no document
	took          []time.Duration
}

func (l *load) figures(stored map[string]int) figures {
	var f figures
	for _, c := range l.calls {
		f.calls[c.kind]++
		f.took = append(f.took, c.took)
		if c.failed() {
			f.failed[c.kind]++
		}
		if c.kind == create && c.status == http.StatusConflict {
			f.conflicts++
		}
		if c.kind == read {
			continue
		}
		f.duplicates += max(0, stored[c.name]-1)
		if !c.failed() && stored[c.name] == 0 {
			f.lost++
		}
	}
	slices.Sort(f.took)
	return f
}

// line is the figures as a line of a Markdown table; header is the table's.
func (f figures) line(scenario, release string) string {
	last := len(f.took) - 1
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |", scenario, release,
		f.calls[read], f.failed[read], f.calls[create], f.failed[create], f.conflicts, f.calls[post], f.failed[post],
		f.duplicates, f.lost, f.took[last*99/100].Milliseconds(), f.took[last].Milliseconds())
}

const header = "| fault | engine | reads | failed | creates | failed | 409 | posts | failed | duplicates | lost | p99 ms | max ms |"

// reasons lists the failures of idempotent requests, each kind once.
func (l *load) reasons() string {
	seen := map[string]int{}
	for _, c := range l.calls {
		if c.failed() && c.kind != post {
			seen[fmt.Sprintf("status %d, at %s: %v", c.status, c.at.Truncate(time.Second), c.err)]++
		}
	}
	var b strings.Builder
	for reason, n := range seen {
		fmt.Fprintf(&b, "%d× %.400s\n", n, reason)
	}
	return b.String()
}

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
	patient *esdriver.Cluster // waits as long as it takes
	index   string
	began   time.Time

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
	l.patient = openCluster(t, e.DSN(), "sampler=sniff")
	// No request waits for a connection, so that its time is that of its attempts.
	l.cluster = openCluster(t, e.DSN(), "sampler=sniff", "pool.shared=256", "attempt_timeout="+attemptTimeout.String())
	l.delete(t)
	t.Cleanup(func() { l.delete(t) })
	a := send(t, l.patient, "PUT", "/"+index+"?wait_for_active_shards=all",
		`{"settings":{"number_of_shards":3,"number_of_replicas":1},"mappings":{"properties":{"mark":{"type":"keyword"}}}}`)
	require.Equal(t, 200, a.status, a.text)
	for i := range seeded {
		a := send(t, l.patient, "PUT", fmt.Sprintf("/%s/_create/read-%d", index, i), `{"mark":"read"}`)
		require.Equal(t, 201, a.status, a.text)
	}
	return l
}

func (l *load) delete(t *testing.T) {
	a, err := roundTrip(context.Background(), l.patient, "DELETE", "/"+l.index+"?ignore_unavailable=true", "")
	require.NoError(t, err)
	require.Equal(t, 200, a.status, a.text)
}

// during sends requests until the story has been told and every request has ended. A node that does not answer holds
// nothing up: the pace is the clock's.
func (l *load) during(t *testing.T, story func()) {
	t.Helper()
	var wg sync.WaitGroup
	defer wg.Wait()
	over := make(chan struct{})
	defer close(over)
	l.began = time.Now()
	wg.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ticker.C:
				wg.Go(func() { l.call(t.Context(), n) })
			case <-over:
				return
			}
		}
	})
	story()
}

// pass lets time go by under load.
func pass(d time.Duration) { <-time.NewTimer(d).C }

func (l *load) call(ctx context.Context, n int) {
	c := call{kind: mix[n%len(mix)], name: fmt.Sprintf("mark-%d", n), at: time.Since(l.began)}
	method, path, body := "GET", fmt.Sprintf("/%s/_doc/read-%d", l.index, n%seeded), ""
	switch c.kind {
	case create:
		method, path, body = "PUT", fmt.Sprintf("/%s/_create/%s", l.index, c.name), fmt.Sprintf(`{"mark":%q}`, c.name)
	case post:
		method, path, body = "POST", fmt.Sprintf("/%s/_doc", l.index), fmt.Sprintf(`{"mark":%q}`, c.name)
	}
	a, err := roundTrip(ctx, l.cluster, method, path, body)
	c.took = time.Since(l.began) - c.at
	c.status, c.err = a.status, err
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
}

// stored counts the documents in the index by their marks.
func (l *load) stored(t *testing.T) map[string]int {
	t.Helper()
	require.Equal(t, 200, send(t, l.patient, "POST", "/"+l.index+"/_refresh", "").status)
	a := send(t, l.patient, "POST", "/"+l.index+"/_search", `{"size":10000}`)
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

// since returns the calls that began at a time or later.
func (l *load) since(at time.Duration) *load {
	later := slices.DeleteFunc(slices.Clone(l.calls), func(c call) bool { return c.at < at })
	return &load{calls: later}
}

// reasons lists the failures, each kind once.
func (l *load) reasons() string {
	seen := map[string]int{}
	for _, c := range l.calls {
		if c.failed() {
			seen[fmt.Sprintf("status %d, at %s: %v", c.status, c.at.Truncate(time.Second), c.err)]++
		}
	}
	var b strings.Builder
	for reason, n := range seen {
		fmt.Fprintf(&b, "%d× %.400s\n", n, reason)
	}
	return b.String()
}

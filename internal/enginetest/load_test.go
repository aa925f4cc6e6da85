package enginetest_test

import (
	"context"
	"database/sql"
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
	bulked         = 10 // documents of one bulk
)

// kind is what a call of the load does.
type kind int

const (
	read   kind = iota // a document by its id
	create             // of a document with an id: may be repeated, the server refuses the second
	bulk               // of documents with ids
	insert             // of a row: the driver makes its id
	post               // of a document without one: must not be repeated
	kinds
)

var kindNames = [kinds]string{"reads", "creates", "bulks", "inserts", "posts"}

// mix is the order of the load's calls: half of them read.
var mix = []kind{read, create, read, bulk, read, insert, read, post}

// load is a steady stream of requests on an index of its own.
type load struct {
	engine  *realEngine
	cluster *esdriver.Cluster
	db      *sql.DB           // on cluster
	patient *esdriver.Cluster // waits as long as it takes
	index   string
	nodes   int // that the cluster has when it is whole
	began   time.Time

	mu    sync.Mutex // guards calls
	calls []call
}

// call is one request of the load and its end.
type call struct {
	kind kind
	name string        // what the document is marked with; no two calls share one
	at   time.Duration // since the load began
	took time.Duration
	node string // that answered, by its address
	said answer
	err  error
}

// failed reports whether the caller did not get what was asked.
func (c call) failed() bool {
	switch {
	case c.err != nil || c.kind == insert:
		return c.err != nil
	case c.kind == bulk:
		return c.said.status != http.StatusOK || len(c.refused()) > 0
	case c.kind == create:
		return !created(c.said.status)
	}
	return c.said.status != http.StatusOK && c.said.status != http.StatusCreated
}

// created reports whether a document with an id is there. A create that is answered 409 is done: nobody else writes
// its id, so an attempt before it, whose answer was lost, was carried out.
func created(status int) bool { return status == http.StatusCreated || status == http.StatusConflict }

// refused are the documents of a bulk that are not there, each with the item about it.
func (c call) refused() []string {
	var marks []string
	for i, item := range c.said.list("items") {
		one, _ := item.(map[string]any)["create"].(map[string]any)
		if status, _ := one["status"].(float64); !created(int(status)) {
			marks = append(marks, fmt.Sprintf("%s: %v", c.marks()[i], one))
		}
	}
	return marks
}

// marks are those of the documents that the call writes.
func (c call) marks() []string {
	switch c.kind {
	case read:
		return nil
	case bulk:
		marks := make([]string, bulked)
		for i := range marks {
			marks[i] = fmt.Sprintf("%s-%d", c.name, i)
		}
		return marks
	}
	return []string{c.name}
}

// request is the call's method, path and body.
func (c call) request(index string, n int) (method, path, body string) {
	switch c.kind {
	case create:
		return "PUT", fmt.Sprintf("/%s/_create/%s", index, c.name), marked(c.name)
	case bulk:
		var b strings.Builder
		for _, mark := range c.marks() {
			fmt.Fprintf(&b, `{"create":{"_id":%q}}`+"\n%s\n", mark, marked(mark))
		}
		return "POST", fmt.Sprintf("/%s/_bulk", index), b.String()
	case post:
		return "POST", fmt.Sprintf("/%s/_doc", index), marked(c.name)
	}
	return "GET", fmt.Sprintf("/%s/_doc/read-%d", index, n%seeded), ""
}

func marked(mark string) string { return fmt.Sprintf(`{"mark":%q}`, mark) }

// newLoad makes the index of a load and fills it with what is read; keys are those of the DSN that the load is sent with.
func newLoad(t *testing.T, e *realEngine, index string, keys ...string) *load {
	t.Helper()
	l := &load{engine: e, index: index, nodes: e.facts.nodes}
	l.patient = openCluster(t, e.DSN(), "sampler=sniff")
	// No request waits for a connection, so that its time is that of its attempts.
	l.cluster = openCluster(t, e.DSN(), append(keys, "sampler=sniff", "pool.shared=256", "refresh=false")...)
	l.db = esdriver.OpenDB(l.cluster)
	t.Cleanup(func() { require.NoError(t, l.db.Close()) })
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

// pass lets time go by under load, four times as much with -long.
func pass(d time.Duration) {
	if *long {
		d *= 4
	}
	<-time.NewTimer(d).C
}

func (l *load) call(ctx context.Context, n int) {
	c := call{kind: mix[n%len(mix)], name: fmt.Sprintf("mark-%d", n), at: time.Since(l.began)}
	if c.kind == insert {
		_, c.err = l.db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %q (mark) VALUES (?)`, l.index), c.name)
	} else {
		method, path, body := c.request(l.index, n)
		c.said, c.err = roundTrip(ctx, l.cluster, method, path, body)
	}
	c.took = time.Since(l.began) - c.at
	c.node = c.said.node
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
}

// stored counts the documents in the index by their marks.
func (l *load) stored(t *testing.T) map[string]int {
	t.Helper()
	require.Equal(t, 200, send(t, l.patient, "POST", "/"+l.index+"/_refresh", "").status)
	found := map[string]int{}
	page := send(t, l.patient, "POST", "/"+l.index+"/_search?scroll=1m", `{"size":5000,"sort":["_doc"]}`)
	for len(page.list("hits.hits")) > 0 {
		for _, hit := range page.list("hits.hits") {
			found[hit.(map[string]any)["_source"].(map[string]any)["mark"].(string)]++
		}
		page = send(t, l.patient, "POST", "/_search/scroll", fmt.Sprintf(`{"scroll":"1m","scroll_id":%q}`, page.word("_scroll_id")))
	}
	require.Equal(t, 200, page.status, page.text)
	send(t, l.patient, "DELETE", "/_search/scroll", fmt.Sprintf(`{"scroll_id":[%q]}`, page.word("_scroll_id")))
	return found
}

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
			seen[fmt.Sprintf("%s, at %s: %d %v %.200v", kindNames[c.kind], c.at.Truncate(time.Second), c.said.status, c.err, c.refused())]++
		}
	}
	var b strings.Builder
	for reason, n := range seen {
		fmt.Fprintf(&b, "%d× %.500s\n", n, reason)
	}
	return b.String()
}

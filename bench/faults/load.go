package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	index    = "faults"
	every    = 5 * time.Millisecond // between two requests: 200 a second
	deadline = 10 * time.Second     // of each request
	seeded   = 50                   // documents that the reads read
)

// kind is what a call does.
type kind int

const (
	read   kind = iota // a document by its id
	create             // of a document with an id
	post               // of a document without one
	kinds
)

// mix is the order of the calls: half of them read.
var mix = [...]kind{read, create, read, post}

// load is a steady stream of calls. Its set-up and its counts go to one node directly.
type load struct {
	client client
	node   string

	mu    sync.Mutex // guards calls
	calls []call
}

// call is one request and its end.
type call struct {
	kind kind
	mark string // no two calls share one
	took time.Duration
	err  error
}

func newLoad(c client, node string) (*load, error) {
	l := &load{client: c, node: node}
	if _, err := l.direct("DELETE", "/"+index+"?ignore_unavailable=true", ""); err != nil {
		return nil, err
	}
	_, err := l.direct("PUT", "/"+index+"?wait_for_active_shards=all",
		`{"settings":{"number_of_shards":3,"number_of_replicas":1},"mappings":{"properties":{"mark":{"type":"keyword"}}}}`)
	for i := 0; i < seeded && err == nil; i++ {
		_, err = l.direct("PUT", fmt.Sprintf("/%s/_create/read-%d", index, i), `{"mark":"read"}`)
	}
	return l, err
}

// direct sends a request past the client and returns the answer's body.
func (l *load) direct(method, path, body string) ([]byte, error) {
	req, err := request(context.Background(), method, l.node+path, body)
	if err != nil {
		return nil, err
	}
	return answer(http.DefaultClient.Do(req))
}

func request(ctx context.Context, method, url, body string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err == nil && body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

// answer reads the body; a status that is no success is an error.
func answer(resp *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode > 299 {
		err = statusError(resp.StatusCode)
	}
	return body, err
}

type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// start begins the stream. The returned function ends it and waits for the calls under way.
func (l *load) start() (stop func()) {
	var wg sync.WaitGroup
	over := make(chan struct{})
	wg.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ticker.C:
				wg.Go(func() { l.call(n) })
			case <-over:
				return
			}
		}
	})
	return func() { close(over); wg.Wait() }
}

func (l *load) call(n int) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	c := call{kind: mix[n%len(mix)], mark: fmt.Sprintf("mark-%d", n)}
	method, path, body := "GET", fmt.Sprintf("/%s/_doc/read-%d", index, n%seeded), ""
	switch c.kind {
	case create:
		method, path, body = "PUT", fmt.Sprintf("/%s/_create/%s", index, c.mark), fmt.Sprintf(`{"mark":%q}`, c.mark)
	case post:
		method, path, body = "POST", fmt.Sprintf("/%s/_doc", index), fmt.Sprintf(`{"mark":%q}`, c.mark)
	}
	began := time.Now()
	req, err := request(ctx, method, path, body)
	if err == nil {
		_, err = answer(l.client.send(req))
	}
	// A create that is answered 409 is done: nobody else writes its id, so an attempt before it was carried out.
	if c.kind == create && err == statusError(http.StatusConflict) {
		err = nil
	}
	c.took, c.err = time.Since(began), err
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, c)
}

// whole waits until every node is back and every copy of the index is there.
func (l *load) whole() (err error) {
	for range 5 {
		if _, err = l.direct("GET", "/_cluster/health/"+index+"?wait_for_nodes=3&wait_for_status=green&timeout=20s", ""); err == nil {
			return nil
		}
		pass(time.Second)
	}
	return fmt.Errorf("the cluster is not whole again: %w", err)
}

// reasons lists the failures, each with its number.
func (l *load) reasons() iter.Seq[string] {
	seen := map[string]int{}
	for _, c := range l.calls {
		if c.err != nil {
			text := c.err.Error()
			seen[text[max(0, len(text)-60):]]++
		}
	}
	lines := map[string]bool{}
	for text, n := range seen {
		lines[fmt.Sprintf("%d× …%s", n, text)] = true
	}
	return maps.Keys(lines)
}

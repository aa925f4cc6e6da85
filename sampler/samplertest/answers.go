package samplertest

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/esdriver/esdriver/sampler"
)

// The cluster of the suite: three nodes on addresses that the documentation of IPv6 reserves for examples, and a
// name, so that both forms occur.
const (
	rootAnswer = `{"name":"n0","cluster_name":"samplertest","cluster_uuid":"AAAAAAAAAAAAAAAAAAAAAA",` +
		`"version":{"number":"8.19.7"},"tagline":"You Know, for Search"}`
	member = `"version":"8.19.7","roles":["data","ingest","master"],"attributes":{"zone":"z1"},` +
		`"jvm":{"start_time_in_millis":1700000000000},"http":{"publish_address":`
	nodesAnswer = `{"_nodes":{"total":3,"successful":3,"failed":0},"cluster_name":"samplertest","nodes":{` +
		`"id-0":{"name":"n0",` + member + `"[2001:db8::1]:9200"}},` +
		`"id-1":{"name":"n1",` + member + `"[2001:db8::2]:9200"}},` +
		`"id-2":{"name":"n2",` + member + `"es.example.com/192.0.2.1:9200"}}}}`
)

// before returns the topology before the first sample.
func before() sampler.Topology {
	var t sampler.Topology
	for _, addr := range []string{"[2001:db8::1]:9200", "[2001:db8::2]:9200", "es.example.com:9200"} {
		u := &url.URL{Scheme: "https", Host: addr, Path: "/prefix"}
		t.Seeds = append(t.Seeds, &sampler.Node{Addr: addr, URL: u})
	}
	return t
}

// answers is the getter of a cluster that is well.
func answers(ctx context.Context, _ *sampler.Node, path string) (int, []byte, error) {
	switch {
	case ctx.Err() != nil:
		return 0, nil, ctx.Err()
	case path == "/":
		return 200, []byte(rootAnswer), nil
	case strings.HasPrefix(path, "/_nodes"):
		return 200, []byte(nodesAnswer), nil
	}
	return 404, []byte(`{"error":"no such path","status":404}`), nil
}

// hangs is the getter of a cluster that has vanished without a word.
func hangs(ctx context.Context, _ *sampler.Node, _ string) (int, []byte, error) {
	<-ctx.Done()
	return 0, nil, ctx.Err()
}

var errRefused = errors.New("samplertest: connection refused")

func refuses(context.Context, *sampler.Node, string) (int, []byte, error) { return 0, nil, errRefused }

// badAnswers returns getters whose answers tell nothing of the cluster's nodes, by what is wrong with them.
func badAnswers() map[string]sampler.Getter {
	says := func(status int, body string) sampler.Getter {
		return func(context.Context, *sampler.Node, string) (int, []byte, error) { return status, []byte(body), nil }
	}
	return map[string]sampler.Getter{
		"connection refused": refuses,
		"no answer":          hangs,
		"status 500":         says(500, `{"error":{"type":"x"},"status":500}`),
		"status 401":         says(401, `{"error":{"type":"security_exception"},"status":401}`),
		"HTML":               says(200, "<html><body>please log in</body></html>"),
		"no body":            says(200, ""),
		"null":               says(200, "null"),
		"an empty object":    says(200, "{}"),
		"a list":             says(200, "[]"),
		"other types":        says(200, `{"name":1,"cluster_name":[],"version":"x","nodes":"none"}`),
		"no nodes":           says(200, `{"_nodes":{"total":3,"successful":0,"failed":3},"cluster_name":"samplertest","nodes":{}}`),
		"null nodes":         says(200, `{"cluster_name":"samplertest","nodes":{"id-0":null}}`),
		"a cut-off body":     says(200, nodesAnswer[:len(nodesAnswer)/2]),
	}
}

// counted returns the getter and a function that tells how often it was called.
func counted(get sampler.Getter) (sampler.Getter, func() int64) {
	var n atomic.Int64
	return func(ctx context.Context, node *sampler.Node, path string) (int, []byte, error) {
		n.Add(1)
		return get(ctx, node, path)
	}, n.Load
}

// clone returns a copy of all that a sampler could change.
func clone(t sampler.Topology) sampler.Topology {
	t.Seeds, t.Nodes, t.Filtered = cloneNodes(t.Seeds), cloneNodes(t.Nodes), cloneNodes(t.Filtered)
	t.Failures = slices.Clone(t.Failures)
	return t
}

func cloneNodes(nodes []*sampler.Node) []*sampler.Node {
	copies := slices.Clone(nodes)
	for i, n := range copies {
		c := *n
		if n.URL != nil {
			u := *n.URL
			c.URL = &u
		}
		c.Roles, c.Attrs = slices.Clone(n.Roles), maps.Clone(n.Attrs)
		copies[i] = &c
	}
	return copies
}

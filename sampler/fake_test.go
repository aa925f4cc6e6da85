package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/esdriver/esdriver/sampler"
)

var errRefused = errors.New("connection refused")

// reply is what one address answers; a nil reply in the map, or none, refuses.
type reply func(ctx context.Context, path string) (int, string, error)

// fakeNet is a network of addresses that answer, and a record of who was asked.
type fakeNet struct {
	replies map[string]reply

	mu    sync.Mutex // guards asked
	asked []string   // address and path
}

func (f *fakeNet) get(ctx context.Context, n *sampler.Node, path string) (int, []byte, error) {
	f.mu.Lock()
	f.asked = append(f.asked, n.Addr+path)
	f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	r := f.replies[n.Addr]
	if r == nil {
		return 0, nil, errRefused
	}
	status, body, err := r(ctx, path)
	return status, []byte(body), err
}

// asks counts the questions to the address, or all for an empty one.
func (f *fakeNet) asks(addr string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, a := range f.asked {
		if strings.HasPrefix(a, addr) {
			n++
		}
	}
	return n
}

func says(status int, body string) reply {
	return func(context.Context, string) (int, string, error) { return status, body, nil }
}

func hangs(ctx context.Context, _ string) (int, string, error) {
	<-ctx.Done()
	return 0, "", ctx.Err()
}

func seed(addr string) *sampler.Node { return seedAt("http://" + addr) }

func seedAt(base string) *sampler.Node {
	u, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	return &sampler.Node{Addr: u.Host, URL: u}
}

// seeds is the topology before the first sample.
func seeds(addrs ...string) sampler.Topology {
	var t sampler.Topology
	for _, addr := range addrs {
		t.Seeds = append(t.Seeds, seed(addr))
	}
	return t
}

// rootOf is the answer of a node to GET /.
func rootOf(name, cluster, uuid string) string {
	return fmt.Sprintf(`{"name":%q,"cluster_name":%q,"cluster_uuid":%q,"version":{"number":"8.19.7"}}`, name, cluster, uuid)
}

// listed is the part of a nodes answer about one node with the id and the published address.
func listed(id, publish string, more ...string) string {
	fields := append([]string{
		fmt.Sprintf(`"name":"name-%s"`, id),
		`"version":"8.19.7"`,
		fmt.Sprintf(`"http":{"publish_address":%q}`, publish),
		`"jvm":{"start_time_in_millis":1700000000000}`,
	}, more...)
	return fmt.Sprintf(`%q:{%s}`, id, strings.Join(fields, ","))
}

const (
	workRoles   = `"roles":["data","ingest","master"]`
	masterRoles = `"roles":["master","remote_cluster_client"]`
)

// nodesOf is the answer of a node of the cluster to the question for all nodes, failed of which did not answer.
func nodesOf(cluster string, failed int, nodes ...string) string {
	return fmt.Sprintf(`{"_nodes":{"total":%d,"successful":%d,"failed":%d},"cluster_name":%q,"nodes":{%s}}`,
		len(nodes)+failed, len(nodes), failed, cluster, strings.Join(nodes, ","))
}

func addrs(nodes []*sampler.Node) []string {
	list := make([]string, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, n.Addr)
	}
	return list
}

package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/plugins/debughttp"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// What servers may say to harm the page that repeats it.
const (
	script = `<script>document.title = "ran"</script>`
	image  = `"><img src=http://elsewhere.invalid/x onerror='document.title = "ran"'>`
	link   = `</table><a href="javascript:document.title='ran'">&amp;`
)

// site is a cluster, and the page of it.
type site struct {
	t       *testing.T
	fake    *fakecluster.Cluster
	cluster *esdriver.Cluster
	url     string
}

// serve opens a cluster on a fake one and serves its page at an address of its own.
func serve(t *testing.T, fake *fakecluster.Cluster, change func(*esdriver.Config)) *site {
	t.Helper()
	config, err := esdriver.ParseDSN(fake.DSN())
	require.NoError(t, err)
	config.SampleEvery = -1
	if change != nil {
		change(&config)
	}
	c, err := esdriver.Open(config)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	pages := http.NewServeMux()
	pages.Handle("/debug/esdriver", debughttp.Handler(c))
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return &site{t: t, fake: fake, cluster: c, url: server.URL + "/debug/esdriver"}
}

// calm is a site of as many nodes that are well.
func calm(t *testing.T, nodes int) *site {
	t.Helper()
	needBrowser(t)
	leaktest.Check(t)
	return serve(t, fakecluster.Run(t, fakecluster.Nodes(nodes), fakecluster.ClusterName("books")), nil)
}

// indiscreet is a sampler with an error that tells secrets, and is made to harm a page.
type indiscreet struct{ sampler.Ping }

func (s indiscreet) Sample(ctx context.Context, prev sampler.Topology, get sampler.Getter) (sampler.Topology, error) {
	t, err := s.Ping.Sample(ctx, prev, get)
	said := errors.New(`asked https://joe:hu@sh@h1:9200/a?api_key=silence and got ` + link)
	t.Failures = append(t.Failures, sampler.Failure{Addr: "h1:9200", Err: said})
	return t, err
}

// troubled is a site with all that a page can show: two nodes that serve, with names made to harm, one that has died, one
// that answers nothing but errors and one that was never there; requests of several classes, some under way and some
// waiting for a connection.
func troubled(t *testing.T) *site {
	t.Helper()
	needBrowser(t)
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(5), fakecluster.ClusterName("books "+script),
		fakecluster.Credentials("joe", "hu@sh"),
		fakecluster.ForNode(0, fakecluster.Name(script)), fakecluster.ForNode(1, fakecluster.Name(image)))
	fake.Node(4).Kill()
	s := serve(t, fake, func(c *esdriver.Config) {
		c.Sampler, c.BalancerName = indiscreet{}, "roundrobin"
		c.SampleTimeout = time.Minute // no probe of a node that hangs ends in the test
		c.PoolSizes[pool.Bulk], c.PoolShared = 1, -1
	})
	fake.Node(2).Kill()
	fake.Node(3).Inject(fakecluster.Fault{Path: "/", Action: fakecluster.Hang})
	refusal := `{"error":{"type":` + quoted(script) + `},"status":503}`
	fake.Node(3).Inject(fakecluster.Fault{Action: fakecluster.Status(503, refusal, nil)})
	s.untilOut(2, 3, 4)
	s.get("/_cluster/health")
	s.hold(5)
	return s
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// get sends a request, whose answer does not matter.
func (s *site) get(path string) {
	resp, err := (&http.Client{Transport: s.cluster}).Get("http://any" + path)
	require.NoError(s.t, err)
	require.NoError(s.t, resp.Body.Close())
}

// untilOut sends searches until these nodes are out of rotation.
func (s *site) untilOut(nodes ...int) {
	s.eventually(func() bool {
		s.get("/_search")
		for _, i := range nodes {
			if s.stats(i).State == plugins.Alive {
				return false
			}
		}
		return true
	})
}

// hold leaves n bulk requests unanswered until the test ends. With one connection for them on each of two nodes, two are
// under way and the others wait.
func (s *site) hold(n int) {
	s.fake.Inject(fakecluster.Fault{Path: "/held", Action: fakecluster.Hang})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, n)
	for range n {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://any/held/_bulk", strings.NewReader("{}\n"))
		require.NoError(s.t, err)
		go func() {
			if resp, err := s.cluster.RoundTrip(r); err == nil {
				resp.Body.Close()
			}
			done <- struct{}{}
		}()
	}
	s.t.Cleanup(func() {
		cancel()
		for range n {
			<-done
		}
	})
	s.eventually(func() bool {
		a, b := s.stats(0).Pools[pool.Bulk], s.stats(1).Pools[pool.Bulk]
		return a.InUse+b.InUse == 2 && int(a.Waiting+b.Waiting) == n-2
	})
}

func (s *site) stats(node int) plugins.NodeStats {
	for _, n := range s.cluster.Stats().Nodes {
		if n.Node.Addr == s.fake.Node(node).Addr() {
			return n
		}
	}
	return plugins.NodeStats{}
}

func (s *site) eventually(condition func() bool) {
	s.t.Helper()
	require.Eventually(s.t, condition, 10*time.Second, 5*time.Millisecond)
}

// picture is the page's JSON.
func (s *site) picture(query string) debughttp.Picture {
	resp, err := http.Get(s.url + "?format=json" + query)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	var p debughttp.Picture
	require.NoError(s.t, json.NewDecoder(resp.Body).Decode(&p))
	http.DefaultClient.CloseIdleConnections()
	return p
}

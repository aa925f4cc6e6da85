package enginetest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// What a real cluster is reached by.
const (
	addrsVariable  = "ESDRIVER_TEST_ADDRS"  // http(s)://[user:password@]host:port of its nodes, separated by commas
	caVariable     = "ESDRIVER_TEST_CA"     // the file of the authority to trust with https; empty: the system's
	readerVariable = "ESDRIVER_TEST_READER" // user:password of one who may read indices and no more
)

// engine is a cluster that the bodies run over.
type engine interface {
	DSN() string // with every node's address, and no key but those of TLS
	Facts() facts
}

// facts are what a cluster is.
type facts struct {
	product fakecluster.Flavor
	version string
	nodes   int
	modules []string // parts that are installed; nil: all there are
}

// release is product and version in one word.
func (f facts) release() string { return string(f.product) + "-" + f.version }

// atLeast reports whether the version is major.minor or later.
func (f facts) atLeast(major, minor int) bool {
	parts := strings.SplitN(f.version, ".", 3)
	have, _ := strconv.Atoi(parts[0])
	minorHave, _ := strconv.Atoi(parts[1])
	return have > major || have == major && minorHave >= minor
}

func (f facts) elastic(major, minor int) bool {
	return f.product == fakecluster.Elasticsearch && f.atLeast(major, minor)
}

// fakeEngine is a fake cluster that says it is of the release in its facts.
type fakeEngine struct {
	*fakecluster.Cluster
	facts facts
}

func (e fakeEngine) Facts() facts { return e.facts }

func newFake(t *testing.T, f facts) fakeEngine {
	t.Helper()
	c := fakecluster.Run(t, fakecluster.Product(f.product), fakecluster.Version(f.version), fakecluster.Nodes(f.nodes))
	return fakeEngine{c, f}
}

// realEngine is the cluster at addrs. The user of the first address is that of all.
type realEngine struct {
	addrs []*url.URL
	ca    string
	facts facts
}

func (e *realEngine) Facts() facts { return e.facts }

func (e *realEngine) DSN() string { return e.dsnAs(e.addrs[0].User) }

// dsnAs is DSN with another user, or with none.
func (e *realEngine) dsnAs(user *url.Userinfo) string {
	hosts := make([]string, len(e.addrs))
	for i, addr := range e.addrs {
		hosts[i] = addr.Host
	}
	u := url.URL{Scheme: e.addrs[0].Scheme, User: user, Host: strings.Join(hosts, ",")}
	if e.ca != "" {
		u.RawQuery = url.Values{"tls.ca": {e.ca}}.Encode()
	}
	return u.String()
}

// newReal asks the cluster of the variable what it is, and skips the test when the variable is empty.
func newReal(t *testing.T) *realEngine {
	t.Helper()
	list := os.Getenv(addrsVariable)
	if list == "" {
		t.Skipf("%s names no cluster: set it to http://host:port[,…] to run this test over a real one.", addrsVariable)
	}
	e := &realEngine{ca: os.Getenv(caVariable)}
	for addr := range strings.SplitSeq(list, ",") {
		u, err := url.Parse(addr)
		require.NoError(t, err)
		require.NotEmpty(t, u.Host, "%s: want http(s)://host:port, got %q", addrsVariable, addr)
		e.addrs = append(e.addrs, u)
	}
	e.facts = ask(t, openCluster(t, e.DSN()))
	return e
}

// ask finds out what a cluster is.
func ask(t *testing.T, c *esdriver.Cluster) facts {
	t.Helper()
	f := facts{product: fakecluster.Elasticsearch, modules: []string{}}
	root := send(t, c, http.MethodGet, "/", "")
	require.Equal(t, http.StatusOK, root.status, root.text)
	f.version = root.word("version.number")
	if root.word("version.distribution") == "opensearch" {
		f.product = fakecluster.OpenSearch
	}
	local := send(t, c, http.MethodGet, "/_nodes/_local/plugins", "")
	for _, node := range local.object("nodes") {
		for _, module := range node.(map[string]any)["modules"].([]any) {
			f.modules = append(f.modules, module.(map[string]any)["name"].(string))
		}
	}
	f.nodes = int(send(t, c, http.MethodGet, "/_cluster/health", "").number("number_of_nodes"))
	return f
}

// openCluster opens the client on a cluster; keys are added to the DSN.
func openCluster(t *testing.T, dsn string, keys ...string) *esdriver.Cluster {
	t.Helper()
	return openConfig(t, parse(t, dsn, keys...))
}

func parse(t *testing.T, dsn string, keys ...string) esdriver.Config {
	t.Helper()
	mark := "?"
	if strings.Contains(dsn, "?") {
		mark = "&"
	}
	for _, key := range keys {
		dsn, mark = dsn+mark+key, "&"
	}
	cfg, err := esdriver.ParseDSN(dsn)
	require.NoError(t, err)
	return cfg
}

func openConfig(t *testing.T, cfg esdriver.Config) *esdriver.Cluster {
	t.Helper()
	c, err := esdriver.Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return c
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	node   string // that said it, by its address
	text   string
	body   any // the JSON of text; nil when it is none
}

// send sends one request and reads its answer to the end.
func send(t *testing.T, c *esdriver.Cluster, method, path, body string) answer {
	t.Helper()
	a, err := roundTrip(t.Context(), c, method, path, body)
	require.NoError(t, err, "%s %s", method, path)
	return a
}

func roundTrip(ctx context.Context, c *esdriver.Cluster, method, path, body string) (answer, error) {
	header := http.Header{}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	return roundTripWith(ctx, c, header, method, path, body)
}

func roundTripWith(ctx context.Context, c *esdriver.Cluster, header http.Header, method, path, body string) (answer, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, path, reader)
	if err != nil {
		return answer{}, err
	}
	req.Header = header
	resp, err := c.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	a := answer{status: resp.StatusCode, header: resp.Header, node: resp.Request.URL.Host, text: string(text)}
	_ = json.Unmarshal(text, &a.body) // a body that is no JSON stays nil
	return a, err
}

// at returns the value at a path such as error.root_cause.0.type; nil when there is none.
func (a answer) at(path string) any {
	v := a.body
	for step := range strings.SplitSeq(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}

func (a answer) word(path string) string {
	s, _ := a.at(path).(string)
	return s
}

func (a answer) number(path string) float64 {
	n, _ := a.at(path).(float64)
	return n
}

func (a answer) object(path string) map[string]any {
	o, _ := a.at(path).(map[string]any)
	return o
}

func (a answer) list(path string) []any {
	l, _ := a.at(path).([]any)
	return l
}

// ids are the ids of the hits, in their order, with spaces between them.
func (a answer) ids() string { return strings.Join(a.hitIDs(), " ") }

func (a answer) hitIDs() []string {
	var found []string
	for _, hit := range a.list("hits.hits") {
		found = append(found, hit.(map[string]any)["_id"].(string))
	}
	return found
}

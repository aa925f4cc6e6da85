package enginetest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// body is one test over any engine that has the capabilities it needs.
type body struct {
	name  string
	needs []capability
	run   func(*session)
}

// session is one run of a body: its client, its index, and what the engine answered.
type session struct {
	*testing.T
	*assert.Assertions
	cluster *esdriver.Cluster
	facts   facts
	index   string // the name of an index for this body alone; it does not exist yet
	record  []exchange
}

// exchange is one request and its answer.
type exchange struct {
	request string
	answer  answer
}

// fakes are the releases that the fake is run as: those that .ci/engines starts.
var fakes = []facts{
	{product: fakecluster.Elasticsearch, version: "8.19.7", nodes: 3},
	{product: fakecluster.Elasticsearch, version: "7.10.2", nodes: 3},
	{product: fakecluster.OpenSearch, version: "2.19.6", nodes: 3},
	{product: fakecluster.OpenSearch, version: "3.9.0", nodes: 3},
}

// samplers are the ways of keeping the list of nodes, with the bodies that run with each: those about documents do not
// depend on it.
var samplers = []struct {
	name   string
	bodies []body
}{
	{"sniff", slices.Concat(clusterBodies, documentBodies)},
	{"ping", clusterBodies},
}

func TestFakeBehavesAsItsReleaseShould(t *testing.T) {
	leaktest.Check(t)
	for _, f := range fakes {
		t.Run(f.release(), func(t *testing.T) {
			runAll(t, newFake(t, f), nil)
		})
	}
}

func TestRealClusterBehavesAsTheFake(t *testing.T) {
	leaktest.Check(t)
	e := newReal(t)
	t.Logf("over %s, %d nodes", e.facts.release(), e.facts.nodes)
	runAll(t, e, newFake(t, e.facts))
}

// runAll runs every body that applies, and compares with a twin if there is one.
func runAll(t *testing.T, e, twin engine) {
	for _, sampler := range samplers {
		t.Run(sampler.name, func(t *testing.T) {
			client := openCluster(t, e.DSN(), "sampler="+sampler.name)
			var twinClient *esdriver.Cluster
			if twin != nil {
				twinClient = openCluster(t, twin.DSN(), "sampler="+sampler.name)
			}
			for _, b := range sampler.bodies {
				if len(e.Facts().lacks(b.needs)) > 0 {
					continue
				}
				t.Run(b.name, func(t *testing.T) {
					record := b.over(t, client, e.Facts())
					if twinClient != nil {
						compare(t, b.name, e.Facts(), record, b.over(t, twinClient, e.Facts()))
					}
				})
			}
		})
	}
}

// over runs the body once and returns what was said.
func (b body) over(t *testing.T, client *esdriver.Cluster, f facts) []exchange {
	s := &session{T: t, Assertions: assert.New(t), cluster: client, facts: f, index: "enginetest-" + b.name}
	s.clear()
	t.Cleanup(s.clear)
	b.run(s)
	return s.record
}

// clear deletes the body's index.
func (s *session) clear() { // runs after the test too, when its context has ended
	s.Helper()
	a, err := roundTrip(context.Background(), s.cluster, "DELETE", "/"+s.index+"?ignore_unavailable=true", "")
	require.NoError(s.T, err)
	require.Equal(s.T, 200, a.status, a.text)
}

// do sends a request; %s in path or body is the name of the body's index.
func (s *session) do(method, path, body string) answer {
	s.Helper()
	path, body = strings.ReplaceAll(path, "%s", s.index), strings.ReplaceAll(body, "%s", s.index)
	a := send(s.T, s.cluster, method, path, body)
	s.record = append(s.record, exchange{strings.TrimSpace(method + " " + path + " " + body), a})
	return a
}

// want is do for a request whose status is known.
func (s *session) want(status int, method, path, body string) answer {
	s.Helper()
	a := s.do(method, path, body)
	s.Equal(status, a.status, "%s %s: %s", method, path, a.text)
	return a
}

// fails is want for an error of a type, in the shape that every error has.
func (s *session) fails(status int, kind, method, path, body string) answer {
	s.Helper()
	a := s.want(status, method, path, body)
	s.Equal(kind, a.word("error.type"), a.text)
	s.NotEmpty(a.word("error.reason"), a.text)
	s.NotEmpty(a.word("error.root_cause.0.type"), a.text)
	s.NotEmpty(a.word("error.root_cause.0.reason"), a.text)
	s.EqualValues(status, a.number("status"), a.text)
	return a
}

// create makes the body's index of one shard on all its copies, refreshed on request alone.
func (s *session) create(properties string) {
	s.Helper()
	s.createWith("-1", properties)
}

func (s *session) createWith(refreshInterval, properties string) {
	s.Helper()
	s.want(200, "PUT", "/%s?wait_for_active_shards=all", `{"settings":{"number_of_shards":1,"number_of_replicas":1,"refresh_interval":"`+
		refreshInterval+`"},"mappings":{"properties":{`+properties+`}}}`)
}

package sampler_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

// recordings are answers of real servers, one JSON object a line.
const recordings = "../../shared/recordings/answers"

type recorded struct {
	Name, Method, Path, Query, Body string
	ResponseBody                    string `json:"response_body"`
	Status                          int
}

// answersOf returns the file's first usable answers, by path.
func answersOf(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	answers := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r recorded
		wanted := strings.Contains(lines.Text(), `"path": "/"`) || strings.Contains(lines.Text(), `"path": "/_nodes/`)
		if !wanted || json.Unmarshal(lines.Bytes(), &r) != nil || r.Method != "GET" || r.Query != "" || r.Status != 200 {
			continue
		}
		if _, have := answers[r.Path]; !have {
			answers[r.Path] = r.Body + r.ResponseBody
		}
	}
	require.NoError(t, lines.Err())
	return answers
}

func TestAnswersOfRealServersAreUnderstood(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*search-*.jsonl"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the recorded answers of real servers are not at " + recordings)
	}
	nodes := map[string]int{"elasticsearch": 3, "opensearch": 1}
	understood := 0
	for _, file := range files {
		answers := answersOf(t, file)
		if answers["/_nodes/_all/http"] == "" {
			continue
		}
		understood++
		t.Run(filepath.Base(file), func(t *testing.T) {
			get := func(_ context.Context, _ *sampler.Node, path string) (int, []byte, error) {
				if path != "/" {
					path = "/_nodes/_all/http"
				}
				return 200, []byte(answers[path]), nil
			}
			product := "elasticsearch"
			if strings.Contains(file, "opensearch-") {
				product = "opensearch"
			}
			checkRecorded(t, get, nodes[product])
		})
	}
	assert.GreaterOrEqual(t, understood, 7)
}

func checkRecorded(t *testing.T, get sampler.Getter, nodes int) {
	pinged, err := sampler.Ping{}.Sample(t.Context(), seeds("h1:9200"), get)
	require.NoError(t, err)
	assert.Equal(t, "try", pinged.ClusterName)
	assert.Len(t, pinged.ClusterUUID, 22)
	assert.Equal(t, "n0", pinged.Nodes[0].Name)

	sniffed, err := sampler.Sniff{Roles: []string{"data"}}.Sample(t.Context(), seeds("h1:9200"), get)
	require.NoError(t, err)
	assert.Equal(t, "try", sniffed.ClusterName)
	require.Len(t, sniffed.Nodes, nodes)
	assert.False(t, sniffed.Partial)
	assert.Empty(t, sniffed.Failures)
	for _, n := range sniffed.Nodes {
		assert.Len(t, n.ID, 22)
		assert.Equal(t, pinged.Nodes[0].Version, n.Version)
		assert.Contains(t, n.Roles, "data")
		assert.Regexp(t, `^127\.0\.0\.1:\d+$`, n.Addr)
		assert.Equal(t, "http://"+n.Addr, n.URL.String())
	}
}

// Answers in the words of servers that were not at hand to be recorded: 1.x, 2.x and 6.x.
func TestAnswersOfOldServersAreUnderstood(t *testing.T) {
	cases := map[string]struct{ answer, addr, role string }{
		"1.7": {`{"cluster_name":"old","nodes":{"k":{"name":"Zom","transport_address":"inet[/10.0.0.1:9300]","host":"es1",
			"ip":"10.0.0.1","version":"1.7.6","build":"c","http_address":"inet[/10.0.0.1:9200]",
			"attributes":{"master":"true"},"http":{"bound_address":"inet[/0:0:0:0:0:0:0:0:9200]",
			"publish_address":"inet[/10.0.0.1:9200]","max_content_length_in_bytes":104857600}}}}`, "10.0.0.1:9200", "data"},
		"2.4": {`{"cluster_name":"old","nodes":{"k":{"name":"Zom","host":"10.0.0.1","ip":"10.0.0.1","version":"2.4.6",
			"http_address":"10.0.0.1:9200","attributes":{"data":"true"}}}}`, "10.0.0.1:9200", "master"},
		"6.8": {`{"_nodes":{"total":1,"successful":1,"failed":0},"cluster_name":"old","nodes":{"k":{"name":"n",
			"version":"6.8.23","roles":["master","data","ingest"],"attributes":{"ml.enabled":"true"},
			"http":{"bound_address":["[::]:9200"],"publish_address":"es1.example.com/10.0.0.1:9200"}}}}`,
			"es1.example.com:9200", "ingest"},
	}
	for version, c := range cases {
		t.Run(version, func(t *testing.T) {
			f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, c.answer)}}
			got, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200"), f.get)
			require.NoError(t, err)
			assert.Equal(t, []string{c.addr}, addrs(got.Nodes))
			assert.Contains(t, got.Nodes[0].Roles, c.role)
			assert.False(t, got.Partial)
		})
	}
}

func FuzzSniffAnswer(f *testing.F) {
	f.Add(200, three, three)
	f.Add(200, nodesOf("prod", 1, listed("a", "h1:9200")), nodesOf("other", 0, listed("a", "h1:9200")))
	f.Add(503, `{"status":503}`, `<html>`)
	f.Add(200, `{"nodes":{"":{"http_address":"inet[/0:0:0:0:0:0:0:1:9200]"}}}`, `{"cluster_name":"x","nodes":{}}`)
	f.Fuzz(func(t *testing.T, status int, first, second string) {
		prev := seeds("h1:9200", "h2:9200")
		fake := &fakeNet{replies: map[string]reply{"h1:9200": says(status, first), "h2:9200": says(200, second)}}
		for range 2 {
			got, err := sampler.Sniff{}.Sample(t.Context(), prev, fake.get)
			var none *sampler.NoMatchError
			seen := map[string]bool{}
			for _, n := range got.Nodes {
				require.False(t, seen[n.Addr], "%s twice", n.Addr)
				seen[n.Addr] = true
				require.Equal(t, n.Addr, n.URL.Host)
				require.Nil(t, n.URL.User)
			}
			if len(got.Nodes) == 0 && err == nil {
				require.NotEmpty(t, got.Filtered)
			} else if len(got.Nodes) == 0 {
				require.True(t, got.Partial || assert.ErrorAs(t, err, &none))
			}
			prev = got
		}
	})
}

package fakecluster_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
)

// exchange is one recorded request and the real server's answer.
type exchange struct {
	N           int
	Group, Name string
	Method      string
	Path, Query string
	RequestBody *string           `json:"request_body"`
	BinaryBody  []byte            `json:"request_body_base64"`
	Headers     map[string]string `json:"request_headers"`
	ContentType *string           `json:"content_type"`
	Accept      *string
	Status      int
	Body        json.RawMessage
	More        *string `json:"response_body"`
}

func (e exchange) answer() string {
	if e.More != nil {
		return *e.More
	}
	var text string
	if json.Unmarshal(e.Body, &text) == nil {
		return text
	}
	return string(e.Body)
}

func (e exchange) title() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s?%s", e.N, e.Name, e.Method, e.Path, e.Query))
}

// recordings reads a file of recorded exchanges, which lies beside the repository and not in it.
func recordings(t *testing.T, file string) []exchange {
	t.Helper()
	f, err := os.Open("../../shared/recordings/answers/" + file)
	if os.IsNotExist(err) {
		t.Skip("the recordings of real servers are not beside this repository")
	}
	require.NoError(t, err)
	defer f.Close()
	var all []exchange
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e exchange
			require.NoError(t, json.Unmarshal(line, &e))
			all = append(all, e)
		}
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
	}
}

// replay sends a recorded request to the fake.
func replay(t *testing.T, hc *http.Client, c *fakecluster.Cluster, e exchange) (int, http.Header, string) {
	t.Helper()
	url := c.Node(0).URL() + e.Path
	if e.Query != "" {
		url += "?" + e.Query
	}
	var body io.Reader = bytes.NewReader(e.BinaryBody)
	if e.RequestBody != nil {
		body = strings.NewReader(*e.RequestBody)
	}
	req, err := http.NewRequest(e.Method, url, body)
	require.NoError(t, err)
	for k, v := range e.Headers {
		req.Header.Set(k, v)
	}
	if e.ContentType != nil {
		req.Header.Set("Content-Type", *e.ContentType)
	}
	if e.Accept != nil {
		req.Header.Set("Accept", *e.Accept)
	}
	resp, err := hc.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, string(b)
}

// exact are the fields whose values must be the same; of others only the kind is compared.
var exact = []string{"type", "result", "status", "found", "errors", "_version", "acknowledged", "count", "succeeded",
	"num_freed", "total", "updated", "deleted", "noops", "version_conflicts", "relation", "index", "_index", "tagline", "number"}

// optional are fields the fake leaves out: build details of nodes, and causes that name Java classes.
var optional = []string{"transport_version", "index_version", "component_versions", "caused_by", "line", "col", "grouped",
	"script_stack", "position", "script", "lang", "attributes", "plugins", "build_flavor", "max_score", "_score", "failed_shards", "phase"}

// shape compares two JSON values field by field and returns what differs.
func shape(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an object, got %v", path, got)}
		}
		return objectShape(path, want, g)
	case []any:
		g, ok := got.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an array, got %v", path, got)}
		}
		var diffs []string
		for i := range min(len(want), len(g)) {
			diffs = append(diffs, shape(fmt.Sprintf("%s[%d]", path, i), want[i], g[i])...)
		}
		return diffs
	}
	name := path[strings.LastIndex(path, ".")+1:]
	if slices.Contains(exact, name) && fmt.Sprint(want) != fmt.Sprint(got) {
		return []string{fmt.Sprintf("%s: want %v, got %v", path, want, got)}
	}
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		return []string{fmt.Sprintf("%s: want %T, got %T", path, want, got)}
	}
	return nil
}

func objectShape(path string, want, got map[string]any) []string {
	if strings.HasSuffix(path, ".nodes") { // the keys are node ids
		return nil
	}
	var diffs []string
	for k, w := range want {
		g, ok := got[k]
		switch {
		case ok:
			diffs = append(diffs, shape(path+"."+k, w, g)...)
		case !slices.Contains(optional, k):
			diffs = append(diffs, fmt.Sprintf("%s.%s is missing", path, k))
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok && !slices.Contains(optional, k) {
			diffs = append(diffs, fmt.Sprintf("%s.%s is too much", path, k))
		}
	}
	return diffs
}

// different lists the requests the fake answers otherwise, and why.
var different = map[string]string{
	"root, accept garbage":                      "the fake does not parse the Accept header",
	"create, unknown setting":                   "the fake takes any setting",
	"bulk unknown pipeline":                     "pipelines are not emulated",
	"bulk, content type 8 with accept 7":        "the two headers are judged one by one",
	"bulk, wait_for_active_shards unmet":        "wait_for_active_shards is not emulated",
	"search, bad date":                          "the server answered from its can-match phase, without parsing the date",
	"msearch":                                   "_msearch is not emulated",
	"field_caps":                                "_field_caps is not emulated",
	"pit bad id":                                "the fake's ids are of another form",
	"breaker limit low":                         "cluster settings are not emulated",
	"bulk, breaker open (429)":                  "cluster settings are not emulated",
	"search, breaker open (429)":                "cluster settings are not emulated",
	"breaker limit back":                        "cluster settings are not emulated",
	"auto_create off":                           "cluster settings are not emulated",
	"auto_create back":                          "cluster settings are not emulated",
	"bulk into a missing index, no auto create": "cluster settings are not emulated",
	"health":              "shards were still moving on the server",
	"cat indices json":    "the fake counts no deleted documents and has no sizes",
	"license":             "licences are not emulated",
	"xpack":               "licences are not emulated",
	"invalid url escape":  "net/http's client refuses to send it",
	"update bad value":    "the cause's type differs between a script's value and a document's",
	"pit use after close": "a closed point in time knows its indices no longer",
	"bulk malformed":      "the cause names classes of the server's JSON parser",
	"elasticsearch-7.10.2.jsonl bulk unknown action": "7.10 answers a blank bulk; the fake names the action as 8.19 does",
	"elasticsearch-7.10.2.jsonl pit":                 "the recorded server is the build without X-Pack",
	"elasticsearch-8.19.7.jsonl create people":       "the recorded server lacks the module of scaled_float, so its index has another mapping",
	"elasticsearch-8.19.7.jsonl fill people":         "as above",
	"elasticsearch-8.19.7.jsonl bulk mixed":          "as above",
	"elasticsearch-8.19.7.jsonl mapping":             "as above",
}

func compare(t *testing.T, e exchange, status int, body string) {
	t.Helper()
	if !assert.Equal(t, e.Status, status, "%s\nwant %s\ngot  %s", e.title(), e.answer(), body) {
		return
	}
	var want, got any
	if json.Unmarshal([]byte(e.answer()), &want) != nil {
		return // not JSON: an empty or compressed body
	}
	require.NoError(t, json.Unmarshal([]byte(body), &got), "%s: %s", e.title(), body)
	assert.Empty(t, shape("", want, got), "%s\nwant %s\ngot  %s", e.title(), e.answer(), body)
}

// ids maps recorded ids of points in time and scrolls to those the fake gave instead.
type ids map[string]string

func (m ids) learn(recorded, ours string) {
	var want, got map[string]any
	if json.Unmarshal([]byte(recorded), &want) != nil || json.Unmarshal([]byte(ours), &got) != nil {
		return
	}
	for _, key := range []string{"id", "pit_id", "_scroll_id"} {
		w, wok := want[key].(string)
		g, gok := got[key].(string)
		if wok && gok {
			m[w] = g
		}
	}
}

func (m ids) translate(e exchange) exchange {
	if e.RequestBody != nil {
		body := *e.RequestBody
		for recorded, ours := range m {
			body = strings.ReplaceAll(body, recorded, ours)
		}
		e.RequestBody = &body
	}
	return e
}

func replayGroups(t *testing.T, file string, c *fakecluster.Cluster, groups ...string) {
	hc := client(t, c)
	known := ids{}
	for _, e := range recordings(t, file) {
		if !slices.Contains(groups, e.Group) {
			continue
		}
		if e.Name == "search" {
			unrecorded(t, c)
		}
		if e.Name == "invalid url escape" {
			continue
		}
		status, _, body := replay(t, hc, c, known.translate(e))
		known.learn(e.answer(), body)
		if different[e.Name] == "" && different[file+" "+e.Name] == "" {
			compare(t, e, status, body)
		}
	}
}

// unrecorded are the documents that the recorder loaded without recording it.
func unrecorded(t *testing.T, c *fakecluster.Cluster) {
	t.Helper()
	for i := range 12 {
		require.NoError(t, c.Put("h", fmt.Sprintf("s%d", i), map[string]any{"k": "s", "n": i}))
	}
}

func TestDocumentsAndAdministrationAnswerAsOpenSearch2(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("2.19.6"))
	replayGroups(t, "opensearch-2.19.6.jsonl", c, "setup", "doc", "byquery", "admin")
}

func TestDocumentsAndAdministrationAnswerAsOpenSearch3(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("3.8.0"))
	replayGroups(t, "opensearch-3.8.0.jsonl", c, "setup", "doc", "byquery", "admin")
}

func TestDocumentsAndAdministrationAnswerAsElasticsearch710(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Version("7.10.2"))
	replayGroups(t, "elasticsearch-7.10.2.jsonl", c, "setup", "doc", "byquery", "admin")
}

func TestDocumentsAndAdministrationAnswerAsElasticsearch8(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Version("8.19.7"))
	replayGroups(t, "elasticsearch-8.19.7.jsonl", c, "setup", "doc", "admin")
}

func TestHTTPAnswersAsElasticsearch8(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Version("8.19.7"))
	replayGroups(t, "more-http-elasticsearch-8.19.7.jsonl", c, "")
}

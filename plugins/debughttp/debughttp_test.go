package debughttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins/debughttp"
	"github.com/esdriver/esdriver/sampler"
)

// open opens a cluster over a fake one.
func open(t *testing.T, dsn string, change func(*esdriver.Config)) *esdriver.Cluster {
	t.Helper()
	config, err := esdriver.ParseDSN(dsn)
	require.NoError(t, err)
	if change != nil {
		change(&config)
	}
	c, err := esdriver.Open(config)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return c
}

// get asks the handler.
func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

func pictureOf(t *testing.T, h http.Handler, query string) debughttp.Picture {
	t.Helper()
	w := get(h, "/debug?format=json"+query)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var p debughttp.Picture
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
	return p
}

func TestPictureShowsNodesPoolsAndWork(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(3), fakecluster.ClusterName("books"))
	c := open(t, fake.DSN(), nil)
	resp, err := (&http.Client{Transport: c}).Get("http://any/_search")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())

	p := pictureOf(t, debughttp.Handler(c), "")
	assert.Equal(t, "books", p.ClusterName)
	assert.Equal(t, uint64(1), p.Requests)
	require.Len(t, p.Nodes, 3)
	var handedOut uint64
	for _, n := range p.Nodes {
		assert.Equal(t, "alive", n.State)
		assert.Equal(t, "8.19.7", n.Version)
		require.Len(t, n.Pools, 5)
		assert.Equal(t, "reg", n.Pools[2].Class)
		handedOut += n.Pools[2].Acquired
	}
	assert.Equal(t, uint64(1), handedOut)
}

func TestPictureShowsWhyANodeIsDead(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(2))
	fake.Node(1).Kill()
	c := open(t, fake.DSN(), nil)
	p := pictureOf(t, debughttp.Handler(c), "")
	require.Len(t, p.Unanswered, 1)
	assert.Equal(t, fake.Node(1).Addr(), p.Unanswered[0].Addr)
	assert.Contains(t, p.Unanswered[0].Error, "refused")
	require.Len(t, p.Nodes, 2)
	assert.Equal(t, []string{"dead", "alive"}, []string{p.Nodes[0].State, p.Nodes[1].State}, "what is wrong comes first")
	assert.Contains(t, p.Nodes[0].LastFailure, "refused")
	assert.Contains(t, get(debughttp.Handler(c), "/").Body.String(), "refused")
}

func TestExplainTellsWhereARequestWouldGoAndSendsNothing(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(2))
	fake.Node(1).Kill()
	h := debughttp.Handler(open(t, fake.DSN(), nil))
	fake.ResetRequests()
	e := pictureOf(t, h, "&method=post&path=/books/_bulk").Explain
	require.NotNil(t, e)
	assert.Equal(t, []string{"POST", "/books/_bulk", "bulk"}, []string{e.Method, e.Path, e.Class})
	assert.False(t, e.Idempotent)
	assert.Equal(t, fake.Node(0).Addr(), e.Picked)
	require.Len(t, e.Candidates, 2)
	assert.Equal(t, "picked by the balancer", e.Candidates[0].Why)
	assert.Contains(t, e.Candidates[1].Why, "refused")
	assert.Empty(t, fake.Requests().Path("/books"))
	assert.Contains(t, get(h, "/?path=/books/_search").Body.String(), "GET /books/_search")
}

func TestQuestionThatIsNoneIsAnsweredWithWhatIsWrong(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	h := debughttp.Handler(open(t, fake.DSN(), nil))
	for _, query := range []string{"?path=nonsense", "?path=/%25zz", "?path=/&method=A+B"} {
		w := get(h, "/"+query)
		assert.Equal(t, http.StatusBadRequest, w.Code, query)
		assert.Contains(t, w.Body.String(), `role="alert"`, query)
		assert.Contains(t, get(h, "/"+query+"&format=json").Body.String(), `"error": `, query)
	}
}

func TestPickedNodeThatIsNotAliveIsExplained(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	fake.Node(0).Kill()
	e := pictureOf(t, debughttp.Handler(open(t, fake.DSN(), nil)), "&path=/").Explain
	require.NotNil(t, e)
	require.Len(t, e.Candidates, 1)
	assert.Contains(t, e.Candidates[0].Why, "picked although it is dead")
}

func TestOnlyASensiblePauseRefreshesThePage(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	h := debughttp.Handler(open(t, fake.DSN(), nil))
	assert.Contains(t, get(h, "/?refresh=5").Body.String(), `<meta http-equiv="refresh" content="5">`)
	for _, pause := range []string{"", "0", "-1", "x", "5;url=http://elsewhere.invalid"} {
		assert.NotContains(t, get(h, "/?refresh="+url.QueryEscape(pause)).Body.String(), "http-equiv", pause)
	}
}

func TestPageNeedsNothingFromElsewhereAndMayRunNoScript(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.ClusterName("<script>alert(1)</script>"))
	w := get(debughttp.Handler(open(t, fake.DSN(), nil)), "/any/path")
	require.Equal(t, http.StatusOK, w.Code)
	text := w.Body.String()
	assert.Contains(t, text, `<table id="nodes">`)
	for _, from := range []string{"<script", "src=", "<link", "http://", "https://", "@import", "url("} {
		assert.NotContains(t, text, from)
	}
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	assert.NotContains(t, w.Header().Get("Content-Security-Policy"), "unsafe")
	assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
}

// talkative is a sampler whose errors tell too much.
type talkative struct{}

func (talkative) Sample(context.Context, sampler.Topology, sampler.Getter) (sampler.Topology, error) {
	return sampler.Topology{}, errors.New(`asked https://joe:hu@sh@h1:9200/a?api_key=silence and failed`)
}

func TestPageShowsNoSecret(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Credentials("joe", "hush"))
	c := open(t, fake.DSN(), func(c *esdriver.Config) { c.Sampler = talkative{} })
	h := debughttp.Handler(c)
	for _, target := range []string{"/", "/?format=json", "/?path=/_search"} {
		text := get(h, target).Body.String()
		assert.Contains(t, text, "h1:9200/a?", "the error itself is shown")
		for _, secret := range []string{"hush", "sh@", "silence", "joe"} {
			assert.NotContains(t, text, secret)
		}
	}
}

func TestFormIsChosenByQueryAndAccept(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	h := debughttp.Handler(open(t, fake.DSN(), nil))
	for accept, want := range map[string]string{
		"":                            "text/html",
		"application/json":            "application/json",
		"text/html, application/json": "text/html",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), want), accept)
	}
}

func TestOnlyGetAndHeadAreAnswered(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	h := debughttp.Handler(open(t, fake.DSN(), nil))
	for method, status := range map[string]int{http.MethodHead: 200, http.MethodPost: 405, http.MethodDelete: 405} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		assert.Equal(t, status, w.Code, method)
	}
}

func TestClosedClusterStillShows(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	c := open(t, fake.DSN(), nil)
	require.NoError(t, c.Close(t.Context()))
	assert.Len(t, pictureOf(t, debughttp.Handler(c), "&path=/_search").Nodes, 1)
}

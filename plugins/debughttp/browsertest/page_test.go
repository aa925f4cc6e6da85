package browsertest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/plugins/debughttp"
)

// steady loads the page between two pictures that are alike, so that it must be like them.
func steady(s *site, b *tab) debughttp.Picture {
	s.t.Helper()
	for before := s.picture(""); ; {
		b.load("")
		after := s.picture("")
		shown := eval[int](b, `parseInt(/retry budget(\d+)/.exec(document.getElementById("work").textContent)[1])`)
		require.LessOrEqual(s.t, before.RetriesLeft, shown)
		require.LessOrEqual(s.t, shown, after.RetriesLeft)
		before.At, before.RetriesLeft = after.At, after.RetriesLeft
		if assert.ObjectsAreEqual(before, after) {
			after.RetriesLeft = shown
			return after
		}
		before = after
	}
}

func TestPageSaysTheSameAsTheJSON(t *testing.T) {
	s := troubled(t)
	b := openTab(t, s.url)
	p := steady(s, b)
	assert.Equal(t, nodeRows(p), b.rows("nodes"))
	assert.Equal(t, poolRows(p), b.rows("pools"))
	work := fmt.Sprintf("requests%d %d failed attempts%d retries%d ", p.Requests, p.Failures, p.Attempts, p.Retries) +
		fmt.Sprintf("retry budget%d retries left samples%d %d failed ", p.RetriesLeft, p.Samples, p.SampleFailures) +
		fmt.Sprintf("probes%d %d failed panics of hooks%d", p.Probes, p.ProbeFailures, p.HookPanics)
	assert.Equal(t, work, b.text("#work"))
	sampled := "Cluster UUID " + p.ClusterUUID + "; last sample " + clock(p.SampledAt)
	assert.True(t, p.Partial)
	assert.Contains(t, b.text("main"), sampled+": partial, nodes may be missing")
	assert.Equal(t, p.ClusterName, b.text("h1"))
	failures := b.text("#failures")
	assert.Contains(t, failures, clock(p.LastErrorAt)+p.LastError)
	for _, u := range p.Unanswered {
		assert.Contains(t, failures, u.Addr+", sampled"+u.Error)
	}
	for _, n := range p.Nodes {
		if n.LastFailure != "" {
			assert.Contains(t, failures, cmp.Or(n.Name, n.Addr)+", "+n.State+n.LastFailure)
		}
	}
}

func clock(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Format(time.TimeOnly)
}

func nodeRows(p debughttp.Picture) []map[string]string {
	var rows []map[string]string
	for _, n := range p.Nodes {
		var attrs []string
		for _, k := range slices.Sorted(maps.Keys(n.Attrs)) {
			attrs = append(attrs, k+"="+n.Attrs[k])
		}
		rows = append(rows, map[string]string{
			"node": strings.TrimSpace(cmp.Or(n.Name, "-") + " " + n.ID), "address": n.Addr, "state": n.State,
			"version": cmp.Or(n.Version, "-"), "roles": strings.Join(n.Roles, ", "), "attributes": strings.Join(attrs, " "),
			"in flight": fmt.Sprint(n.InFlight), "failures in a row": fmt.Sprint(n.FailuresInRow),
			"probed next": clock(n.ProbedNextAt),
		})
	}
	return rows
}

func poolRows(p debughttp.Picture) []map[string]string {
	var rows []map[string]string
	for _, n := range p.Nodes {
		for _, c := range n.Pools {
			rows = append(rows, map[string]string{
				"node": cmp.Or(n.Name, n.Addr), "class": c.Class, "used": fmt.Sprint(c.Used), "idle": fmt.Sprint(c.Idle),
				"waiting": fmt.Sprint(c.Waiting), "dialing": fmt.Sprint(c.Dialing), "own": fmt.Sprint(c.Own),
				"limit": fmt.Sprint(c.Limit), "acquired": fmt.Sprint(c.Acquired), "timeouts": fmt.Sprint(c.Timeouts),
				"waited, ms": fmt.Sprint(c.WaitedMS), "dials": fmt.Sprint(c.Dials), "dials failed": fmt.Sprint(c.DialFailures),
			})
		}
	}
	return rows
}

func TestTroubleIsSeen(t *testing.T) {
	s := troubled(t)
	b := openTab(t, s.url)
	assert.Regexp(t, `^Nodes: .*2 dead.*, 2 alive, at `, b.text("#summary"))
	states, used, waiting := map[string]string{}, 0, 0
	for _, row := range b.rows("nodes") {
		states[row["address"]] = row["state"]
	}
	assert.Equal(t, "alive", states[s.fake.Node(0).Addr()])
	assert.Equal(t, "alive", states[s.fake.Node(1).Addr()])
	assert.Equal(t, "dead", states[s.fake.Node(2).Addr()])
	assert.Contains(t, []string{"suspect", "not-ready"}, states[s.fake.Node(3).Addr()])
	assert.Equal(t, "dead", states[s.fake.Node(4).Addr()])
	for _, row := range b.rows("pools") {
		if row["class"] == "bulk" {
			used, waiting = used+number(t, row["used"]), waiting+number(t, row["waiting"])
		}
	}
	assert.Equal(t, 2, used)
	assert.Equal(t, 3, waiting)
	assert.Contains(t, b.text("#failures"), "refused")
	assert.Contains(t, b.text("#failures"), "answered 503")
}

func number(t *testing.T, text string) (n int) {
	_, err := fmt.Sscan(text, &n)
	require.NoError(t, err)
	return n
}

func TestWhatServersSayIsTextAndHoldsNoSecret(t *testing.T) {
	b := openTab(t, troubled(t).url)
	b.load("?method=GET&path=/books/_search%3Fq=" + "%3Cscript%3Edocument.title='ran'%3C/script%3E")
	assert.Equal(t, "esdriver: books "+script, eval[string](b, "document.title"))
	assert.Zero(t, eval[int](b, `document.querySelectorAll("script, img, main a:not(nav a), [onerror]").length`))
	for _, said := range []string{script, image, "answered 503 " + script, "h1:9200/a?… and got " + link} {
		assert.Contains(t, b.text("main"), said)
	}
	whole := eval[string](b, "document.documentElement.outerHTML")
	for _, secret := range []string{"hu@sh", "sh@", "silence", "joe"} {
		assert.NotContains(t, whole, secret)
	}
}

// tabTo presses Tab until the field with this name has the focus.
func (b *tab) tabTo(name string) {
	b.t.Helper()
	for range 20 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if eval[string](b, "document.activeElement.name || ''") == name {
			return
		}
	}
	require.Fail(b.t, "Tab never comes to "+name)
}

func TestRequestIsExplainedByKeyboardAlone(t *testing.T) {
	s := troubled(t)
	b := openTab(t, s.url)
	b.tabTo("method")
	assert.Equal(t, "method", eval[string](b, `document.activeElement.labels[0].firstChild.textContent.trim()`))
	b.do(chromedp.KeyEvent("POST"))
	b.tabTo("path")
	assert.Equal(t, "path", eval[string](b, `document.activeElement.labels[0].firstChild.textContent.trim()`))
	b.do(chromedp.KeyEvent("/books/_bulk" + kb.Enter))
	b.do(chromedp.WaitVisible("#route"))

	assert.Regexp(t, `^POST /books/_bulk travels in class bulk; it must not be sent twice \(.+\)\.$`, b.text("#route"))
	rows := b.rows("candidates")
	require.Len(t, rows, 5)
	assert.Equal(t, "picked by the balancer", rows[0]["why"])
	assert.Equal(t, "alive, for a further attempt", rows[1]["why"])
	for i, row := range rows {
		assert.Equal(t, i < 2, row["state"] == "alive")
		assert.Equal(t, i > 1, strings.HasPrefix(row["why"], "out of rotation; last failure: "), row["why"])
	}
	assert.Equal(t, "POST", eval[string](b, `document.querySelector("[name=method]").value`), "the form keeps the question")
	assert.Equal(t, "/books/_bulk", eval[string](b, `document.querySelector("[name=path]").value`))
	asked := s.picture("&method=POST&path=/books/_bulk").Explain
	require.NotNil(t, asked)
	assert.Equal(t, []string{"bulk", "POST", "/books/_bulk"}, []string{asked.Class, asked.Method, asked.Path})
	assert.Len(t, asked.Candidates, 5)
}

func TestPageFitsWindowsAndClustersOfManySizes(t *testing.T) {
	for _, nodes := range []int{1, 3, 50} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			b := openTab(t, calm(t, nodes).url)
			assert.Regexp(t, fmt.Sprintf("^Nodes: %d alive, at ", nodes), b.text("#summary"))
			assert.Len(t, b.rows("pools"), 5*nodes)
			b.requireNoSidewaysScrolling()
		})
	}
	t.Run("troubled", func(t *testing.T) {
		b := openTab(t, troubled(t).url)
		b.load("?path=/books/_search/" + strings.Repeat("long", 100))
		b.requireNoSidewaysScrolling()
	})
}

func (b *tab) requireNoSidewaysScrolling() {
	b.t.Helper()
	for _, width := range []int64{400, 800, 1400} {
		b.do(chromedp.EmulateViewport(width, 800))
		assert.Equal(b.t, int(width), eval[int](b, "document.documentElement.scrollWidth"))
	}
}

func TestClusterThatNeverAnsweredHasAPage(t *testing.T) {
	needBrowser(t)
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	fake.Node(0).Kill()
	b := openTab(t, serve(t, fake, nil).url)
	assert.Equal(t, "a cluster that has not answered yet", b.text("h1"))
	assert.Contains(t, b.text("#failures"), "refused")
}

// contrasts are the texts whose colour is too near to what is behind it: less than 4.5 to 1, which WCAG 2.2 asks for
// (1.4.3).
const contrasts = `(() => {
	const rgb = color => color.match(/[\d.]+/g).map(Number)
	const light = color => rgb(color).slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0)
	const clear = color => rgb(color)[3] === 0
	const behind = e => !e ? (matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)")
		: clear(getComputedStyle(e).backgroundColor) ? behind(e.parentElement) : getComputedStyle(e).backgroundColor
	return [...document.querySelectorAll("main *")].filter(e => {
		const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x)
		return (a + .05) / (b + .05) < 4.5
	}).map(e => e.outerHTML)
})()`

func TestPageCanBeReadInALightAndADarkScheme(t *testing.T) {
	b := openTab(t, troubled(t).url)
	colors := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		require.NoError(t, err)
		assert.Empty(t, eval[[]string](b, contrasts), scheme)
		colors[eval[string](b, "getComputedStyle(document.body).color")] = true
	}
	assert.Len(t, colors, 2)
}

func TestPageRefreshesItselfWhenAsked(t *testing.T) {
	s := calm(t, 1)
	b := openTab(t, s.url)
	assert.Zero(t, eval[int](b, `document.querySelectorAll("meta[http-equiv]").length`))
	b.do(chromedp.Click(`//a[text()="Refresh every 5 s"]`))
	b.do(chromedp.WaitReady(`meta[http-equiv=refresh][content="5"]`))
	b.load("?refresh=1&path=/books/_search")
	s.get("/_search")
	b.do(chromedp.WaitReady(`//dd[.="1 0 failed"]`))
	assert.Contains(t, b.text("#route"), "GET /books/_search")
	b.do(chromedp.Click(`//a[text()="Stop refreshing"]`))
	b.do(chromedp.WaitReady(`//a[.="Refresh"]`))
	assert.Contains(t, b.text("#route"), "GET /books/_search", "the question stays")
}

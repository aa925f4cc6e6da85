package debughttp

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// style is in the page, so that it needs nothing from elsewhere. A state is told by its word and by a sign; colour only
// repeats it.
const style = `
:root { color-scheme: light dark; --dim: light-dark(#666, #999); --line: light-dark(#ddd, #383838);
  --soft: light-dark(#f5f5f5, #1e1e1e); --good: light-dark(#060, #8d8); --fair: light-dark(#850, #fc6);
  --bad: light-dark(#a00, #f99) }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.2rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 1.8rem 0 .5rem }
p { margin: .3rem 0 }
nav a { margin-right: 1rem }
small, .z { color: var(--dim); font-weight: normal }
dl { margin: 0 }
dt { color: var(--dim) }
dd { margin: 0 0 .4rem }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem }
.tiles div { background: var(--soft); padding: .4rem .8rem; min-width: 6rem }
.tiles dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums }
.tiles small { font-size: 14px }
.wide { overflow-x: auto }
table { border-collapse: collapse; overflow-wrap: normal }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem; text-align: left; vertical-align: top }
thead th { color: var(--dim); font-weight: normal; vertical-align: bottom }
tbody th { font-weight: 600; white-space: nowrap }
tbody + tbody { border-top: 2px solid var(--line) }
th small { display: block }
.n { text-align: right; font-variant-numeric: tabular-nums }
.text { overflow-wrap: anywhere; min-width: 16rem }
.state { color: var(--fair); font-weight: 600; white-space: nowrap }
.alive { color: var(--good) }
.dead, .filtered, .error { color: var(--bad) }
.state::before { content: "◐ " / "" }
.alive::before { content: "● " / "" }
.dead::before, .filtered::before { content: "○ " / "" }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin-bottom: .8rem }
label { display: grid; color: var(--dim) }
input, select, button { font: inherit; padding: .2rem .4rem }
input { width: min(26rem, 80vw) }
`

// policy lets the page have its own style, send its own form, and nothing else.
var policy = "default-src 'none'; style-src 'sha256-" + hash(style) +
	"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// page is the whole page.
var page = template.Must(template.New("page").Funcs(template.FuncMap{"join": strings.Join}).Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
{{if .Refresh}}<meta http-equiv="refresh" content="{{.Refresh}}">
{{end}}<title>esdriver: {{or .ClusterName "cluster"}}</title>
<style>` + style + `</style>

{{define "n"}}<td class="n{{if not .}} z{{end}}">{{.}}{{end}}
{{define "clock"}}{{if .IsZero}}-{{else}}<time datetime="{{.Format "2006-01-02T15:04:05.999999999Z07:00"}}">{{.Format "15:04:05"}}</time>{{end}}{{end}}
{{define "state"}}<td><span class="state {{.}}">{{.}}</span>{{end}}

<main>
<h1>{{or .ClusterName "a cluster that has not answered yet"}}</h1>
<p id="summary">{{.Summary}}, at {{template "clock" .At}} {{.At.Format "MST, 2 January 2006"}}
<p><small>Cluster UUID {{or .ClusterUUID "not known"}};
last sample {{template "clock" .SampledAt}}{{if .Partial}}: partial, nodes may be missing{{end}}</small>
<nav>{{if .Refresh}}<a href="{{.Link "refresh" ""}}">Stop refreshing</a>
{{else}}<a href="{{.Link "refresh" ""}}">Refresh</a> <a href="{{.Link "refresh" "5"}}">Refresh every 5 s</a>{{end}}
<a href="{{.Link "format" "json"}}">JSON</a> <a href="#explain">Explain a request</a></nav>

<h2>Work since the start</h2>
<dl id="work" class="tiles">
<div><dt>requests<dd>{{.Requests}} <small>{{.Failures}} failed</small></div>
<div><dt>attempts<dd>{{.Attempts}}</div>
<div><dt>retries<dd>{{.Retries}}</div>
<div><dt>retry budget<dd>{{.RetriesLeft}} <small>retries left</small></div>
<div><dt>samples<dd>{{.Samples}} <small>{{.SampleFailures}} failed</small></div>
<div><dt>probes<dd>{{.Probes}} <small>{{.ProbeFailures}} failed</small></div>
<div><dt>panics of hooks<dd>{{.HookPanics}}</div>
</dl>

<h2>Last failures</h2>
<dl id="failures">
{{if .LastError}}<dt>in the background, {{template "clock" .LastErrorAt}}<dd>{{.LastError}}
{{end}}{{range .Unanswered}}<dt>{{.Addr}}, sampled<dd>{{.Error}}
{{end}}{{range .Nodes}}{{if .LastFailure}}<dt>{{or .Name .Addr}}, {{.State}}<dd>{{.LastFailure}}
{{end}}{{end}}</dl>
{{if not .Failed}}<p>None.{{end}}

<h2 id="nodes-title">Nodes</h2>
{{if .Nodes}}<div class="wide" role="region" aria-labelledby="nodes-title" tabindex="0"><table id="nodes">
<thead><tr><th scope="col">node<th scope="col">address<th scope="col">state<th scope="col">version
<th scope="col">roles<th scope="col">attributes<th scope="col" class="n">in flight
<th scope="col" class="n">failures in a row<th scope="col">probed next
<tbody>
{{range .Nodes}}<tr><th scope="row">{{or .Name "-"}}{{with .ID}} <small>{{.}}</small>{{end}}<td>{{.Addr}}
{{template "state" .State}}<td>{{or .Version "-"}}<td class="text"><small>{{join .Roles ", "}}</small>
<td><small>{{range $k, $v := .Attrs}}{{$k}}={{$v}} {{end}}</small>{{template "n" .InFlight}}
{{template "n" .FailuresInRow}}<td>{{template "clock" .ProbedNextAt}}
{{end}}</table></div>{{else}}<p>None is known yet.{{end}}

<h2 id="explain">Where would a request go?</h2>
{{$e := .Question}}<form action="#explain" aria-labelledby="explain">
<label>method <select name="method">
{{range .Methods}}<option{{if eq . $e.Method}} selected{{end}}>{{.}}{{end}}</select></label>
<label>path <input name="path" required placeholder="/books/_search"
value="{{$e.Path}}" spellcheck="false" autocomplete="off"></label>
<button>Explain</button>
</form>
{{if $e.Error}}<p class="error" role="alert">{{$e.Error}}
{{else if $e.Class}}<p id="route">{{$e.Method}} {{$e.Path}} travels in class <strong>{{$e.Class}}</strong>;
it {{if $e.Idempotent}}may{{else}}must not{{end}} be sent twice ({{$e.Why}}).
{{if not $e.Picked}}No node can take it now.{{end}}
<div class="wide" role="region" aria-label="nodes for the request" tabindex="0"><table id="candidates">
<thead><tr><th scope="col">node<th scope="col">address<th scope="col">state<th scope="col" class="n">in flight
<th scope="col" class="n">used<th scope="col" class="n">idle<th scope="col" class="n">waiting<th scope="col">why
<tbody>
{{range $e.Candidates}}<tr><th scope="row">{{or .Name "-"}}<td>{{.Addr}}{{template "state" .State}}
{{template "n" .InFlight}}{{template "n" .Used}}{{template "n" .Idle}}{{template "n" .Waiting}}
<td class="text">{{.Why}}
{{end}}</table></div>
<p><small>used, idle, waiting: connections of class {{$e.Class}}, and callers that wait for one;
in flight: attempts of all classes.</small>{{end}}

<h2 id="pools-title">Connections</h2>
{{if .Nodes}}<div class="wide" role="region" aria-labelledby="pools-title" tabindex="0"><table id="pools">
<thead><tr><th scope="col">node<th scope="col">class<th scope="col" class="n">used<th scope="col" class="n">idle
<th scope="col" class="n">waiting<th scope="col" class="n">dialing<th scope="col" class="n">own
<th scope="col" class="n">limit<th scope="col" class="n">acquired<th scope="col" class="n">timeouts
<th scope="col" class="n">waited, ms<th scope="col" class="n">dials<th scope="col" class="n">dials failed
{{range $n := .Nodes}}<tbody>
{{range $i, $_ := .Pools}}<tr>{{if not $i}}
<th scope="rowgroup" rowspan="{{len $n.Pools}}">{{or $n.Name $n.Addr}}{{end}}<th scope="row">{{.Class}}
{{template "n" .Used}}{{template "n" .Idle}}{{template "n" .Waiting}}{{template "n" .Dialing}}
{{template "n" .Own}}{{template "n" .Limit}}{{template "n" .Acquired}}{{template "n" .Timeouts}}
{{template "n" .WaitedMS}}{{template "n" .Dials}}{{template "n" .DialFailures}}
{{end}}{{end}}</table></div>
<p><small>used, idle, dialing: connections now; waiting: callers now;
own: connections a class has for itself; limit: with those it may borrow; the rest: since the start.</small>
{{else}}<p>None.{{end}}
</main>
</html>
`))

// view is a picture as the page shows it.
type view struct {
	*Picture
	Refresh int // seconds after which the page loads itself again; 0: never
}

func writePage(w io.Writer, p *Picture, r *http.Request) error {
	every, err := strconv.Atoi(r.FormValue("refresh"))
	if err != nil || every < 0 {
		every = 0
	}
	return page.Execute(w, view{Picture: p, Refresh: every})
}

// Methods are those that the form offers.
func (view) Methods() []string {
	return []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}
}

// Question is what was asked; an empty one when nothing was.
func (v view) Question() *Explanation {
	if v.Explain == nil {
		return &Explanation{}
	}
	return v.Explain
}

// Failed reports whether there is a failure to show.
func (v view) Failed() bool {
	failed := v.LastError != "" || len(v.Unanswered) > 0
	for _, n := range v.Nodes {
		failed = failed || n.LastFailure != ""
	}
	return failed
}

// Summary counts the nodes by state, in the order in which the states appear.
func (v view) Summary() string {
	counts, states := map[string]int{}, []string{}
	for _, n := range v.Nodes {
		if counts[n.State]++; counts[n.State] == 1 {
			states = append(states, n.State)
		}
	}
	for i, state := range states {
		states[i] = fmt.Sprintf("%d %s", counts[state], state)
	}
	if len(states) == 0 {
		return "No nodes"
	}
	return "Nodes: " + strings.Join(states, ", ")
}

// Link is the page's own address with the question and one thing more.
func (v view) Link(key, value string) string {
	q := url.Values{key: {value}}
	if v.Explain != nil {
		q.Set("method", v.Explain.Method)
		q.Set("path", v.Explain.Path)
	}
	return "?" + q.Encode()
}

package debughttp

import (
	"html/template"
	"strings"
	"time"
)

// page is the whole page: style and all, so that it needs nothing from elsewhere.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"join":  strings.Join,
	"clock": clock,
	"short": func(d time.Duration) string { return d.Round(time.Millisecond).String() },
}).Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>esdriver: {{or .ClusterName "cluster"}}</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 1.5em; color: #222; background: #fff }
table { border-collapse: collapse; margin: .5em 0 1.5em }
th, td { border: 1px solid #ccc; padding: .2em .6em; text-align: left; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.alive { color: #060 } .dead, .suspect, .filtered { color: #a00 } .not-ready, .draining, .unverified { color: #850 }
pre { background: #f4f4f4; padding: .6em; white-space: pre-wrap }
input { width: 30em }
</style>
<h1>{{or .ClusterName "a cluster that has not answered yet"}}</h1>
<p>{{clock .At}}. Cluster UUID {{or .ClusterUUID "not known"}}; last sample {{clock .SampledAt}}{{if .Partial}}, which may lack nodes{{end}}.
<a href="?format=json">JSON</a></p>

<h2>Work</h2>
<table>
<tr><th>requests<th>failed<th>attempts<th>retries<th>retry budget<th>samples<th>failed<th>probes<th>failed<th>panics of hooks
<tr><td class="n">{{.Requests}}<td class="n">{{.Failures}}<td class="n">{{.Attempts}}<td class="n">{{.Retries}}<td class="n">{{printf "%.0f" .RetryTokens}}
<td class="n">{{.Samples}}<td class="n">{{.SampleFailures}}<td class="n">{{.Probes}}<td class="n">{{.ProbeFailures}}<td class="n">{{.HookPanics}}
</table>

<h2>Nodes</h2>
<table id="nodes">
<tr><th>node<th>address<th>state<th>version<th>roles<th>attributes<th>in flight<th>failures in a row<th>last failure
{{range .Nodes}}<tr><td>{{or .Name "?"}}<td>{{.Addr}}<td class="{{.State}}">{{.State}}{{if not .ProbedNext.IsZero}}, probed at {{clock .ProbedNext}}{{end}}
<td>{{.Version}}<td>{{join .Roles ", "}}<td>{{range $k, $v := .Attrs}}{{$k}}={{$v}} {{end}}<td class="n">{{.InFlight}}<td class="n">{{.Failures}}<td>{{.LastFailure}}
{{end}}</table>

<h2>Connections</h2>
<table id="pools">
<tr><th>node<th>class<th>used<th>idle<th>dialing<th>waiting<th>own<th>at most<th>handed out<th>timed out<th>dials<th>failed<th>waited
{{range $n := .Nodes}}{{range .Pools}}<tr><td>{{or $n.Name $n.Addr}}<td>{{.Class}}<td class="n">{{.InUse}}<td class="n">{{.Idle}}<td class="n">{{.Dialing}}<td class="n">{{.Waiting}}<td class="n">{{.Size}}<td class="n">{{.Limit}}
<td class="n">{{.Acquired}}<td class="n">{{.Timeouts}}<td class="n">{{.Dials}}<td class="n">{{.Failures}}<td class="n">{{short .Waited}}
{{end}}{{end}}</table>

<h2>Last failures</h2>
{{if .LastError}}<p>{{clock .LastErrorAt}}: {{.LastError}}</p>{{end}}
{{range .Failed}}<p>{{.Addr}}: {{.Error}}</p>{{end}}
{{if not (or .LastError .Failed)}}<p>None.</p>{{end}}

<h2>Where would a request go?</h2>
<form><input name="explain" placeholder="POST /books/_search" value="{{with .Explain}}{{.Request}}{{end}}"> <button>Explain</button></form>
{{with .Explain}}<pre>{{.Text}}</pre>{{end}}
</html>
`))

// clock is a time of day; a dash for one that is not known.
func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.TimeOnly)
}

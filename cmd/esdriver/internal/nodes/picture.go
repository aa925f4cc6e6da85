package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/complaint"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// The widths keep a line within 80 columns.
const (
	nameWidth = 16
	addrWidth = 24
	lineWidth = 80
)

// describe tells what the nodes are.
func describe(s plugins.Stats) []string {
	t := table.Table{Columns: []string{"node", "address", "state", "version", "roles"}}
	for _, n := range s.Nodes {
		t.Add(name(n.Node), clip(n.Node.Addr, addrWidth), n.State.String(), orDash(n.Node.Version), roles(n.Node))
	}
	return t.Lines()
}

// work tells what the nodes do: for each class the connections used, idle, and the callers that wait.
func (v *viewer) work(s plugins.Stats) []string {
	t := table.Table{Columns: []string{"node"}}
	for class := range pool.Class(pool.NumClasses) {
		t.Columns = append(t.Columns, class.String())
	}
	t.Columns = append(t.Columns, "flight", "p50", "p99")
	for _, n := range s.Nodes {
		row := []any{name(n.Node)}
		for _, p := range n.Pools {
			row = append(row, right(fmt.Sprintf("%d/%d/%d", p.InUse, p.Idle, p.Waiting)))
		}
		p50, p99 := v.clock.percentiles(n.Node.Addr)
		t.Add(append(row, n.InFlight, right(short(p50)), right(short(p99)))...)
	}
	return append(t.Lines(), "", "Classes: connections used/idle, and callers waiting for one.")
}

// picture draws what Top shows: over the last picture where there is room, else below it.
func (v *viewer) picture() {
	t, s := v.Topology(), v.Stats()
	lines := []string{
		clip(fmt.Sprintf("%s  cluster %s, %s", time.Now().Format(time.TimeOnly), orDash(t.ClusterName), counted(len(t.Nodes), "node")), lineWidth),
		fmt.Sprintf("requests %d, failed %d, attempts %d, retries %d, retry budget %.0f", s.Requests, s.Failures, s.Attempts, s.Retries, s.RetryTokens),
		"",
	}
	lines = append(append(append(lines, describe(s)...), ""), v.work(s)...)
	lines = append(lines, "", clip("last trouble: "+v.clock.lastTrouble(s), lineWidth))
	if v.Fits(len(lines)) {
		v.Redraw(lines)
		return
	}
	v.Lines("", append(lines, ""))
}

// troubles tells the last failure of each node that is not well.
func (v *viewer) troubles(s plugins.Stats) {
	for _, n := range s.Nodes {
		if n.State != plugins.Alive && n.LastErr != nil {
			v.Printf("\n%s is %s: %s\n", name(n.Node), n.State, complaint.Cause(n.LastErr))
		}
	}
}

// name is what a node is called: its name, or its address while that is not known.
func name(n *sampler.Node) string {
	if n.Name == "" {
		return clip(n.Addr, nameWidth)
	}
	return clip(n.Name, nameWidth)
}

// letters are the roles whose letter in _cat/nodes is not their first (Elasticsearch 8.19, cat nodes API).
var letters = map[string]string{
	"data_cold": "c", "data_frozen": "f", "data_hot": "h", "data_warm": "w", "data_content": "s",
	"cluster_manager": "m", "ml": "l", "remote_cluster_client": "r", "voting_only": "v",
}

// roles are the node's roles as _cat/nodes writes them: a letter each, a dash for a node that only coordinates.
func roles(n *sampler.Node) string {
	if n.Roles == nil {
		return "?"
	}
	var all []string
	for _, role := range n.Roles {
		letter := letters[role]
		if letter == "" && role != "" {
			letter = role[:1]
		}
		all = append(all, letter)
	}
	slices.Sort(all)
	return orDash(strings.Join(all, ""))
}

// short is a duration in a few characters; a dash while it is not known.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
	case d < 10*time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return d.Round(time.Second).String()
}

func right(text string) table.Cell { return table.Cell{Text: text, Right: true} }

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// clip shortens a text to a width.
func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "~"
	}
	return text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

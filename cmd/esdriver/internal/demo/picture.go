package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// maxEvents is how many of the last events are in a picture.
const maxEvents = 9

// redraw shows the picture of now in the place of the one before, where the screen can do so.
func (l *live) redraw() {
	if picture := l.picture(); l.Fits(len(picture)) {
		l.Redraw(picture)
		l.shown = len(l.watch.events)
	}
}

// final shows the end: the last picture on a terminal, and elsewhere what the lines have not told.
func (l *live) final() {
	if picture := l.picture(); l.Fits(len(picture)) {
		l.Redraw(picture)
		l.Println()
		return
	}
	l.events()
	l.block()
}

// picture is the live part as a block of lines.
func (l *live) picture() []string {
	t, now := l.load.tally(), time.Since(l.began)
	head := fmt.Sprintf("%4.1f s  %s  %d queries, %d failed, %d retried",
		min(now, l.duration).Seconds(), l.bar(now), t.queries, t.failed, l.watch.retries)
	block := []string{indent + l.Bold(head), ""}
	for _, line := range l.nodes() {
		block = append(block, indent+line)
	}
	block = append(block, "")
	for _, e := range l.watch.events[max(0, len(l.watch.events)-maxEvents):] {
		block = append(block, l.event(e))
	}
	return block
}

const barWidth = 20

// bar shows how much of the time is over.
func (l *live) bar(now time.Duration) string {
	done := int(min(barWidth, barWidth*now/l.duration))
	return "[" + strings.Repeat("#", done) + strings.Repeat(".", barWidth-done) + "]"
}

// classes are those that are shown, in the order of the columns.
var classes = []pool.Class{pool.Reg, pool.Bulk, pool.State, pool.Ping}

// nodes is the table of nodes.
func (l *live) nodes() []string {
	t := table.Table{Columns: []string{"node", "state", "requests"}}
	for _, class := range classes {
		t.Columns = append(t.Columns, class.String())
	}
	for _, n := range l.watch.nodes[:min(len(l.watch.nodes), maxNodes)] {
		row := []any{n.name, table.Cell{Text: n.state, Paint: l.colour(n.state)}, n.requests}
		for _, class := range classes {
			row = append(row, fmt.Sprintf("%d/%d", n.pools[class].InUse, n.pools[class].Idle))
		}
		t.Rows = append(t.Rows, row)
	}
	lines := t.Lines()
	lines[0] += "   used/idle"
	if more := len(l.watch.nodes) - maxNodes; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

func (l *live) colour(state string) func(string) string {
	switch state {
	case plugins.Alive.String():
		return l.Green
	case plugins.Dead.String(), gone:
		return l.Red
	}
	return l.Yellow
}

func (l *live) event(e event) string {
	line := clip(fmt.Sprintf("%s%4.1f s  %-6s  %s", indent, e.at.Seconds(), e.who, e.what), screen.Width)
	if e.who == "demo" {
		return l.Cyan(line)
	}
	return line
}

// events prints the events that have not been shown yet.
func (l *live) events() {
	for _, e := range l.watch.events[l.shown:] {
		l.Println(l.event(e))
	}
	l.shown = len(l.watch.events)
}

const (
	lineNodes = 4  // nodes that fit into a line
	lineWidth = 11 // columns of each
)

// line prints the figures of now in a line, where redraw does not, and the table of nodes when one has changed.
func (l *live) line() {
	if l.Fits(len(l.picture())) {
		return
	}
	l.events()
	nodes := l.watch.nodes[:min(len(l.watch.nodes), lineNodes)]
	if len(nodes) != l.columns {
		l.columns = len(nodes)
		l.print("  time  queries  failed  retries  ", nodes, func(n *watched) string { return n.name })
	}
	t := l.load.tally()
	l.print(fmt.Sprintf("%4.1f s  %7d  %6d  %7d  ", time.Since(l.began).Seconds(), t.queries, t.failed, l.watch.retries),
		nodes, l.sinceLast)
	if l.watch.changed {
		l.watch.changed = false
		l.block()
	}
}

// print prints a line with a column for each node.
func (l *live) print(line string, nodes []*watched, column func(*watched) string) {
	for _, n := range nodes {
		line += fmt.Sprintf("%-*s", lineWidth, clip(column(n), lineWidth-1))
	}
	l.Println(indent + strings.TrimRight(line, " "))
}

// sinceLast is how many requests the node was sent since the line before, or its state when it is not alive.
func (l *live) sinceLast(n *watched) string {
	sent := n.requests - l.last[n]
	l.last[n] = n.requests
	if n.state != plugins.Alive.String() {
		return n.state
	}
	return fmt.Sprint(sent)
}

// block prints the table of nodes between empty lines.
func (l *live) block() {
	l.Println()
	l.Lines(indent, l.nodes())
	l.Println()
}

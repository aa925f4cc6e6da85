package enginetest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// figures are what came of a load.
type figures struct {
	calls, failed [kinds]int
	conflicts     int             // creates that were answered 409
	duplicates    int             // documents more than one for a mark
	lost          int             // marks that were acknowledged and have no document
	took          []time.Duration // by requests; a statement is several
	even          time.Duration   // from a node's return to a load shared evenly; negative: not asked
}

func (l *load) figures(stored map[string]int) figures {
	f := figures{even: -1}
	for _, c := range l.calls {
		f.calls[c.kind]++
		if c.kind != insert {
			f.took = append(f.took, c.took)
		}
		if c.failed() {
			f.failed[c.kind]++
		}
		if c.kind == create && c.said.status == http.StatusConflict {
			f.conflicts++
		}
		for _, mark := range c.marks() {
			f.duplicates += max(0, stored[mark]-1)
			if !c.failed() && stored[mark] == 0 {
				f.lost++
			}
		}
	}
	slices.Sort(f.took)
	return f
}

// header is that of a Markdown table of figures.
var header = "| fault | engine | " + strings.Join(kindNames[:], " | failed | ") + " | failed | 409 | duplicates | lost | p99 ms | max ms | even after |"

// line is the figures as a line of that table.
func (f figures) line(fault, release string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |", fault, release)
	for kind := range kinds {
		fmt.Fprintf(&b, " %d | %d |", f.calls[kind], f.failed[kind])
	}
	last := len(f.took) - 1
	fmt.Fprintf(&b, " %d | %d | %d | %d | %d |", f.conflicts, f.duplicates, f.lost, f.took[last*99/100].Milliseconds(), f.took[last].Milliseconds())
	if f.even < 0 {
		return b.String() + " |"
	}
	return fmt.Sprintf("%s %.1f s |", &b, f.even.Seconds())
}

// evenAfter is how long after a moment the load was shared evenly again: for a second from then on each of the nodes
// answered at least half of what an equal share is. It is negative when that never was so.
func (l *load) evenAfter(at time.Duration, nodes int) time.Duration {
	const window, step = time.Second, 100 * time.Millisecond
	end := time.Duration(0)
	for _, c := range l.calls {
		end = max(end, c.at)
	}
	for from := at; from+window <= end; from += step {
		if shared(l.between(from, from+window), nodes) {
			return from - at
		}
	}
	return -1
}

func (l *load) between(from, to time.Duration) []call {
	return slices.DeleteFunc(slices.Clone(l.calls), func(c call) bool { return c.at < from || c.at >= to })
}

// shared reports whether each of the nodes answered at least half of an equal share of the calls whose node is known.
func shared(calls []call, nodes int) bool {
	by := map[string]int{}
	for _, c := range calls {
		by[c.node]++
	}
	known := len(calls) - by[""]
	delete(by, "")
	busy := 0
	for _, n := range by {
		if 2*nodes*n >= known {
			busy++
		}
	}
	return busy == nodes
}

// shares lists how many calls each node answered, second by second.
func (l *load) shares() string {
	var b strings.Builder
	for from := time.Duration(0); ; from += time.Second {
		calls := l.between(from, from+time.Second)
		if len(calls) == 0 {
			return b.String()
		}
		by := map[string]int{}
		for _, c := range calls {
			by[c.node]++
		}
		fmt.Fprintf(&b, "%s %v\n", from, by)
	}
}

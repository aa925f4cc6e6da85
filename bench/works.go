package main

import (
	"fmt"
	"slices"
	"time"
)

// work is one table: what is sent, by how many goroutines, to how many nodes.
type work struct {
	name       string
	title      string
	operation  string // of a closed loop; empty for a mixed work
	goroutines int    // of a closed loop
	bulks      int    // goroutines of a mixed work that send bulks
	nodes      int
}

const (
	allNodes      = 3  // of the server
	allGoroutines = 64 // at most, of a closed loop
)

var works = append(closedWorks(),
	work{name: "mixed-idle", title: "Searches alone, 1 node", nodes: 1},
	work{name: "mixed-bulk", title: "Searches beside 32 writers of slow 1 MiB bulks, 1 node", bulks: 32, nodes: 1},
)

func closedWorks() []work {
	var all []work
	add := func(operation, title string, goroutines, nodes int) {
		all = append(all, work{
			name:      fmt.Sprintf("%s/%d/%d", operation, goroutines, nodes),
			title:     fmt.Sprintf("%s, goroutines: %d, nodes: %d", title, goroutines, nodes),
			operation: operation, goroutines: goroutines, nodes: nodes,
		})
	}
	for _, nodes := range []int{1, allNodes} {
		for _, goroutines := range []int{1, 16, allGoroutines} {
			add("get300", "GET, answer of 300 bytes", goroutines, nodes)
		}
	}
	for _, goroutines := range []int{1, 8} {
		add("bulk1m", "POST, bulk of 1 MiB", goroutines, allNodes)
		add("get1m", "GET, answer of 1 MiB", goroutines, allNodes)
		add("select1", "SELECT of one row", goroutines, allNodes)
	}
	return all
}

// layers returns those of the names that the work is for: SQL is compared with our own requests of the same bytes.
func (w work) layers(names []string) []string {
	sql := w.operation == "select1"
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return sql && name != theOurs && name != theSQL || !sql && name == theSQL
	})
}

func (w work) mixed() bool { return w.operation == "" }

// run measures a layer at the work, in this process.
func (w work) run(name string, nodes []string, warm, duration time.Duration) (sample, error) {
	l, err := openLayer(name, nodes[:w.nodes])
	if err != nil {
		return sample{}, err
	}
	defer l.close()
	var s sample
	if w.mixed() {
		s = mixed(l, w.bulks, warm, duration)
	} else {
		s = closed(l, operations[w.operation], w.goroutines, warm, duration)
	}
	s.Layer = name
	if s.Ops == 0 {
		return s, fmt.Errorf("bench: %s at %s: nothing went well", name, w.name)
	}
	return s, nil
}

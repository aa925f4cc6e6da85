// Command bench compares this project's cluster with the transports of other clients and with what the kernel and Go's
// network poller cost alone. It starts canned nodes on loopback in a process of their own, measures each layer in a
// fresh process, one layer after the other in each round, and prints a Markdown table a work.
//
//	go run . -rounds 7
//	go run . -quick
//	go run . -works get300/64/3 -layers limit,esdriver -cpuprofile /tmp/cpu
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start() error {
	switch {
	case len(os.Args) > 1 && os.Args[1] == asServer:
		return serve()
	case len(os.Args) > 1 && os.Args[1] == asClient:
		return client()
	}
	p, err := parsePlan(os.Args[1:])
	if err != nil {
		return err
	}
	return p.run(os.Stdout)
}

// plan is what the command line asks for.
type plan struct {
	works                  []work
	layers                 []string
	rounds                 int
	warm, duration         time.Duration
	cpuProfile, memProfile string // prefixes of file names
}

func parsePlan(args []string) (plan, error) {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	worksFlag := flags.String("works", "*", "works to measure, comma separated, with * and ?: "+strings.Join(workNames(), " "))
	layersFlag := flags.String("layers", strings.Join(layerNames(), ","), "layers to measure, comma separated")
	quick := flags.Bool("quick", false, "one short round of everything: shows that it runs, its figures mean little")
	var p plan
	flags.IntVar(&p.rounds, "rounds", 7, "measurements of each layer at each work")
	flags.DurationVar(&p.warm, "warm", 200*time.Millisecond, "time before a measurement")
	flags.DurationVar(&p.duration, "duration", 700*time.Millisecond, "time of a measurement; four times as long for mixed works")
	flags.StringVar(&p.cpuProfile, "cpuprofile", "", "write CPU profiles to files that begin so")
	flags.StringVar(&p.memProfile, "memprofile", "", "write allocation profiles to files that begin so; spoils the times")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	if *quick {
		p.rounds, p.warm, p.duration = 1, 50*time.Millisecond, 100*time.Millisecond
	}
	p.layers = strings.Split(*layersFlag, ",")
	p.works = matching(*worksFlag)
	if len(p.works) == 0 || p.rounds < 1 {
		return p, fmt.Errorf("bench: nothing to measure")
	}
	return p, nil
}

// matching returns the works that one of the patterns matches.
func matching(patterns string) []work {
	var found []work
	for _, w := range works {
		for _, pattern := range strings.Split(patterns, ",") {
			if ok, err := path.Match(flat(pattern), flat(w.name)); err == nil && ok {
				found = append(found, w)
				break
			}
		}
	}
	return found
}

// flat lets a * stand for slashes too.
func flat(name string) string { return strings.ReplaceAll(name, "/", ":") }

func workNames() []string {
	var names []string
	for _, w := range works {
		names = append(names, w.name)
	}
	return names
}

func layerNames() []string {
	var names []string
	for _, l := range layers {
		names = append(names, l.name)
	}
	return names
}

// run measures everything and prints a table a work as soon as it is there.
func (p plan) run(out io.Writer) error {
	nodes, stop, err := startServer()
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(out, "%s. Rounds: %d of %v each.\n", machine(), p.rounds, p.duration)
	for _, w := range p.works {
		layers := w.layers(p.layers)
		rounds, err := p.measure(w, layers, nodes)
		if err != nil {
			return err
		}
		if w.mixed() {
			writeMixed(out, w, layers, rounds)
		} else {
			writeClosed(out, w, layers, rounds)
		}
	}
	return nil
}

// round holds one measurement of each layer.
type round map[string]sample

// measure measures the layers one after the other, round by round, each round from another layer on.
func (p plan) measure(w work, layers, nodes []string) ([]round, error) {
	var rounds []round
	for i := range p.rounds {
		r := round{}
		for j := range layers {
			name := layers[(i+j)%len(layers)]
			s, err := measure(p.task(w, name, nodes))
			if err != nil {
				return nil, err
			}
			r[name] = s
		}
		rounds = append(rounds, r)
	}
	return rounds, nil
}

func (p plan) task(w work, layer string, nodes []string) task {
	t := task{Layer: layer, Work: w.name, Nodes: nodes, Warm: p.warm, Duration: p.duration}
	if w.mixed() {
		t.Duration *= 4 // searches are few
	}
	suffix := "." + strings.NewReplacer("/", "-", " ", "-").Replace(w.name+"."+layer)
	if p.cpuProfile != "" {
		t.CPUProfile = p.cpuProfile + suffix
	}
	if p.memProfile != "" {
		t.MemProfile = p.memProfile + suffix
	}
	return t
}

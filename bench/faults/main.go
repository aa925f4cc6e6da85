// Faults puts several clients under the same load on a real cluster, does harm to one of its nodes meanwhile, and
// prints what came of it: failed requests, documents written twice, acknowledged documents that are missing, times.
// The cluster is one that a run.sh of .ci/engines has started, which kills and freezes its nodes too:
//
//	.ci/engines/opensearch/run.sh start
//	go run ./bench/faults -harness .ci/engines/opensearch/run.sh
//
// It makes and deletes the index faults, and touches no others.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func main() {
	program := flag.String("harness", ".ci/engines/opensearch/run.sh", "the run.sh that started the cluster")
	names := flag.String("clients", strings.Join(clientNames(), ","), "clients to compare, with commas between them")
	faults := flag.String("faults", "kill,freeze,restart", "faults to make, with commas between them")
	flag.Parse()
	if err := compare(harness(*program), strings.Split(*names, ","), strings.Split(*faults, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func compare(h harness, names, faults []string) error {
	out, err := h.do("addrs")
	if err != nil {
		return err
	}
	addrs := strings.Split(strings.TrimSpace(out), ",")
	fmt.Println("| fault | client | reads | failed | creates | failed | posts | failed | duplicates | lost | p99 ms | max ms |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, fault := range faults {
		for _, name := range names {
			if err := one(h, addrs, fault, name); err != nil {
				return fmt.Errorf("%s with %s: %w", fault, name, err)
			}
		}
	}
	return nil
}

// one puts one client under load during one fault.
func one(h harness, addrs []string, fault, name string) error {
	story, ok := stories[fault]
	if !ok {
		return fmt.Errorf("no such fault")
	}
	c, err := newClient(name, addrs)
	if err != nil {
		return err
	}
	defer c.close()
	l, err := newLoad(c, addrs[0])
	if err != nil {
		return err
	}
	stop := l.start()
	err = story(h, l)
	stop()
	if err = cmp.Or(err, l.whole()); err != nil {
		return err
	}
	f, err := l.figures()
	if err != nil {
		return err
	}
	fmt.Println(f.line(fault, name))
	for _, reason := range slices.Sorted(l.reasons()) {
		fmt.Fprintln(os.Stderr, "  ", reason)
	}
	return nil
}

// harness is the path of a run.sh.
type harness string

func (h harness) do(command string) (string, error) {
	cmd := exec.Command(string(h), strings.Fields(command)...)
	cmd.WaitDelay = time.Second // a node that inherited the pipe does not hold us up
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", h, command, err)
	}
	return string(out), nil
}

// stories are what happens to the nodes under load, by the faults' names.
var stories = map[string]func(harness, *load) error{
	"kill":    func(h harness, l *load) error { return l.tell(h, "kill 1", 4*time.Second, "up 1") },
	"freeze":  func(h harness, l *load) error { return l.tell(h, "freeze 2", 5*time.Second, "thaw 2") },
	"restart": restart,
}

// tell lets four seconds go by, does harm, undoes it after a while, and waits until the node has been back for long.
func (l *load) tell(h harness, harm string, after time.Duration, undo string) error {
	pass(4 * time.Second)
	if _, err := h.do(harm); err != nil {
		return err
	}
	pass(after)
	_, err := h.do(undo)
	pass(12 * time.Second)
	return err
}

// restart stops and starts one node after the other.
func restart(h harness, l *load) error {
	for i := range 3 {
		if err := l.tell(h, fmt.Sprintf("down %d", i), 0, fmt.Sprintf("up %d", i)); err != nil {
			return err
		}
		if err := l.whole(); err != nil {
			return err
		}
	}
	return nil
}

func pass(d time.Duration) { <-time.NewTimer(d).C }

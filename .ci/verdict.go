// Verdict reads the output of go test -json, prints one line a package and every failure in full, and ends with
// "N passed, N failed, N skipped". It fails when a test failed, when none ran, and when one was skipped for
// another reason than an engine or a browser that is not there. It ends with 3 when nothing is wrong but that the
// race detector itself has died, with a line "died" and the package for each, so that these can be run again.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// excuses are what a skipped test may say: the variable that would have named the engine, or the browser.
var excuses = []string{"ESDRIVER_TEST_ADDRS", "ESDRIVER_TEST_SQL_ADDRS", "ESDRIVER_TEST_CHROMIUM"}

type verdict struct {
	output                  map[string][]string // by package and test
	passed, failed, skipped int
	broken                  bool
	failures                map[string]int // by package
	died                    []string
}

func main() {
	v := verdict{output: map[string][]string{}, failures: map[string]int{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // a build's own words
			continue
		}
		v.take(e)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", v.passed, v.failed, v.skipped)
	if v.broken || v.failed > 0 || v.passed == 0 || lines.Err() != nil {
		os.Exit(1)
	}
	for _, name := range v.died {
		fmt.Printf("died\t%s\n", name)
	}
	if len(v.died) > 0 {
		os.Exit(3)
	}
}

func (v *verdict) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		v.output[key] = append(v.output[key], e.Output)
	case "pass":
		v.count(e, &v.passed)
		delete(v.output, key)
	case "fail", "build-fail":
		v.count(e, &v.failed)
		v.failures[e.Package]++
		fmt.Print(strings.Join(v.output[key], ""))
		delete(v.output, key)
		v.broken = v.broken || e.Test != "" || !v.detectorDied(e.Package)
	case "skip":
		v.skip(e, strings.Join(v.output[key], ""))
		delete(v.output, key)
	}
}

// detectorDied prints what the tests said that ran when their program died, and reports whether that was in the race
// detector's own code and nothing else was wrong. With testing/synctest it does so about once in two hundred runs (Go
// 1.26.8: SIGSEGV at address 0, outside of Go's text).
func (v *verdict) detectorDied(name string) bool {
	said := ""
	for key, output := range v.output {
		if strings.HasPrefix(key, name+" ") {
			said += strings.Join(output, "")
		}
	}
	fmt.Print(said)
	if v.failures[name] > 1 || !strings.Contains(said, "SIGSEGV: segmentation violation\nPC=") {
		return false
	}
	v.died = append(v.died, name)
	return true
}

func (v *verdict) count(e event, n *int) {
	if e.Test != "" {
		*n++
		return
	}
	fmt.Printf("%s\t%s\t%.1fs\n", e.Action, e.Package, e.Elapsed)
}

func (v *verdict) skip(e event, said string) {
	if e.Test == "" {
		return // a package without tests
	}
	v.skipped++
	if !slices.ContainsFunc(excuses, func(x string) bool { return strings.Contains(said, x) }) {
		v.broken = true
		fmt.Printf("skipped without an excuse: %s %s\n%s", e.Package, e.Test, said)
	}
}

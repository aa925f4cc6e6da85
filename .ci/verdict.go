// Verdict reads the output of go test -json, prints one line a package and every failure in full, and ends with
// "N passed, N failed, N skipped". It fails when a test failed, when none ran, and when one was skipped for
// another reason than an engine that is not there.
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

// excuses are what a skipped test may say: the variable that would have named the engine.
var excuses = []string{"ESDRIVER_TEST_ADDRS", "ESDRIVER_TEST_SQL_ADDRS"}

type verdict struct {
	output                  map[string][]string // by package and test
	passed, failed, skipped int
	broken                  bool
}

func main() {
	v := verdict{output: map[string][]string{}}
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
		v.broken = true
		fmt.Print(strings.Join(v.output[key], ""))
		delete(v.output, key)
		if e.Test == "" {
			v.unended(e.Package)
		}
	case "skip":
		v.skip(e, strings.Join(v.output[key], ""))
		delete(v.output, key)
	}
}

// unended prints what the tests said that ran when their program died.
func (v *verdict) unended(name string) {
	for key, output := range v.output {
		if strings.HasPrefix(key, name+" ") {
			fmt.Print(strings.Join(output, ""))
			v.failed++
		}
	}
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

// Package leaktest finds goroutines that a test left behind.
package leaktest

import (
	"runtime"
	"strings"
	"time"
)

// patience is how long a goroutine may take to end after its test; tick is the pause between two looks.
const (
	patience = 3 * time.Second
	tick     = 2 * time.Millisecond
)

// TB is the part of testing.TB that Check needs.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Check fails the test when goroutines that did not exist at the call still run when the test has ended, and
// prints their stacks. They are given 3 seconds to end. Call it first in the test, so that it looks after every
// other cleanup has run, and not in a parallel test, whose neighbours' goroutines it would take for leaks.
func Check(t TB) {
	t.Helper()
	before := goroutines()
	t.Cleanup(func() {
		t.Helper()
		for _, stack := range left(before) {
			t.Errorf("leaktest: this goroutine was left behind:\n%s", stack)
		}
	})
}

// left returns the stacks of the goroutines that are not in before, once they are none or patience is over.
func left(before map[string]string) []string {
	end := time.NewTimer(patience)
	defer end.Stop()
	again := time.NewTicker(tick)
	defer again.Stop()
	for {
		stacks := added(before, goroutines())
		if len(stacks) == 0 {
			return nil
		}
		select {
		case <-again.C:
		case <-end.C:
			return stacks
		}
	}
}

func added(before, now map[string]string) []string {
	var stacks []string
	for id, stack := range now {
		if _, old := before[id]; !old {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// goroutines returns the stack of each goroutine but the caller's and those of the runtime and package
// testing, by the goroutine's number, which is never used twice.
func goroutines() map[string]string {
	stacks := strings.Split(strings.TrimSpace(string(allStacks())), "\n\n")
	found := make(map[string]string, len(stacks))
	for _, stack := range stacks[1:] { // the first is the caller's
		if !foreign(stack) {
			id, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
			found[id] = stack
		}
	}
	return found
}

// allStacks grows its buffer until every stack fits; runtime.Stack cuts off in silence.
func allStacks() []byte {
	for buf := make([]byte, 1<<16); ; buf = make([]byte, 2*len(buf)) {
		if n := runtime.Stack(buf, true); n < len(buf) {
			return buf[:n]
		}
	}
}

// foreign reports whether the goroutine belongs to the runtime or to package testing. Its first function is the
// last of the stack, two lines each, before the line that says who created it; one that has not begun to run
// shows runtime.goexit behind it.
func foreign(stack string) bool {
	own, creator, _ := strings.Cut(stack, "\ncreated by ")
	own, _, _ = strings.Cut(own, "\nruntime.goexit(")
	lines := strings.Split(own, "\n")
	first := lines[max(0, len(lines)-2)]
	for _, prefix := range []string{"testing.", "testing/", "runtime.", "os/signal.", "internal/synctest."} {
		if strings.HasPrefix(first, prefix) {
			return true
		}
	}
	return strings.HasPrefix(creator, "runtime.")
}

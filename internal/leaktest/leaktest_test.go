package leaktest_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
)

// recorder stands in for the test that is checked.
type recorder struct {
	cleanups []func()
	errors   []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) end() {
	for _, f := range r.cleanups {
		f()
	}
}

func blockUntilClosed(release chan struct{}) { <-release }

func TestGoroutineLeftBehindIsReportedWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the 3 seconds of patience pass at once
		r, release := &recorder{}, make(chan struct{})
		leaktest.Check(r)
		go blockUntilClosed(release)
		r.end()
		close(release)
		require.Len(t, r.errors, 1)
		assert.Contains(t, r.errors[0], "blockUntilClosed")
	})
}

func TestGoroutineThatEndsInTimeIsNoLeak(t *testing.T) {
	r, release := &recorder{}, make(chan struct{})
	leaktest.Check(r)
	go blockUntilClosed(release)
	go close(release)
	r.end()
	assert.Empty(t, r.errors)
}

func TestGoroutineFromBeforeIsNoLeak(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	go blockUntilClosed(release)
	r := &recorder{}
	leaktest.Check(r)
	r.end()
	assert.Empty(t, r.errors)
}

func TestSubtestsAndTheRuntimeAreNoLeak(t *testing.T) {
	leaktest.Check(t)
	t.Run("sub", func(t *testing.T) { leaktest.Check(t) })
}

package plugins_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

func TestEveryStateHasAName(t *testing.T) {
	seen := map[string]bool{}
	for s := plugins.Unverified; s <= plugins.Filtered; s++ {
		assert.NotContains(t, s.String(), "(")
		assert.False(t, seen[s.String()], s.String())
		seen[s.String()] = true
	}
	assert.Equal(t, "not-ready", plugins.NotReady.String())
	assert.Equal(t, "state(200)", plugins.State(200).String())
}

func TestFailedAttemptSaysWhereAndWhatWasSent(t *testing.T) {
	cause := errors.New("connection reset")
	err := &plugins.AttemptError{
		Node: "10.0.0.1:9200", Name: "es-1", Class: pool.Bulk, Number: 2, Took: 3 * time.Millisecond, Wrote: true, Err: cause,
	}
	assert.EqualError(t, err, "attempt 2 on es-1 10.0.0.1:9200 (class bulk, 3ms, request sent): connection reset")
	assert.ErrorIs(t, err, cause)
	assert.False(t, err.SafeToRetry())
	err.Wrote, err.Name = false, ""
	assert.EqualError(t, err, "attempt 2 on 10.0.0.1:9200 (class bulk, 3ms, nothing sent): connection reset")
	assert.True(t, err.SafeToRetry())
}

func TestExplanationPrintsItsText(t *testing.T) {
	assert.Equal(t, "would go to n1\n", fmt.Sprint(plugins.Explanation{Text: "would go to n1\n"}))
}

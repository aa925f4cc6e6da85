package cluster

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRetriesStayWithinAShareOfRequestsAndTenASecond(t *testing.T) {
	now := time.Now()
	b := newBudget(0.2, now)
	requests, retries := uint64(0), 0
	const seconds = 10
	for i := range 1000 * seconds {
		requests++
		now = now.Add(time.Millisecond)
		if b.take(requests, now) && i >= 0 {
			retries++
		}
	}
	assert.InDelta(t, 0.2*1000*seconds+budgetPerSecond*seconds+budgetStart, retries, 2)
}

func TestBudgetRunsDryWithoutRequestsAndFillsWithTime(t *testing.T) {
	now := time.Now()
	b := newBudget(0.2, now)
	for range budgetStart {
		assert.True(t, b.take(0, now))
	}
	assert.False(t, b.take(0, now))
	assert.True(t, b.take(0, now.Add(100*time.Millisecond)))
	assert.False(t, b.take(0, now.Add(100*time.Millisecond)))
	assert.EqualValues(t, budgetCapacity, b.left(0, now.Add(time.Hour)))
}

func TestClockThatStepsBackCostsNoTokens(t *testing.T) {
	now := time.Now()
	b := newBudget(0.2, now)
	assert.EqualValues(t, budgetStart, b.left(0, now.Add(-time.Hour)))
}

func TestRetryAfterIsReadInSecondsAndAsADate(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"3":                             3 * time.Second,
		"-1":                            0,
		"soon":                          0,
		"Mon, 30 Nov 2026 12:00:07 GMT": 7 * time.Second,
		"Mon, 30 Nov 2026 11:00:00 GMT": 0,
		"99999999999999999999":          (1<<31 - 1) * time.Second, // longer than anybody waits
	} {
		assert.Equal(t, want, retryAfter(http.Header{"Retry-After": {value}}, now), value)
	}
}

func TestDeadTimesGrowToTheirLimitAndNoFurther(t *testing.T) {
	waits := deadWaits()
	for n := range 20000 {
		limit := 30 * time.Second
		if n < 5 {
			limit = time.Second << n
		}
		wait := waits.NextBackOff()
		assert.LessOrEqual(t, wait, limit)
		assert.GreaterOrEqual(t, wait, time.Duration(0))
	}
	waits.Reset()
	assert.LessOrEqual(t, waits.NextBackOff(), time.Second)
}

func TestFirstContactBindsToACluster(t *testing.T) {
	id := &identity{}
	assert.NoError(t, id.judge("", ""))
	assert.NoError(t, id.judge("a", "_na_"))
	assert.NoError(t, id.judge("a", "u1"))
	assert.ErrorContains(t, id.judge("a", "u2"), "uuid")
	assert.ErrorContains(t, id.judge("b", "u1"), `"b"`)
	assert.NoError(t, id.judge("a", ""))
	assert.NoError(t, (&identity{ignore: true, name: "x"}).judge("y", "z"))
}

func TestLatecomerToTheBudgetBringsNoTokens(t *testing.T) {
	now := time.Now()
	b := newBudget(0.2, now)
	for range budgetCapacity {
		b.take(100, now)
	}
	before := b.left(100, now)
	assert.InDelta(t, before, b.left(99, now), 1e-9, "a count that was read earlier comes later")
	assert.InDelta(t, before, b.left(100, now), 1e-9)
}

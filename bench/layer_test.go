package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/bench/srv"
)

func nodes(t *testing.T) []string {
	t.Helper()
	n, err := srv.Listen(allNodes)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return n.Addrs()
}

func TestEveryLayerCarriesEveryOperation(t *testing.T) {
	addrs := nodes(t)
	for _, l := range layers {
		for name, o := range operations {
			if len(work{operation: name}.layers([]string{l.name})) == 0 {
				continue
			}
			t.Run(l.name+"/"+name, func(t *testing.T) {
				opened, err := l.open(addrs)
				require.NoError(t, err)
				defer opened.close()
				w := newWorker(0)
				for range 2 { // the second on a connection that was used
					require.NoError(t, opened.do(t.Context(), w, o))
				}
			})
		}
	}
}

func TestLayerSeesARefusal(t *testing.T) {
	addrs := nodes(t)
	for _, l := range layers {
		if l.name == theLimit {
			continue // it only counts bytes
		}
		t.Run(l.name, func(t *testing.T) {
			opened, err := l.open(addrs)
			require.NoError(t, err)
			defer opened.close()
			assert.Error(t, opened.do(t.Context(), newWorker(0), &operation{method: "GET", path: srv.Refused}))
		})
	}
}

func TestWorkIsMeasured(t *testing.T) {
	addrs := nodes(t)
	for _, w := range works {
		t.Run(w.name, func(t *testing.T) {
			s, err := w.run(theOurs, addrs, time.Millisecond, 30*time.Millisecond)
			require.NoError(t, err)
			assert.Zero(t, s.Errors)
			assert.Positive(t, s.Allocs)
			if w.mixed() {
				assert.Positive(t, s.P99)
				assert.LessOrEqual(t, s.P50, s.P99)
			}
		})
	}
}

func TestUnknownLayerIsAnError(t *testing.T) {
	_, err := works[0].run("no such", nodes(t), 0, 0)
	assert.ErrorContains(t, err, `"no such"`)
}

func TestRatioIsTheMedianOfTheRoundsRatios(t *testing.T) {
	rounds := []round{
		{"a": {CPU: 20}, theLimit: {CPU: 10}},
		{"a": {CPU: 900}, theLimit: {CPU: 300}},
		{"a": {CPU: 40}, theLimit: {CPU: 10}},
	}
	assert.Equal(t, "3.00", ratio(rounds, "a", theLimit))
	assert.Empty(t, ratio(rounds, "a", theOurs), "a base that was not measured")
}

func TestPatternsChooseWorks(t *testing.T) {
	assert.Len(t, matching("*"), len(works))
	assert.Empty(t, matching("nothing"))
	chosen := matching("get300/*/3,mixed-*")
	names := make([]string, 0, len(chosen))
	for _, w := range chosen {
		names = append(names, w.name)
	}
	assert.True(t, slices.Equal([]string{"get300/1/3", "get300/16/3", "get300/64/3", "mixed-idle", "mixed-bulk"}, names), names)
}

package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeraldKeepsItsOrderAndForgetsWhatIsTooMuch(t *testing.T) {
	h := newHerald()
	var told []int
	for i := range mostEvents + 10 {
		h.add(func() { told = append(told, i) })
	}
	events, lost := h.take()
	assert.Len(t, events, mostEvents)
	assert.Equal(t, 10, lost)
	for _, event := range events {
		event()
	}
	assert.IsIncreasing(t, told)
	assert.Zero(t, told[0])
	events, lost = h.take()
	assert.Empty(t, events)
	assert.Zero(t, lost)
}

package sampler_test

import (
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/sampler"
)

func TestNamesAreSortedAndHoldTheBuiltInSamplers(t *testing.T) {
	names := sampler.Names()
	assert.True(t, slices.IsSorted(names))
	assert.Subset(t, names, []string{"ping", "sniff", "static"})
}

func TestUnknownSamplerIsAnErrorThatListsTheKnownOnes(t *testing.T) {
	_, err := sampler.New("snif", nil)
	assert.ErrorContains(t, err, `unknown sampler "snif"`)
	assert.ErrorContains(t, err, "ping, sniff, static")
}

func TestRegisterRefusesEmptyNilAndDuplicate(t *testing.T) {
	newSampler := func(url.Values) (sampler.Sampler, error) { return sampler.Static{}, nil }
	assert.Panics(t, func() { sampler.Register("", newSampler) })
	assert.Panics(t, func() { sampler.Register("mine", nil) })
	assert.Panics(t, func() { sampler.Register("ping", newSampler) })
	assert.NotContains(t, sampler.Names(), "mine")
}

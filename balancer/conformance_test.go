package balancer_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/balancer/balancertest"
)

// mustNew makes a registered balancer; params is a query such as "local=a".
func mustNew(tb testing.TB, name, params string) balancer.Balancer {
	tb.Helper()
	values, err := url.ParseQuery(params)
	require.NoError(tb, err)
	b, err := balancer.New(name, values)
	require.NoError(tb, err)
	return b
}

func TestBuiltInBalancersKeepTheContract(t *testing.T) {
	for _, c := range []struct{ name, params string }{
		{"leastbusy", ""},
		{"roundrobin", ""},
		{"zone", "local=a"},
		{"zone", "local=nowhere"},
		{"zone", "local=b&inner=roundrobin"},
		{"zone", "local=b&inner=zone&inner.attr=zone&inner.local=b"},
	} {
		t.Run(c.name+"/"+c.params, func(t *testing.T) {
			balancertest.Run(t, func() balancer.Balancer { return mustNew(t, c.name, c.params) })
		})
	}
}

func TestBuiltInBalancersAreRegistered(t *testing.T) {
	assert.Subset(t, balancer.Names(), []string{"leastbusy", "roundrobin", "zone"})
	assert.Contains(t, balancer.Names(), balancer.Default)
	assert.IsNonDecreasing(t, balancer.Names())
}

func TestUnknownNameNamesTheKnownOnes(t *testing.T) {
	_, err := balancer.New("leastbuzy", nil)
	assert.ErrorContains(t, err, `"leastbuzy"`)
	assert.ErrorContains(t, err, "leastbusy, roundrobin, zone")
}

func TestWrongParamsAreErrors(t *testing.T) {
	for _, c := range []struct{ name, params, want string }{
		{"leastbusy", "speed=2", "balancer: leastbusy: speed: unknown parameter (known: none)"},
		{"roundrobin", "a=1&b=2", "roundrobin: a: unknown parameter (known: none)"},
		{"zone", "local=a&atr=rack", "zone: atr: unknown parameter (known: attr, inner, local)"},
		{"zone", "", "zone: local: want the zone to stay in"},
		{"zone", "local=a&inner=best", `zone: inner: got "best": want leastbusy, roundrobin, zone`},
		{"zone", "local=a&inner.speed=2", "inner.speed: unknown parameter (known: attr, inner, local)"},
		{"zone", "local=a&inner=zone", "inner.local: want the zone to stay in"},
	} {
		values, err := url.ParseQuery(c.params)
		require.NoError(t, err)
		b, err := balancer.New(c.name, values)
		assert.Nil(t, b, c.params)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestRegisterPanicsOnNonsense(t *testing.T) {
	construct := func(url.Values) (balancer.Balancer, error) { return nil, nil }
	assert.Panics(t, func() { balancer.Register("", construct) })
	assert.Panics(t, func() { balancer.Register("mine", nil) })
	assert.Panics(t, func() { balancer.Register("leastbusy", construct) })
}

func TestPickerOfNoNodesSaysSo(t *testing.T) {
	for _, name := range []string{"leastbusy", "roundrobin"} {
		_, err := mustNew(t, name, "").Update(nil).Pick(balancer.Request{})
		assert.ErrorIs(t, err, balancer.ErrNoNode, name)
	}
}

func TestKindsHaveNames(t *testing.T) {
	assert.Equal(t, "node failed", balancer.NodeFailed.String())
	assert.Equal(t, "pool full", balancer.PoolFull.String())
	assert.Equal(t, "kind(99)", balancer.Kind(99).String())
}

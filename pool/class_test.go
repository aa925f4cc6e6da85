package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

func TestClassIsParsedFromItsName(t *testing.T) {
	for class := range pool.Class(pool.NumClasses) {
		got, err := pool.ParseClass(class.String())
		require.NoError(t, err)
		assert.Equal(t, class, got)
	}
	_, err := pool.ParseClass("medium")
	require.EqualError(t, err, `pool: unknown class "medium" (known: recovery, bulk, reg, state, ping)`)
}

func TestClassTravelsInTheContext(t *testing.T) {
	_, ok := pool.ClassFrom(t.Context())
	assert.False(t, ok)
	got, ok := pool.ClassFrom(pool.WithClass(t.Context(), pool.Recovery))
	assert.True(t, ok)
	assert.Equal(t, pool.Recovery, got)
}

func TestDefaultSizesMakeThirteen(t *testing.T) {
	assert.EqualValues(t, 13, pool.DefaultSizes.Total())
}

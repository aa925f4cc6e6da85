package sqlapi

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumbersOfBlocksAreGivenOnce(t *testing.T) {
	var blocks IDs
	now := time.Now()
	var mu sync.Mutex // guards seen
	seen := map[int64]bool{}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for size := range int64(200) {
				first := blocks.Take(size+1, now)
				mu.Lock()
				for id := first; id <= first+size; id++ {
					assert.False(t, seen[id])
					seen[id] = true
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for id := range seen {
		require.Positive(t, id)
	}
}

func TestNumbersGrowWithTimeAndLastLong(t *testing.T) {
	var blocks IDs
	first := blocks.Take(1, time.Now())
	assert.Greater(t, blocks.Take(1, time.Now().Add(2*time.Millisecond)), first)
	assert.Positive(t, blocks.Take(1, time.Date(2095, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func TestTextIDsNeedNoEscape(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := textID()
		require.Regexp(t, `^[A-Za-z0-9_-]{20}$`, id)
		require.False(t, seen[id])
		seen[id] = true
	}
}

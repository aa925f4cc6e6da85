package sqlapi

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"time"
)

// textID returns a new id of 20 characters that need no escaping in a URL: 120 random bits. That two are equal is
// beyond all likelihood, so a document with such an id is the one that it was made for.
func textID() string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], rand.Uint64())
	binary.BigEndian.PutUint64(raw[8:], rand.Uint64())
	return base64.RawURLEncoding.EncodeToString(raw[:15])
}

// A numeric id has 41 bits of milliseconds since idEpoch, which last until 2095, and below them 22 random bits.
const idRandomBits = 22

var idEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// IDs makes numeric ids. Its zero value is ready; it may be used by many goroutines.
type IDs struct {
	mu   sync.Mutex // guards last
	last int64      // the last id that was given
}

// Take returns the first of n ids that follow each other, all positive and above those it has given before. Another
// process may have made the same: a write with such an id must be one that fails then.
func (b *IDs) Take(n int64, now time.Time) int64 {
	first := now.Sub(idEpoch).Milliseconds()<<idRandomBits + rand.Int64N(1<<idRandomBits)
	b.mu.Lock()
	defer b.mu.Unlock()
	if first <= b.last {
		first = b.last + 1
	}
	b.last = first + n - 1
	return first
}

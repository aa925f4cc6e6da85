package cluster

import (
	"sync"
	"time"
)

// The budget's figures: those of Finagle's RetryBudget, 10 retries a second beside a share of the requests.
const (
	budgetPerSecond = 10
	budgetCapacity  = 100
	budgetStart     = 10
)

// budget is a client-wide token bucket for requests that are sent twice. A retry takes a token; requests
// bring their share and time brings ten a second. Only a retry touches it: what requests have brought is
// worked out from their count.
type budget struct {
	share float64

	mu       sync.Mutex // mu guards all below
	tokens   float64
	requests uint64 // the count at the last look
	at       time.Time
}

func newBudget(share float64, now time.Time) *budget {
	return &budget{share: share, tokens: budgetStart, at: now}
}

// take takes a token and reports whether there was one.
func (b *budget) take(requests uint64, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(requests, now)
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// left returns what is left.
func (b *budget) left(requests uint64, now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(requests, now)
	return b.tokens
}

func (b *budget) fill(requests uint64, now time.Time) {
	if elapsed := now.Sub(b.at); elapsed > 0 {
		b.tokens += elapsed.Seconds() * budgetPerSecond
		b.at = now
	}
	if requests > b.requests { // another may have looked later and be here first
		b.tokens += float64(requests-b.requests) * b.share
		b.requests = requests
	}
	b.tokens = min(b.tokens, budgetCapacity)
}

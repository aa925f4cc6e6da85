package cluster

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// fullJitter returns waits that are drawn evenly from nothing to first, 2·first, 4·first … and at most limit.
// A randomization factor of 1 spreads a wait from zero to twice its interval, hence the halves.
// It is for one goroutine at a time.
func fullJitter(first, limit time.Duration) *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(first/2),
		backoff.WithMaxInterval(limit/2),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(1),
		backoff.WithMaxElapsedTime(0),
	)
}

// Waits before another attempt: after an overload, 100 ms · 2ⁿ up to 10 s (the MongoDB client back-pressure
// specification, whose first wait is n = 1); after an unavailable node, which another node makes up for, less.
func overloadWaits() *backoff.ExponentialBackOff {
	return fullJitter(200*time.Millisecond, 10*time.Second)
}
func failoverWaits() *backoff.ExponentialBackOff {
	return fullJitter(50*time.Millisecond, 5*time.Second)
}

// deadWaits are the pauses between two probes of a node that cannot be reached: 1 s · 2ⁿ, at most 30 s.
func deadWaits() *backoff.ExponentialBackOff { return fullJitter(time.Second, 30*time.Second) }

// retryAfter reads a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3); 0 when there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then it is the largest number there is
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

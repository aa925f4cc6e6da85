package pool

import (
	"context"
	"time"
)

// waiter is a caller that waits for a connection.
type waiter[C any] struct {
	ready      chan grant[C] // holds one grant; sent to once, by whoever takes the waiter out of its queue
	since      time.Time
	prev, next *waiter[C]
	queued     bool
}

// grant is what a waiter gets: a connection or an error.
type grant[C any] struct {
	conn Conn[C]
	err  error
}

func newWaiter[C any]() *waiter[C] {
	return &waiter[C]{ready: make(chan grant[C], 1), since: time.Now()}
}

// await returns the grant and true, or false when the context or the time limit ended first.
func (w *waiter[C]) await(ctx context.Context, limit time.Duration) (grant[C], bool) {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case g := <-w.ready:
		return g, true
	case <-ctx.Done():
	case <-over:
	}
	return grant[C]{}, false
}

// queue is a class's waiters in order of arrival. The class's lock guards it.
type queue[C any] struct {
	first, last *waiter[C]
	length      int32
}

// push adds the waiter at the end.
func (q *queue[C]) push(w *waiter[C]) {
	w.prev, w.queued = q.last, true
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
	q.length++
}

// remove takes the waiter out and reports whether it was still there.
func (q *queue[C]) remove(w *waiter[C]) bool {
	if !w.queued {
		return false
	}
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next, w.queued = nil, nil, false
	q.length--
	return true
}

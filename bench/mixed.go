package main

import (
	"context"
	"sync/atomic"
	"time"
)

// The searches of a mixed work: few and at fixed times, so that a slow answer does not make the next one late.
const (
	searchers   = 4
	searchEvery = 5 * time.Millisecond // of each
)

// mixed is searches at fixed times beside bulks in a closed loop. A search's latency counts from when it was due; what
// the timer was late by is the measuring side's own and is taken off.
func mixed(l layer, bulks int, warm, duration time.Duration) sample {
	run := load{layer: l}
	latencies := make([][]time.Duration, searchers)
	for i := range latencies {
		pace := newPace(time.Duration(i) * searchEvery / searchers)
		run.start(func(ctx context.Context, w *worker) {
			due := pace.wait()
			if run.send(ctx, w, operations["get300"]) {
				latencies[i] = append(latencies[i], time.Since(due))
			}
		})
	}
	var done atomic.Int64
	for range bulks {
		run.start(func(ctx context.Context, w *worker) {
			if run.send(ctx, w, operations["slowbulk"]) {
				done.Add(1)
			}
		})
	}
	return run.measure(warm, duration, func(s *sample) {
		var all []time.Duration
		for _, some := range latencies {
			all = append(all, some...)
		}
		s.Ops, s.Bulks = len(all), int(done.Load())
		s.setPercentiles(all)
	})
}

// pace tells one searcher when its next search is due.
type pace struct {
	due   time.Time
	timer *time.Timer
}

func newPace(offset time.Duration) *pace {
	return &pace{due: time.Now().Add(offset), timer: time.NewTimer(0)}
}

// wait returns when a search is due, and since when it is. One that is due already, because the one before was slow,
// is due since its own time; a timer that is late moves it.
func (p *pace) wait() time.Time {
	if left := time.Until(p.due); left > 0 {
		p.timer.Reset(left)
		<-p.timer.C
		p.due = time.Now()
	}
	due := p.due
	p.due = due.Add(searchEvery)
	return due
}

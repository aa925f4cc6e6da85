package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// The phases of a measurement.
const (
	warming int32 = iota
	measuring
	stopping
)

// load is one measurement: goroutines that send requests through one layer.
type load struct {
	layer  layer
	phase  atomic.Int32
	errors atomic.Int64
	begun  int // workers
	all    sync.WaitGroup
}

// start starts a goroutine that calls each until the load stops, with a worker of its own and a context that could be
// cancelled, as a server's requests have one. each is told whether its request counts.
func (l *load) start(each func(ctx context.Context, w *worker)) {
	w := newWorker(l.begun)
	l.begun++
	l.all.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		for l.phase.Load() != stopping {
			each(ctx, w)
		}
	})
}

// send sends one request and reports whether it counts: it went well, and ended in the measured time.
func (l *load) send(ctx context.Context, w *worker, o *operation) bool {
	if err := l.layer.do(ctx, w, o); err != nil {
		if l.errors.Add(1) == 1 {
			fmt.Fprintf(os.Stderr, "bench: %s %s: %v\n", o.method, o.path, err)
		}
		return false
	}
	return l.phase.Load() == measuring
}

// measure lets the load warm up, runs it for the duration, stops it, and returns what was counted. count is called
// when all goroutines have ended.
func (l *load) measure(warm, duration time.Duration, count func(*sample)) sample {
	wait(warm)
	runtime.GC()
	from := readMeter()
	l.phase.Store(measuring)
	wait(duration)
	to := readMeter()
	l.phase.Store(stopping)
	l.all.Wait()
	var s sample
	count(&s)
	to.since(from, &s)
	s.Errors = int(l.errors.Load())
	return s
}

func wait(d time.Duration) { <-time.NewTimer(d).C }

// closed is a closed loop: each goroutine sends its next request when it has read the answer to the one before.
func closed(l layer, o *operation, goroutines int, warm, duration time.Duration) sample {
	run := load{layer: l}
	counts := make([]struct { // a cache line each
		n int
		_ [56]byte
	}, goroutines)
	for i := range counts {
		run.start(func(ctx context.Context, w *worker) {
			if run.send(ctx, w, o) {
				counts[i].n++
			}
		})
	}
	return run.measure(warm, duration, func(s *sample) {
		for i := range counts {
			s.Ops += counts[i].n
		}
	})
}

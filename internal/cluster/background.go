package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// background owns the cluster's goroutines: each asks start before it begins and calls done at its end; stop
// tells all to end, wait waits for them.
type background struct {
	ctx    context.Context // ends with stop; handed to probes and samples, never to a caller's request
	cancel context.CancelFunc

	mu    sync.Mutex // mu orders start against stop
	ended bool
	wg    sync.WaitGroup
}

func newBackground() *background {
	ctx, cancel := context.WithCancel(context.Background())
	return &background{ctx: ctx, cancel: cancel}
}

// start reports whether a goroutine may begin; it must then call done.
func (b *background) start() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.wg.Add(1)
	return true
}

func (b *background) done() { b.wg.Done() }

func (b *background) stop() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.cancel()
}

func (b *background) stopped() bool             { return b.ctx.Err() != nil }
func (b *background) stopping() <-chan struct{} { return b.ctx.Done() }
func (b *background) context() context.Context  { return b.ctx }

// waitGrace is what goroutines are given to end once the context of wait has: as a rule they need no more than a
// moment, and only a plug-in that does not return can hold them longer.
const waitGrace = time.Second

// wait returns when every goroutine has ended, or with the context's error some time after that has.
func (b *background) wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() { // ends when the last goroutine of the cluster has ended
		b.wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	grace := time.NewTimer(waitGrace)
	defer grace.Stop()
	select {
	case <-ended:
		return nil
	case <-grace.C:
		return fmt.Errorf("cluster: a sampler, balancer or hook has not returned: %w", context.Cause(ctx))
	}
}

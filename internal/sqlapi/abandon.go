package sqlapi

import (
	"context"
	"sync"
	"time"
)

const (
	// closeTimeout bounds the closing of a cursor.
	closeTimeout = 5 * time.Second
	// abandonTimeout is how long the first page of a cancelled statement is waited for, to close its cursor.
	// Elasticsearch stops a statement when its client hangs up, so it must not be long.
	abandonTimeout = time.Second
)

// opened is the outcome of a first request.
type opened struct {
	page *page
	err  error
}

// firstPage runs the plan's first request. If the answer may have a cursor and the caller may end ctx, another goroutine
// sends it, so that the end of ctx is noticed at once and the cursor is not lost. That goroutine is waited for
// here or in abandon.
func (c *Client) firstPage(ctx context.Context, p *plan) (*page, error) {
	if !p.ends || !p.pages || p.onePage() {
		return p.begin(ctx)
	}
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan opened, 1)
	go func() {
		first, err := p.begin(detached)
		done <- opened{first, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			cancel()
			return nil, o.err
		}
		o.page.holdUntil(cancel)
		return o.page, nil
	case <-ctx.Done():
		c.background.run(func() { abandon(p, done, cancel) })
		return nil, context.Cause(ctx)
	}
}

// abandon waits for the first page of a statement that nobody wants any more, and closes its cursor.
func abandon(p *plan, done <-chan opened, cancel context.CancelFunc) {
	defer cancel()
	patience, stop := context.WithTimeout(context.Background(), abandonTimeout)
	defer stop()
	var o opened
	select {
	case o = <-done:
	case <-patience.Done():
		cancel()
		o = <-done
	}
	if o.err == nil {
		p.discard(o.page, "")
	}
}

// background owns goroutines that nobody waits for but close.
type background struct {
	mu      sync.Mutex // guards closed against tasks that begin while close waits
	closed  bool
	running sync.WaitGroup
}

// run starts the task, or runs it at once when close has been called.
func (b *background) run(task func()) {
	b.mu.Lock()
	closed := b.closed
	if !closed {
		b.running.Go(task)
	}
	b.mu.Unlock()
	if closed {
		task()
	}
}

// close waits for all tasks; each is bounded by its own timeouts.
func (b *background) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.running.Wait()
}

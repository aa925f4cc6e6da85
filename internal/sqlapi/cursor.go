package sqlapi

import (
	"context"
	"sync/atomic"
)

// Cursors counts what became of the cursors that statements opened on servers.
type Cursors struct {
	Opened uint64 // first pages that came with a cursor
	Closed uint64 // read to their end, or closed by request
	Lost   uint64 // the request to close them failed: the server drops them when their time is over
}

type cursorCounts struct{ opened, closed, lost atomic.Uint64 }

func (c *cursorCounts) load() Cursors {
	return Cursors{Opened: c.opened.Load(), Closed: c.closed.Load(), Lost: c.lost.Load()}
}

// discardAll gives back what the rows hold. The cursor is closed by a request of its own, since the statement's
// context may have ended.
func (p *plan) discardAll(r *Rows) {
	if r.ahead != nil {
		r.plan.end()
		if next, err := r.ahead.wait(); err == nil {
			p.client.cursors.adopt(&r.cursor, next)
			next.free()
		}
		r.ahead = nil
	}
	p.discard(r.page, r.cursor)
	r.cursor = ""
}

// adopt follows the cursor of a page that nobody will read.
func (c *cursorCounts) adopt(cursor *string, next *page) {
	if next.in != nil {
		return // the end of the page has not come; the cursor that led to it will do
	}
	if next.cursor == "" {
		c.closed.Add(1)
	}
	*cursor = next.cursor
}

// discard gives a page back and closes its cursor, or the one that led to it. What the server has to be asked
// for is asked for with a time limit of its own, since the statement's context may have ended.
func (p *plan) discard(last *page, cursor string) {
	unread := cursor == "" && last.in != nil
	if cursor == "" && !last.noted && last.in == nil && last.cursor != "" {
		cursor = last.cursor
		p.client.cursors.opened.Add(1)
	}
	if !unread && cursor == "" && last.asyncID == "" {
		last.free()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if unread {
		cursor = p.drain(ctx, last)
	}
	last.free()
	if last.asyncID != "" {
		p.dropAsync(ctx, last.asyncID)
	}
	if cursor != "" {
		p.closeCursor(ctx, cursor)
	}
}

// drain reads the rest of a first page and returns its cursor, which comes after the rows.
func (p *plan) drain(ctx context.Context, first *page) string {
	stop := context.AfterFunc(ctx, first.release)
	defer stop()
	first.drain()
	if first.cursor != "" {
		p.client.cursors.opened.Add(1)
	}
	return first.cursor
}

// closeCursor tells the server that the cursor is no longer needed.
func (p *plan) closeCursor(ctx context.Context, cursor string) {
	resp, err := p.client.send(ctx, p.closing(cursor))
	if err != nil {
		p.client.cursors.lost.Add(1)
		return
	}
	_ = resp.Body.Close()
	p.client.cursors.closed.Add(1)
}

package sqlapi

import (
	"context"
	"net/http"
)

// maxFlying is how many chunks of one INSERT are on their way at once, while the next is being made ready. It bounds
// what an INSERT holds in memory to so many chunks and one.
const maxFlying = 2

// chunk is the rows of an INSERT that are sent with one request.
type chunk struct {
	bulk *bulk
	rows []insertRow // of the items of bulk, by their row
	base int         // the number of the first row in the statement
	done chan error  // gets the error of the request, once
}

func (in *insert) newChunk() *chunk {
	return &chunk{
		bulk: in.client.newBulk(in.scope.table.name, in.call, in.refresh(), bulkAnswers), base: int(in.seen), done: make(chan error, 1),
	}
}

func (c *chunk) full() bool { return c.bulk.full() || len(c.rows) >= maxBulkItems }

// next is an empty chunk, one that has landed if there is one.
func (in *insert) next() *chunk {
	if len(in.free) == 0 {
		return in.newChunk()
	}
	c := in.free[0]
	in.free = in.free[1:]
	c.bulk.reset()
	c.rows, c.base = c.rows[:0], int(in.seen)
	return c
}

// launch sends the current chunk and begins another. When enough are on their way it waits for the one that was sent
// first. The goroutine ends with the request, and land waits for it.
func (in *insert) launch(ctx context.Context) error {
	c := in.chunk
	in.flying, in.chunk = append(in.flying, c), in.next()
	if in.ordered() {
		c.done <- in.work(ctx, c)
		return in.land()
	}
	go func() { c.done <- in.work(ctx, c) }()
	if len(in.flying) < maxFlying {
		return nil
	}
	return in.land()
}

// ordered reports whether it matters which of two rows with one key is written first.
func (in *insert) ordered() bool {
	return in.conflict.op != opCreate || in.conflict.merges || in.conflict.nothing
}

// finish sends what is left and waits for all. It returns the first error.
func (in *insert) finish(ctx context.Context, err error) error {
	if c := in.chunk; err == nil && in.done.failed == 0 && len(c.rows) > 0 {
		in.flying, in.chunk = append(in.flying, c), in.next()
		c.done <- in.work(ctx, c)
	}
	for len(in.flying) > 0 {
		if landed := in.land(); err == nil {
			err = landed
		}
	}
	return err
}

// land waits for the chunk that was sent first, and counts its rows.
func (in *insert) land() error {
	c := in.flying[0]
	in.flying = in.flying[1:]
	err := <-c.done
	for i := range c.bulk.items {
		in.settle(c, &c.bulk.items[i])
	}
	in.free = append(in.free, c)
	return err
}

// work sends a chunk and finds out what has become of its rows.
func (in *insert) work(ctx context.Context, c *chunk) error {
	if in.conflict.merges {
		return in.merge(ctx, c)
	}
	err := c.bulk.run(ctx)
	if doubt := in.resolve(ctx, c); err == nil {
		err = doubt
	}
	return err
}

// settle counts a row by the verdict on it.
func (in *insert) settle(c *chunk, item *bulkItem) {
	row := &c.rows[item.row]
	switch {
	case item.done() && item.op == opUpdate && item.result != "created":
		in.done.updated++
	case item.done():
		in.done.inserted++
		if in.returned != nil {
			in.give(c.base+item.row, in.proposal(*row))
		}
	case item.status == 0 && item.unsure && item.err != nil:
		in.done.doubt(item.err)
	case item.status == 0 && item.unsure:
		in.done.unknown++
	case item.status == 0:
	case item.failed(http.StatusConflict) && item.op == opCreate && in.conflict.nothing:
	case item.failed(http.StatusConflict) && item.op == opCreate:
		in.collided = in.first != 0 && row.made && len(in.n.Rows) <= 1
		in.done.fail(&DuplicateKeyError{Table: in.table, Key: row.id})
	default:
		in.done.fail(item.err)
	}
}

package load

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

// Each node is sent to by so many requests at a time; with fewer it would idle between them.
const (
	sendersPerNode = 2
	mostSenders    = 16
)

// transfer is the way of a file's rows: one goroutine reads them into batches, several send these, and the caller's
// settles them in the order of the file. Batches go round, so that their number bounds both memory and how far sending
// runs ahead of what is settled.
type transfer struct {
	free, full, sent chan *batch
	fail             context.CancelCauseFunc
}

// transfer loads the rest of a file. All its goroutines have ended when it returns.
func (l *loader) transfer(ctx context.Context, s *source, j *journal, bad *rejects, p *progress) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	senders := min(max(1, len(l.Topology().Nodes))*sendersPerNode, mostSenders)
	t := &transfer{
		free: make(chan *batch, 2*senders), full: make(chan *batch), sent: make(chan *batch), fail: fail,
	}
	for range 2 * senders {
		t.free <- &batch{}
	}
	var group sync.WaitGroup
	group.Go(func() { t.read(ctx, s, &encoder{id: newIdentity(j.Source), types: l.table.types}) })
	for range senders {
		group.Go(func() {
			t.send(ctx, &sender{link: l.Link, path: l.table.path("_bulk?filter_path=errors,items.*.status,items.*.error")})
		})
	}
	go func() { // ends when the group has, which the loop below waits for
		group.Wait()
		close(t.sent)
	}()
	t.settle(j, bad, p)
	return context.Cause(ctx)
}

// read fills batches until the file ends.
func (t *transfer) read(ctx context.Context, s *source, e *encoder) {
	defer close(t.full)
	for number := 0; ; number++ {
		var b *batch
		select {
		case b = <-t.free:
		case <-ctx.Done():
			return
		}
		b.reset(number)
		err := fill(b, s, e)
		if b.end.Rows > 0 && !t.hand(ctx, t.full, b) {
			return
		}
		if err != nil {
			if err != io.EOF {
				t.fail(err)
			}
			return
		}
	}
}

// fill reads rows into a batch until it is full.
func fill(b *batch, s *source, e *encoder) error {
	for !b.full() {
		r, err := s.next()
		if err != nil {
			return err
		}
		b.add(&r, e)
	}
	return nil
}

// hand passes a batch on, unless the transfer has failed.
func (t *transfer) hand(ctx context.Context, to chan<- *batch, b *batch) bool {
	select {
	case to <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends batches until there are no more, or one fails.
func (t *transfer) send(ctx context.Context, s *sender) {
	for b := range t.full {
		if err := s.send(ctx, b); err != nil {
			t.fail(err)
			return
		}
		t.sent <- b
	}
}

// settle takes batches in the order of the file and keeps account of them, until the senders have ended. An error of
// its own ends them, too.
func (t *transfer) settle(j *journal, bad *rejects, p *progress) {
	early := map[int]*batch{}
	show, save := time.NewTicker(p.every), time.NewTicker(saveEvery)
	defer show.Stop()
	defer save.Stop()
	for next := 0; ; {
		select {
		case b, more := <-t.sent:
			if !more {
				return
			}
			early[b.number] = b
		case <-show.C:
			p.show()
		case <-save.C:
			t.note(j.save())
		}
		for b := early[next]; b != nil; b = early[next] {
			delete(early, next)
			next++
			if !t.note(j.account(b, bad)) {
				next = -1 // what comes after a row that is not accounted for must not be either
			}
			t.free <- b
		}
	}
}

// note ends the transfer at an error, and reports whether there was none.
func (t *transfer) note(err error) bool {
	if err != nil {
		t.fail(err)
	}
	return err == nil
}

// saveEvery is how often the journal is written: what was settled after that is sent once more if the load is killed.
const saveEvery = time.Second

// account adds a batch to the journal. The rejected rows are written before the journal says that they are.
func (j *journal) account(b *batch, bad *rejects) error {
	slices.SortFunc(b.rejects, func(x, y reject) int { return cmp.Compare(x.Row, y.Row) })
	if err := bad.write(b.rejects); err != nil {
		return err
	}
	j.Done, j.Kept = b.end, bad.size
	j.Created += b.created
	j.Already += b.already
	j.Rejected += int64(len(b.rejects))
	return nil
}

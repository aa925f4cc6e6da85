package sqlapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/pool"
)

// A bulk request has at most so many items and, unless a single item is larger, so many bytes.
const (
	maxBulkItems = 1000
	maxBulkBytes = 5 << 20
)

// maxBulkTries is how often a bulk request is sent, all items or those that the server had no room for. The waits
// between two tries sum up to about half a minute.
const maxBulkTries = 12

// bulkAnswers is the part of the answer that is asked for.
const bulkAnswers = "errors,items.*.status,items.*.result,items.*.error"

// guardedAnswers is the part that is asked for where writes are guarded.
const guardedAnswers = bulkAnswers + ",items.*._primary_term"

// bulkOp is what an item does.
type bulkOp string

// The operations of items.
const (
	opCreate bulkOp = "create"
	opIndex  bulkOp = "index"
	opUpdate bulkOp = "update"
	opDelete bulkOp = "delete"
)

// bulkItem is one item of a bulk request and what has become of it.
type bulkItem struct {
	op  bulkOp
	id  string
	row int // the caller's number of the row

	begin, source, end int // its lines in bulk.buf; source is where its second line begins

	status int    // of its verdict, 0 while there is none
	result string // created, updated, deleted, noop, not_found
	term   int64  // the primary's that has carried it out, where it was asked for
	err    error  // why it failed; *Error
	unsure bool   // a try without an answer may have done it
}

// done reports whether the item has been carried out.
func (i *bulkItem) done() bool { return i.status != 0 && i.err == nil }

// failed reports whether the item's verdict is of the status.
func (i *bulkItem) failed(status int) bool { return i.err != nil && i.status == status }

// bulk is a bulk request to one index, which is sent until each of its items has a verdict. It is not safe for
// concurrent use.
type bulk struct {
	client *Client
	path   string
	query  string
	id     string // X-Opaque-Id
	buf    []byte
	items  []bulkItem
}

func (c *Client) newBulk(index string, call Call, refresh, answers string) *bulk {
	query := url.Values{"filter_path": {answers}}
	if refresh != "" && refresh != "false" {
		query.Set("refresh", refresh)
	}
	if call.Routing != "" {
		query.Set("routing", call.Routing)
	}
	return &bulk{client: c, path: "/" + index + "/_bulk", query: query.Encode(), id: call.RequestID}
}

// full reports whether the request should be sent before another item is added.
func (b *bulk) full() bool { return len(b.items) >= maxBulkItems || len(b.buf) >= maxBulkBytes }

// reset forgets all items and keeps the memory.
func (b *bulk) reset() { b.buf, b.items = b.buf[:0], b.items[:0] }

// add begins an item with its action line; write appends its second line without a line's end, and is nil for a
// delete. When write fails there is no item.
func (b *bulk) add(item bulkItem, guard version, write func(buf []byte) ([]byte, error)) error {
	item.begin = len(b.buf)
	b.action(item, guard)
	item.source = len(b.buf)
	if write != nil {
		buf, err := write(b.buf)
		if err != nil {
			b.buf = b.buf[:item.begin]
			return err
		}
		b.buf = append(buf, '\n')
	}
	item.end = len(b.buf)
	b.items = append(b.items, item)
	return nil
}

func (b *bulk) action(item bulkItem, guard version) {
	b.buf = append(b.buf, `{"`...)
	b.buf = append(b.buf, item.op...)
	b.buf = append(b.buf, `":{"_id":`...)
	b.buf, _ = jsontext.AppendQuote(b.buf, item.id)
	if guard.term > 0 {
		b.buf = append(b.buf, `,"if_seq_no":`...)
		b.buf = strconv.AppendInt(b.buf, guard.seqNo, 10)
		b.buf = append(b.buf, `,"if_primary_term":`...)
		b.buf = strconv.AppendInt(b.buf, guard.term, 10)
	}
	b.buf = append(b.buf, "}}\n"...)
}

// sourceOf returns the item's second line as it was sent.
func (b *bulk) sourceOf(item *bulkItem) []byte { return b.buf[item.source : item.end-1] }

// run sends the items until each has a verdict, again after a wait those that the server had no room for, and all
// whose answer was lost. On an error the items without a verdict have not been carried out, unless they are unsure.
func (b *bulk) run(ctx context.Context) error {
	waits := bulkWaits()
	for try := 1; ; try++ {
		err := b.try(ctx)
		switch {
		case err == nil && b.open() == 0:
			return nil
		case err == nil && try >= b.tries():
			return b.overloaded()
		case err != nil && (!b.repeats(ctx, err) || try >= b.tries()):
			return causeOf(ctx, err)
		}
		if err := pause(ctx, waits.NextBackOff()); err != nil {
			return err
		}
	}
}

func (b *bulk) tries() int {
	if b.client.options.NoRetry {
		return 1
	}
	return maxBulkTries
}

// repeats reports whether another try is due after a request as a whole has failed, and notes what it may have done.
func (b *bulk) repeats(ctx context.Context, err error) bool {
	gone := lost(err)
	for i := range b.items {
		item := &b.items[i]
		item.unsure = item.unsure || gone && item.status == 0
	}
	return ctx.Err() == nil && (gone || overload(err))
}

// open counts the items that have no verdict.
func (b *bulk) open() int {
	n := 0
	for i := range b.items {
		if b.items[i].status == 0 {
			n++
		}
	}
	return n
}

// overloaded is the error of items that the server had no room for all the time.
func (b *bulk) overloaded() error {
	for i := range b.items {
		if item := &b.items[i]; item.status == 0 && item.err != nil {
			return item.err
		}
	}
	return ErrOverloaded
}

// bulkWaits are the waits between two tries: 50 ms, then twice as long each time up to 5 s, give or take a half.
func bulkWaits() backoff.BackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(50*time.Millisecond), backoff.WithMultiplier(2),
		backoff.WithMaxInterval(5*time.Second), backoff.WithMaxElapsedTime(0),
	)
}

// pause waits, or returns the context's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// try sends the items without a verdict once.
func (b *bulk) try(ctx context.Context) error {
	if _, ok := pool.ClassFrom(ctx); !ok && b.client.options.Class == nil {
		ctx = pool.WithClass(ctx, pool.Bulk)
	}
	resp, err := b.client.send(ctx, request{
		method: http.MethodPost, path: b.path, query: b.query, body: b.pending(), id: b.id, repeat: repeatNo,
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer bulkAnswer
	if err := json.UnmarshalRead(resp.Body, &answer, decodeOptions...); err != nil {
		return &AnswerError{Node: nodeOf(resp), Msg: "to _bulk cannot be read", Err: err}
	}
	return b.take(resp, answer)
}

// pending is the body: the lines of the items without a verdict.
func (b *bulk) pending() []byte {
	if b.open() == len(b.items) {
		return b.buf
	}
	var body []byte
	for i := range b.items {
		if item := &b.items[i]; item.status == 0 {
			body = append(body, b.buf[item.begin:item.end]...)
		}
	}
	return body
}

// bulkAnswer is the answer to a bulk request. Each item has one member, named by its operation.
type bulkAnswer struct {
	Errors *bool `json:"errors"`
	Items  []struct {
		Create *itemAnswer `json:"create"`
		Index  *itemAnswer `json:"index"`
		Update *itemAnswer `json:"update"`
		Delete *itemAnswer `json:"delete"`
	} `json:"items"`
}

type itemAnswer struct {
	Status      int          `json:"status"`
	Result      string       `json:"result"`
	PrimaryTerm int64        `json:"_primary_term"`
	Error       *errorObject `json:"error"`
}

// take gives the items their verdicts, in the order in which they were sent.
func (b *bulk) take(resp *http.Response, answer bulkAnswer) error {
	if len(answer.Items) != b.open() {
		return &AnswerError{Node: nodeOf(resp), Msg: "to _bulk has not as many items as the request"}
	}
	next := 0
	for i := range b.items {
		if b.items[i].status != 0 {
			continue
		}
		a := answer.Items[next]
		next++
		for _, verdict := range []*itemAnswer{a.Create, a.Index, a.Update, a.Delete} {
			if verdict != nil {
				b.items[i].take(resp, verdict)
			}
		}
	}
	return nil
}

// take gives the item its verdict. One that the server had no room for gets none, and neither does one whose shard
// did not answer: that one may have been carried out.
func (i *bulkItem) take(resp *http.Response, a *itemAnswer) {
	i.err = nil
	if a.Error != nil {
		i.err = newError(resp, a.Status, *a.Error)
	}
	switch {
	case a.Status == http.StatusTooManyRequests:
	case a.Status >= http.StatusInternalServerError:
		i.unsure = true
	default:
		i.status, i.result, i.term = a.Status, a.Result, a.PrimaryTerm
	}
}

// lost reports whether a request that has failed may have been carried out.
func lost(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status == http.StatusBadGateway || refused.Status == http.StatusServiceUnavailable ||
			refused.Status == http.StatusGatewayTimeout
	}
	var knows interface{ SafeToRetry() bool }
	if errors.As(err, &knows) {
		return !knows.SafeToRetry()
	}
	return !errors.Is(err, cluster.ErrClosed)
}

// overload reports whether the server has refused a request because it had too much to do.
func overload(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests
}

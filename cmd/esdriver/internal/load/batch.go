package load

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A batch is sent when it has so many bytes or rows: enough to keep a server busy, and little enough to be repeated.
const (
	batchBytes = 2 << 20
	batchRows  = 5000
)

// batch is what goes in one request, and what became of it. Batches are used again and again, so that a load takes the
// same memory whatever its length.
type batch struct {
	number  int      // in the order of the file
	body    []byte   // action and document of each item, a line each
	items   []item   // rows that are sent
	end     place    // after the last row
	rejects []reject // rows that were not read or not taken, in the order of the file once settled
	created int64
	already int64 // rows that the server had from an earlier try
}

// item is a row within a body.
type item struct {
	number             int64
	from, document, to int // in the body
}

// reject is a row that was not loaded.
type reject struct {
	Row      int64           `json:"row"`
	Error    string          `json:"error"`
	Document json.RawMessage `json:"document,omitempty"` // what the server refused
	Line     string          `json:"line,omitempty"`     // what could not be read
	Fields   []string        `json:"fields,omitempty"`
}

func (b *batch) reset(number int) {
	*b = batch{number: number, body: b.body[:0], items: b.items[:0], rejects: b.rejects[:0]}
}

func (b *batch) full() bool {
	return len(b.body) >= batchBytes || len(b.items)+len(b.rejects) >= batchRows
}

// add takes a row in.
func (b *batch) add(r *row, e *encoder) {
	b.end = place{Position: r.end, Rows: r.number}
	if r.bad != nil {
		b.rejects = append(b.rejects, unread(r))
		return
	}
	it := item{number: r.number, from: len(b.body)}
	b.body = append(b.body, `{"create":{"_id":"`...)
	b.body = e.id.append(b.body, r)
	b.body = append(b.body, "\"}}\n"...)
	it.document = len(b.body)
	b.body = e.document(b.body, r)
	b.body = append(b.body, '\n')
	it.to = len(b.body)
	b.items = append(b.items, it)
}

// unread is a row that could not be read.
func unread(r *row) reject {
	cause := r.bad
	if inner := errors.Unwrap(cause); inner != nil {
		cause = inner
	}
	bad := reject{Row: r.number, Error: cause.Error(), Line: string(r.line)}
	bad.Fields = append(bad.Fields, r.fields...)
	return bad
}

// answer is what a server says to a bulk request, as far as it is asked for.
type answer struct {
	Errors bool
	Items  []struct{ Create outcome }
}

// outcome is what became of one item.
type outcome struct {
	Status int
	Error  *struct {
		Type   string
		Reason string
		Cause  *struct {
			Reason string
		} `json:"caused_by"`
	}
}

// settle takes the outcomes of the items at the places, and returns the places of those to be sent again.
func (b *batch) settle(a *answer, sent []int) (again []int, err error) {
	if !a.Errors {
		b.created += int64(len(sent))
		return sent[:0], nil
	}
	if len(a.Items) != len(sent) {
		return nil, fmt.Errorf("load: the answer to %d items has %d", len(sent), len(a.Items))
	}
	again = sent[:0]
	for i, place := range sent {
		switch o := a.Items[i].Create; {
		case o.Status < 300:
			b.created++
		case o.Status == 409:
			b.already++
		case o.Status == 429 || o.Status >= 500:
			again = append(again, place)
		default:
			b.refuse(b.items[place], &o)
		}
	}
	return again, nil
}

func (b *batch) refuse(it item, o *outcome) {
	bad := reject{Row: it.number, Document: json.RawMessage(b.body[it.document : it.to-1]), Error: fmt.Sprint("status ", o.Status)}
	if o.Error != nil {
		bad.Error = o.Error.Type + ": " + o.Error.Reason
		if o.Error.Cause != nil {
			bad.Error += ": " + o.Error.Cause.Reason
		}
	}
	b.rejects = append(b.rejects, bad)
}

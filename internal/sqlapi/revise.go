package sqlapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// maxRevisions is how often a row is read and written until nobody else has changed it in between. The waits grow to a
// fifth of a second and sum up to some twenty.
const maxRevisions = 100

// revision is one row that is read, judged, and written on condition that it is still as it was read. When it is not,
// all begins again.
type revision struct {
	id    string
	row   int // the caller's number of the row
	tries int
	last  decision // of the last try
	read  stored   // what it was about
	// unsure says that a try to change what was read got no answer, and then a refusal that it may have caused itself.
	unsure bool
	// rival is the primary's term under which somebody has done what a refused try was to do; 0 if nobody has. It was
	// this statement itself if that primary was lost just after the write: then the shard's next term is another.
	rival int64
}

// decision is what is to be done to a document.
type decision struct {
	op      bulkOp                           // empty when it is left as it is
	write   func(buf []byte) ([]byte, error) // the item's second line; nil for a delete
	after   map[string]any                   // the document as it is then; as it was, for a delete
	repeats bool                             // to do it once more does no harm
}

// reviser changes rows one by one. decide is asked for each row as it is read, perhaps several times; doc is nil when
// there is none, and belongs to decide. settled is told of each row that was written.
type reviser struct {
	*write
	index   string
	bulk    *bulk
	decide  func(r *revision, doc map[string]any) (decision, error)
	settled func(r *revision)
}

func (w *write) reviser(index string) *reviser {
	return &reviser{write: w, index: index, bulk: w.client.newBulk(index, w.call, w.refresh(), guardedAnswers)}
}

// run revises the rows, and ends with the chunk in which the first has failed.
func (v *reviser) run(ctx context.Context, rows []*revision) error {
	for chunk := range slices.Chunk(rows, maxReadIDs) {
		if err := v.chunk(ctx, chunk); err != nil || v.done.failed > 0 {
			return err
		}
	}
	return nil
}

func (v *reviser) chunk(ctx context.Context, open []*revision) error {
	waits := revisionWaits()
	for {
		var err error
		if open, err = v.round(ctx, open); err != nil || len(open) == 0 {
			return err
		}
		if err := pause(ctx, waits.NextBackOff()); err != nil {
			v.giveUp(open)
			return err
		}
	}
}

func revisionWaits() backoff.BackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(2*time.Millisecond), backoff.WithMultiplier(1.5),
		backoff.WithMaxInterval(200*time.Millisecond), backoff.WithMaxElapsedTime(0),
	)
}

// giveUp counts rows that a try may have written.
func (v *reviser) giveUp(open []*revision) {
	for _, r := range open {
		if r.unsure {
			v.done.unknown++
		}
	}
}

// round reads the rows and writes those that it can; it returns those that others have changed in between.
func (v *reviser) round(ctx context.Context, open []*revision) ([]*revision, error) {
	ids := make([]string, len(open))
	for i, r := range open {
		ids[i] = r.id
	}
	docs, err := v.client.readBack(ctx, v.index, ids, v.call)
	if err != nil {
		v.giveUp(open)
		return nil, err
	}
	v.bulk.reset()
	for i, r := range open {
		if err := v.judge(i, r, docs[i]); err != nil {
			v.giveUp(open)
			return nil, err
		}
	}
	if len(v.bulk.items) == 0 {
		return nil, nil
	}
	err = v.bulk.run(ctx)
	return v.verdicts(open), err
}

// judge decides about one row and puts what is to be done into the bulk request.
func (v *reviser) judge(i int, r *revision, doc stored) error {
	fields, err := v.open(doc)
	if err != nil {
		return err
	}
	if r.unsure && v.resolve(r, doc, fields) {
		r.unsure = false
		return nil
	}
	r.noteRival(doc, fields)
	// A copy that lags behind shows what was read before, and so does one that the first try has not reached yet.
	r.unsure, r.read = r.unsure && doc.at == r.read.at, doc
	if r.last, err = v.decide(r, fields); err != nil || r.last.op == "" {
		return err
	}
	return v.bulk.add(bulkItem{op: r.last.op, id: r.id, row: i}, doc.at, r.last.write)
}

// open decodes a document, nil when there is none.
func (v *reviser) open(doc stored) (map[string]any, error) {
	if !doc.found {
		return nil, nil
	}
	if doc.source == nil {
		return nil, &UnsupportedError{Construct: "a change of rows of " + v.table, Why: "the index keeps no _source"}
	}
	fields, err := decodeDocument(doc.source)
	if err != nil {
		return nil, &AnswerError{Msg: "a document cannot be read", Err: err}
	}
	fields[idField.name] = doc.id
	return fields, nil
}

// resolve finds out whether a try without an answer was carried out, and reports whether the row is done with. A
// document that nobody has touched since it was read tells that it was not; one that has become just what the try
// wanted to make of it, and by a single change, that it was. One that has changed in another way since hides it: to try
// again is right only if that does no harm.
func (v *reviser) resolve(r *revision, doc stored, fields map[string]any) bool {
	switch {
	case doc.found && doc.at == r.read.at:
		return false
	case r.came(doc, fields):
		v.settled(r)
		return true
	case r.last.op == opDelete || r.last.repeats || !doc.found && r.last.op == opCreate:
		return false
	}
	v.done.doubt(fmt.Errorf("sqlapi: row %q of table %s, which others have changed since: %w", r.id, v.table, cluster.ErrMaybeExecuted))
	return true
}

// came reports whether the document is what the last try wanted to make of it.
func (r *revision) came(doc stored, fields map[string]any) bool {
	switch {
	case r.last.op == opDelete:
		return !doc.found
	case fields == nil || !same(r.last.after, fields):
		return false
	}
	return r.last.op == opCreate || doc.number == r.read.number+1
}

// noteRival looks whether the change that a try was refused for is the very one that the try was to make.
func (r *revision) noteRival(doc stored, fields map[string]any) {
	if r.tries > 0 && r.rival == 0 && !r.last.repeats && r.came(doc, fields) {
		r.rival = doc.at.term
	}
}

// settle counts a row that was written. Of one whose rival wrote under another primary nobody knows whether it was
// written twice.
func (v *reviser) settle(r *revision, item *bulkItem) {
	if r.rival != 0 && item.term > r.rival {
		v.done.doubt(fmt.Errorf("sqlapi: row %q of table %s, whose primary was lost, may be changed twice: %w", r.id, v.table, cluster.ErrMaybeExecuted))
		return
	}
	v.settled(r)
}

// verdicts takes what has become of the items, and returns the rows to try again.
func (v *reviser) verdicts(open []*revision) []*revision {
	var again []*revision
	for i := range v.bulk.items {
		item := &v.bulk.items[i]
		r := open[item.row]
		switch {
		case item.done() && item.result != "not_found":
			v.settle(r, item)
		case item.status == 0 && (item.unsure || r.unsure):
			v.done.unknown++
		case item.status == 0:
		case item.result == "not_found", item.failed(http.StatusConflict), item.failed(http.StatusNotFound):
			if r.unsure = r.unsure || item.unsure; v.mayTry(r) {
				again = append(again, r)
			}
		default:
			v.done.fail(item.err)
		}
	}
	return again
}

// mayTry counts a try that others have undone, and gives the row up after too many.
func (v *reviser) mayTry(r *revision) bool {
	r.tries++
	if r.tries < maxRevisions {
		return true
	}
	v.done.conflicts++
	v.done.fail(&ConflictError{Table: v.table, Key: r.id, Tries: r.tries})
	return false
}

// whole writes a document as it is to be, without its id.
func whole(doc map[string]any) func(buf []byte) ([]byte, error) {
	return func(buf []byte) ([]byte, error) {
		id := doc[idField.name]
		delete(doc, idField.name)
		text, err := json.Marshal(doc)
		doc[idField.name] = id
		return append(buf, text...), err
	}
}

// part writes an update of some columns.
func part(l *layout, values []any) func(buf []byte) ([]byte, error) {
	return func(buf []byte) ([]byte, error) {
		buf, err := l.append(append(buf, `{"doc":`...), values)
		return append(buf, '}'), err
	}
}

// change is the decision to give columns of a document new values. What is inside of objects is written with the whole
// document: an update of a part would merge objects, and cannot tell a.b from b in a.
func change(doc map[string]any, fields []*field, l *layout, values []any) (decision, error) {
	plain := true
	for i, f := range fields {
		plain = plain && !f.jsonish() && top(f.name) == f.name
		if !setAt(doc, f.name, values[i]) {
			return decision{}, fmt.Errorf("sqlapi: column %s of row %v: %w", f.name, doc[idField.name], ErrArray)
		}
	}
	if plain {
		return decision{op: opUpdate, write: part(l, values), after: doc}, nil
	}
	return decision{op: opIndex, write: whole(doc), after: doc}, nil
}

// repeatable reports whether assignments give the same values whatever the row holds.
func repeatable(set []sqlparse.Assignment) bool {
	return !slices.ContainsFunc(set, func(a sqlparse.Assignment) bool { return readsRow(a.Value) })
}

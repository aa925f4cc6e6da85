package sqlapi

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"sync"
	"sync/atomic"
)

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*Rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*Rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*Rows)(nil)
	_ driver.RowsColumnTypeLength           = (*Rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*Rows)(nil)
)

// Rows is a statement's result. It implements driver.Rows and the RowsColumnType interfaces. Next may be called by
// one goroutine at a time; Close by any, also while Next waits: Next then returns ErrRowsClosed.
type Rows struct {
	plan    *plan
	columns []column
	// ctx is the statement's: driver.Rows has no context of its own, and pages are fetched until Close.
	ctx   context.Context
	watch watch

	closed atomic.Bool
	mu     sync.Mutex // held by Next, and by Close when it cleans up; guards what follows
	first  *page
	page   *page
	ahead  *aheadPage // the page after this one, being fetched; nil when there is none
	cursor string     // the last one that is known; empty when the server has none of ours
	skip   int64      // rows still to drop
	left   int64      // rows still to give, negative for all
	given  int64
	read   int64 // rows of all pages that are finished
	err    error // what Next ended with
}

func newRows(ctx context.Context, p *plan, first *page) *Rows {
	r := &Rows{plan: p, ctx: ctx, columns: first.columns, first: first, page: first, skip: p.query.Offset, left: -1}
	if p.query.Offset > 0 || p.query.Limit > 0 {
		r.left = p.query.Limit
	}
	if first.in != nil && first.cancel != nil {
		context.AfterFunc(ctx, r.breakFirst)
	}
	r.noteCursor()
	return r
}

// breakFirst makes a Next that waits for the rest of the first page return: that page does not hang on the
// statement's context. When none waits there is nothing to break, and the rest may still be read for its cursor.
func (r *Rows) breakFirst() {
	if r.mu.TryLock() {
		r.mu.Unlock()
		return
	}
	r.first.release()
}

// Columns returns the names of the columns: the alias, else the expression as the server writes it. Two columns may
// have the same name.
func (r *Rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i := range r.columns {
		names[i] = r.columns[i].name
	}
	return names
}

// ColumnTypeDatabaseTypeName returns the server's name of the type in upper case, such as KEYWORD or DATETIME.
func (r *Rows) ColumnTypeDatabaseTypeName(i int) string { return r.columns[i].databaseType() }

// ColumnTypeScanType returns a type that takes every value of the column, NULL included. It does not take the text of
// several values with ArraysJSON, nor what OpenSearch's legacy engine sends that is not of the column's type.
func (r *Rows) ColumnTypeScanType(i int) reflect.Type { return r.columns[i].scanType() }

// ColumnTypeNullable returns true, true: any document may lack any field.
func (r *Rows) ColumnTypeNullable(int) (nullable, ok bool) { return true, true }

// ColumnTypeLength returns the most bytes a value of a keyword, text, binary or object column may have.
func (r *Rows) ColumnTypeLength(i int) (length int64, ok bool) { return r.columns[i].length() }

// ColumnTypePrecisionScale returns false: neither product has decimals. A scaled_float is a double.
func (r *Rows) ColumnTypePrecisionScale(int) (precision, scale int64, ok bool) { return 0, 0, false }

// Next reads the next row into dest. It returns io.EOF after the last one and only then: whatever kept rows from
// coming is an error. Byte slices in dest are the caller's.
func (r *Rows) Next(dest []driver.Value) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed.Load() {
		return ErrRowsClosed
	}
	if r.err == nil {
		if r.err = r.next(dest); r.err != nil && r.closed.Load() {
			r.err = ErrRowsClosed
		}
	}
	return r.err
}

func (r *Rows) next(dest []driver.Value) error {
	for r.left != 0 {
		if err := r.ctx.Err(); err != nil && r.page.left() == 0 {
			return context.Cause(r.ctx)
		}
		ok, err := r.page.next(dest)
		switch {
		case err != nil:
			return causeOf(r.ctx, err)
		case !ok:
			if err := r.turn(); err != nil {
				return err
			}
		case r.skip > 0:
			r.skip--
		default:
			r.gave()
			return nil
		}
	}
	return io.EOF
}

// gave counts a row, and begins to read ahead in the middle of a page: a caller who wants one row pays for one
// page.
func (r *Rows) gave() {
	r.given++
	if r.left > 0 {
		r.left--
	}
	r.noteCursor()
	if r.ahead == nil && r.cursor != "" && r.left != 0 && r.mayReadAhead() {
		r.ahead = r.readAhead()
	}
}

func (r *Rows) mayReadAhead() bool {
	p := r.page
	return r.plan.options.ReadAhead >= 0 && p.in == nil && p.bytes <= p.chunk && int64(p.left()) <= p.rows/2
}

// noteCursor learns the cursor when the page has been decoded to its end.
func (r *Rows) noteCursor() {
	p := r.page
	if p.in != nil || p.noted {
		return
	}
	p.noted = true
	if p.cursor != "" && r.cursor == "" {
		r.plan.client.cursors.opened.Add(1)
	}
	if p.cursor == "" && r.cursor != "" {
		r.plan.client.cursors.closed.Add(1) // the server closes it with the last page
	}
	r.cursor = p.cursor
}

// turn goes to the next page. It returns io.EOF when there is none. Empty pages with a cursor are passed over by
// the caller's loop.
func (r *Rows) turn() error {
	r.noteCursor()
	r.read += r.page.rows
	if r.cursor == "" {
		return r.last()
	}
	next, err := r.following()
	if err != nil {
		return causeOf(r.ctx, err)
	}
	r.page.free()
	r.page = next
	r.noteCursor()
	return nil
}

// last ends the rows, with an error when they have probably been cut.
func (r *Rows) last() error {
	if r.plan.options.StrictLimits && r.plan.cut(r.read, r.first, r.page) {
		return &LimitError{Rows: r.read}
	}
	return io.EOF
}

// following returns the next page: the one that was read ahead, or a new one.
func (r *Rows) following() (*page, error) {
	if ahead := r.ahead; ahead != nil {
		r.ahead = nil
		return ahead.wait()
	}
	return r.plan.fetchNext(r.ctx, r.cursor, r.columns)
}

// Close ends the statement and closes its cursor on the server, which may take up to five seconds when the
// server does not answer. It may be called again; it always returns nil, since the rows were read or given up.
func (r *Rows) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.interrupt()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.discardAll(r)
	r.plan.end()
	err := r.err
	if errors.Is(err, io.EOF) {
		err = nil
	}
	r.watch.end(r.given, err)
	return nil
}

// interrupt makes a Next that waits return.
func (r *Rows) interrupt() {
	if r.mu.TryLock() {
		r.mu.Unlock()
		return
	}
	r.plan.end()
	r.first.release()
}

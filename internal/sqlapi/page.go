package sqlapi

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decodeOptions take what the servers may send: lone surrogates in old documents, and objects in a document's
// source with a member twice.
var decodeOptions = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// page is one answer with rows, decoded in one pass from its body: the members before the rows when it is
// opened, the rows by chunks of bytes as they are asked for, the members after them when the rows have ended.
// It is not safe for concurrent use.
type page struct {
	reading *reading
	chunk   int64 // bytes of rows decoded at once

	resp    *http.Response
	cancel  func()   // ends a context of the page's own, which the body hangs on; nil when there is none
	in      *window  // nil when the answer has been read to its end, or given up
	columns []column // of this answer, or of the first page where the answer names none
	inRows  bool     // whether in stands between rows

	list  *[]driver.Value // where the cells' memory came from; nil for none
	cells []driver.Value  // the rows of the current chunk, one after the other
	at    int             // the next cell
	rows  int64           // rows decoded so far
	fault error           // what kept the next row from being decoded

	bytes      int64  // length of the answer, known when in is nil
	noted      bool   // Rows has taken the cursor over
	cursor     string // leads to the next page, known when in is nil; empty on the last one
	asyncID    string // of an async search
	running    bool   // an async search that has not ended: no rows yet
	partial    bool   // rows are missing
	legacy     bool   // OpenSearch's legacy engine has answered, which writes its members in an order of its own
	seenTotal  bool
	failure    jsontext.Value // value of the member "error"
	failStatus int
}

// openPage decodes an answer as far as the first chunk of its rows. columns are the first page's, nil for the
// first page itself. On an error the body has been closed.
func openPage(resp *http.Response, r *reading, columns []column, chunk int64) (*page, error) {
	p := &page{
		reading: r, chunk: chunk, resp: resp, in: newWindow(resp.Body), columns: columns, list: newCells(),
	}
	p.cells = *p.list
	if err := p.open(); err != nil {
		p.free()
		return nil, err
	}
	return p, nil
}

func (p *page) open() error {
	if err := p.in.take('{'); err != nil {
		return p.broken("does not begin as a JSON object", err)
	}
	if err := p.members(); err != nil {
		return err
	}
	if p.inRows {
		p.fill()
	}
	return nil
}

// members reads members until the rows begin or the answer ends. It begins after "{" or after a member.
func (p *page) members() error {
	for {
		switch c, err := p.in.peek(); {
		case err != nil:
			return p.unreadable(err)
		case c == '}':
			p.in.at++
			return p.end()
		case c == ',':
			p.in.at++
		}
		name, err := p.in.name()
		if err != nil {
			return p.unreadable(err)
		}
		if err := p.member(name); err != nil || p.inRows {
			return err
		}
	}
}

// member reads the value of one member. The names are those of both products' SQL, of ES|QL and of PPL.
func (p *page) member(name string) error {
	if name == "rows" || name == "datarows" || name == "values" && !p.reading.byColumn {
		return p.beginRows()
	}
	value, err := p.in.value()
	if err != nil {
		return p.unreadable(err)
	}
	switch name {
	case "values":
		return p.turn(value)
	case "columns", "schema":
		return p.readColumns(value)
	case "cursor":
		return p.read(value, &p.cursor)
	case "id":
		return p.read(value, &p.asyncID)
	case "is_running":
		return p.read(value, &p.running)
	case "is_partial":
		return p.read(value, &p.partial)
	case "status":
		return p.read(value, &p.failStatus)
	case "total":
		p.seenTotal = true
	case "error":
		p.failure = value.Clone()
	}
	return nil
}

func (p *page) read(value jsontext.Value, target any) error {
	if err := json.Unmarshal(value, target, decodeOptions...); err != nil {
		return p.broken("has a member of an unexpected type", err)
	}
	return nil
}

// readColumns takes the columns of a first page. Those of a later one are only compared: the first page's types hold
// for the whole result.
func (p *page) readColumns(value jsontext.Value) error {
	list, err := p.reading.columns.parse(value)
	switch {
	case err != nil:
		return p.broken("has columns of an unexpected form", err)
	case p.columns == nil:
		p.columns = list
	case len(list) != len(p.columns):
		return p.broken(fmt.Sprintf("has %d columns after pages of %d", len(list), len(p.columns)), nil)
	}
	return nil
}

// beginRows enters the array of rows. Rows before any column are those of an async search that still runs, and
// there are none.
func (p *page) beginRows() error {
	p.legacy = p.legacy || p.seenTotal // only the legacy engine writes the total before the rows
	if p.columns == nil {
		_, err := p.in.value()
		return p.unreadable(err)
	}
	if err := p.in.take('['); err != nil {
		return p.unreadable(err)
	}
	p.inRows = true
	return nil
}

// next copies the next row into dest. It reports false when the page has no more rows; all its members are
// known then. What is wrong with a row is told after the rows before it.
func (p *page) next(dest []driver.Value) (bool, error) {
	for p.at == len(p.cells) {
		if p.fault != nil || p.in == nil {
			return false, p.fault
		}
		p.fill()
	}
	p.at += copy(dest, p.cells[p.at:p.at+len(p.columns)])
	return true, nil
}

// left is the number of decoded rows that next has not given out.
func (p *page) left() int {
	if len(p.columns) == 0 {
		return 0
	}
	return (len(p.cells) - p.at) / len(p.columns)
}

// fill decodes the next chunk in place of the current one, and the rest of the answer when the rows end in it. It
// leaves an error in fault.
func (p *page) fill() {
	p.cells, p.at = p.cells[:0], 0
	if !p.inRows {
		return
	}
	for limit := p.in.offset() + p.chunk; p.fault == nil && p.in.offset() < limit; {
		var more bool
		if more, p.fault = p.moreRows(); !more {
			return
		}
		whole := len(p.cells)
		if p.fault = p.row(); p.fault != nil {
			p.cells = p.cells[:whole]
		}
	}
}

// moreRows reports whether a row follows, and goes to its beginning. When none does it reads what is left of the
// answer.
func (p *page) moreRows() (bool, error) {
	c, err := p.in.peek()
	if err == nil && c == ',' {
		p.in.at++
		c, err = p.in.peek()
	}
	switch {
	case err != nil:
		return false, p.unreadable(err)
	case c == '[':
		return true, nil
	case c != ']':
		return false, p.broken("has a row that is not an array", nil)
	}
	p.in.at++
	p.inRows = false
	return false, p.members()
}

// row decodes one row. When the window does not hold all of it, it is begun again with more; that is once in many
// rows.
func (p *page) row() error {
	whole := len(p.cells)
	for {
		n, err := p.tryRow(p.in.unread())
		if err != nil {
			return err
		}
		if n > 0 {
			p.in.at += n
			p.rows++
			return nil
		}
		clear(p.cells[whole:])
		p.cells = p.cells[:whole]
		if err := p.in.more(); err != nil {
			return p.unreadable(err)
		}
	}
}

// tryRow decodes the row that text begins with and returns its length, or 0 when text ends before it does.
func (p *page) tryRow(text []byte) (int, error) {
	at := pastSpace(text, 1)
	for got := 0; at < len(text); got++ {
		if text[at] == ']' {
			return at + 1, p.checkWidth(got)
		}
		if got > 0 {
			if text[at] != ',' {
				return 0, p.unreadable(errNotJSON)
			}
			if at = pastSpace(text, at+1); at == len(text) {
				return 0, nil
			}
		}
		end := valueEnd(text[at:])
		if end == 0 {
			return 0, nil
		}
		if err := p.cell(got, text[at:at+end]); err != nil {
			return 0, err
		}
		at = pastSpace(text, at+end)
	}
	return 0, nil
}

func (p *page) cell(i int, raw jsontext.Value) error {
	if i >= len(p.columns) {
		return p.checkWidth(i + 1)
	}
	value, err := p.reading.value(&p.columns[i], raw)
	if errors.Is(err, errNotJSON) {
		return p.unreadable(err)
	}
	p.cells = append(p.cells, value)
	return err
}

// checkWidth compares a row with the columns. Elasticsearch 7.3 announces two columns for SELECT id, id and sends
// one cell: which one is not said.
func (p *page) checkWidth(got int) error {
	if got == len(p.columns) {
		return nil
	}
	return p.broken(fmt.Sprintf("has a row of %d cells for %d columns", got, len(p.columns)), nil)
}

// end reads to the end of the body, so that its connection can be used again, and looks for an error that was
// sent with status 200.
func (p *page) end() error {
	switch _, err := p.in.peek(); {
	case err == nil:
		return p.broken("goes on after its end", nil)
	case !errors.Is(err, io.EOF):
		return p.unreadable(err)
	}
	p.bytes = p.in.offset()
	p.close()
	switch {
	case p.failure != nil:
		return bodyError(p.resp, p.failure, p.failStatus)
	case p.partial && !p.running:
		return p.broken("is partial: some shards or clusters have failed", nil)
	case p.columns == nil && !p.running:
		return p.broken("has neither columns nor an error", nil)
	}
	return nil
}

// holdUntil makes the page end a context that belongs to it alone when it has been read or given up.
func (p *page) holdUntil(cancel context.CancelFunc) {
	if p.in == nil {
		cancel()
		return
	}
	p.cancel = cancel
}

// release makes a read of the answer return that waits. Any goroutine may call it.
func (p *page) release() {
	switch {
	case p.cancel != nil:
		p.cancel()
	case p.resp != nil:
		_ = p.resp.Body.Close() // the reader learns of it
	}
}

// close gives the body and the window back. It may be called more than once.
func (p *page) close() {
	if p.in == nil {
		return
	}
	_ = p.resp.Body.Close() // what could fail is of no use to anyone now
	p.in.free()
	p.in, p.inRows = nil, false
	if p.cancel != nil {
		p.cancel()
	}
}

// drain reads to the end of the answer without keeping rows; the cursor may come after them.
func (p *page) drain() {
	for p.in != nil && p.inRows {
		more, err := p.moreRows()
		if err == nil && more {
			_, err = p.in.value()
		}
		if err != nil {
			break
		}
	}
	p.close()
}

// free gives the cells back too; the page is of no use then.
func (p *page) free() {
	p.close()
	if p.list != nil {
		*p.list = p.cells
		freeCells(p.list)
	}
	p.list, p.cells, p.at = nil, nil, 0
}

// unreadable is an error in the reading of the body, nil for none.
func (p *page) unreadable(err error) error {
	if err == nil {
		return nil
	}
	return p.broken("cannot be read", err)
}

// broken says what is wrong with the answer.
func (p *page) broken(msg string, err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, errNotJSON) && p.in != nil {
		msg += fmt.Sprintf(" at %q", shown(bytes.Clone(p.in.unread())))
	}
	return &AnswerError{Node: nodeOf(p.resp), Msg: msg, Err: err}
}

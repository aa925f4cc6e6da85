package sqlapi

import (
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	windowSize    = 32 << 10
	maxKeptWindow = 1 << 20 // a larger buffer is not kept for another answer
	largeWindow   = 64 << 10
)

var errNotJSON = errors.New("not JSON")

// window reads an answer through a buffer that holds at least the value at hand, so that values are slices of
// it. It cuts JSON where it must (strings, brackets, commas) and does not check what it passes over; that is what
// makes rows cheap. What is kept of an answer is checked when it is read.
type window struct {
	body    io.Reader
	buf     []byte
	at, end int   // what is unread in buf
	before  int64 // bytes of the answer before buf[0]
}

var windows = sync.Pool{New: func() any { return &window{buf: make([]byte, windowSize)} }}

func newWindow(body io.Reader) *window {
	w := windows.Get().(*window)
	w.body, w.at, w.end, w.before = body, 0, 0, 0
	return w
}

// free gives the window back.
func (w *window) free() {
	w.body = nil
	if len(w.buf) <= maxKeptWindow {
		windows.Put(w)
	}
}

// offset is how many bytes of the answer have been read.
func (w *window) offset() int64 { return w.before + int64(w.at) }

// unread is what is in the buffer and not read.
func (w *window) unread() []byte { return w.buf[w.at:w.end] }

// more makes unread longer; slices of it are void then. A long unread is doubled, so that a value that is looked at
// from its beginning each time costs no more than twice its length.
func (w *window) more() error {
	held := w.end - w.at
	copy(w.buf, w.unread())
	w.before, w.at, w.end = w.before+int64(w.at), 0, held
	if held == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	least := 1
	if held >= largeWindow {
		least = len(w.buf) - held
	}
	n, err := io.ReadAtLeast(w.body, w.buf[held:], least)
	w.end += n
	if n > 0 {
		return nil
	}
	return err
}

// peek returns the next byte that is not space. At the end it returns io.EOF.
func (w *window) peek() (byte, error) {
	for {
		for ; w.at < w.end; w.at++ {
			if c := w.buf[w.at]; c > ' ' {
				return c, nil
			}
		}
		if err := w.more(); err != nil {
			return 0, err
		}
	}
}

// take reads one byte, which must be c, after space.
func (w *window) take(c byte) error {
	got, err := w.peek()
	if err != nil {
		return err
	}
	if got != c {
		return errNotJSON
	}
	w.at++
	return nil
}

// value reads the next value. It is valid until the window is used again.
func (w *window) value() (jsontext.Value, error) {
	if _, err := w.peek(); err != nil {
		return nil, err
	}
	for {
		if n := valueEnd(w.unread()); n > 0 {
			raw := w.unread()[:n]
			w.at += n
			return raw, nil
		}
		if err := w.more(); err != nil {
			return nil, err
		}
	}
}

// name reads a member's name and the colon after it.
func (w *window) name() (string, error) {
	raw, err := w.value()
	if err != nil {
		return "", err
	}
	if raw.Kind() != '"' {
		return "", errNotJSON
	}
	text, err := content(raw)
	if err != nil {
		return "", err
	}
	name := string(text)
	return name, w.take(':')
}

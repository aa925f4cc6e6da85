package sqlapi

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// body is a JSON object that is being written.
type body struct {
	buf  []byte
	err  error     // the first thing that could not be written exactly
	room [240]byte // for short ones
}

func newBody() *body {
	b := &body{}
	b.buf = b.room[:1]
	return b
}

// key begins a member.
func (b *body) key(name string) {
	b.buf = append(b.buf, ',', '"')
	b.buf = append(b.buf, name...)
	b.buf = append(b.buf, '"', ':')
}

func (b *body) text(name, value string) {
	b.key(name)
	b.quote(value)
}

func (b *body) number(name string, value int) {
	b.key(name)
	b.buf = strconv.AppendInt(b.buf, int64(value), 10)
}

func (b *body) raw(name string, value json.RawMessage) {
	b.key(name)
	b.buf = append(b.buf, value...)
}

func (b *body) yes(name string) {
	b.key(name)
	b.buf = append(b.buf, "true"...)
}

// quote writes a string. One that is not UTF-8 would arrive altered.
func (b *body) quote(value string) {
	if !utf8.ValidString(value) {
		b.fail(&UnsupportedError{Construct: "a string that is not UTF-8", Why: "JSON cannot carry it"})
		return
	}
	b.buf, _ = jsontext.AppendQuote(b.buf, value)
}

func (b *body) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// done closes the object; at least one member was written.
func (b *body) done() []byte {
	b.buf[0] = '{'
	if len(b.buf) > 1 {
		b.buf = append(b.buf[:1], b.buf[2:]...)
	}
	return append(b.buf, '}')
}

package load

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// errNoObject is what is wrong with a line that is no row.
var errNoObject = errors.New("load: the line is not a JSON object")

// lineRows reads a JSON object a line.
type lineRows struct {
	text     *text
	in       *bufio.Reader
	position int64
	number   int64
	long     []byte // a line that the reader's buffer has no room for
}

func newLines(t *text, at place) (*lineRows, error) {
	r, base, err := t.begin()
	if err != nil {
		return nil, err
	}
	l := &lineRows{text: t, in: r, position: base, number: at.Rows}
	if at.Position == 0 {
		return l, nil
	}
	l.position = at.Position
	if t.unzip != nil {
		return l, discard(r, at.Position-base, t)
	}
	if err := t.seek(at.Position); err != nil {
		return nil, err
	}
	r.Reset(t)
	return l, nil
}

// next returns the next line that is not empty.
func (l *lineRows) next() (row, error) {
	for {
		start := l.position
		line, err := l.line()
		if err != nil && (err != io.EOF || len(line) == 0) {
			return row{}, err
		}
		l.position += int64(len(line))
		l.text.ended()
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		l.number++
		r := row{number: l.number, start: start, end: l.position, line: line}
		if !isObject(line) {
			r.bad = errNoObject
		}
		return r, nil
	}
}

// isObject reports whether a line is an object. What servers may mind in it, such as a name that comes twice, is theirs.
func isObject(line []byte) bool {
	return line[0] == '{' && jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// line returns a line with its end, which the last one may lack.
func (l *lineRows) line() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	l.long = append(l.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.in.ReadSlice('\n')
		l.long = append(l.long, line...)
	}
	return l.long, err
}

package load

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
)

// csvRows reads CSV whose first row names the fields.
type csvRows struct {
	text   *text
	in     *csv.Reader
	base   int64 // position of the reader's beginning
	names  []string
	number int64
}

func newCSV(t *text, comma rune, at place) (*csvRows, error) {
	r, base, err := t.begin()
	if err != nil {
		return nil, err
	}
	c := &csvRows{text: t, in: csv.NewReader(r), base: base, number: at.Rows}
	c.in.Comma = comma
	if c.names, err = c.in.Read(); err != nil {
		return nil, fmt.Errorf("load: the first row, which names the fields: %w", err)
	}
	if err := checkNames(c.names); err != nil {
		return nil, err
	}
	t.ended()
	if at.Position > 0 {
		err = c.jump(r, comma, at)
	}
	c.in.ReuseRecord = true
	return c, err
}

// jump goes to a place. What is buffered behind the first row is given up, or read over where there is no way back.
func (c *csvRows) jump(r *bufio.Reader, comma rune, at place) error {
	if c.text.unzip == nil {
		if err := c.text.seek(at.Position); err != nil {
			return err
		}
		r.Reset(c.text)
	} else if err := discard(r, at.Position-c.base-c.in.InputOffset(), c.text); err != nil {
		return err
	}
	c.in, c.base = csv.NewReader(r), at.Position
	c.in.Comma, c.in.FieldsPerRecord = comma, len(c.names)
	return nil
}

// discard reads over n bytes of a text.
func discard(r *bufio.Reader, n int64, t *text) error {
	for n > 0 {
		step, err := r.Discard(int(min(n, readSize)))
		if err != nil {
			return err
		}
		n -= int64(step)
		t.ended()
	}
	return nil
}

// checkNames refuses names that are no fields'.
func checkNames(names []string) error {
	for i, name := range names {
		if name == "" {
			return fmt.Errorf("load: column %d has no name in the first row", i+1)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("load: two columns are called %q", name)
		}
	}
	return nil
}

func (c *csvRows) next() (row, error) {
	start := c.base + c.in.InputOffset()
	fields, err := c.in.Read()
	if err == io.EOF {
		return row{}, err
	}
	c.text.ended()
	c.number++
	r := row{number: c.number, start: start, end: c.base + c.in.InputOffset(), names: c.names, fields: fields}
	if err == nil {
		return r, nil
	}
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		r.bad = fmt.Errorf("load: CSV: %w", wrong.Err)
		return r, nil
	}
	return row{}, err
}

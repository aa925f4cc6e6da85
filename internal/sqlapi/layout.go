package sqlapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// layout is how the values of some columns become a JSON object: dotted columns are put into objects.
type layout struct {
	slots []slot
	tail  string // closes the objects after the last value
}

// slot is the place of one value.
type slot struct {
	value  int    // index into the values
	before string // what is written before it
}

// newLayout lays the columns out. One that is inside another, or a second one of the same name, is an error: the
// statement would give two values to one.
func newLayout(fields []*field) (*layout, *field) {
	l := &layout{tail: "{}"}
	var open []string
	for n, i := range layoutOrder(fields) {
		path := strings.Split(fields[i].name, ".")
		if n > 0 && inside(open, path) {
			return nil, fields[i]
		}
		l.slots = append(l.slots, slot{i, step(open, path)})
		open, l.tail = path, strings.Repeat("}", len(path))
	}
	return l, nil
}

// layoutOrder puts the columns of one object beside each other and keeps the statement's order otherwise. The
// document's id is no part of the document.
func layoutOrder(fields []*field) []int {
	var order []int
	for i, f := range fields {
		if f != idField {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := fields[a].name, fields[b].name
		return cmp.Or(
			cmp.Compare(firstWith(fields, top(x)), firstWith(fields, top(y))),
			slices.Compare(strings.Split(x, "."), strings.Split(y, ".")),
		)
	})
	return order
}

func top(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

func firstWith(fields []*field, first string) int {
	return slices.IndexFunc(fields, func(f *field) bool { return top(f.name) == first })
}

// inside reports whether the second path is the first one, or of a part of it.
func inside(outer, inner []string) bool {
	return len(outer) <= len(inner) && slices.Equal(outer, inner[:len(outer)])
}

// step is what stands between the value at one path, or the object's beginning, and the value at the next.
func step(from, to []string) string {
	shared := 0
	for shared < len(from)-1 && shared < len(to)-1 && from[shared] == to[shared] {
		shared++
	}
	text := "{"
	if from != nil {
		text = strings.Repeat("}", len(from)-1-shared) + ","
	}
	for i, name := range to[shared:] {
		if i > 0 {
			text += "{"
		}
		quoted, _ := jsontext.AppendQuote(nil, name)
		text += string(quoted) + ":"
	}
	return text
}

// append writes the object of one row's values, which are what field.encode gives.
func (l *layout) append(buf []byte, values []any) ([]byte, error) {
	var err error
	for _, s := range l.slots {
		buf = append(buf, s.before...)
		if buf, err = appendValue(buf, values[s.value]); err != nil {
			return buf, err
		}
	}
	return append(buf, l.tail...), nil
}

// appendValue writes one value as JSON.
func appendValue(buf []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(buf, "null"...), nil
	case bool:
		return strconv.AppendBool(buf, v), nil
	case int64:
		return strconv.AppendInt(buf, v, 10), nil
	case uint64:
		return strconv.AppendUint(buf, v, 10), nil
	case float64:
		return appendFloat(buf, v), nil
	case string:
		return jsontext.AppendQuote(buf, v)
	case jsontext.Value:
		return appendCompact(buf, v)
	}
	text, err := json.Marshal(v)
	return append(buf, text...), err
}

// appendFloat writes a number so that it is read as a fraction: a dynamic mapping takes it for one then.
func appendFloat(buf []byte, f float64) []byte {
	from := len(buf)
	buf = strconv.AppendFloat(buf, f, 'g', -1, 64)
	for _, c := range buf[from:] {
		if c == '.' || c == 'e' {
			return buf
		}
	}
	return append(buf, ".0"...)
}

// appendCompact writes JSON text on one line, as the lines of a bulk request must be.
func appendCompact(buf []byte, v jsontext.Value) ([]byte, error) {
	line := v.Clone()
	err := line.Compact(jsontext.AllowDuplicateNames(true))
	return append(buf, line...), err
}

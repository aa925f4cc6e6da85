package sqlapi

import (
	"bytes"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Arrays says what becomes of a field that holds several values where SQL has room for one.
type Arrays uint8

// The ways to read several values.
const (
	ArraysError Arrays = iota // an error that names the column
	ArraysFirst               // the first value, NULL for an empty array
	ArraysJSON                // the array as JSON text
)

// reading says how cells become Go values.
type reading struct {
	columns *columnCache
	zone    *time.Location // in which times are given
	arrays  Arrays
	// days is true where "date" is a day without a time (Elasticsearch, which writes it as midnight of the
	// session's time zone): its text is not an instant and is never moved to another zone.
	days bool
	// byColumn is true where an answer with "values" has one array a column (Elasticsearch SQL that was asked for
	// columns); those of ES|QL are rows.
	byColumn bool
}

// value turns one cell into a driver.Value. A cell that does not fit the column's type keeps the type it was
// sent with, since no value may be altered: OpenSearch's legacy engine types a grouped keyword as double.
// The cell may point into a buffer; what is returned does not.
func (r *reading) value(c *column, cell jsontext.Value) (driver.Value, error) {
	switch cell[0] {
	case '"':
		return r.text(c, cell)
	case '[':
		return r.array(c, cell)
	case '{':
		return bytes.Clone(cell), nil
	case 'n', 't', 'f':
		return word(cell)
	}
	return number(c.kind, cell)
}

func word(cell []byte) (driver.Value, error) {
	switch string(cell) {
	case "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, errNotJSON
}

func (r *reading) array(c *column, cell jsontext.Value) (driver.Value, error) {
	if c.kind == objectKind || r.arrays == ArraysJSON || isNested(c, cell) {
		return bytes.Clone(cell), nil
	}
	if r.arrays == ArraysError {
		return nil, &ArrayError{Column: c.name}
	}
	first, err := firstElement(cell)
	if err != nil || first == nil {
		return nil, err
	}
	return r.value(c, first)
}

// isNested reports whether the array is the value of a nested field, to which OpenSearch's legacy engine gives the type
// text.
func isNested(c *column, array jsontext.Value) bool {
	first := pastSpace(array, 1)
	return c.typ == "text" && first < len(array) && array[first] == '{'
}

// firstElement returns the array's first element, nil when it has none.
func firstElement(array jsontext.Value) (jsontext.Value, error) {
	at := pastSpace(array, 1)
	if at == len(array) {
		return nil, errNotJSON
	}
	if array[at] == ']' {
		return nil, nil
	}
	end := valueEnd(array[at:])
	if end == 0 {
		return nil, errNotJSON
	}
	return array[at : at+end], nil
}

// number keeps every digit: integers stay integers as far as 64 bits go and become text beyond.
func number(k kind, cell []byte) (driver.Value, error) {
	if k == floatKind {
		return float(cell)
	}
	if i, ok := parseInt(cell); ok {
		return i, nil
	}
	if u, err := strconv.ParseUint(string(cell), 10, 64); err == nil {
		return u, nil
	}
	f, err := float(cell)
	switch whole, _ := f.(float64); {
	case err != nil:
		return nil, err
	case !bytes.ContainsAny(cell, ".eE"):
		return string(cell), nil
	// HISTOGRAM and COUNT(DISTINCT) of Elasticsearch are typed as integers and sent as 100.0.
	case (k == intKind || k == uintKind) && whole == math.Trunc(whole) && math.Abs(whole) < 1<<53:
		return int64(whole), nil
	}
	return f, nil
}

// float reads the nearest float64. One that is beyond all of them keeps its text.
func float(cell []byte) (driver.Value, error) {
	if f, ok := parseDecimal(cell); ok {
		return f, nil
	}
	f, err := strconv.ParseFloat(string(cell), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return string(cell), nil
	case err != nil || cell[0] != '-' && (cell[0] < '0' || cell[0] > '9'):
		return nil, errNotJSON
	}
	return f, nil
}

// parseInt reads a JSON number without fraction or exponent that fits in an int64.
func parseInt(text []byte) (int64, bool) {
	negative := len(text) > 0 && text[0] == '-'
	digits := text
	if negative {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	var u uint64 // 19 digits fit
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	if negative {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseDecimal reads a number of at most 15 digits with or without a fraction and without an exponent. Its digits
// and the power of ten that they are divided by are exact, so the quotient is the nearest float64.
func parseDecimal(text []byte) (float64, bool) {
	var digits uint64
	var count, fraction int
	negative, point := text[0] == '-', false
	if negative {
		text = text[1:]
	}
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits = digits*10 + uint64(c-'0')
			count++
			if point {
				fraction++
			}
		case c == '.' && !point && count > 0:
			point = true
		default:
			return 0, false
		}
	}
	if count == 0 || count >= len(powers) {
		return 0, false
	}
	f := float64(digits) / powers[fraction]
	if negative {
		f = -f // also of zero, which has a sign
	}
	return f, true
}

// text reads a JSON string by the column's kind.
func (r *reading) text(c *column, cell jsontext.Value) (driver.Value, error) {
	if c.kind == stringKind {
		return unquote(cell)
	}
	text, err := content(cell)
	if err != nil {
		return nil, err
	}
	switch c.kind {
	case timeKind:
		if t, ok := parseTime(text); ok {
			return t.In(r.zone), nil
		}
	case dayKind:
		if t, ok := r.day(text); ok {
			return t, nil
		}
	case bytesKind:
		if b, err := base64.StdEncoding.AppendDecode([]byte{}, text); err == nil {
			return b, nil
		}
	case floatKind:
		if f, ok := notFinite(text); ok {
			return f, nil
		}
	}
	return string(text), nil
}

// day reads a date. Where a date cannot have a time of day what follows the day is dropped; elsewhere it is a
// point in time under a wrong name.
func (r *reading) day(text []byte) (time.Time, bool) {
	if r.days {
		return parseDay(text)
	}
	t, ok := parseTime(text)
	return t.In(time.UTC), ok
}

// notFinite reads the strings that stand for the numbers JSON does not have.
func notFinite(text []byte) (float64, bool) {
	switch string(text) {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// content returns what a JSON string stands for, without copying it when it has no escapes.
func content(cell jsontext.Value) ([]byte, error) {
	inner := cell[1 : len(cell)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	return jsontext.AppendUnquote(nil, cell)
}

func unquote(cell jsontext.Value) (driver.Value, error) {
	text, err := content(cell)
	if err != nil {
		return nil, err
	}
	return string(text), nil
}

package sqlapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"time"
	"unicode/utf8"
)

// valueError is a value that a column does not take; scope.placed makes a ColumnError of it.
type valueError struct{ state, msg string }

// Error says what is wrong.
func (e *valueError) Error() string { return "sqlapi: " + e.msg }

const (
	stateNotNull  = "23502"
	stateTimeText = "22007"
)

// misfit is the error of a value of the wrong sort. The value is not shown: it may be a secret.
func (f *field) misfit(v any) error {
	return &valueError{stateCast, fmt.Sprintf("a value of Go type %T is no %s", v, f.typ)}
}

// stored reads one value of a document's _source as the server has indexed it: int64, uint64, float64, bool, string,
// time.Time or netip.Addr; nil for null. Arrays are the caller's to take apart. An error is a value that the server
// cannot have indexed.
func (f *field) stored(v any) (any, error) {
	x, err := f.operand(v)
	if r, ok := x.(float64); ok && f.kind == wholeField {
		return wholeOf(math.Trunc(r)) // the servers cut fractions off (coerce)
	}
	return x, err
}

// operand turns a value that is compared with the column into what the column's values are. Whole columns take a
// fraction too, which none of their values equals.
func (f *field) operand(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	v = plainNumber(v)
	switch f.kind {
	case wholeField:
		return f.wholeOperand(v)
	case realField:
		return f.realOperand(v)
	case boolField:
		return f.boolOperand(v)
	case textField:
		return f.textOperand(v)
	case timeField:
		return f.instant(v)
	case addrField:
		return f.address(v)
	}
	return nil, &valueError{stateUnsupported, "values of type " + f.typ + " cannot be compared"}
}

// plainNumber turns a number of a JSON text into int64, uint64 or float64, and bytes into text.
func plainNumber(v any) any {
	switch v := v.(type) {
	case json.Number:
		return numberOf(v.String())
	case []byte:
		return string(v)
	case uint64:
		return unsigned(v)
	case int:
		return int64(v)
	}
	return v
}

// numberOf reads a number; nil when it is none.
func numberOf(text string) any {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return u
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
		return f
	}
	return nil
}

func (f *field) wholeOperand(v any) (any, error) {
	switch n := numberIn(v).(type) {
	case int64, uint64:
		return n, nil
	case float64:
		if x, err := wholeOf(n); err == nil {
			return x, nil
		}
		return n, nil
	}
	return nil, f.misfit(v)
}

// numberIn is a number, or the one that a text spells.
func numberIn(v any) any {
	if text, ok := v.(string); ok {
		return numberOf(text)
	}
	return v
}

// wholeOf returns a float64 without a fraction as an integer.
func wholeOf(f float64) (any, error) {
	switch {
	case f != math.Trunc(f) || f < math.MinInt64 || f >= 1<<64:
		return nil, &valueError{stateNumeric, "a number with a fraction, or beyond 64 bits, is no integer"}
	case f < 1<<63:
		return int64(f), nil
	}
	return uint64(f), nil
}

// realOperand rounds as the type's indexed form does.
func (f *field) realOperand(v any) (any, error) {
	x, ok := asFloat(numberIn(v))
	if !ok {
		return nil, f.misfit(v)
	}
	switch f.typ {
	case "float":
		return float64(float32(x)), nil
	case "half_float":
		fraction, exponent := math.Frexp(x)
		return math.Ldexp(math.RoundToEven(fraction*(1<<11))/(1<<11), exponent), nil
	case "scaled_float":
		return math.Floor(x*f.factor+0.5) / f.factor, nil
	}
	return x, nil
}

// asFloat returns a number as a float64.
func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// boolOperand takes 0 and 1 too, which is how products without booleans write them.
func (f *field) boolOperand(v any) (any, error) {
	switch v {
	case true, "true", int64(1):
		return true, nil
	case false, "false", "", int64(0):
		return false, nil
	}
	return nil, f.misfit(v)
}

// textOperand writes numbers and booleans as the servers do when a document gives them to a keyword.
func (f *field) textOperand(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return nil, &valueError{stateArgValue, "a text that is not UTF-8 cannot be sent"}
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	}
	return nil, f.misfit(v)
}

func (f *field) address(v any) (any, error) {
	text, _ := v.(string)
	a, err := netip.ParseAddr(text)
	if err != nil {
		return nil, f.misfit(v)
	}
	return a, nil
}

// encode turns a value into what a document holds for the column, ready for JSON. A value that would arrive altered is
// an error: a fraction in an integer, an integer that the type has no room for. Times are cut to what the type keeps,
// milliseconds in a date.
func (f *field) encode(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	if f.kind == binaryField {
		return f.encodeBytes(v)
	}
	if f.jsonish() || f.kind == otherField {
		return f.encodeOther(v)
	}
	x, err := f.operand(v)
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case time.Time:
		return f.writeTime(x)
	case netip.Addr:
		return x.String(), nil
	}
	if err := f.inRange(x); err != nil || f.kind != realField {
		return x, err
	}
	return f.unrounded().operand(v) // a document keeps the digits that it was given
}

// inRange refuses numbers that the type has no room for.
func (f *field) inRange(x any) error {
	switch f.kind {
	case wholeField:
		if r := f.bounds(); compareNumbers(x, r.low) < 0 || compareNumbers(x, r.high) > 0 {
			return &valueError{stateNumeric, "the number is out of the range of type " + f.typ}
		}
		if _, fraction := x.(float64); fraction {
			return &valueError{stateNumeric, "the column holds integers, and the number has a fraction"}
		}
	case realField:
		if math.IsInf(x.(float64), 0) || math.IsNaN(x.(float64)) {
			return &valueError{stateNumeric, "the number is out of the range of type " + f.typ}
		}
	}
	return nil
}

// bounds are the lowest and the highest number of a whole type.
type bounds struct{ low, high any }

func (f *field) bounds() bounds {
	switch f.typ {
	case "byte":
		return bounds{int64(math.MinInt8), int64(math.MaxInt8)}
	case "short":
		return bounds{int64(math.MinInt16), int64(math.MaxInt16)}
	case "integer":
		return bounds{int64(math.MinInt32), int64(math.MaxInt32)}
	case "unsigned_long":
		return bounds{int64(0), uint64(math.MaxUint64)}
	}
	return bounds{int64(math.MinInt64), int64(math.MaxInt64)}
}

func (f *field) encodeBytes(v any) (any, error) {
	switch v := v.(type) {
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	case string:
		return base64.StdEncoding.EncodeToString([]byte(v)), nil
	}
	return nil, f.misfit(v)
}

// encodeOther leaves a value as it is; a text that is a JSON object or array becomes that.
func (f *field) encodeOther(v any) (any, error) {
	v = plainNumber(v)
	switch x := v.(type) {
	case string:
		if raw, ok := asJSON(x); ok {
			return raw, nil
		}
		return x, nil
	case bool, int64, uint64, float64:
		return x, nil
	}
	return nil, f.misfit(v)
}

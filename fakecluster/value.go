package fakecluster

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// coerce turns a JSON value into the value the field's type compares: int64, uint64, float64, bool, string,
// time.Time or netip.Addr. It fails where the servers refuse the document or the query.
func (f *field) coerce(v any) (any, error) {
	switch f.kind() {
	case "long", "integer", "short", "byte":
		return coerceInt(v, map[string]int{"long": 64, "integer": 32, "short": 16, "byte": 8}[f.kind()])
	case "unsigned_long":
		return coerceUint(v)
	case "double", "float", "half_float", "scaled_float":
		return coerceFloat(v)
	case "boolean":
		return coerceBool(v)
	case "date", "date_nanos":
		return f.coerceDate(v)
	case "ip":
		return netip.ParseAddr(strings.SplitN(fmt.Sprint(v), "/", 2)[0])
	case "keyword", "text", "constant_keyword", "wildcard", "match_only_text", "version", "binary":
		return coerceText(v)
	}
	return v, nil
}

func coerceText(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any, []any:
		return nil, fmt.Errorf("Can't get text on a START_OBJECT")
	case string:
		return v, nil
	}
	return fmt.Sprint(v), nil
}

func numberText(v any) (string, error) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), nil
	case string:
		return v, nil
	case int, int64, uint64, float64:
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("For input string: %q", fmt.Sprint(v))
}

// coerceInt cuts fractions off, as the coerce setting's default does.
func coerceInt(v any, bits int) (any, error) {
	s, err := numberText(v)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(s, 10, bits); err == nil {
		return n, nil
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || strings.Contains(s, "/") {
		return nil, fmt.Errorf("For input string: %q", s)
	}
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	if !whole.IsInt64() || bits < 64 && (whole.Int64() >= 1<<(bits-1) || whole.Int64() < -1<<(bits-1)) {
		return nil, fmt.Errorf("Value [%s] is out of range", s)
	}
	return whole.Int64(), nil
}

func coerceUint(v any) (any, error) {
	s, err := numberText(v)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("For input string: %q", s)
	}
	return n, nil
}

func coerceFloat(v any) (any, error) {
	s, err := numberText(v)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil, fmt.Errorf("For input string: %q", s)
	}
	return n, nil
}

func coerceBool(v any) (any, error) {
	switch v {
	case true, "true":
		return true, nil
	case false, "false", "":
		return false, nil
	}
	return nil, fmt.Errorf("Failed to parse value [%v] as only [true] or [false] are allowed.", v)
}

func (f *field) coerceDate(v any) (any, error) { return f.dateIn(v, time.UTC) }

// dateIn reads a date by the field's format; a text without a zone is in loc.
func (f *field) dateIn(v any, loc *time.Location) (any, error) {
	return parseDate(fmt.Sprint(v), f.format(), loc)
}

// format is the format of a date field.
func (f *field) format() string {
	if format, ok := f.def["format"].(string); ok {
		return format
	}
	return "strict_date_optional_time||epoch_millis"
}

// compare orders two coerced values of one field.
func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
	case uint64:
		if b, ok := b.(uint64); ok {
			return cmp.Compare(a, b)
		}
	case float64:
		if b, ok := b.(float64); ok {
			return cmp.Compare(a, b)
		}
	case bool:
		if b, ok := b.(bool); ok {
			return cmp.Compare(boolInt(a), boolInt(b))
		}
	case time.Time:
		if b, ok := b.(time.Time); ok {
			return a.Compare(b)
		}
	case netip.Addr:
		if b, ok := b.(netip.Addr); ok {
			x, y := a.As16(), b.As16() // the servers keep an IPv4 address as an IPv6 one
			return bytes.Compare(x[:], y[:])
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// raw returns the values at a path of a document's fields, arrays flattened. Objects on the way may be
// written with dots in their names.
func raw(fields map[string]any, path string) []any {
	var found []any
	if v, ok := fields[path]; ok {
		found = append(found, each(v)...)
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		for _, v := range each(fields[path[:i]]) {
			if o, ok := v.(map[string]any); ok {
				found = append(found, raw(o, path[i+1:])...)
			}
		}
	}
	return found
}

// values returns the document's values of a field as they are indexed: coerced, without those that are
// malformed or longer than ignore_above.
func (f *field) values(d *document) []any {
	var out []any
	for _, v := range raw(d.fields, f.source) {
		c, err := f.coerce(v)
		if s, ok := c.(string); ok && f.ignores(s) || err != nil {
			continue
		}
		out = append(out, c)
	}
	return out
}

func (f *field) ignores(s string) bool {
	limit, err := strconv.Atoi(fmt.Sprint(f.def["ignore_above"]))
	return err == nil && len([]rune(s)) > limit
}

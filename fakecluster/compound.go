package fakecluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// boolean is the bool query.
func (c *compiler) boolean(body any) (matcher, error) {
	o, ok := body.(map[string]any)
	if !ok {
		return nil, malformed("bool")
	}
	for key := range o {
		if !slices.Contains([]string{"must", "filter", "should", "must_not", "minimum_should_match", "boost", "_name"}, key) {
			return nil, fail(400, "x_content_parse_exception", "[1:1] [bool] unknown field ["+key+"]")
		}
	}
	var parts [4][]matcher
	for i, key := range []string{"must", "filter", "should", "must_not"} {
		ms, err := c.list(o[key])
		if err != nil {
			return nil, err
		}
		parts[i] = ms
	}
	required, should, not := append(parts[0], parts[1]...), parts[2], parts[3]
	least, err := minimum(o["minimum_should_match"], len(required), len(should))
	if err != nil {
		return nil, err
	}
	return func(d *document) bool {
		return count(required, d) == len(required) && count(not, d) == 0 && (len(should) == 0 || count(should, d) >= least)
	}, nil
}

func (c *compiler) list(v any) ([]matcher, error) {
	var ms []matcher
	for _, q := range each(v) {
		m, err := c.compile(q)
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	return ms, nil
}

func count(ms []matcher, d *document) int {
	n := 0
	for _, m := range ms {
		if m(d) {
			n++
		}
	}
	return n
}

// minimum reads minimum_should_match: a number, a negative number or a percentage. Without it one clause
// must match unless there are required ones.
func minimum(v any, required, should int) (int, error) {
	if v == nil {
		return boolToInt(required == 0), nil
	}
	text := fmt.Sprint(v)
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0, fail(400, "illegal_argument_exception", "Failed to parse [minimum_should_match] ["+text+"]")
	}
	if percent {
		n = n * should / 100
	}
	if n < 0 {
		n += should
	}
	return n, nil
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *compiler) constant(body any) (matcher, error) {
	o, _ := body.(map[string]any)
	if o["filter"] == nil {
		return nil, malformed("constant_score")
	}
	return c.compile(o["filter"])
}

func (c *compiler) disMax(body any) (matcher, error) {
	o, _ := body.(map[string]any)
	ms, err := c.list(o["queries"])
	return func(d *document) bool { return count(ms, d) > 0 }, err
}

// nested matches when one of the objects at the path matches by itself.
func (c *compiler) nested(body any) (matcher, error) {
	o, _ := body.(map[string]any)
	path, _ := o["path"].(string)
	f := c.lookup(path)
	if f == nil || f.kind() != "nested" {
		return nil, c.index.shardError("[nested] failed to find nested object under path [" + path + "]")
	}
	m, err := c.compile(o["query"])
	return func(d *document) bool {
		return slices.ContainsFunc(raw(d.fields, path), func(v any) bool {
			one := *d
			one.fields = map[string]any{path: v}
			return m(&one)
		})
	}, err
}

// bound is one end of a range.
type bound struct {
	value   any
	accepts func(order int) bool
}

// rangeOf is the range query; every bound must hold for the same value.
func (c *compiler) rangeOf(body any) (matcher, error) {
	name, _, options, err := onField("range", "", body)
	if err != nil || options == nil {
		return nil, malformed("range")
	}
	f := c.lookup(name)
	if name == "_seq_no" {
		f = &field{name, name, map[string]any{"type": "long"}}
	}
	if f == nil {
		return none, nil
	}
	bounds, err := c.bounds(f, options)
	if err != nil {
		return nil, err
	}
	return func(d *document) bool {
		vs := f.indexed(d)
		if name == "_seq_no" {
			vs = []any{d.seq}
		}
		return slices.ContainsFunc(vs, func(v any) bool { return within(v, bounds) })
	}, nil
}

func within(v any, bounds []bound) bool {
	return !slices.ContainsFunc(bounds, func(b bound) bool { return !b.accepts(compareAny(v, b.value)) })
}

// compareAny compares with a bound that may be a fraction on a whole number field.
func compareAny(v, bound any) int {
	if n, ok := v.(int64); ok {
		if x, ok := bound.(float64); ok {
			return compare(float64(n), x)
		}
	}
	return compare(v, bound)
}

var rangeEnds = map[string]func(int) bool{
	"gt":  func(o int) bool { return o > 0 },
	"gte": func(o int) bool { return o >= 0 },
	"lt":  func(o int) bool { return o < 0 },
	"lte": func(o int) bool { return o <= 0 },
}

func (c *compiler) bounds(f *field, options map[string]any) ([]bound, error) {
	var bounds []bound
	for _, key := range slices.Sorted(maps.Keys(options)) {
		accepts := rangeEnds[key]
		switch {
		case accepts == nil && !slices.Contains([]string{"format", "time_zone", "boost", "relation", "_name"}, key):
			return nil, fail(400, "parsing_exception", "[range] query does not support ["+key+"]", "line", 1, "col", 1)
		case accepts == nil || options[key] == nil:
			continue
		}
		v, err := c.boundValue(f, options, options[key], key == "gt" || key == "lte")
		if err != nil {
			return nil, err
		}
		bounds = append(bounds, bound{v, accepts})
	}
	return bounds, nil
}

// boundValue reads a bound: dates by the query's format and zone, fractions exactly. last asks for the end of what a
// date may mean, as gt and lte do.
func (c *compiler) boundValue(f *field, options map[string]any, v any, last bool) (any, error) {
	switch f.kind() {
	case "date", "date_nanos":
		return c.dateBound(f, options, v, last)
	case "long", "integer", "short", "byte":
		if n, err := f.coerceExact(v); n != nil && err == nil {
			return n, nil
		}
		v, err := coerceFloat(v)
		if err != nil {
			return nil, c.index.shardError("failed to create query: " + err.Error())
		}
		return v, nil
	}
	k, err := f.coerce(v)
	if err != nil {
		return nil, c.index.shardError("failed to create query: " + err.Error())
	}
	return f.rounded(k), nil
}

func (c *compiler) dateBound(f *field, options map[string]any, v any, last bool) (any, error) {
	loc, err := zone(options["time_zone"])
	if err != nil {
		return nil, err
	}
	if format, ok := options["format"].(string); ok {
		f = &field{f.path, f.source, map[string]any{"type": f.kind(), "format": format}}
	}
	i, err := f.instantOf(v, c.now, loc)
	if err != nil {
		why := err.Error()
		return nil, fail(400, "parse_exception", why+": ["+why+"]",
			"caused_by", failure("illegal_argument_exception", why))
	}
	if last {
		return i.last(), nil
	}
	return i.first(), nil
}

// zone reads a time zone: Z, +02:00 or a name.
func zone(v any) (*time.Location, error) {
	name, _ := v.(string)
	if name == "" || name == "Z" {
		return time.UTC, nil
	}
	if t, err := time.Parse("-07:00", name); err == nil {
		return t.Location(), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fail(400, "illegal_argument_exception", "Unknown time-zone ID: "+name)
	}
	return loc, nil
}

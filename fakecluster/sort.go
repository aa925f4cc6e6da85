package fakecluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"
)

// sortKey is one criterion of a sort.
type sortKey struct {
	name         string
	descending   bool
	missingFirst bool
	missing      any // a value for documents without one
	unmapped     string
	format       string
	mode         string
}

// hit is a document with the values it is sorted by.
type hit struct {
	doc    *document
	place  int // among the snapshots of the search: the order of last resort
	values []any
}

// parseSort reads the sort of a body: names, or objects with an order or options.
func parseSort(v any) ([]sortKey, error) {
	var keys []sortKey
	for _, e := range each(v) {
		switch e := e.(type) {
		case string:
			keys = append(keys, sortKey{name: e, descending: e == "_score"})
		case map[string]any:
			for name, spec := range e {
				k, err := sortKeyOf(name, spec)
				if err != nil {
					return nil, err
				}
				keys = append(keys, k)
			}
		default:
			return nil, fail(400, "parsing_exception", "malformed sort format, within the sort array, an object, or an actual string are allowed")
		}
	}
	return keys, nil
}

var sortOptions = []string{"order", "missing", "unmapped_type", "format", "mode", "numeric_type"}

func sortKeyOf(name string, spec any) (sortKey, error) {
	k := sortKey{name: name, descending: name == "_score"}
	options, ok := spec.(map[string]any)
	if !ok {
		options = map[string]any{"order": spec}
	}
	for option, v := range options {
		if !slices.Contains(sortOptions, option) {
			return k, fail(400, "x_content_parse_exception", "[1:1] [field_sort] unknown field ["+option+"]")
		}
		k.set(option, v)
	}
	if o := options["order"]; o != nil && o != "asc" && o != "desc" {
		return k, fail(400, "illegal_argument_exception", fmt.Sprintf("Unknown SortOrder [%v]", o))
	}
	return k, nil
}

func (k *sortKey) set(option string, v any) {
	text := fmt.Sprint(v)
	switch option {
	case "order":
		k.descending = text == "desc"
	case "missing":
		k.missingFirst = text == "_first"
		if text != "_first" && text != "_last" {
			k.missing = v
		}
	case "unmapped_type":
		k.unmapped = text
	case "format":
		k.format = text
	case "mode":
		k.mode = text
	}
}

// sorter returns the function that computes a document's value for the key; the index's mapping decides.
func (k sortKey) sorter(ix *index) (func(*hit) any, error) {
	switch k.name {
	case "_doc", "_shard_doc":
		return func(h *hit) any { return int64(h.place) }, nil
	case "_score":
		return func(*hit) any { return 1.0 }, nil
	case "_id":
		return func(h *hit) any { return h.doc.id }, nil
	case "_index":
		return func(h *hit) any { return h.doc.index.name }, nil
	case "_seq_no":
		return func(h *hit) any { return h.doc.seq }, nil
	}
	f := ix.mapping.lookup(k.name)
	if f == nil && k.unmapped != "" {
		f = &field{k.name, k.name, map[string]any{"type": k.unmapped}}
	}
	switch {
	case f == nil:
		return nil, ix.shardError("No mapping found for [" + k.name + "] in order to sort on")
	case f.kind() == "text":
		return nil, fail(400, "illegal_argument_exception", "Fielddata is disabled on ["+k.name+"] in ["+ix.name+"]. Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead.")
	}
	return func(h *hit) any { return k.value(f, h.doc) }, nil
}

// value is the least value for an ascending sort and the greatest for a descending one, unless mode says
// otherwise.
func (k sortKey) value(f *field, d *document) any {
	vs := f.values(d)
	if len(vs) == 0 {
		if k.missing != nil {
			v, _ := f.coerce(k.missing)
			return sortable(v, f)
		}
		return k.absent(f, d.index.cluster)
	}
	greatest := k.descending && k.mode != "min" || k.mode == "max"
	if greatest {
		return sortable(slices.MaxFunc(vs, compare), f)
	}
	return sortable(slices.MinFunc(vs, compare), f)
}

// absent is what the servers show and compare for a document without a value: an extreme for numbers and
// dates, null for words.
func (k sortKey) absent(f *field, c *Cluster) any {
	low := k.missingFirst != k.descending
	switch f.kind() {
	case "keyword", "ip", "version", "wildcard", "constant_keyword":
		return nil
	case "double", "float", "half_float", "scaled_float":
		if low {
			return math.Inf(-1)
		}
		return math.Inf(1)
	}
	if c.sortsNarrow(f.kind()) {
		return pick(low, math.MinInt32, math.MaxInt32)
	}
	return pick(low, math.MinInt64, math.MaxInt64)
}

func pick(low bool, least, greatest int64) any {
	if low {
		return least
	}
	return greatest
}

// sortsNarrow reports whether the type is sorted in 32 bits, which shows in the extremes (seen on OpenSearch 2.19 and
// Elasticsearch 8.19; Elasticsearch 7.10 sorts every whole number in 64).
func (c *Cluster) sortsNarrow(kind string) bool {
	switch kind {
	case "integer", "short", "byte":
		return c.cfg.flavor == OpenSearch || c.release.atLeast(8, 0)
	case "boolean":
		return c.cfg.flavor == OpenSearch
	}
	return false
}

// sortable is the form in which a value appears in an answer's sort array.
func sortable(v any, f *field) any {
	switch v := v.(type) {
	case time.Time:
		if f.kind() == "date_nanos" {
			return v.UnixNano()
		}
		return v.UnixMilli()
	case bool:
		return boolInt(v)
	case netip.Addr:
		return v.String()
	}
	return v
}

// order compares two hits by all keys.
func order(keys []sortKey, a, b []any) int {
	for i, k := range keys {
		if o := k.order(a[i], b[i]); o != 0 {
			return o
		}
	}
	return 0
}

func (k sortKey) order(a, b any) int {
	if a == nil || b == nil {
		o := cmp.Compare(boolToInt(a == nil), boolToInt(b == nil)) // null last
		if k.missingFirst {
			o = -o
		}
		return o
	}
	o := compare(a, b)
	if k.descending {
		return -o
	}
	return o
}

// cursorValues reads search_after so that it compares with the hits' values.
func cursorValues(keys []sortKey, after []any, ix *index) ([]any, error) {
	if len(after) != len(keys) {
		return nil, fail(400, "illegal_argument_exception", fmt.Sprintf("search_after has %d value(s) but sort has %d.", len(after), len(keys)))
	}
	out := make([]any, len(after))
	for i, v := range after {
		c, err := keys[i].cursorValue(v, ix)
		if err != nil {
			return nil, fail(400, "illegal_argument_exception", fmt.Sprintf("Failed to parse search_after value for field [%s].", keys[i].name))
		}
		out[i] = c
	}
	return out, nil
}

func (k sortKey) cursorValue(v any, ix *index) (any, error) {
	if v == nil {
		return nil, nil
	}
	kind := map[string]string{"_doc": "long", "_shard_doc": "long", "_seq_no": "long", "_score": "double", "_id": "keyword", "_index": "keyword"}[k.name]
	f := ix.mapping.lookup(k.name)
	if f == nil {
		f = &field{k.name, k.name, map[string]any{"type": cmp.Or(kind, k.unmapped, "keyword")}}
	}
	switch n, isNumber := v.(json.Number); {
	case (f.kind() == "date" || f.kind() == "date_nanos" || f.kind() == "boolean") && isNumber:
		return n.Int64()
	case v == "Infinity" || v == "-Infinity":
		return map[any]float64{"Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[v], nil
	}
	c, err := f.coerce(v)
	return sortable(c, f), err
}

// shown are the sort values as JSON: infinite numbers as text, dates by the key's format.
func shown(keys []sortKey, values []any) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
		if x, ok := v.(float64); ok && math.IsInf(x, 0) {
			out[i] = map[bool]string{true: "Infinity", false: "-Infinity"}[x > 0]
		}
		if n, ok := v.(int64); ok && keys[i].format != "" && n != math.MaxInt64 && n != math.MinInt64 {
			out[i] = time.UnixMilli(n).UTC().Format("2006-01-02T15:04:05.000Z")
		}
	}
	return out
}

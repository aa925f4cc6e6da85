package sqlapi

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// fieldKind says how the values of a field compare.
type fieldKind uint8

const (
	otherField  fieldKind = iota // they do not: points, ranges, flattened objects
	wholeField                   // int64, and uint64 above it
	realField                    // float64
	boolField                    // bool
	textField                    // string, by its bytes
	timeField                    // time.Time
	addrField                    // netip.Addr
	binaryField                  // []byte, which no query finds
)

// fieldKinds are by the mapping's type.
var fieldKinds = map[string]fieldKind{
	"long": wholeField, "integer": wholeField, "short": wholeField, "byte": wholeField, "unsigned_long": wholeField,
	"double": realField, "float": realField, "half_float": realField, "scaled_float": realField,
	"boolean": boolField,
	"keyword": textField, "text": textField, "constant_keyword": textField, "wildcard": textField, "match_only_text": textField,
	"version": textField,
	"date":    timeField, "date_nanos": timeField,
	"ip":     addrField,
	"binary": binaryField,
}

// field is one field of a mapping. It is never changed.
type field struct {
	name        string // with dots for what is inside objects
	typ         string // the mapping's
	kind        fieldKind
	exact       string // the field whose terms are whole values; empty for a text that has none
	ignoreAbove int    // longer values are not in exact; 0 for no limit
	altered     bool   // what is indexed is not what was written: normalizer, null_value
	nested      bool   // inside nested objects, or such an object itself
	factor      float64
	formats     []string // of dates, empty for the default
	zone        *time.Location
	column      columnMeta // what DDL of ours says of it
}

// idField is the document's id.
var idField = &field{name: "_id", typ: "keyword", kind: textField, exact: "_id"}

func newField(name string, def map[string]any, zone *time.Location) *field {
	f := &field{name: name, typ: "object", exact: name, zone: zone}
	if typ, ok := def["type"].(string); ok {
		f.typ = typ
	}
	f.kind = fieldKinds[f.typ]
	f.ignoreAbove = number0(def["ignore_above"])
	f.altered = def["normalizer"] != nil || def["null_value"] != nil
	f.factor, _ = def["scaling_factor"].(float64)
	if format, ok := def["format"].(string); ok {
		f.formats = dateFormats(format)
	}
	if f.typ == "text" || f.typ == "match_only_text" {
		f.exact = ""
		f.takeExact(def)
	}
	return f
}

// takeExact finds the sub-field of a text that holds whole values; the first by name if there are several without a
// normalizer.
func (f *field) takeExact(def map[string]any) {
	subs, _ := def["fields"].(map[string]any)
	for name, v := range subs {
		sub, _ := v.(map[string]any)
		whole := sub["type"] == "keyword" || sub["type"] == "wildcard"
		if full := f.name + "." + name; whole && sub["normalizer"] == nil && (f.exact == "" || full < f.exact) {
			f.exact, f.ignoreAbove = full, number0(sub["ignore_above"])
		}
	}
}

// number0 is a whole number of a mapping, 0 when there is none.
func number0(v any) int {
	f, _ := v.(float64)
	return int(f)
}

// unrounded is the field for reading what a document holds instead of what is indexed: a float computes with the digits
// that were written.
func (f *field) unrounded() *field {
	if f.kind != realField {
		return f
	}
	wide := *f
	wide.typ = "double"
	return &wide
}

// jsonish reports whether the field takes JSON: an object, or what the servers write as one.
func (f *field) jsonish() bool {
	switch f.typ {
	case "object", "nested", "flattened", "flat_object", "geo_shape", "geo_point", "shape", "point":
		return true
	}
	return false
}

// asJSON returns a text that is an object or an array as such.
func asJSON(text string) (jsontext.Value, bool) {
	v := jsontext.Value(text)
	if k := v.Kind(); k != '{' && k != '[' || !v.IsValid() {
		return nil, false
	}
	return v, true
}

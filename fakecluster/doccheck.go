package fakecluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"
)

// docCheck checks one document against a mapping.
type docCheck struct {
	mapping *mapping
	id      string
	source  []byte
}

// object checks the fields of an object and returns definitions for those that are new.
func (d *docCheck) object(def, fields map[string]any, prefix string) (map[string]any, error) {
	added := map[string]any{}
	for name, v := range fields {
		if v == nil {
			continue
		}
		more, err := d.field(def, undot(name, v), prefix)
		if err != nil {
			return nil, err
		}
		if added, err = mergeFields(added, more, ""); err != nil {
			return nil, err
		}
	}
	return added, nil
}

// pair is a field of a document: its first name and its value, with dots in the name unfolded to objects.
type pair struct {
	name  string
	value any
}

func undot(name string, v any) pair {
	first, rest, dotted := strings.Cut(name, ".")
	if dotted {
		return pair{first, map[string]any{rest: v}}
	}
	return pair{name, v}
}

func (d *docCheck) field(def map[string]any, p pair, prefix string) (map[string]any, error) {
	path := prefix + p.name
	known := sub(sub(def, "properties"), p.name)
	if known == nil {
		return d.unknown(def, p, path, strings.TrimSuffix(prefix, "."))
	}
	f := &field{path, path, known}
	if known["enabled"] == false || known["type"] == "flattened" || known["type"] == "flat_object" {
		return nil, nil
	}
	if k := f.kind(); k != "object" && k != "nested" {
		return nil, d.value(f, p.value)
	}
	return d.inside(f, p)
}

// inside checks an object, or each object of an array.
func (d *docCheck) inside(f *field, p pair) (map[string]any, error) {
	added := map[string]any{}
	for _, v := range each(p.value) {
		o, ok := v.(map[string]any)
		if !ok {
			return nil, d.problem(f, v, fmt.Sprintf("object mapping for [%s] tried to parse field [%s] as object, but found a concrete value", f.path, p.name))
		}
		def := f.def
		if def["dynamic"] == nil {
			def = maps.Clone(def)
			def["dynamic"] = d.mapping.root["dynamic"]
		}
		more, err := d.object(def, o, f.path+".")
		if err != nil {
			return nil, err
		}
		if added, err = mergeFields(added, more, ""); err != nil {
			return nil, err
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	return map[string]any{p.name: map[string]any{"properties": added}}, nil
}

// each returns the elements of an array, or the value itself; nulls are left out.
func each(v any) []any {
	list, ok := v.([]any)
	if !ok {
		if v == nil {
			return nil
		}
		return []any{v}
	}
	var out []any
	for _, e := range list {
		out = append(out, each(e)...)
	}
	return out
}

// unknown treats a field that is not mapped as the mapping's dynamic setting says.
func (d *docCheck) unknown(def map[string]any, p pair, path, parent string) (map[string]any, error) {
	switch fmt.Sprint(def["dynamic"]) {
	case "strict":
		if parent == "" {
			parent = "_doc"
		}
		reason := fmt.Sprintf("mapping set to strict, dynamic introduction of [%s] within [%s] is not allowed", p.name, parent)
		return nil, fail(400, "strict_dynamic_mapping_exception", d.position(p.name)+reason)
	case "false":
		return nil, nil
	}
	guess := d.guess(p.value, path)
	if guess == nil {
		return nil, nil
	}
	return map[string]any{p.name: guess}, nil
}

// guess is the definition dynamic mapping makes from a value; nil if it tells nothing.
func (d *docCheck) guess(v any, path string) map[string]any {
	for _, e := range each(v) {
		switch e := e.(type) {
		case bool:
			return map[string]any{"type": "boolean"}
		case json.Number:
			if strings.ContainsAny(e.String(), ".eE") {
				return map[string]any{"type": "float"}
			}
			return map[string]any{"type": "long"}
		case string:
			return guessText(e)
		case map[string]any:
			added, err := d.object(map[string]any{}, e, path+".")
			if err == nil && len(added) > 0 {
				return map[string]any{"properties": added}
			}
			return map[string]any{"type": "object"}
		}
	}
	return nil
}

// guessText finds dates as date_detection does by default: strict_date_optional_time and yyyy/MM/dd.
func guessText(s string) map[string]any {
	if _, err := parseDate(s, "strict_date_optional_time", time.UTC); err == nil && len(s) >= len("2006-01-02") {
		return map[string]any{"type": "date"}
	}
	keyword := map[string]any{"type": "keyword", "ignore_above": json.Number("256")}
	return map[string]any{"type": "text", "fields": map[string]any{"keyword": keyword}}
}

// value checks each value of a leaf field.
func (d *docCheck) value(f *field, v any) error {
	for _, e := range each(v) {
		if _, err := f.coerce(e); err != nil && f.def["ignore_malformed"] != true {
			return d.problem(f, e, err.Error())
		}
	}
	return nil
}

func (d *docCheck) problem(f *field, v any, why string) error {
	preview := encode(v)
	if s, ok := v.(string); ok {
		preview = []byte(s)
	}
	reason := fmt.Sprintf("failed to parse field [%s] of type [%s] in document with id '%s'. Preview of field's value: '%s'", f.path, f.kind(), d.id, preview)
	kind := "mapper_parsing_exception"
	if d.mapping.modern() {
		kind = "document_parsing_exception"
	}
	last := f.path[strings.LastIndex(f.path, ".")+1:]
	return fail(400, kind, d.position(last)+reason, "caused_by", failure("illegal_argument_exception", why))
}

// position is where the field's value begins, as Elasticsearch 8 puts before the message. A name that
// occurs twice in the document is found at its first place.
func (d *docCheck) position(name string) string {
	if !d.mapping.modern() {
		return ""
	}
	at := bytes.Index(d.source, encode(name))
	if at < 0 {
		return "[1:1] "
	}
	at += len(encode(name))
	for at < len(d.source) && strings.IndexByte(": \t\n", d.source[at]) >= 0 {
		at++
	}
	before := d.source[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Sprintf("[%d:%d] ", line, at-bytes.LastIndexByte(before, '\n'))
}

package fakecluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// mapping is an index's mapping, kept as the JSON that was given, so that everything in it comes back.
type mapping struct {
	cluster *Cluster
	root    map[string]any
}

// field is one mapped field or sub-field.
type field struct {
	path   string // full name, such as name.keyword
	source string // where its values are in the document: name
	def    map[string]any
}

func newMapping(c *Cluster) *mapping { return &mapping{c, map[string]any{}} }

func (f *field) kind() string {
	if t, ok := f.def["type"].(string); ok {
		return t
	}
	return "object"
}

func sub(def map[string]any, key string) map[string]any {
	m, _ := def[key].(map[string]any)
	return m
}

// lookup finds a field by its full name; nil if it is not mapped.
func (m *mapping) lookup(name string) *field {
	def := m.root
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if next := sub(sub(def, "properties"), part); next != nil {
			def = next
			continue
		}
		if next := sub(sub(def, "fields"), part); next != nil && i == len(parts)-1 && i > 0 {
			return &field{name, strings.Join(parts[:i], "."), next}
		}
		return nil
	}
	return &field{name, name, def}
}

// leaves returns every field with values of its own, by name, sub-fields included and nested fields left out.
func (m *mapping) leaves() []*field { return leavesOf(m.root, "") }

func leavesOf(def map[string]any, prefix string) []*field {
	var found []*field
	props := sub(def, "properties")
	for _, name := range slices.Sorted(maps.Keys(props)) {
		f := &field{prefix + name, prefix + name, sub(props, name)}
		switch f.kind() {
		case "object":
			found = append(found, leavesOf(f.def, f.path+".")...)
		case "nested":
		default:
			found = append(append(found, f), f.subFields()...)
		}
	}
	return found
}

// subFields are the further ways the field is indexed, such as name.keyword.
func (f *field) subFields() []*field {
	var found []*field
	subs := sub(f.def, "fields")
	for _, name := range slices.Sorted(maps.Keys(subs)) {
		found = append(found, &field{f.path + "." + name, f.source, sub(subs, name)})
	}
	return found
}

// merge adds the given mapping. A field may not change its type.
func (m *mapping) merge(add map[string]any) error {
	merged, err := mergeDef(m.root, add, "")
	if err == nil {
		m.root = merged
	}
	return err
}

// mergeDef returns a new definition; the old one is left alone for those who hold it.
func mergeDef(old, add map[string]any, path string) (map[string]any, error) {
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	for key, v := range add {
		if key != "properties" && key != "fields" {
			if key == "type" && old["type"] != nil && old["type"] != v {
				return nil, fail(400, "illegal_argument_exception",
					fmt.Sprintf("mapper [%s] cannot be changed from type [%v] to [%v]", path, old["type"], v))
			}
			out[key] = v
			continue
		}
		props, err := mergeFields(sub(old, key), v, path)
		if err != nil {
			return nil, err
		}
		out[key] = props
	}
	return out, nil
}

func mergeFields(old map[string]any, add any, path string) (map[string]any, error) {
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	fields, ok := add.(map[string]any)
	if !ok {
		return nil, fail(400, "mapper_parsing_exception", "Expected map for property [fields] on field ["+path+"]")
	}
	for name, v := range fields {
		def, ok := v.(map[string]any)
		full := strings.TrimPrefix(path+"."+name, ".")
		if err := checkDef(full, def, ok); err != nil {
			return nil, err
		}
		merged, err := mergeDef(sub(old, name), def, full)
		if err != nil {
			return nil, err
		}
		out[name] = merged
	}
	return out, nil
}

// fieldTypes are the types that the fake's mappings take.
var fieldTypes = []string{
	"long", "integer", "short", "byte", "unsigned_long", "double", "float", "half_float", "scaled_float", "boolean",
	"date", "date_nanos", "keyword", "text", "constant_keyword", "wildcard", "match_only_text", "ip", "version", "binary",
	"object", "nested", "flattened", "flat_object", "geo_point", "geo_shape", "shape", "alias", "join", "completion",
	"token_count", "dense_vector", "knn_vector", "rank_feature", "integer_range", "long_range", "float_range",
	"double_range", "date_range", "ip_range", "histogram", "search_as_you_type", "percolator", "murmur3",
}

func checkDef(path string, def map[string]any, ok bool) error {
	t, typed := def["type"].(string)
	switch {
	case !ok:
		return fail(400, "mapper_parsing_exception", "Expected map for property [fields] on field ["+path+"]")
	case typed && !slices.Contains(fieldTypes, t):
		return fail(400, "mapper_parsing_exception", "Failed to parse mapping [_doc]: No handler for type ["+t+"] declared on field ["+path+"]")
	case !typed && sub(def, "properties") == nil && len(def) > 0 && def["dynamic"] == nil && def["enabled"] == nil:
		return fail(400, "mapper_parsing_exception", "Failed to parse mapping [_doc]: No type specified for field ["+path+"]")
	}
	return nil
}

// accept parses a document and checks it against the mapping, which it extends by new fields if the
// mapping is dynamic. It returns the document's fields; numbers stay json.Number.
func (m *mapping) accept(id string, source []byte) (map[string]any, error) {
	fields, err := parseObject(source)
	if err != nil {
		return nil, m.unparsable(err)
	}
	d := &docCheck{mapping: m, id: id, source: source}
	added, err := d.object(m.root, fields, "")
	if err != nil {
		return nil, err
	}
	if len(added) > 0 {
		return fields, m.merge(map[string]any{"properties": added})
	}
	return fields, nil
}

// parseObject reads exactly one JSON object.
func parseObject(b []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errors.New("expected an object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected token after the object")
	}
	return v, nil
}

// modern says whether document errors have the form of Elasticsearch 8.
func (m *mapping) modern() bool {
	return m.cluster.cfg.flavor == Elasticsearch && m.cluster.release.atLeast(8, 0)
}

func (m *mapping) unparsable(err error) error {
	kind, reason := "mapper_parsing_exception", "failed to parse"
	if m.modern() {
		kind, reason = "document_parsing_exception", "[1:1] failed to parse: "+err.Error()
	}
	return fail(400, kind, reason, "caused_by", failure("illegal_argument_exception", err.Error()))
}

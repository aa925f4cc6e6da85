package sqlapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// decodeDocument reads a document's _source. Numbers keep all their digits as json.Number.
func decodeDocument(source []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(source))
	d.UseNumber()
	var doc map[string]any
	err := d.Decode(&doc)
	return doc, err
}

// valueAt returns the value of a document at a dotted path: nil when there is none or it is null, a list without
// nulls when there are several.
func valueAt(doc map[string]any, path string) any {
	switch found := valuesAt(doc, path); len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	default:
		return found
	}
}

// rawAt returns what a document has at a dotted path as it is there.
func rawAt(doc map[string]any, path string) any {
	first, rest, dotted := strings.Cut(path, ".")
	if v := doc[path]; v != nil || !dotted {
		return v
	}
	inner, _ := doc[first].(map[string]any)
	return rawAt(inner, rest)
}

// verbatim makes numbers of a decoded document into JSON that stands for itself, with all its digits.
func verbatim(v any) any {
	switch v := v.(type) {
	case json.Number:
		return jsontext.Value(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = verbatim(e)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, e := range v {
			object[name] = verbatim(e)
		}
		return object
	}
	return v
}

// valuesAt returns the values at a path, lists taken apart and nulls left out. An object on the way may be written with
// dots in its name.
func valuesAt(doc map[string]any, path string) []any {
	var found []any
	if v, ok := doc[path]; ok {
		found = append(found, each(v)...)
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		for _, v := range each(doc[path[:i]]) {
			if inner, ok := v.(map[string]any); ok {
				found = append(found, valuesAt(inner, path[i+1:])...)
			}
		}
	}
	return found
}

// each returns the elements of a list, or the value itself, without nulls.
func each(v any) []any {
	list, ok := v.([]any)
	switch {
	case !ok && v == nil:
		return nil
	case !ok:
		return []any{v}
	}
	var all []any
	for _, e := range list {
		all = append(all, each(e)...)
	}
	return all
}

// setAt puts a value at a dotted path: in the place where the document has one, else in objects, which it makes. It
// reports false, and changes nothing, when there is something else than an object on the way, such as a list of them.
func setAt(doc map[string]any, path string, v any) bool {
	if _, ok := doc[path]; ok {
		doc[path] = v
		return true
	}
	for i := range len(path) {
		if path[i] == '.' && doc[path[:i]] != nil {
			inner, ok := doc[path[:i]].(map[string]any)
			return ok && setAt(inner, path[i+1:], v)
		}
	}
	first, rest, dotted := strings.Cut(path, ".")
	if !dotted {
		doc[path] = v
		return true
	}
	inner := map[string]any{}
	doc[first] = inner
	return setAt(inner, rest, v)
}

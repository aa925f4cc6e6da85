package fakecluster

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
)

// sourceFilter says which part of a document's source an answer shows.
type sourceFilter struct {
	none               bool
	includes, excludes []string
}

// sourceFilterFrom reads _source, _source_includes and _source_excludes of the query.
func sourceFilterFrom(q url.Values) sourceFilter {
	f := sourceFilter{includes: list(q.Get("_source_includes")), excludes: list(q.Get("_source_excludes"))}
	switch s := q.Get("_source"); s {
	case "", "true":
	case "false":
		f.none = true
	default:
		f.includes = append(f.includes, list(s)...)
	}
	return f
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// sourceFilterOf reads the _source of a body: a boolean, a name, names, or includes and excludes.
func sourceFilterOf(v any) sourceFilter {
	switch v := v.(type) {
	case bool:
		return sourceFilter{none: !v}
	case map[string]any:
		return sourceFilter{includes: texts(v["includes"], v["include"]), excludes: texts(v["excludes"], v["exclude"])}
	}
	return sourceFilter{includes: texts(v)}
}

func texts(vs ...any) []string {
	var out []string
	for _, v := range vs {
		for _, e := range each(v) {
			out = append(out, fmt.Sprint(e))
		}
	}
	return out
}

func (f sourceFilter) addTo(o object, d *document) object {
	if f.none {
		return o
	}
	return o.with("_source", json.RawMessage(f.apply(d)))
}

// apply returns the source, byte for byte if nothing is left out.
func (f sourceFilter) apply(d *document) []byte {
	if len(f.includes) == 0 && len(f.excludes) == 0 {
		return d.source
	}
	return encode(f.part(d.fields, "", len(f.includes) == 0))
}

// part copies the fields that are shown; included says that a parent was named already.
func (f sourceFilter) part(fields map[string]any, prefix string, included bool) map[string]any {
	out := map[string]any{}
	for name, v := range fields {
		full := prefix + name
		if slices.ContainsFunc(f.excludes, func(p string) bool { return covers(p, full) }) {
			continue
		}
		in := included || slices.ContainsFunc(f.includes, func(p string) bool { return covers(p, full) })
		if shown, ok := f.value(v, full, in); ok {
			out[name] = shown
		}
	}
	return out
}

func (f sourceFilter) value(v any, full string, in bool) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		o := f.part(v, full+".", in)
		return o, in || len(o) > 0
	case []any:
		var out []any
		for _, e := range v {
			if shown, ok := f.value(e, full, in); ok {
				out = append(out, shown)
			}
		}
		return out, in || len(out) > 0
	}
	return v, in
}

// covers says whether a pattern names the field or an object it is in; a * crosses dots.
func covers(pattern, name string) bool {
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", ""), name)
	return ok || strings.HasPrefix(name, pattern+".")
}

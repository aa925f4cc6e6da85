package fakecluster

import (
	"path"
	"strings"
)

// filtered keeps what filter_path names: dotted paths with * for one name and ** for any number of them.
// Exclusions (-path) are not emulated. An answer that is no JSON object stays as it is.
func (r *reply) filtered(paths string) *reply {
	if paths == "" {
		return r
	}
	body, err := parseObject(r.body)
	if err != nil {
		return r
	}
	var wanted [][]string
	for p := range strings.SplitSeq(paths, ",") {
		wanted = append(wanted, strings.Split(p, "."))
	}
	kept, _ := keep(body, wanted)
	if kept == nil {
		kept = object{}
	}
	r.body = encode(kept)
	return r
}

// keep returns the part of the value that a path names; ok is false if there is none.
func keep(v any, paths [][]string) (part any, ok bool) {
	for _, p := range paths {
		if len(p) == 0 || len(p) == 1 && p[0] == "**" {
			return v, true
		}
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			if kept, ok := keep(inner, below(name, paths)); ok {
				out[name] = kept
			}
		}
		return out, len(out) > 0
	case []any:
		var out []any
		for _, e := range v {
			if kept, ok := keep(e, paths); ok {
				out = append(out, kept)
			}
		}
		return out, len(out) > 0
	}
	return nil, false
}

// below returns what is left of the paths behind a name.
func below(name string, paths [][]string) [][]string {
	var rest [][]string
	for _, p := range paths {
		if p[0] == "**" {
			rest = append(rest, p)
			p = p[1:]
		}
		if ok, _ := path.Match(p[0], name); ok {
			rest = append(rest, p[1:])
		}
	}
	return rest
}

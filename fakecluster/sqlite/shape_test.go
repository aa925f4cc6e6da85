package sqlite_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// outline is what an answer is made of: the path and kind of every field, in a fixed order. Rows are left out, since
// essence compares them, and so are the words of reasons. Lists are told by their first element.
func outline(body string) []string {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return []string{"no JSON"}
	}
	return fields("", v)
}

func fields(path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		var found []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(unlike, name) {
				found = append(found, fields(strings.TrimPrefix(path+"."+name, "."), v[name])...)
			}
		}
		return append(found, path+" object")
	case []any:
		if len(v) > 0 && !slices.Contains(lists, path) {
			return fields(path+".0", v[0])
		}
		return []string{path + " list"}
	}
	return []string{fmt.Sprintf("%s %T", path, v)}
}

// lists are those whose elements are not looked into, and unlike the fields that the fake leaves out: causes, which
// name classes of the server, and where in them.
var (
	lists  = []string{"rows", "datarows", "values"}
	unlike = []string{"caused_by", "line", "col", "failed_shards", "phase", "grouped"}
)

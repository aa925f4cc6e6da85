package sqlapi

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// sameSource reports whether two documents hold the same, whatever the order of their members; null is as good as
// missing.
func sameSource(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := decodeDocument(a)
	if err != nil {
		return false
	}
	y, err := decodeDocument(b)
	return err == nil && same(x, y)
}

// same compares two values of documents.
func same(a, b any) bool {
	a, b = plain(a), plain(b)
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && covers(x, y) && covers(y, x)
	case []any:
		y, ok := b.([]any)
		return ok && sameList(x, y)
	case int64, uint64, float64:
		switch b.(type) {
		case int64, uint64, float64:
			return compareNumbers(a, b) == 0
		}
		return false
	}
	if _, composite := b.(map[string]any); composite {
		return false
	}
	if _, composite := b.([]any); composite {
		return false
	}
	return a == b
}

// covers reports whether each member of the first is in the second.
func covers(x, y map[string]any) bool {
	for name, v := range x {
		if !same(v, y[name]) {
			return false
		}
	}
	return true
}

func sameList(x, y []any) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !same(x[i], y[i]) {
			return false
		}
	}
	return true
}

// plain decodes JSON text and numbers.
func plain(v any) any {
	raw, ok := v.(jsontext.Value)
	if !ok {
		return plainNumber(v)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var decoded any
	if d.Decode(&decoded) != nil {
		return string(raw)
	}
	return plainNumber(decoded)
}

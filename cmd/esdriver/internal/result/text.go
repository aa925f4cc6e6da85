package result

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// null is how a value that is not there looks to people.
const null = "NULL"

// Text returns a value as text: numbers so that they can be read back exactly, times as RFC 3339, bytes as they are if
// they are text and in base64 if not. The text of nil is empty.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		if utf8.Valid(v) {
			return string(v)
		}
		return base64.StdEncoding.EncodeToString(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

// shown is a value as people see it, on one line and without anything that moves a terminal's cursor.
func shown(v any) string {
	if v == nil {
		return null
	}
	return strings.Map(visible, strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(Text(v)))
}

// visible replaces control characters.
func visible(r rune) rune {
	if unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

// numeric reports whether a value stands to the right.
func numeric(v any) bool {
	switch v.(type) {
	case nil, int64, uint64, float64:
		return true
	}
	return false
}

// JSON returns a value as JSON: numbers and truth values as such, bytes that are JSON as they are, all else as text.
func JSON(v any) ([]byte, error) {
	switch b := v.(type) {
	case nil, bool, int64, uint64, float64:
		return json.Marshal(b)
	case []byte:
		if json.Valid(b) {
			return b, nil
		}
	}
	return json.Marshal(Text(v))
}

package esbun

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun/dialect"
)

// What cannot be written becomes part of the statement as bun's mark of an error, which no server takes.
var errNotUTF8 = errors.New("esbun: a string is not UTF-8")

// AppendString writes a string so that it is read as it is, whatever it holds. One that is not UTF-8 makes the statement
// fail.
func (*Dialect) AppendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return dialect.AppendError(b, errNotUTF8)
	}
	return appendQuoted(b, s)
}

// appendQuoted doubles quotes, which is all that a string without a backslash needs anywhere. With one, servers differ,
// so the string is N'…', in which only the doubled quote means anything to the driver.
func appendQuoted(b []byte, s string) []byte {
	if strings.Contains(s, `\`) {
		b = append(b, 'N')
	}
	b = append(b, '\'')
	b = append(b, strings.ReplaceAll(s, `'`, `''`)...)
	return append(b, '\'')
}

// AppendBytes writes bytes as X'…'. Only columns of type binary take them, and no condition finds them.
func (*Dialect) AppendBytes(b, bytes []byte) []byte {
	if bytes == nil {
		return dialect.AppendNull(b)
	}
	return append(hex.AppendEncode(append(b, "X'"...), bytes), '\'')
}

// AppendJSON writes JSON as a string.
func (d *Dialect) AppendJSON(b, json []byte) []byte { return d.AppendString(b, string(json)) }

// AppendTime writes an instant with all its digits. Years outside 1 to 9999 make the statement fail.
func (*Dialect) AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return dialect.AppendError(b, fmt.Errorf("esbun: the year %d is not one of 1 to 9999", y))
	}
	return append(t.AppendFormat(append(b, "TIMESTAMP '"...), time.RFC3339Nano), '\'')
}

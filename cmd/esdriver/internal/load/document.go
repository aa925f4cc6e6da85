package load

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash"
	"strconv"
)

// numbers and booleans are the mapping's types whose values are not written as strings.
var numbers = map[string]bool{
	"long": true, "integer": true, "short": true, "byte": true, "unsigned_long": true,
	"double": true, "float": true, "half_float": true, "scaled_float": true,
}

// appendDocument appends a row as a JSON object. An empty field of a CSV file is left out: it stands for NULL. What
// does not look like a value of the field's type is written as a string, for the server to take or refuse.
func appendDocument(b []byte, r *row, types map[string]string) []byte {
	if r.names == nil {
		return append(b, r.line...)
	}
	b = append(b, '{')
	first := true
	for i, value := range r.fields {
		if value == "" {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendString(b, r.names[i])
		b = append(b, ':')
		b = appendValue(b, value, types[r.names[i]])
	}
	return append(b, '}')
}

func appendValue(b []byte, value, fieldType string) []byte {
	if numbers[fieldType] && isNumber(value) || fieldType == "boolean" && (value == "true" || value == "false") {
		return append(b, value...)
	}
	return appendString(b, value)
}

// isNumber reports whether a text is a number as JSON writes it.
func isNumber(s string) bool {
	c := s[0]
	return (c == '-' || c >= '0' && c <= '9') && json.Valid([]byte(s))
}

// appendString appends a JSON string. Most texts need no escapes and are not looked at by package json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string always has a JSON form
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// identity makes the ids of a file's documents: of the file's name, the row's place in it and its content. The same row
// has the same id whenever it is sent, so that the server can tell that it has it; and another row that comes to stand
// at the same place, in a new file of the old name, has another one.
type identity struct {
	name string
	sum  hash.Hash
	buf  []byte
}

func newIdentity(name string) *identity { return &identity{name: name, sum: sha256.New()} }

const idBytes = 15 // 20 characters; two of a billion rows share an id with a probability of 1 in 10^18

// append appends a row's id.
func (d *identity) append(b []byte, r *row) []byte {
	d.buf = append(d.buf[:0], d.name...)
	d.buf = binary.BigEndian.AppendUint64(append(d.buf, 0), uint64(r.start))
	d.buf = append(d.buf, r.line...)
	for _, f := range r.fields {
		d.buf = append(append(strconv.AppendInt(d.buf, int64(len(f)), 10), ':'), f...)
	}
	d.sum.Reset()
	d.sum.Write(d.buf)
	d.buf = d.sum.Sum(d.buf[:0])
	return base64.RawURLEncoding.AppendEncode(b, d.buf[:idBytes])
}

package load

import (
	"encoding/json"
)

// numbers are the mapping's types whose values are not written as strings.
var numbers = map[string]bool{
	"long": true, "integer": true, "short": true, "byte": true, "unsigned_long": true,
	"double": true, "float": true, "half_float": true, "scaled_float": true,
}

// encoder writes the rows of one file as items of bulk requests.
type encoder struct {
	id      *identity
	types   map[string]string // of the table's fields
	columns []column          // of a CSV file, once a row of it was seen
}

// column is what is the same in every row.
type column struct {
	head []byte                  // the name, as it stands before each value
	bare func(value string) bool // whether a value is written without quotes
}

func (e *encoder) column(name string) column {
	c := column{head: append(appendString(nil, name), ':'), bare: func(string) bool { return false }}
	switch fieldType := e.types[name]; {
	case numbers[fieldType]:
		c.bare = isNumber
	case fieldType == "boolean":
		c.bare = func(value string) bool { return value == "true" || value == "false" }
	}
	return c
}

// document appends a row as a JSON object. An empty field of a CSV file is left out: it stands for NULL. What does not
// look like a value of the field's type is written as a string, for the server to take or refuse.
func (e *encoder) document(b []byte, r *row) []byte {
	if r.names == nil {
		return append(b, r.line...)
	}
	for _, name := range r.names[len(e.columns):] { // all at the first row, none after it
		e.columns = append(e.columns, e.column(name))
	}
	b = append(b, '{')
	for i, value := range r.fields {
		if value == "" {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = e.columns[i].append(b, value)
	}
	return append(b, '}')
}

func (c *column) append(b []byte, value string) []byte {
	b = append(b, c.head...)
	if c.bare(value) {
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

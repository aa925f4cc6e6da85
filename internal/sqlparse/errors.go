package sqlparse

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrVersionUnknown is the cause of a [*LiteralError] when a string can be written only by the rule of the server's
// version and that is not known. Learn it and try again.
var ErrVersionUnknown = errors.New("sqlparse: the server's version decides how a backslash is written, and it is not known")

// SyntaxError is a statement that could not be read.
type SyntaxError struct {
	Line   int    // from 1
	Column int    // from 1, in characters
	Token  string // the offending token, empty at the end of the statement; long ones are cut
	Msg    string
}

// Error names the place, the token and what was wrong.
func (e *SyntaxError) Error() string {
	at := "the end of the statement"
	if e.Token != "" {
		at = printable(e.Token)
	}
	return fmt.Sprintf("sqlparse: line %d, column %d: %s, at %s", e.Line, e.Column, e.Msg, at)
}

// ArgError is a list of arguments that does not fit the placeholders.
type ArgError struct {
	Want, Got int    // how many arguments the statement takes and was given; equal when the number is not the matter
	Name      string // the argument that is missing or not wanted, empty for positional ones
	Ordinal   int    // the argument that does not fit, from 1; 0 when the number is the matter or it is named
	Msg       string
}

// Error says what does not fit.
func (e *ArgError) Error() string {
	switch {
	case e.Name != "":
		return fmt.Sprintf("sqlparse: argument %q: %s", e.Name, e.Msg)
	case e.Ordinal > 0:
		return fmt.Sprintf("sqlparse: argument %d: %s", e.Ordinal, e.Msg)
	}
	return fmt.Sprintf("sqlparse: %s: the statement takes %d, %d given", e.Msg, e.Want, e.Got)
}

// LiteralError is a value that a server cannot be sent exactly.
type LiteralError struct {
	Flavor Flavor
	Type   string // the Go type of the value; the value itself may be a secret
	Msg    string
	Err    error // the cause, such as ErrVersionUnknown; may be nil
}

// Error names the type and the reason, never the value.
func (e *LiteralError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("sqlparse: a %s cannot be written exactly for %s: %v", e.Type, e.Flavor, e.Err)
	}
	return fmt.Sprintf("sqlparse: a %s cannot be written exactly for %s: %s", e.Type, e.Flavor, e.Msg)
}

// Unwrap returns the cause.
func (e *LiteralError) Unwrap() error { return e.Err }

// OffsetError is an OFFSET beyond the limit of what is emulated.
type OffsetError struct{ Offset, Max int64 }

// Error names both numbers and the knob.
func (e *OffsetError) Error() string {
	return fmt.Sprintf("sqlparse: OFFSET %d is emulated by reading and dropping rows, and MaxOffset is %d", e.Offset, e.Max)
}

// UnsupportedError is a statement or construct that is understood and not supported.
type UnsupportedError struct {
	Construct    string // such as "INSERT … SELECT"
	Line, Column int    // where it stands, from 1; 0 when the whole statement is meant
}

// Error names the construct and its place.
func (e *UnsupportedError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("sqlparse: %s is not supported", e.Construct)
	}
	return fmt.Sprintf("sqlparse: line %d, column %d: %s is not supported", e.Line, e.Column, e.Construct)
}

// maxErrorToken bounds how much of a token an error shows.
const maxErrorToken = 40

func syntaxError(text string, at int, token, msg string) *SyntaxError {
	line, column := position(text, at)
	return &SyntaxError{Line: line, Column: column, Token: cut(token, maxErrorToken), Msg: msg}
}

// position returns the line and column, both from 1, of a byte offset.
func position(text string, at int) (line, column int) {
	before := text[:at]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// cut returns at most n bytes of s, whole characters, with an ellipsis if something is missing.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// printable returns the token as it stands in the text, unless that would break the message's line.
func printable(token string) string {
	if strings.ContainsAny(token, "\n\r\x00") {
		return fmt.Sprintf("%q", token)
	}
	return token
}

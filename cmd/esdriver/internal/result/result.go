// Package result writes the rows of a statement in the formats of the commands.
package result

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Formats are the names of the formats.
var Formats = []string{"table", "vertical", "csv", "json", "markdown"}

// Writer writes one result: its columns, its rows, its end. Each row is as long as the columns, of the types that
// database/sql gives.
type Writer interface {
	Head(columns []string) error
	Row(values []any) error
	End() error
}

// New returns a writer of one result in a format. An unknown name is an error that lists the known ones. What is
// written is complete after End.
func New(format string, w io.Writer) (Writer, error) {
	out := bufio.NewWriter(w)
	switch format {
	case "table":
		return &tableWriter{out: out}, nil
	case "vertical":
		return &verticalWriter{out: out}, nil
	case "csv":
		return newCSV(out), nil
	case "json":
		return &jsonWriter{out: out}, nil
	case "markdown":
		return &markdownWriter{out: out}, nil
	}
	return nil, &FormatError{Name: format}
}

// Check returns a *FormatError for a name that is no format's.
func Check(format string) error {
	_, err := New(format, io.Discard)
	return err
}

// Machine reports whether a format is for programs, so that nothing but rows may stand in it.
func Machine(format string) bool { return format == "csv" || format == "json" || format == "markdown" }

// FormatError is a name that is no format's.
type FormatError struct{ Name string }

// Error names the known formats.
func (e *FormatError) Error() string {
	return fmt.Sprintf("result: unknown format %q: want %s", e.Name, strings.Join(Formats, ", "))
}

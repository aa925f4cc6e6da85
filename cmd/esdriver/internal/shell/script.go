package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/complaint"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// PlaceError is an error with its place in a script.
type PlaceError struct {
	Source string // the file's name, -c or stdin
	Line   int    // from 1
	Column int    // from 1; 0 when it is not known
	Err    error  // as the statement alone has it: its own lines may be others than the script's

	text string // Err's, for a person
}

// Error is the place and the cause.
func (e *PlaceError) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", e.Source, e.Line, e.text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Source, e.Line, e.Column, e.text)
}

// Complaint is Error: the place goes before what is wrong.
func (e *PlaceError) Complaint() string { return e.Error() }

// Unwrap returns the cause.
func (e *PlaceError) Unwrap() error { return e.Err }

// place says where a statement has failed. A syntax error tells it in the statement's lines, which are made the
// script's; a server does not know where the statement stood, and its own words are kept.
func place(source string, st statement, err error) error {
	at := &PlaceError{Source: source, Line: st.line, Err: err, text: complaint.Of(err)}
	if syntax, ok := errors.AsType[*sqlparse.SyntaxError](err); ok {
		moved := *syntax
		if moved.Line == 1 {
			moved.Column += st.column - 1
		}
		moved.Line += st.line - 1
		at.Line, at.Column = moved.Line, moved.Column
		at.text = strings.TrimPrefix(complaint.Of(&moved), fmt.Sprintf("line %d, column %d: ", moved.Line, moved.Column))
	}
	return at
}

// script runs what a text holds, up to the first that fails.
func (s *shell) script(ctx context.Context, source string, in io.Reader) error {
	split := &splitter{escapes: s.flavor == sqlparse.OpenSearch}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("shell: %s: %w", source, err)
		}
		if failed := s.all(ctx, source, split.feed(strings.TrimRight(line, "\r\n"))); failed != nil {
			return failed
		}
		if err == io.EOF {
			return s.all(ctx, source, split.end())
		}
	}
}

// all runs statements and commands up to the first that fails.
func (s *shell) all(ctx context.Context, source string, list []statement) error {
	for _, st := range list {
		run := s.execute
		if strings.HasPrefix(st.text, `\`) {
			run = s.command
		}
		switch err := run(ctx, st.text); {
		case errors.Is(err, errQuit):
			return err
		case err != nil:
			return place(source, st, err)
		}
	}
	return nil
}

package dump

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

// encoder writes documents.
type encoder interface {
	row(source json.RawMessage) error
	end() error
}

type newEncoder func(context.Context, *link.Link, string, *bufio.Writer) (encoder, error)

// encoders are the formats by the ending of a file.
var encoders = map[string]newEncoder{".csv": newCSV, ".ndjson": newLines, ".jsonl": newLines, ".json": newLines}

// lines writes a document a line.
type lines struct {
	out  *bufio.Writer
	line bytes.Buffer
}

func newLines(_ context.Context, _ *link.Link, _ string, out *bufio.Writer) (encoder, error) {
	return &lines{out: out}, nil
}

func (l *lines) row(source json.RawMessage) error {
	l.line.Reset()
	if err := json.Compact(&l.line, source); err != nil { // it may have been stored with ends of lines in it
		return fmt.Errorf("dump: a document is no JSON: %w", err)
	}
	l.line.WriteByte('\n')
	_, err := l.out.Write(l.line.Bytes())
	return err
}

func (l *lines) end() error { return l.out.Flush() }

// table writes CSV, with a column for each field of the mapping. Several values, and objects in them, are JSON.
type table struct {
	out    *csv.Writer
	names  []string
	record []string
}

func newCSV(ctx context.Context, l *link.Link, name string, out *bufio.Writer) (encoder, error) {
	fields, err := l.Fields(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &table{out: csv.NewWriter(out)}
	for _, f := range fields {
		if !f.Sub {
			t.names = append(t.names, f.Name)
		}
	}
	t.record = make([]string, len(t.names))
	return t, t.out.Write(t.names)
}

func (t *table) row(source json.RawMessage) error {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(source, &document); err != nil {
		return fmt.Errorf("dump: a document is no JSON object: %w", err)
	}
	for i, name := range t.names {
		t.record[i] = cell(document, name)
	}
	return t.out.Write(t.record)
}

func (t *table) end() error {
	t.out.Flush()
	return t.out.Error()
}

// cell returns the text of a field, which may be named with dots or nested in objects.
func cell(document map[string]json.RawMessage, name string) string {
	if value, ok := document[name]; ok {
		return plain(value)
	}
	for at := range len(name) {
		if name[at] != '.' {
			continue
		}
		var inner map[string]json.RawMessage
		if value, ok := document[name[:at]]; ok && json.Unmarshal(value, &inner) == nil {
			return cell(inner, name[at+1:])
		}
	}
	return ""
}

// plain is a value as CSV has it: strings without quotes, nothing for null.
func plain(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return ""
	case value[0] == '"' && json.Unmarshal(value, &text) == nil:
		return text
	}
	return strings.TrimSpace(string(value))
}

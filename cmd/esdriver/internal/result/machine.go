package result

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
)

// csvWriter writes CSV by RFC 4180, with a head; NULL is an empty field.
type csvWriter struct {
	out    *csv.Writer
	record []string
}

func newCSV(out *bufio.Writer) *csvWriter { return &csvWriter{out: csv.NewWriter(out)} }

func (w *csvWriter) Head(columns []string) error { return w.out.Write(columns) }

func (w *csvWriter) Row(values []any) error {
	w.record = w.record[:0]
	for _, v := range values {
		w.record = append(w.record, Text(v))
	}
	return w.out.Write(w.record)
}

func (w *csvWriter) End() error {
	w.out.Flush()
	return w.out.Error()
}

// jsonWriter writes an array of objects, one a line, whose members are in the order of the columns.
type jsonWriter struct {
	out   *bufio.Writer
	names [][]byte
	rows  int
}

func (w *jsonWriter) Head(columns []string) error {
	for _, c := range columns {
		name, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("result: column %q: %w", c, err)
		}
		w.names = append(w.names, name)
	}
	return w.out.WriteByte('[')
}

func (w *jsonWriter) Row(values []any) error {
	if w.rows++; w.rows > 1 {
		w.out.WriteByte(',')
	}
	w.out.WriteString("\n{")
	for i, v := range values {
		text, err := JSON(v)
		if err != nil {
			return fmt.Errorf("result: column %s: %w", w.names[i], err)
		}
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.Write(w.names[i])
		w.out.WriteByte(':')
		w.out.Write(text)
	}
	return w.out.WriteByte('}')
}

func (w *jsonWriter) End() error {
	w.out.WriteString("\n]\n")
	return w.out.Flush()
}

// markdownWriter writes a table as GitHub's Markdown knows it.
type markdownWriter struct{ out *bufio.Writer }

func (w *markdownWriter) Head(columns []string) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = shown(c)
	}
	w.line(names)
	_, err := w.out.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	return err
}

func (w *markdownWriter) Row(values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = shown(v)
	}
	return w.line(cells)
}

func (w *markdownWriter) line(cells []string) error {
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", "&", "&amp;")
	for _, c := range cells {
		w.out.WriteString("| " + escape.Replace(c) + " ")
	}
	_, err := w.out.WriteString("|\n")
	return err
}

func (w *markdownWriter) End() error { return w.out.Flush() }

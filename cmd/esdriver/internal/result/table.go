package result

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
)

// tableRows is how many rows one table holds. After them another one begins, so that a long result costs no memory.
const tableRows = 1000

type tableWriter struct {
	out   *bufio.Writer
	table table.Table
	begun bool // whether a table has been written
}

func (w *tableWriter) Head(columns []string) error {
	for _, c := range columns {
		w.table.Columns = append(w.table.Columns, shown(c))
	}
	return nil
}

func (w *tableWriter) Row(values []any) error {
	cells := make([]any, len(values))
	for i, v := range values {
		cells[i] = table.Cell{Text: shown(v), Right: numeric(v)}
	}
	w.table.Add(cells...)
	if len(w.table.Rows) == tableRows {
		return w.write()
	}
	return nil
}

func (w *tableWriter) write() error {
	for _, line := range w.table.Lines() {
		fmt.Fprintln(w.out, line)
	}
	w.table.Rows, w.begun = nil, true
	return w.out.Flush()
}

func (w *tableWriter) End() error {
	if len(w.table.Rows) == 0 && w.begun {
		return nil
	}
	return w.write()
}

type verticalWriter struct {
	out     *bufio.Writer
	columns []string
	width   int
	rows    int
}

func (w *verticalWriter) Head(columns []string) error {
	for _, c := range columns {
		c = shown(c)
		w.columns, w.width = append(w.columns, c), max(w.width, utf8.RuneCountInString(c))
	}
	return nil
}

func (w *verticalWriter) Row(values []any) error {
	w.rows++
	fmt.Fprintf(w.out, "-- row %d\n", w.rows)
	for i, v := range values {
		space := strings.Repeat(" ", w.width-utf8.RuneCountInString(w.columns[i]))
		fmt.Fprintln(w.out, strings.TrimRight(w.columns[i]+space+"  "+shown(v), " "))
	}
	return w.out.Flush()
}

func (w *verticalWriter) End() error { return w.out.Flush() }

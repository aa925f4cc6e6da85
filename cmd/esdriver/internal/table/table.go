// Package table lays values out in columns.
package table

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	gap  = 2   // spaces between two columns
	null = "-" // what a value that is not there looks like
)

// Table is a head and rows of values: nil, bool, string, time.Time, [Cell] and every kind of number. A column whose
// values are all numbers, or absent, stands to the right. The zero Table is ready for use.
type Table struct {
	Columns []string
	Rows    [][]any // each as long as Columns
}

// Cell is a text with a colour, which takes no room.
type Cell struct {
	Text  string
	Paint func(string) string // nil leaves the text as it is
	Right bool                // whether the text stands to the right, as numbers do
}

// Add appends a row.
func (t *Table) Add(values ...any) { t.Rows = append(t.Rows, values) }

// Lines returns the table as lines without an end of line: the head, a rule, and a line for each row. No line ends
// with a space.
func (t *Table) Lines() []string {
	columns := make([]column, len(t.Columns))
	for i, name := range t.Columns {
		columns[i] = column{width: utf8.RuneCountInString(name), right: true}
	}
	rows := make([][]Cell, len(t.Rows))
	for r, values := range t.Rows {
		rows[r] = make([]Cell, len(values))
		for i, v := range values {
			rows[r][i] = columns[i].take(v)
		}
	}
	lines := []string{line(columns, t.head()), line(columns, rule(columns))}
	for _, cells := range rows {
		lines = append(lines, line(columns, cells))
	}
	return lines
}

func (t *Table) head() []Cell {
	cells := make([]Cell, len(t.Columns))
	for i, name := range t.Columns {
		cells[i].Text = name
	}
	return cells
}

func rule(columns []column) []Cell {
	cells := make([]Cell, len(columns))
	for i, c := range columns {
		cells[i].Text = strings.Repeat("-", c.width)
	}
	return cells
}

type column struct {
	width int
	right bool
}

// take makes room for a value and returns its cell.
func (c *column) take(v any) Cell {
	cell := cellOf(v)
	c.width = max(c.width, utf8.RuneCountInString(cell.Text))
	c.right = c.right && (cell.Right || v == nil)
	return cell
}

func line(columns []column, cells []Cell) string {
	var b strings.Builder
	for i, cell := range cells {
		space := strings.Repeat(" ", columns[i].width-utf8.RuneCountInString(cell.Text))
		text := cell.Text
		if cell.Paint != nil {
			text = cell.Paint(text)
		}
		if columns[i].right {
			text, space = space+text, ""
		}
		b.WriteString(text + space + strings.Repeat(" ", gap))
	}
	return strings.TrimRight(b.String(), " ")
}

func cellOf(v any) Cell {
	switch v := v.(type) {
	case nil:
		return Cell{Text: null}
	case Cell:
		return v
	case string:
		return Cell{Text: v}
	case time.Time:
		return Cell{Text: v.Format(time.RFC3339)}
	case bool:
		return Cell{Text: strconv.FormatBool(v)}
	case float64:
		return Cell{Text: strconv.FormatFloat(v, 'g', 6, 64), Right: true}
	}
	return Cell{Text: fmt.Sprint(v), Right: true}
}

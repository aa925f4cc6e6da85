package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
)

// query is a statement to show, with its text as it is sent and printed.
type query struct {
	about string
	text  string
	args  []any
	fetch int // rows a page; 0 is the driver's default
	show  func(*sql.Rows) ([]string, int, error)
}

// queries are the six statements of the demo.
var queries = []query{
	{
		about: "Parameters: the p block of period 4",
		text: `SELECT number, symbol, name, weight, phase FROM esdriver_demo_elements
WHERE block = ? AND period = ? ORDER BY number`,
		args: []any{"p", 4}, show: asTable,
	},
	{
		about: "LIKE, ORDER BY and LIMIT: the densest whose name ends in -um",
		text: `SELECT name, symbol, density FROM esdriver_demo_elements
WHERE name LIKE ? AND density > ? ORDER BY density DESC LIMIT 5`,
		args: []any{"%um", 10}, show: asTable,
	},
	{
		about: "GROUP BY: the blocks of the table",
		text: `SELECT block, COUNT(*) AS elements, AVG(density) AS mean_density,
MAX(boiling) AS hottest_boiling FROM esdriver_demo_elements
GROUP BY block ORDER BY block`,
		show: asTable,
	},
	{
		about: "NULL: light elements that nobody discovered, or that do not melt",
		text: `SELECT symbol, name, discovered, melting, boiling
FROM esdriver_demo_elements
WHERE (discovered IS NULL OR melting IS NULL) AND number < ?
ORDER BY number`,
		args: []any{40}, show: asTable,
	},
	{
		about: "Paging: all of them, 25 rows a page",
		text: `SELECT number, symbol, period, "group" FROM esdriver_demo_elements
ORDER BY number`,
		fetch: 25, show: asPeriodicTable,
	},
}

// ask runs the queries. The last one is a prepared statement and has a way of its own.
func (d *demo) ask(ctx context.Context) error {
	d.title(3, "Six queries through database/sql")
	for i, q := range queries {
		d.heading(i+1, q.about, q.text, q.args)
		if err := d.query(ctx, q); err != nil {
			return fmt.Errorf("demo: query %d: %w", i+1, err)
		}
	}
	if err := d.lookUp(ctx, len(queries)+1); err != nil {
		return fmt.Errorf("demo: query %d: %w", len(queries)+1, err)
	}
	return nil
}

func (d *demo) heading(number int, about, text string, args []any) {
	d.Printf("   %s\n", d.Bold(fmt.Sprintf("(%d) %s", number, about)))
	for line := range strings.Lines(text) {
		d.Printf("       %s\n", d.Dim(strings.TrimRight(line, "\n")))
	}
	if len(args) > 0 {
		d.Printf("       %s\n", d.Dim("with "+listOf(args)))
	}
	d.Println()
}

// listOf writes arguments as Go does.
func listOf(args []any) string {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = fmt.Sprintf("%#v", arg)
	}
	return strings.Join(texts, ", ")
}

func (d *demo) query(ctx context.Context, q query) (err error) {
	before, began := d.place.cluster.Stats(), time.Now()
	rows, err := d.place.db.QueryContext(esdriver.WithFetchSize(ctx, q.fetch), q.text, q.args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	lines, n, err := q.show(rows)
	if err != nil {
		return err
	}
	after := d.place.cluster.Stats()
	d.Lines(indent, lines)
	d.Printf("\n   %s\n\n", d.Dim(fmt.Sprintf("%s in %s, %s",
		counted(n, "row"), counted(int(after.Requests-before.Requests), "request"), took(began))))
	return nil
}

// asTable shows rows of any columns.
func asTable(rows *sql.Rows) ([]string, int, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, 0, err
	}
	t := table.Table{Columns: columns}
	for rows.Next() {
		values := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, 0, err
		}
		t.Add(values...)
	}
	return t.Lines(), len(t.Rows), rows.Err()
}

// asPeriodicTable shows rows of number, symbol, period and group in their places.
func asPeriodicTable(rows *sql.Rows) ([]string, int, error) {
	var p periodicTable
	n := 0
	for ; rows.Next(); n++ {
		var number, period int
		var symbol string
		var group sql.NullInt64
		if err := rows.Scan(&number, &symbol, &period, &group); err != nil {
			return nil, 0, err
		}
		if err := p.put(number, symbol, period, group); err != nil {
			return nil, 0, err
		}
	}
	return p.lines(), n, rows.Err()
}

// lookUp reads single rows with a prepared statement.
func (d *demo) lookUp(ctx context.Context, number int) (err error) {
	const text = "SELECT number, name, category, weight FROM esdriver_demo_elements\nWHERE symbol = ?"
	d.heading(number, "A prepared statement: one row at a time", text, nil)
	statement, err := d.place.db.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	t := table.Table{Columns: []string{"symbol", "number", "name", "category", "weight", "took"}}
	for _, symbol := range []string{"H", "Fe", "Au", "U"} {
		began := time.Now()
		var number int
		var name, category string
		var weight float64
		if err := statement.QueryRowContext(ctx, symbol).Scan(&number, &name, &category, &weight); err != nil {
			return err
		}
		t.Add(symbol, number, name, category, weight, table.Cell{Text: took(began), Right: true})
	}
	d.Lines(indent, t.Lines())
	return nil
}

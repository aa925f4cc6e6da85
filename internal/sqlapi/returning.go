package sqlapi

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// returned is what RETURNING gives, in the order of the statement's rows.
type returned struct {
	columns []column
	fields  []*field
	rows    []returnedRow
}

type returnedRow struct {
	row   int
	cells []driver.Value
}

// queryWrite runs a write and gives the rows of its RETURNING; no row and no column when it has none.
func (c *Client) queryWrite(ctx context.Context, s *sqlparse.Statement, args []sqlparse.Arg) (*Rows, error) {
	w, err := c.execute(ctx, s, args, true)
	if err != nil {
		return nil, err
	}
	only := &page{}
	if w.returned != nil {
		only.columns, only.cells, only.rows = w.returned.columns, w.returned.cells(), int64(len(w.returned.rows))
	}
	return newRows(ctx, &plan{client: c, statement: s, server: *c.known.Load()}, only), nil
}

// cells are the rows' cells, one after the other.
func (r *returned) cells() []driver.Value {
	slices.SortStableFunc(r.rows, func(a, b returnedRow) int { return cmp.Compare(a.row, b.row) })
	cells := make([]driver.Value, 0, len(r.rows)*len(r.columns))
	for _, row := range r.rows {
		cells = append(cells, row.cells...)
	}
	return cells
}

// planReturning finds out what RETURNING names. When the caller does not want it nothing is returned.
func (w *write) planReturning(s *scope, outputs []sqlparse.Output) error {
	w.returned = nil
	if !w.rows || len(outputs) == 0 {
		return nil
	}
	r := &returned{}
	for _, o := range outputs {
		if o.Star {
			for _, f := range s.table.fields {
				r.add(w.client.product(), f, f.name)
			}
			continue
		}
		f, err := s.column(o.Column)
		if err != nil {
			return err
		}
		r.add(w.client.product(), f, o.Alias)
	}
	w.returned = r
	return nil
}

func (c *Client) product() Product { return c.known.Load().product }

func (r *returned) add(p Product, f *field, name string) {
	r.fields = append(r.fields, f)
	r.columns = append(r.columns, newColumn(name, "", f.sqlType(p)))
}

// sqlType is the name that the product's SQL has for the field's type.
func (f *field) sqlType(p Product) string {
	switch {
	case f.kind == timeField && p == OpenSearch:
		return "timestamp"
	case f.kind == timeField:
		return "datetime"
	case f.jsonish():
		return "object"
	}
	return f.typ
}

// give adds a row from its document, if one is to be returned.
func (w *write) give(row int, doc map[string]any) {
	if w.returned == nil {
		return
	}
	cells := make([]driver.Value, len(w.returned.fields))
	for i, f := range w.returned.fields {
		cells[i] = f.cell(valueAt(doc, f.name), w.client.zone)
	}
	w.returned.rows = append(w.returned.rows, returnedRow{row, cells})
}

// cell turns what a document holds into a value of a row. Several values, objects, and what the field cannot hold are
// given as JSON text: the row is written already, and an error would hide that.
func (f *field) cell(v any, zone *time.Location) driver.Value {
	v = plain(v)
	switch v.(type) {
	case nil:
		return nil
	case map[string]any, []any:
		text, _ := json.Marshal(v)
		return text
	}
	if text, ok := v.(string); ok && f.kind == binaryField {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			return raw
		}
	}
	x, err := f.stored(v)
	if err != nil {
		return v
	}
	switch x := x.(type) {
	case time.Time:
		return x.In(zone)
	case netip.Addr:
		return v
	}
	return x
}

package sqlapi

import (
	"context"
	"fmt"
	"strconv"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// maxIDBytes is the longest id that the servers take (IndexRequest.java, MAX_DOCUMENT_ID_LENGTH_IN_BYTES).
const maxIDBytes = 512

// insert is an INSERT or a REPLACE that is being carried out.
type insert struct {
	*write
	scope    *scope
	n        *sqlparse.InsertStatement
	given    int      // of fields, those that the statement gives values for
	fields   []*field // what a row holds: the given ones, then those that have a value anyway
	key      int      // of the primary key in fields; of the document's id where there is no such key
	layout   *layout
	conflict conflict
	chunk    *chunk   // takes rows
	flying   []*chunk // are on their way, in their order
	free     []*chunk // have landed
	seen     int64    // rows that were put on their way
	first    int64    // the numeric id of the first row, when ids are made; 0 while none was
	collided bool     // a numeric id that was made was taken
}

// insertRow is one row that is on its way.
type insertRow struct {
	values []any // as field.encode gives them, by fields
	id     string
	made   bool // the id was made here
}

// insert carries out an INSERT or a REPLACE.
func (w *write) insert(ctx context.Context, n *sqlparse.InsertStatement) error {
	w.table = n.Table.Name.String()
	in := &insert{write: w, n: n}
	err := w.client.withTable(ctx, w.table, func(t *table) (err error) {
		if in.scope, err = newScope(w.statement, t, n.Table.Alias, w.args); err != nil {
			return err
		}
		return in.plan()
	})
	if err != nil {
		return err
	}
	in.chunk = in.newChunk()
	err = w.end(in.run(ctx))
	w.result.affected = w.done.inserted + w.done.updated
	return err
}

// plan finds out what the statement's names mean.
func (in *insert) plan() error {
	if err := in.columns(); err != nil {
		return err
	}
	var twice *field
	if in.layout, twice = newLayout(in.fields); twice != nil {
		return in.scope.columnError(in.n, twice.name, stateSyntax, "it is given two values")
	}
	if err := in.planConflict(); err != nil {
		return err
	}
	return in.planReturning(in.scope, in.n.Returning)
}

// columns finds the columns of a row: those that the statement names, or all when it names none, and those that the
// table wants a value for.
func (in *insert) columns() error {
	t := in.scope.table
	for _, name := range in.n.Columns {
		f, err := in.scope.column(name)
		if err != nil {
			return err
		}
		if f == idField && t.key != nil {
			return in.scope.unsupported(name, "_id beside the primary key "+t.key.name)
		}
		in.fields = append(in.fields, f)
	}
	if in.n.Columns == nil {
		in.fields = append(in.fields, t.fields...)
	}
	in.given = len(in.fields)
	for _, f := range t.fields {
		if c := f.column; in.place(f) < 0 && (c.Auto || c.NotNull || c.Default != nil) {
			in.fields = append(in.fields, f)
		}
	}
	key := t.keyField()
	if in.key = in.place(key); in.key < 0 {
		in.key = len(in.fields)
		in.fields = append(in.fields, key)
	}
	return nil
}

// keyField is the column that documents are known by: the primary key, else their id.
func (t *table) keyField() *field {
	if t.key != nil {
		return t.key
	}
	return idField
}

// place is the column's place in a row, -1 when it has none.
func (in *insert) place(f *field) int {
	for i, other := range in.fields {
		if other == f {
			return i
		}
	}
	return -1
}

// run writes the rows by chunks. After the first row that has failed no further chunk is sent.
func (in *insert) run(ctx context.Context) error {
	rows := in.n.Rows
	if in.n.Defaults {
		rows = [][]sqlparse.Expr{nil}
	}
	err := in.finish(ctx, in.launchAll(ctx, rows))
	for try := 1; in.collided && try < maxIDTries && err == nil; try++ {
		err = in.again(ctx, rows[0])
	}
	return err
}

func (in *insert) launchAll(ctx context.Context, rows [][]sqlparse.Expr) error {
	for _, exprs := range rows {
		if in.chunk.full() {
			if err := in.launch(ctx); err != nil || in.done.failed > 0 {
				return err
			}
		}
		if err := in.add(exprs, len(rows)); err != nil {
			return err
		}
	}
	return nil
}

// maxIDTries is how many numeric ids are tried until one is free. A second is hardly ever needed.
const maxIDTries = 5

// again writes the only row with another id.
func (in *insert) again(ctx context.Context, exprs []sqlparse.Expr) error {
	in.collided, in.first, in.seen, in.done = false, 0, 0, progress{}
	return in.finish(ctx, in.add(exprs, 1))
}

// add puts a row, of so many in the statement, on its way.
func (in *insert) add(exprs []sqlparse.Expr, count int) error {
	if len(exprs) > in.given {
		return in.scope.columnError(exprs[in.given], "", stateSyntax, fmt.Sprintf("%d values for %d columns", len(exprs), in.given))
	}
	row := insertRow{values: make([]any, len(in.fields))}
	for i, f := range in.fields {
		var e sqlparse.Expr
		if i < len(exprs) {
			e = exprs[i]
		}
		x, made, err := in.cell(f, e, count)
		if err != nil {
			return err
		}
		row.values[i] = x
		row.made = row.made || made && i == in.key
	}
	if err := in.identify(&row, exprs); err != nil {
		return err
	}
	return in.send(row)
}

// cell computes one value of a row, nil being the value of a column that has none. made tells that it was made here.
func (in *insert) cell(f *field, e sqlparse.Expr, count int) (x any, made bool, err error) {
	v, given, err := in.evaluate(e)
	if err != nil {
		return nil, false, err
	}
	if d := f.column.Default; !given && d != nil {
		v, given = d.value(in.scope.now), true
	}
	if in.makes(f, v, given) {
		x, err = in.makeID(f, count)
		return x, true, err
	}
	x, err = f.encode(v)
	if err == nil && x == nil && (f.column.NotNull || f == in.fields[in.key]) {
		err = &valueError{stateNotNull, "it must have a value"}
	}
	return x, false, in.scope.placed(in.at(e), f, err)
}

// at is the place of a value in the statement; the statement's where it has none.
func (in *insert) at(e sqlparse.Expr) sqlparse.Node {
	if e == nil {
		return in.n
	}
	return e
}

// evaluate computes an expression. given is false for DEFAULT and for a column that is not named.
func (in *insert) evaluate(e sqlparse.Expr) (v any, given bool, err error) {
	switch e := e.(type) {
	case nil, *sqlparse.Default:
		return nil, false, nil
	case *sqlparse.Param:
		return in.scope.args[e.Index], true, nil
	}
	v, err = in.scope.compute(e, nil)
	return v, true, err
}

// makes reports whether the client makes the value: for the primary key when the statement gives none, and for a column
// that was declared so also when the statement gives NULL or what a program has in a variable that it never set.
func (in *insert) makes(f *field, v any, given bool) bool {
	if !given {
		return f.column.Auto || f == in.fields[in.key]
	}
	return f.column.Auto && (v == nil || v == "" || v == int64(0))
}

// makeID makes a value of an auto column: text that is unique, or the statement's next number.
func (in *insert) makeID(f *field, count int) (any, error) {
	switch {
	case f.kind == textField:
		return textID(), nil
	case f.typ != "long" && f.typ != "unsigned_long":
		return nil, in.scope.columnError(in.n, f.name, stateUnsupported,
			"ids are made for columns of type keyword and long only; this one is "+f.typ)
	}
	if in.first == 0 {
		in.first = in.client.ids.Take(int64(count), in.scope.now)
	}
	return in.first + in.seen, nil
}

// identify gives the row its id, and the result its first id.
func (in *insert) identify(row *insertRow, exprs []sqlparse.Expr) error {
	var e sqlparse.Expr
	if in.key < len(exprs) {
		e = exprs[in.key]
	}
	id, err := idText(row.values[in.key])
	if err != nil {
		return in.scope.placed(in.at(e), in.fields[in.key], err)
	}
	row.id = id
	if in.seen == 0 {
		in.noteFirst(row.values[in.key])
	}
	in.seen++
	return nil
}

func (in *insert) noteFirst(key any) {
	in.result.noID = noInsertID("the primary key is no integer")
	if n, ok := key.(int64); ok {
		in.result.first, in.result.noID = n, nil
	}
}

// idText is the document's id of a primary key, as field.encode gives it.
func idText(key any) (string, error) {
	id := ""
	switch k := key.(type) {
	case string:
		id = k
	case int64:
		id = strconv.FormatInt(k, 10)
	case uint64:
		id = strconv.FormatUint(k, 10)
	case float64:
		id = strconv.FormatFloat(k, 'g', -1, 64)
	case bool:
		id = strconv.FormatBool(k)
	default:
		return "", &valueError{stateUnsupported, "such a value is no primary key"}
	}
	switch {
	case id == "":
		return "", &valueError{stateNotNull, "a primary key cannot be empty"}
	case len(id) > maxIDBytes:
		return "", &valueError{stateNumeric, fmt.Sprintf("a primary key has at most %d bytes", maxIDBytes)}
	}
	return id, nil
}

package sqlapi

import (
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// conflict says what becomes of a row whose primary key another row has.
type conflict struct {
	op      bulkOp // of the rows' items: create, index (the row replaces the other), update (it changes it)
	nothing bool   // the row is dropped in silence
	merges  bool   // the other row is read, changed here and written back
	set     []sqlparse.Assignment
	changed []*field // the columns that set gives values to
	doc     *layout  // of changed
}

// planConflict finds out what the statement says about conflicts.
func (in *insert) planConflict() error {
	c := in.n.Conflict
	in.conflict.op = opCreate
	switch {
	case in.statement.Kind() == sqlparse.Replace:
		in.conflict.op = opIndex
		return nil
	case c == nil:
		in.conflict.nothing = in.n.Ignore
		return nil
	}
	if err := in.checkTarget(c); err != nil || c.Nothing {
		in.conflict.nothing = true
		return err
	}
	return in.planSet(c)
}

// checkTarget refuses conflicts on anything but the primary key: the servers keep nothing else unique.
func (in *insert) checkTarget(c *sqlparse.Conflict) error {
	for _, name := range c.Target {
		f, err := in.scope.column(name)
		if err != nil {
			return err
		}
		if f != in.fields[in.key] || len(c.Target) > 1 {
			return in.scope.unsupported(name, "ON CONFLICT of columns that are not the primary key")
		}
	}
	return nil
}

// planSet finds out what DO UPDATE SET says, and the cheapest way to do it.
func (in *insert) planSet(c *sqlparse.Conflict) error {
	how := &in.conflict
	how.merges = in.answers()
	for _, a := range c.Set {
		if err := in.planAssignment(a); err != nil {
			return err
		}
	}
	var twice *field
	if how.doc, twice = newLayout(how.changed); twice != nil {
		return in.scope.columnError(c, twice.name, stateSyntax, "it is given two values")
	}
	switch {
	case how.merges:
	case len(how.set) == 0:
		how.nothing = true
	case in.replacesAll():
		how.op = opIndex
	default:
		how.op = opUpdate
	}
	return nil
}

// planAssignment takes one assignment. That the key stays as it is need not be said.
func (in *insert) planAssignment(a sqlparse.Assignment) error {
	how := &in.conflict
	f, err := in.scope.column(a.Column)
	switch {
	case err != nil:
		return err
	case f != in.fields[in.key]:
		how.set, how.changed = append(how.set, a), append(how.changed, f)
		how.merges = how.merges || readsRow(a.Value) || f.jsonish()
		return nil
	case !in.keepsKey(a.Value):
		return in.scope.unsupported(a, "a change of the primary key")
	}
	return nil
}

// answers reports whether RETURNING is answered.
func (in *insert) answers() bool { return in.write.rows && len(in.n.Returning) > 0 }

// keepsKey reports whether an assignment to the primary key leaves it as it is: id = users.id, id = excluded.id.
func (in *insert) keepsKey(e sqlparse.Expr) bool {
	switch e := e.(type) {
	case *sqlparse.Excluded:
		return e.Column == in.fields[in.key].name
	case *sqlparse.Column:
		f, err := in.scope.column(e.Name)
		return err == nil && f == in.fields[in.key]
	}
	return false
}

// replacesAll reports whether each column takes the value that the row proposes: then the row replaces the other one.
func (in *insert) replacesAll() bool {
	for _, f := range in.scope.table.fields {
		if f != in.fields[in.key] && !in.takesProposed(f) {
			return false
		}
	}
	return true
}

func (in *insert) takesProposed(f *field) bool {
	for i, a := range in.conflict.set {
		if e, ok := a.Value.(*sqlparse.Excluded); ok && in.conflict.changed[i] == f {
			return e.Column == f.name && in.place(f) >= 0
		}
	}
	return false
}

// readsRow reports whether an expression has a column of the row that is there in it.
func readsRow(e sqlparse.Expr) bool {
	switch e := e.(type) {
	case *sqlparse.Literal, *sqlparse.Param, *sqlparse.Excluded, *sqlparse.Default:
		return false
	case *sqlparse.Negate:
		return readsRow(e.X)
	case *sqlparse.Cast:
		return readsRow(e.X)
	case *sqlparse.Arithmetic:
		return readsRow(e.X) || readsRow(e.Y)
	case *sqlparse.Call:
		for _, a := range e.Args {
			if readsRow(a) {
				return true
			}
		}
		return false
	}
	return true
}

// send puts a row among the items of the bulk request, or by to be merged.
func (in *insert) send(row insertRow) error {
	item := bulkItem{op: in.conflict.op, id: row.id, row: len(in.chunk.rows)}
	if row.made { // there is no other row with that id, or it is not the one that is meant
		item.op = opCreate
	}
	in.chunk.rows = append(in.chunk.rows, row)
	switch {
	case in.conflict.merges:
		return nil
	case item.op != opUpdate:
		return in.chunk.bulk.add(item, version{}, func(buf []byte) ([]byte, error) { return in.layout.append(buf, row.values) })
	}
	changes, err := in.changes(row, nil)
	if err != nil {
		return err
	}
	return in.chunk.bulk.add(item, version{}, func(buf []byte) ([]byte, error) { return in.upsert(buf, row, changes) })
}

// upsert writes the second line of an update that inserts the row when there is none.
func (in *insert) upsert(buf []byte, row insertRow, changes []any) ([]byte, error) {
	buf, err := in.conflict.doc.append(append(buf, `{"doc":`...), changes)
	if err != nil {
		return buf, err
	}
	buf, err = in.layout.append(append(buf, `,"upsert":`...), row.values)
	return append(buf, '}'), err
}

// changes computes what DO UPDATE SET gives to the columns of a row that is there.
func (in *insert) changes(row insertRow, there map[string]any) ([]any, error) {
	in.scope.proposed = in.proposal(row)
	changes := make([]any, len(in.conflict.set))
	for i, a := range in.conflict.set {
		if e, ok := a.Value.(*sqlparse.Excluded); ok && e.Column == in.conflict.changed[i].name {
			if changes[i] = in.proposed(row, in.conflict.changed[i]); changes[i] != nil {
				continue
			}
		}
		_, x, err := in.scope.assigned(a, there)
		if err != nil {
			return nil, err
		}
		changes[i] = x
	}
	return changes, nil
}

// proposed is the row's value of a column, as the document holds it; nil when it has none.
func (in *insert) proposed(row insertRow, f *field) any {
	if i := in.place(f); i >= 0 {
		return row.values[i]
	}
	return nil
}

// proposal is the row as a document.
func (in *insert) proposal(row insertRow) map[string]any {
	doc := make(map[string]any, len(in.fields))
	for i, f := range in.fields {
		setAt(doc, f.name, row.values[i])
	}
	return doc
}

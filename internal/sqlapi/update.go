package sqlapi

import (
	"context"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// update is an UPDATE that is being carried out.
type update struct {
	*write
	scope  *scope
	n      *sqlparse.UpdateStatement
	keyed  keyed
	byKey  bool
	set    []sqlparse.Assignment
	fields []*field // the columns that set gives values to
	layout *layout
}

// update carries out an UPDATE.
func (w *write) update(ctx context.Context, n *sqlparse.UpdateStatement) error {
	w.table = n.Table.Name.String()
	u := &update{write: w, n: n}
	err := w.client.withTable(ctx, w.table, func(t *table) (err error) {
		if u.scope, err = newScope(w.statement, t, n.Table.Alias, w.args); err != nil {
			return err
		}
		return u.plan()
	})
	switch {
	case err != nil:
		return err
	case !u.byKey:
		return w.updateByQuery(ctx, n)
	}
	v := w.reviser(u.scope.table.name)
	v.decide = u.decide
	v.settled = func(r *revision) {
		w.done.matched++
		w.done.updated++
		w.give(r.row, r.last.after)
	}
	err = w.end(v.run(ctx, revisions(u.keyed.ids)))
	w.result.affected = w.done.matched
	return err
}

// revisions are the rows with the ids.
func revisions(ids []string) []*revision {
	rows := make([]*revision, len(ids))
	for i, id := range ids {
		rows[i] = &revision{id: id, row: i}
	}
	return rows
}

func (u *update) plan() (err error) {
	if u.keyed, u.byKey, err = u.scope.keyed(u.n.Where); err != nil || !u.byKey {
		return err
	}
	u.set, u.fields = nil, nil
	for _, a := range u.n.Set {
		f, err := u.scope.column(a.Column)
		if err != nil {
			return err
		}
		u.set, u.fields = append(u.set, a), append(u.fields, f)
	}
	var twice *field
	if u.layout, twice = newLayout(u.fields); twice != nil {
		return u.scope.columnError(u.n, twice.name, stateSyntax, "it is given two values")
	}
	return u.planReturning(u.scope, u.n.Returning)
}

// decide computes the new values of a row, if it is one that WHERE chooses.
func (u *update) decide(r *revision, doc map[string]any) (decision, error) {
	if fits, err := u.scope.chooses(u.keyed.rest, doc); err != nil || !fits {
		return decision{}, err
	}
	values := make([]any, len(u.set))
	for i, a := range u.set {
		_, x, err := u.scope.assigned(a, doc)
		if err != nil {
			return decision{}, err
		}
		if err := u.keepsKey(i, r, x); err != nil {
			return decision{}, err
		}
		values[i] = x
	}
	d, err := change(doc, u.fields, u.layout, values)
	d.repeats = u.keyed.rest == nil && repeatable(u.set)
	return d, err
}

// keepsKey refuses another primary key: the document would have to be another one.
func (u *update) keepsKey(i int, r *revision, x any) error {
	if u.fields[i] != u.scope.table.keyField() {
		return nil
	}
	if id, err := idText(x); err != nil || id != r.id {
		return u.scope.unsupported(u.set[i], "a change of the primary key")
	}
	return nil
}

// chooses reports whether a predicate is true of a document; false when there is no document, true when there is no
// predicate.
func (s *scope) chooses(rest sqlparse.Expr, doc map[string]any) (bool, error) {
	if doc == nil || rest == nil {
		return doc != nil, nil
	}
	t, err := s.holds(rest, doc)
	return t == verity, err
}

package sqlapi

import (
	"context"
	"slices"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// remove is a DELETE that is being carried out.
type remove struct {
	*write
	scope *scope
	n     *sqlparse.DeleteStatement
	keyed keyed
	byKey bool
}

// remove carries out a DELETE.
func (w *write) remove(ctx context.Context, n *sqlparse.DeleteStatement) error {
	w.table = n.Table.Name.String()
	d := &remove{write: w, n: n}
	err := w.client.withTable(ctx, w.table, func(t *table) (err error) {
		if d.scope, err = newScope(w.statement, t, n.Table.Alias, w.args); err != nil {
			return err
		}
		if d.keyed, d.byKey, err = d.scope.keyed(n.Where); err != nil {
			return err
		}
		return d.planReturning(d.scope, n.Returning)
	})
	switch {
	case err != nil:
		return err
	case !d.byKey:
		return w.removeByQuery(ctx, n)
	case d.keyed.rest == nil && w.returned == nil:
		err = d.blindly(ctx)
	default:
		err = d.revise(ctx)
	}
	err = w.end(err)
	w.result.affected = w.done.deleted
	return err
}

// revise deletes the rows after a look at each.
func (d *remove) revise(ctx context.Context) error {
	v := d.reviser(d.scope.table.name)
	v.decide = func(r *revision, doc map[string]any) (decision, error) {
		fits, err := d.scope.chooses(d.keyed.rest, doc)
		if err != nil || !fits {
			return decision{}, err
		}
		return decision{op: opDelete, after: doc}, nil
	}
	v.settled = func(r *revision) {
		d.done.matched++
		d.done.deleted++
		d.give(r.row, r.last.after)
	}
	return v.run(ctx, revisions(d.keyed.ids))
}

// blindly deletes the rows without looking at them. A row that is not there is no failure. One that is not there any
// more after a try without an answer was there: it counts.
func (d *remove) blindly(ctx context.Context) error {
	b := d.client.newBulk(d.scope.table.name, d.call, d.refresh(), bulkAnswers)
	for chunk := range slices.Chunk(d.keyed.ids, maxBulkItems) {
		b.reset()
		for _, id := range chunk {
			if err := b.add(bulkItem{op: opDelete, id: id}, version{}, nil); err != nil {
				return err
			}
		}
		err := b.run(ctx)
		d.count(b)
		if err != nil || d.done.failed > 0 {
			return err
		}
	}
	return nil
}

func (d *remove) count(b *bulk) {
	for i := range b.items {
		item := &b.items[i]
		switch {
		case item.done() && (item.result == "deleted" || item.unsure):
			d.done.matched++
			d.done.deleted++
		case item.done(), item.status == 0 && !item.unsure:
		case item.status == 0:
			d.done.unknown++
		default:
			d.done.fail(item.err)
		}
	}
}

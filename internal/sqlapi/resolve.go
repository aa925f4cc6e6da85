package sqlapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/esdriver/esdriver/internal/cluster"
)

// resolve looks at the rows that the server says are there already, and that may be there because of this statement: it
// has made their ids itself, or it has sent them before and got no answer. Servers also answer so of themselves when a
// primary dies after it has written the row. A row that is as it was sent is this statement's.
func (in *insert) resolve(ctx context.Context, c *chunk) error {
	var doubtful []*bulkItem
	for i := range c.bulk.items {
		if item := &c.bulk.items[i]; c.doubtful(item) {
			doubtful = append(doubtful, item)
		}
	}
	for some := range slices.Chunk(doubtful, maxReadIDs) {
		if err := in.compare(ctx, c, some); err != nil {
			return err
		}
	}
	return nil
}

func (c *chunk) doubtful(item *bulkItem) bool {
	return item.op == opCreate && item.failed(http.StatusConflict) && (item.unsure || c.rows[item.row].made)
}

// compare reads the rows back. When it cannot, nobody knows what has become of them.
func (in *insert) compare(ctx context.Context, c *chunk, items []*bulkItem) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.id
	}
	docs, err := in.client.readBack(ctx, in.scope.table.name, ids, in.call)
	for i, item := range items {
		switch {
		case err != nil:
			item.status, item.err, item.unsure = 0, nil, true
		case in.ours(c, item, docs[i]):
			item.status, item.err, item.result = http.StatusCreated, nil, "created"
		case item.unsure && !docs[i].found:
			item.status, item.err = 0, in.vanished(item)
		}
	}
	return err
}

// vanished is the error of a row that was sent without an answer, is said to be there, and is not: it was deleted since, or
// has not reached the copy that was read.
func (in *insert) vanished(item *bulkItem) error {
	return fmt.Errorf("sqlapi: row %q of table %s, which was sent and is not found: %w", item.id, in.table, cluster.ErrMaybeExecuted)
}

// ours reports whether a document is the one that the item was sent for. A text that was made here is nobody else's id,
// whatever others have made of the document since. A row that is gone by now tells nothing: it is taken for another's.
func (in *insert) ours(c *chunk, item *bulkItem, doc stored) bool {
	row := &c.rows[item.row]
	if row.made && in.fields[in.key].kind == textField {
		return true
	}
	return doc.found && doc.source != nil && sameSource(c.bulk.sourceOf(item), doc.source)
}

// merge reads the rows that are there, changes them, and inserts those that are not.
func (in *insert) merge(ctx context.Context, c *chunk) error {
	v := in.reviser(in.scope.table.name)
	v.decide = func(r *revision, doc map[string]any) (decision, error) { return in.decide(c.rows[r.row], doc) }
	v.settled = func(r *revision) {
		if r.last.op == opCreate {
			in.done.inserted++
		} else {
			in.done.updated++
		}
		in.give(c.base+r.row, r.last.after)
	}
	rows := make([]*revision, len(c.rows))
	for i := range c.rows {
		rows[i] = &revision{id: c.rows[i].id, row: i}
	}
	return v.run(ctx, rows)
}

func (in *insert) decide(row insertRow, doc map[string]any) (decision, error) {
	if doc == nil {
		write := func(buf []byte) ([]byte, error) { return in.layout.append(buf, row.values) }
		after := in.proposal(row)
		after[idField.name] = row.id
		return decision{op: opCreate, write: write, after: after, repeats: repeatable(in.conflict.set)}, nil
	}
	if row.made {
		return decision{}, &DuplicateKeyError{Table: in.table, Key: row.id}
	}
	values, err := in.changes(row, doc)
	if err != nil {
		return decision{}, err
	}
	d, err := change(doc, in.conflict.changed, in.conflict.doc, values)
	d.repeats = repeatable(in.conflict.set)
	return d, err
}

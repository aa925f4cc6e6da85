package sqlapi

import (
	"context"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// truncate deletes every row of each table, one after the other, and keeps the mappings.
func (w *write) truncate(ctx context.Context, n *sqlparse.TruncateStatement) error {
	for _, name := range n.Tables {
		w.table = name.String()
		if _, err := w.client.table(ctx, w.table); err != nil {
			return w.end(err)
		}
		before := w.done
		w.done = progress{}
		b := &byQuery{write: w, api: "_delete_by_query", query: everything}
		err := b.run(ctx)
		w.done.matched += before.matched
		w.done.deleted += before.deleted
		w.result.affected = w.done.deleted
		if err != nil {
			return err
		}
	}
	return nil
}

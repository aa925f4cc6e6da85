package sqlapi

import (
	"context"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// alterTable adds columns, all of one statement at once. Nothing else can be changed of a mapping.
func (w *write) alterTable(ctx context.Context, n *sqlparse.AlterTableStatement) error {
	w.table = n.Name.String()
	w.client.tables.forget(w.table) // what others have added since must not be lost from _meta
	t, err := w.client.table(ctx, w.table)
	if refused := (*Error)(nil); n.IfExists && asError(err, &refused) && refused.Type == "index_not_found_exception" {
		return nil
	}
	if err != nil {
		return err
	}
	d := &definition{properties: map[string]any{}, meta: tableMeta{Key: t.meta.Key}}
	for _, a := range n.Actions {
		if err := w.alter(t, d, a); err != nil {
			return err
		}
	}
	if len(d.properties) == 0 {
		return nil
	}
	d.meta.Columns = append(append([]columnMeta{}, t.meta.Columns...), d.meta.Columns...)
	err = w.client.put(ctx, "/"+w.table+"/_mapping", map[string]any{"_meta": d.meta.with(t.rest), "properties": d.properties})
	w.client.tables.forget(w.table)
	return err
}

// alter takes one action.
func (w *write) alter(t *table, d *definition, a sqlparse.AlterAction) error {
	switch a.Kind {
	case sqlparse.AddColumn:
		return w.addColumn(t, d, a)
	case sqlparse.AddConstraint:
		return w.addConstraints(a)
	case sqlparse.DropConstraint:
		return w.unkept(a, "DROP CONSTRAINT")
	case sqlparse.DropColumn:
		return w.wrong(a, "DROP COLUMN, which needs a new index,")
	case sqlparse.ChangeColumn:
		return w.wrong(a, "a change of a column, which needs a new index,")
	case sqlparse.RenameColumn:
		return w.wrong(a, "RENAME COLUMN, which needs a new index,")
	}
	return w.wrong(a, "RENAME TABLE, which needs a new index,")
}

// addColumn adds a column. Rows that are there already have NULL in it: so it can be neither NOT NULL nor have a
// DEFAULT, unless that is to be ignored for them.
func (w *write) addColumn(t *table, d *definition, a sqlparse.AlterAction) error {
	c := *a.Column
	switch {
	case t.field(c.Name) != nil && a.IfNotExists:
		return nil
	case t.field(c.Name) != nil:
		return w.wrong(c, "a second column "+c.Name)
	case c.NotNull:
		if err := w.unkept(c, "NOT NULL of a column that is added"); err != nil {
			return err
		}
	case c.Default != nil:
		if err := w.unkept(c, "DEFAULT of a column that is added, for the rows that are there,"); err != nil {
			return err
		}
	}
	if err := w.addConstraints(a); err != nil {
		return err
	}
	return w.defineColumn(d, c)
}

func (w *write) addConstraints(a sqlparse.AlterAction) error {
	for _, k := range a.Constraints {
		if k.Kind == sqlparse.PrimaryKey {
			return w.wrong(k, "a primary key of rows that are there")
		}
		if err := w.unkept(k, constraintNames[k.Kind]); err != nil {
			return err
		}
	}
	return nil
}

package sqlapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// createTable makes an index: a strict mapping, so that a column that is not there is an error as in SQL, and in its
// _meta what a mapping cannot say.
func (w *write) createTable(ctx context.Context, n *sqlparse.CreateTableStatement) error {
	w.table = n.Name.String()
	if err := checkTable(w.table); err != nil {
		return err
	}
	d, err := w.definition(n)
	if err != nil {
		return err
	}
	body := map[string]any{"mappings": map[string]any{
		"dynamic": "strict", "_meta": d.meta.with(nil), "properties": d.properties,
	}}
	if settings := settings(n.Options); len(settings) > 0 {
		body["settings"] = settings
	}
	err = w.client.put(ctx, "/"+w.table, body)
	w.client.tables.forget(w.table)
	if refused := (*Error)(nil); n.IfNotExists && asError(err, &refused) && refused.Type == "resource_already_exists_exception" {
		return nil
	}
	return err
}

// put sends a definition, and fails if not every node has taken it in time.
func (c *Client) put(ctx context.Context, path string, body any) error {
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("sqlapi: a definition cannot be sent: %w", err)
	}
	return c.acknowledged(ctx, request{method: http.MethodPut, path: path, body: text, id: CallFrom(ctx).RequestID})
}

// acknowledged sends a request that changes the cluster's state.
func (c *Client) acknowledged(ctx context.Context, r request) error {
	var answer struct {
		Acknowledged bool `json:"acknowledged"`
	}
	err := c.call(ctx, r, &answer)
	if err == nil && !answer.Acknowledged {
		err = &AnswerError{Msg: r.method + " " + r.path + " is done, but not acknowledged by every node yet"}
	}
	return err
}

// definition is what CREATE TABLE says.
type definition struct {
	properties map[string]any
	meta       tableMeta
}

// column is the column's place in the order of the statement, -1 when there is none.
func (d *definition) column(name string) int {
	return slices.IndexFunc(d.meta.Columns, func(m columnMeta) bool { return m.Name == name })
}

// place puts a field into the properties; one with dots in its name goes into objects.
func place(properties map[string]any, name string, mapping map[string]any) {
	first, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		properties[name] = mapping
		return
	}
	object, ok := properties[first].(map[string]any)
	if !ok {
		object = map[string]any{}
		properties[first] = object
	}
	inner, ok := object["properties"].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object["properties"] = inner
	}
	place(inner, rest, mapping)
}

func (w *write) definition(n *sqlparse.CreateTableStatement) (*definition, error) {
	d := &definition{properties: map[string]any{}}
	for _, c := range n.Columns {
		if err := w.defineColumn(d, c); err != nil {
			return nil, err
		}
	}
	for _, k := range n.Constraints {
		if err := w.defineConstraint(d, k); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// defineColumn adds a column.
func (w *write) defineColumn(d *definition, c sqlparse.ColumnDef) error {
	if d.column(c.Name) >= 0 {
		return w.wrong(c, "a second column "+c.Name)
	}
	t, err := typeOf(c.Type)
	if err != nil {
		return w.wrong(c.Type, "the type "+c.Type.Name)
	}
	m := columnMeta{Name: c.Name, Type: typeText(c.Type), NotNull: c.NotNull, Auto: c.Auto || t.auto}
	if m.Default, err = w.defaultOf(c); err != nil {
		return err
	}
	if m.Auto {
		if t.mapping, err = w.autoType(c, t.mapping); err != nil {
			return err
		}
	}
	place(d.properties, c.Name, t.mapping)
	d.meta.Columns = append(d.meta.Columns, m)
	return nil
}

// autoType widens an integer column whose values the client makes: they have 63 bits.
func (w *write) autoType(c sqlparse.ColumnDef, mapping map[string]any) (map[string]any, error) {
	switch mapping["type"] {
	case "byte", "short", "integer", "long":
		return map[string]any{"type": "long"}, nil
	case "keyword":
		return mapping, nil
	}
	return nil, w.wrong(c, "AUTO_INCREMENT of type "+c.Type.Name)
}

// defaultOf reads a DEFAULT: a constant, or the time.
func (w *write) defaultOf(c sqlparse.ColumnDef) (*defaultMeta, error) {
	if c.Default == nil {
		return nil, nil
	}
	s, err := newScope(w.statement, newTable(w.table, w.table, nil, w.client.zone), "", w.args)
	if err != nil {
		return nil, err
	}
	if call, ok := c.Default.(*sqlparse.Call); ok {
		if _, ok := s.clock(call); ok {
			return &defaultMeta{Now: true}, nil
		}
	}
	if !isConstant(c.Default) {
		return nil, w.wrong(c.Default, "a DEFAULT with a column")
	}
	v, err := s.compute(c.Default, nil)
	if err != nil || v == nil {
		return nil, err
	}
	t, err := typeOf(c.Type)
	if err != nil {
		return nil, w.wrong(c.Type, "the type "+c.Type.Name)
	}
	f := newField(c.Name, t.mapping, w.client.zone)
	v, err = f.encode(v)
	return &defaultMeta{Value: v}, s.placed(c.Default, f, err)
}

// defineConstraint adds the primary key. Others cannot be kept.
func (w *write) defineConstraint(d *definition, k sqlparse.Constraint) error {
	if k.Kind != sqlparse.PrimaryKey {
		return w.unkept(k, constraintNames[k.Kind])
	}
	switch {
	case d.meta.Key != "":
		return w.wrong(k, "a second primary key")
	case len(k.Columns) != 1:
		return w.wrong(k, "a primary key of several columns")
	}
	i := d.column(k.Columns[0])
	if i < 0 {
		return &ColumnError{Table: w.table, Name: k.Columns[0], State: stateNoColumn, Msg: "the primary key names no column of the table"}
	}
	d.meta.Key = k.Columns[0]
	d.meta.Columns[i].NotNull = true
	return nil
}

// constraintNames are for errors.
var constraintNames = map[sqlparse.ConstraintKind]string{
	sqlparse.Unique: "UNIQUE", sqlparse.ForeignKey: "a foreign key", sqlparse.Check: "CHECK", sqlparse.Index: "an index",
}

// wrong is a construct that has no meaning here, with its place.
func (w *write) wrong(at sqlparse.Node, construct string) error {
	line, column := w.statement.Position(at)
	return statementError(&sqlparse.UnsupportedError{Construct: construct, Line: line, Column: column})
}

// unkept is what a search engine cannot keep: an error, unless it is to be ignored.
func (w *write) unkept(at sqlparse.Node, construct string) error {
	if w.client.options.IgnoreDDL {
		return nil
	}
	return w.wrong(at, construct+" (ddl_unsupported=ignore passes over it)")
}

// storageOptions are MySQL's, which say how it keeps a table and mean nothing here.
var storageOptions = []string{
	"engine", "charset", "character set", "collate", "comment", "auto_increment", "row_format", "default charset",
	"key_block_size", "pack_keys", "stats_persistent",
}

// settings are the index's, by their names in WITH (…). The server refuses those that it does not know.
func settings(options []sqlparse.Option) map[string]any {
	all := map[string]any{}
	for _, o := range options {
		if !slices.Contains(storageOptions, o.Name) {
			all["index."+strings.TrimPrefix(o.Name, "index.")] = o.Value
		}
	}
	return all
}

// dropTables deletes indices, one after the other.
func (w *write) dropTables(ctx context.Context, n *sqlparse.DropTableStatement) error {
	for _, name := range n.Names { // before any is deleted
		if err := checkTable(name.String()); err != nil {
			return err
		}
	}
	for i, name := range n.Names {
		w.table = name.String()
		// Not with expand_wildcards=none: with it OpenSearch 2.19 acknowledges the deletion of what does not exist.
		err := w.client.acknowledged(ctx, request{method: http.MethodDelete, path: "/" + w.table, id: w.call.RequestID})
		w.client.tables.forget(w.table)
		if refused := (*Error)(nil); n.IfExists && asError(err, &refused) && refused.Type == "index_not_found_exception" {
			err = nil
		}
		if err != nil && i > 0 {
			return fmt.Errorf("sqlapi: DROP TABLE %s, after %d others were dropped: %w", w.table, i, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// createIndex has nothing to do: every field is indexed, and none can be kept unique.
func (w *write) createIndex(ctx context.Context, n *sqlparse.CreateIndexStatement) error {
	construct := "CREATE INDEX"
	if n.Unique {
		construct = "CREATE UNIQUE INDEX"
	}
	if err := w.unkept(n, construct); err != nil {
		return err
	}
	_, err := w.client.table(ctx, n.Table.String())
	return err
}

// dropIndex has nothing to do either.
func (w *write) dropIndex(n *sqlparse.DropIndexStatement) error { return w.unkept(n, "DROP INDEX") }

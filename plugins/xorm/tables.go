package esxorm

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"xorm.io/xorm/core"
	"xorm.io/xorm/schemas"
)

// mapping is a mapping as the servers give it, with what the driver's CREATE TABLE leaves in its _meta.
type mapping struct {
	Properties map[string]property `json:"properties"`
	Meta       struct {
		SQL struct {
			Key     string       `json:"pk"`
			Columns []definition `json:"columns"`
		} `json:"sql"`
	} `json:"_meta"`
}

// property is one field of a mapping; an object has fields of its own.
type property struct {
	Type       string              `json:"type"`
	Properties map[string]property `json:"properties"`
}

// definition is a column as CREATE TABLE says it.
type definition struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	NotNull bool   `json:"not_null"`
	Auto    bool   `json:"auto"`
}

// readMapping reads the mapping of an index, or of an alias of one. It reports false when there is none of that name.
func readMapping(ctx context.Context, q core.Queryer, name string) (mapping, bool, error) {
	var answer map[string]struct {
		Mappings mapping `json:"mappings"`
	}
	found, err := get(ctx, q, "/"+url.PathEscape(name)+"/_mapping", &answer)
	if err != nil || !found {
		return mapping{}, false, err
	}
	if len(answer) != 1 {
		return mapping{}, false, unsupported("the table "+name, "it must name one index, or an alias of one")
	}
	for _, a := range answer {
		return a.Mappings, true, nil
	}
	return mapping{}, false, nil // not reached: there is one
}

// GetTables returns the indices that are not hidden.
func (*dialect) GetTables(q core.Queryer, ctx context.Context) ([]*schemas.Table, error) {
	var rows []struct {
		Index string `json:"index"`
	}
	if _, err := get(ctx, q, "/_cat/indices?format=json&h=index&s=index", &rows); err != nil {
		return nil, err
	}
	var tables []*schemas.Table
	for _, row := range rows {
		if !strings.HasPrefix(row.Index, ".") {
			table := schemas.NewEmptyTable()
			table.Name = row.Index
			tables = append(tables, table)
		}
	}
	return tables, nil
}

// IsTableExist reports whether there is an index, or an alias of one, of that name.
func (*dialect) IsTableExist(q core.Queryer, ctx context.Context, table string) (bool, error) {
	_, found, err := readMapping(ctx, q, table)
	return found, err
}

// IsColumnExist reports whether a table has the column.
func (d *dialect) IsColumnExist(q core.Queryer, ctx context.Context, table, column string) (bool, error) {
	names, _, err := d.GetColumns(q, ctx, table)
	return slices.Contains(names, column), err
}

// GetColumns returns a table's columns, those of CREATE TABLE in its order and the others behind them by name. What
// objects hold has dotted names. Of a table that does not exist there are none.
func (*dialect) GetColumns(q core.Queryer, ctx context.Context, table string) ([]string, map[string]*schemas.Column, error) {
	m, _, err := readMapping(ctx, q, table)
	if err != nil {
		return nil, nil, err
	}
	columns := map[string]*schemas.Column{}
	collect(columns, m.Properties, "")
	place := map[string]int{}
	for i, d := range m.Meta.SQL.Columns {
		place[d.Name] = i - len(m.Meta.SQL.Columns)
		if c := columns[d.Name]; c != nil {
			d.describe(c)
		}
	}
	if c := columns[m.Meta.SQL.Key]; c != nil {
		c.IsPrimaryKey, c.Nullable = true, false
	}
	var names []string
	for name := range columns {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(place[a]-place[b], strings.Compare(a, b)) })
	return names, columns, nil
}

// collect takes the fields of an object, and those of the objects in it.
func collect(columns map[string]*schemas.Column, properties map[string]property, prefix string) {
	for name, p := range properties {
		name = prefix + name
		if p.Properties != nil {
			collect(columns, p.Properties, name+".")
			continue
		}
		typ := schemas.SQLType{Name: cmp.Or(sqlTypes[p.Type], strings.ToUpper(p.Type))}
		columns[name] = schemas.NewColumn(name, "", typ, 0, 0, true)
	}
}

// describe adds what a mapping does not say.
func (d definition) describe(c *schemas.Column) {
	c.Nullable, c.IsAutoIncrement = !d.NotNull, d.Auto
	name, length, _ := strings.Cut(d.Type, "(")
	c.SQLType.Name = cmp.Or(strings.ToUpper(strings.TrimSpace(name)), c.SQLType.Name)
	_, _ = fmt.Sscanf(length, "%d", &c.Length) // a type without a length keeps 0
}

// GetIndexes returns none: every column is indexed, and no index has a name.
func (*dialect) GetIndexes(core.Queryer, context.Context, string) (map[string]*schemas.Index, error) {
	return map[string]*schemas.Index{}, nil
}

// IndexCheckSQL is a statement that the driver refuses, naming it: no index has a name to be looked for.
func (*dialect) IndexCheckSQL(table, index string) (string, []any) {
	return "SHOW INDEX " + schemas.CommonQuoter.Quote(index) + " FROM " + schemas.CommonQuoter.Quote(table), nil
}

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"
)

// types are the driver's column types for ent's. A field's SchemaType, as Postgres's, goes before it: any type of the
// driver's can be named there, such as "text" for what is searched by words, "ip" or "geo_point".
var types = map[field.Type]string{
	field.TypeBool: "BOOLEAN", field.TypeTime: "TIMESTAMP", field.TypeJSON: "JSON", field.TypeUUID: "UUID",
	field.TypeBytes: "VARBINARY", field.TypeEnum: "VARCHAR", field.TypeString: "VARCHAR",
	field.TypeInt8: "TINYINT", field.TypeInt16: "SMALLINT", field.TypeInt32: "INT",
	field.TypeInt: "BIGINT", field.TypeInt64: "BIGINT",
	field.TypeUint8: "SMALLINT", field.TypeUint16: "INT", field.TypeUint32: "BIGINT",
	field.TypeUint: "BIGINT", field.TypeUint64: "BIGINT",
	field.TypeFloat32: "REAL", field.TypeFloat64: "DOUBLE",
}

// createTables makes the tables of the generated package migrate, where they are not there yet. It is what
// Schema.Create is for on other databases, which here fails: it reads the catalog of a Postgres.
func createTables(ctx context.Context, db dialect.ExecQuerier, tables []*schema.Table) error {
	for _, t := range tables {
		statement, err := createTable(t)
		if err != nil {
			return err
		}
		if err := db.Exec(ctx, statement, []any{}, nil); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

// createTable writes a table's statement. Foreign keys are left out, since nothing would keep them. Unique columns and
// indexes, and a key of several columns, are written: the driver refuses them by name.
func createTable(t *schema.Table) (string, error) {
	var parts []string
	for _, c := range t.Columns {
		column, err := columnOf(c)
		if err != nil {
			return "", fmt.Errorf("table %s: %w", t.Name, err)
		}
		parts = append(parts, column)
	}
	parts = append(parts, "PRIMARY KEY "+names(t.PrimaryKey))
	for _, i := range t.Indexes {
		if i.Unique {
			parts = append(parts, "UNIQUE "+names(i.Columns))
		}
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %q (%s)", t.Name, strings.Join(parts, ", ")), nil
}

// columnOf writes a column. A default that is a value is left out, since the generated code fills it in.
func columnOf(c *schema.Column) (string, error) {
	typ := types[c.Type]
	if c.Type == field.TypeString && c.Size > 0 {
		typ = fmt.Sprintf("VARCHAR(%d)", c.Size)
	}
	if own := c.SchemaType[dialect.Postgres]; own != "" {
		typ = own
	}
	if typ == "" {
		return "", fmt.Errorf("column %s: no type for %s: give it a SchemaType", c.Name, c.Type)
	}
	text := fmt.Sprintf("%q %s", c.Name, typ)
	if !c.Nullable {
		text += " NOT NULL"
	}
	if c.Unique {
		text += " UNIQUE"
	}
	if c.Increment {
		text += " AUTO_INCREMENT"
	}
	if e, ok := c.Default.(schema.Expr); ok {
		text += " DEFAULT " + string(e)
	}
	return text, nil
}

// names lists columns in brackets.
func names(columns []*schema.Column) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = strconv.Quote(c.Name)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

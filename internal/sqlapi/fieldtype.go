package sqlapi

import (
	"fmt"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// FieldType returns the type of the field that CREATE TABLE makes of a column, by what stands behind its name:
// "keyword" of "VARCHAR(20) NOT NULL". It fails for a type that there is not.
func FieldType(definition string) (string, error) {
	s, err := sqlparse.Parse(sqlparse.Elasticsearch, "CREATE TABLE t (c "+definition+")")
	if err != nil {
		return "", err
	}
	table, ok := s.Tree().(*sqlparse.CreateTableStatement)
	if !ok || len(table.Columns) != 1 {
		return "", fmt.Errorf("sqlapi: %q defines no column", definition)
	}
	t, err := typeOf(table.Columns[0].Type)
	if err != nil {
		return "", err
	}
	typ, _ := t.mapping["type"].(string)
	if table.Columns[0].Auto && fieldKinds[typ] == wholeField {
		typ = "long" // the client's numbers have 63 bits
	}
	return typ, nil
}

package esgorm

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/migrator"
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
	Default *struct {
		Value any  `json:"value"`
		Now   bool `json:"now"`
	} `json:"default"`
}

// table is an index as the migrator sees it.
type table struct {
	name    string // an index, or an alias of one
	index   string
	key     string // the column of the primary key; empty when there is none
	columns []migrator.ColumnType
}

// newTable lists the columns, those of CREATE TABLE in its order and the others behind them by name.
func newTable(name, index string, m mapping) *table {
	t := &table{name: name, index: index, key: m.Meta.SQL.Key}
	t.add(m.Properties, "")
	place := map[string]int{}
	for i, d := range m.Meta.SQL.Columns {
		place[d.Name] = i - len(m.Meta.SQL.Columns)
		if c := t.column(d.Name); c != nil {
			d.describe(c)
		}
	}
	slices.SortFunc(t.columns, func(a, b migrator.ColumnType) int {
		return cmp.Or(place[a.Name()]-place[b.Name()], cmp.Compare(a.Name(), b.Name()))
	})
	return t
}

// add takes the fields of an object, and those of the objects in it.
func (t *table) add(properties map[string]property, prefix string) {
	for name, p := range properties {
		typ := cmp.Or(p.Type, "object")
		name = prefix + name
		t.columns = append(t.columns, migrator.ColumnType{
			NameValue: text(name), DataTypeValue: text(typ), ColumnTypeValue: text(typ), ScanTypeValue: scanType(typ),
			PrimaryKeyValue: truth(name == t.key), UniqueValue: truth(name == t.key), NullableValue: truth(name != t.key),
			AutoIncrementValue: truth(false),
		})
		t.add(p.Properties, name+".")
	}
}

// column returns the column of that name; nil when there is none.
func (t *table) column(name string) *migrator.ColumnType {
	i := slices.IndexFunc(t.columns, func(c migrator.ColumnType) bool { return c.Name() == name })
	if i < 0 {
		return nil
	}
	return &t.columns[i]
}

// describe adds what a mapping does not say.
func (d definition) describe(c *migrator.ColumnType) {
	c.ColumnTypeValue = text(d.Type)
	c.NullableValue = truth(!d.NotNull)
	c.AutoIncrementValue = truth(d.Auto)
	switch {
	case d.Default == nil:
	case d.Default.Now:
		c.DefaultValueValue = text("CURRENT_TIMESTAMP")
	default:
		c.DefaultValueValue = text(plain(d.Default.Value))
	}
}

// plain is a value as a text: strings without quotes, the rest as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v) // it came from JSON
	return string(b)
}

func text(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }

func truth(b bool) sql.NullBool { return sql.NullBool{Bool: b, Valid: true} }

// types are the columns as GORM wants them.
func (t *table) types() []gorm.ColumnType {
	list := make([]gorm.ColumnType, len(t.columns))
	for i, c := range t.columns {
		list[i] = c
	}
	return list
}

// scanType is what rows of such a column hold.
func scanType(typ string) reflect.Type {
	switch typ {
	case "boolean":
		return reflect.TypeFor[bool]()
	case "byte", "short", "integer", "long":
		return reflect.TypeFor[int64]()
	case "unsigned_long":
		return reflect.TypeFor[uint64]()
	case "half_float", "float", "double", "scaled_float":
		return reflect.TypeFor[float64]()
	case "date", "date_nanos":
		return reflect.TypeFor[time.Time]()
	case "binary", "object", "nested", "flattened", "flat_object":
		return reflect.TypeFor[[]byte]()
	}
	return reflect.TypeFor[string]()
}

package esgorm

import (
	"crypto/rand"
	"database/sql/driver"
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// makeKeys gives a text to each row whose only primary key is an empty string. It runs after BeforeCreate, where programs
// make keys of their own.
func makeKeys(db *gorm.DB) {
	s := db.Statement.Schema
	if db.Error != nil || s == nil || len(s.PrimaryFields) != 1 || !makesText(s.PrimaryFields[0]) {
		return
	}
	switch rows := db.Statement.ReflectValue; rows.Kind() {
	case reflect.Struct:
		makeKey(db, s.PrimaryFields[0], rows)
	case reflect.Slice, reflect.Array:
		for i := range rows.Len() {
			makeKey(db, s.PrimaryFields[0], rows.Index(i))
		}
	}
}

func makesText(f *schema.Field) bool {
	return f.DataType == schema.String && f.FieldType.Kind() == reflect.String && !f.HasDefaultValue
}

// makeKey leaves a row alone that is no struct: GORM tells what is wrong with it.
func makeKey(db *gorm.DB, key *schema.Field, row reflect.Value) {
	if reflect.Indirect(row).Kind() != reflect.Struct {
		return
	}
	if _, zero := key.ValueOf(db.Statement.Context, row); zero {
		_ = db.AddError(key.Set(db.Statement.Context, row, rand.Text()))
	}
}

// idColumn is the driver's name of a document's id, the key of a table without a primary key.
var idColumn = clause.Column{Name: "_id"}

// severalKeys reports whether rows of the statement's model are kept under an id that is made of several keys.
func severalKeys(stmt *gorm.Statement) bool {
	return stmt.Schema != nil && len(stmt.Schema.PrimaryFields) > 1
}

// identify puts the ids of rows with several primary keys in front of their values. It does nothing when a key has no
// value in the statement.
func identify(stmt *gorm.Statement, v clause.Values) (clause.Values, error) {
	places := make([]int, len(stmt.Schema.PrimaryFields))
	for i, f := range stmt.Schema.PrimaryFields {
		if places[i] = place(v.Columns, f.DBName); places[i] < 0 {
			return v, nil
		}
	}
	with := clause.Values{Columns: append([]clause.Column{idColumn}, v.Columns...)}
	for _, row := range v.Values {
		id, err := compound(row, places)
		if err != nil {
			return v, err
		}
		with.Values = append(with.Values, append([]any{id}, row...))
	}
	return with, nil
}

func place(columns []clause.Column, name string) int {
	for i, c := range columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// compound joins keys with commas, which are escaped inside them.
func compound(row []any, places []int) (string, error) {
	parts := make([]string, len(places))
	for i, p := range places {
		v, err := driver.DefaultParameterConverter.ConvertValue(row[p])
		if err != nil {
			return "", fmt.Errorf("esgorm: a primary key: %w", err)
		}
		if v == nil {
			return "", fmt.Errorf("esgorm: %w: a primary key is NULL", gorm.ErrPrimaryKeyRequired)
		}
		parts[i] = url.QueryEscape(fmt.Sprint(v))
	}
	return strings.Join(parts, ","), nil
}

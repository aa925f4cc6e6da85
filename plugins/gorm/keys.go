package esgorm

import (
	"crypto/rand"
	"database/sql/driver"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// makeKeys gives a text to each row whose only primary key is an empty string. It runs after BeforeCreate, where programs
// make keys of their own.
func makeKeys(db *gorm.DB) {
	s := db.Statement.Schema
	if db.Error != nil || s == nil || len(s.PrimaryFields) != 1 {
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

// makeKey leaves a row alone that is no struct: GORM tells what is wrong with it. A number that the key has no room for is
// refused before the row is written.
func makeKey(db *gorm.DB, key *schema.Field, row reflect.Value) {
	if reflect.Indirect(row).Kind() != reflect.Struct {
		return
	}
	_, zero := key.ValueOf(db.Statement.Context, row)
	switch {
	case zero && makesText(key):
		_ = db.AddError(key.Set(db.Statement.Context, row, rand.Text()))
	case zero:
		_ = db.AddError(roomForNumber(key))
	}
}

func makesText(f *schema.Field) bool {
	return f.DataType == schema.String && f.FieldType.Kind() == reflect.String && !f.HasDefaultValue
}

// roomForNumber fails for a key that the driver makes numbers for, and that cannot hold them.
func roomForNumber(key *schema.Field) error {
	switch kind := key.IndirectFieldType.Kind(); kind {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		if key.AutoIncrement {
			return unsupported("AUTO_INCREMENT of "+key.DBName+", a "+kind.String(),
				"numbers have 63 bits: make it an int64, or autoIncrement:false")
		}
	}
	return nil
}

// idColumn is the driver's name of a document's id, the key of a table without a primary key.
var idColumn = clause.Column{Name: "_id"}

// severalKeys reports whether rows of the statement's model are kept under an id that is made of several keys.
func severalKeys(stmt *gorm.Statement) bool {
	return stmt.Schema != nil && len(stmt.Schema.PrimaryFields) > 1
}

// identify puts the ids of rows with several primary keys in front of their values.
func identify(stmt *gorm.Statement, v clause.Values) (clause.Values, error) {
	places := make([]int, len(stmt.Schema.PrimaryFields))
	for i, f := range stmt.Schema.PrimaryFields {
		if places[i] = place(v.Columns, f.DBName); places[i] < 0 {
			return v, fmt.Errorf("esgorm: %w: %s has no value", gorm.ErrPrimaryKeyRequired, f.DBName)
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

// number gives rows with several primary keys, of which one counts, the numbers that the driver would make: the rows' ids
// need them.
func number(s *schema.Schema, v clause.Values, ids *sqlapi.IDs) clause.Values {
	key := s.PrioritizedPrimaryField
	if key == nil || !key.AutoIncrement {
		return v
	}
	at := place(v.Columns, key.DBName)
	if at < 0 {
		at, v.Columns = len(v.Columns), append(slices.Clip(v.Columns), clause.Column{Name: key.DBName})
	}
	first := ids.Take(int64(len(v.Values)), time.Now())
	v.Values = slices.Clone(v.Values)
	for i, row := range v.Values {
		if at == len(row) || unset(row[at]) {
			v.Values[i] = slices.Concat(row[:at], []any{first + int64(i)}, row[min(at+1, len(row)):])
		}
	}
	return v
}

// unset reports whether a value is NULL, zero or GORM's DEFAULT.
func unset(v any) bool {
	expr, ok := v.(clause.Expr)
	return v == nil || reflect.ValueOf(v).IsZero() || ok && expr.SQL == "DEFAULT"
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

package esgorm

import (
	"fmt"

	"gorm.io/gorm/schema"
)

// DataTypeOf returns the type of a field's column in the words of the driver's CREATE TABLE. A type from a tag that GORM
// does not know is taken as it is: type:ip, type:geo_point, type:nested.
func (Dialector) DataTypeOf(f *schema.Field) string {
	switch f.DataType {
	case schema.Bool:
		return "BOOLEAN"
	case schema.Int:
		return automatic(f, intType(f.Size))
	case schema.Uint:
		return automatic(f, intType(min(2*f.Size, 64)))
	case schema.Float:
		return floatType(f)
	case schema.String:
		return textType(f)
	case schema.Time:
		return timeType(f)
	case schema.Bytes:
		return "VARBINARY"
	}
	return string(f.DataType)
}

// automatic marks a column that the driver makes numbers for.
func automatic(f *schema.Field, typ string) string {
	if f.AutoIncrement {
		return "BIGINT AUTO_INCREMENT"
	}
	return typ
}

// intType is the smallest type of at least so many bits.
func intType(bits int) string {
	switch {
	case bits <= 8:
		return "TINYINT"
	case bits <= 16:
		return "SMALLINT"
	case bits <= 32:
		return "INTEGER"
	}
	return "BIGINT"
}

func floatType(f *schema.Field) string {
	if f.Size > 0 && f.Size <= 32 && f.Precision == 0 {
		return "REAL"
	}
	return "DOUBLE"
}

// textType is VARCHAR, which is a keyword: it is found by its whole value, sorted and grouped by. What is to be searched
// by its words has type:text.
func textType(f *schema.Field) string {
	if f.Size > 0 {
		return fmt.Sprintf("VARCHAR(%d)", f.Size)
	}
	return "VARCHAR"
}

// timeType is a date, which holds milliseconds, or a date_nanos if more digits are asked for.
func timeType(f *schema.Field) string {
	if f.Precision > 0 {
		return fmt.Sprintf("TIMESTAMP(%d)", f.Precision)
	}
	return "TIMESTAMP"
}

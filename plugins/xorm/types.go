package esxorm

import (
	"fmt"
	"strings"

	"xorm.io/xorm/schemas"
)

// columnTypes are the types of the driver's CREATE TABLE for those of xorm that it calls otherwise.
var columnTypes = map[string]string{
	schemas.Bit: "TINYINT", schemas.UnsignedBit: "SMALLINT", schemas.MediumInt: "INTEGER", schemas.Number: "DOUBLE",
	schemas.UnsignedTinyInt: "SMALLINT", schemas.UnsignedSmallInt: "INTEGER", schemas.UnsignedMediumInt: "INTEGER",
	schemas.UnsignedInt: "BIGINT", schemas.UnsignedBigInt: "BIGINT", schemas.UnsignedFloat: "DOUBLE",
	schemas.UnsignedDecimal: "DOUBLE", schemas.Decimal: "DOUBLE", schemas.Numeric: "DOUBLE", schemas.Money: "DOUBLE",
	schemas.SmallMoney: "DOUBLE", schemas.Float: "REAL", schemas.Enum: "VARCHAR", schemas.Set: "VARCHAR",
	schemas.VARCHAR2: "VARCHAR", schemas.NVarchar: "VARCHAR", schemas.NChar: "VARCHAR", schemas.Char: "VARCHAR",
	schemas.TinyText: "TEXT", schemas.MediumText: "TEXT", schemas.LongText: "TEXT", schemas.NText: "TEXT",
	schemas.UniqueIdentifier: "UUID", schemas.SysName: "VARCHAR", schemas.SmallDateTime: "DATETIME",
	schemas.TimeStampz: "TIMESTAMP", schemas.Year: "INTEGER", schemas.TinyBlob: "BLOB", schemas.MediumBlob: "BLOB",
	schemas.LongBlob: "BLOB", schemas.Bool: "BOOLEAN",
}

// SQLType returns the type of a column as CREATE TABLE says it. A type from a tag that xorm does not know is taken as it
// is.
func (*dialect) SQLType(c *schemas.Column) string {
	if c.IsAutoIncrement {
		return schemas.BigInt
	}
	typ := c.SQLType.Name
	if known, ok := columnTypes[typ]; ok {
		typ = known
	}
	switch typ {
	case schemas.DateTime, schemas.TimeStamp, schemas.Varchar:
		if c.Length > 0 {
			return fmt.Sprintf("%s(%d)", typ, c.Length)
		}
	}
	return typ
}

// kinds are the columns' types in the servers' words.
var kinds = map[string]int{
	"boolean": schemas.BOOL_TYPE, "binary": schemas.BLOB_TYPE,
	"date": schemas.TIME_TYPE, "datetime": schemas.TIME_TYPE, "date_nanos": schemas.TIME_TYPE,
	"timestamp": schemas.TIME_TYPE, "time": schemas.TIME_TYPE,
	"byte": schemas.NUMERIC_TYPE, "short": schemas.NUMERIC_TYPE, "integer": schemas.NUMERIC_TYPE,
	"long": schemas.NUMERIC_TYPE, "unsigned_long": schemas.NUMERIC_TYPE, "half_float": schemas.NUMERIC_TYPE,
	"float": schemas.NUMERIC_TYPE, "scaled_float": schemas.NUMERIC_TYPE, "double": schemas.NUMERIC_TYPE,
	"keyword": schemas.TEXT_TYPE, "text": schemas.TEXT_TYPE, "ip": schemas.TEXT_TYPE, "version": schemas.TEXT_TYPE,
}

func kind(typ string) int { return kinds[strings.ToLower(typ)] }

// ColumnTypeKind returns the kind of a type in the servers' words.
func (*dialect) ColumnTypeKind(typ string) int { return kind(typ) }

// sqlTypes are the mapping's types in xorm's words, for columns that CREATE TABLE has not made.
var sqlTypes = map[string]string{
	"boolean": schemas.Boolean, "binary": schemas.Blob, "date": schemas.DateTime, "date_nanos": schemas.DateTime,
	"byte": schemas.TinyInt, "short": schemas.SmallInt, "integer": schemas.Int, "long": schemas.BigInt,
	"unsigned_long": schemas.UnsignedBigInt, "half_float": schemas.Real, "float": schemas.Real,
	"scaled_float": schemas.Double, "double": schemas.Double, "keyword": schemas.Varchar, "text": schemas.Text,
}

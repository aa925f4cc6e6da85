package sqlapi

import (
	"fmt"
	"strings"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// columnType is what a type of SQL becomes.
type columnType struct {
	mapping map[string]any // the field's definition
	auto    bool           // SERIAL: the client makes a value where none is given
}

// longText is the longest value of a text column that its exact sub-field keeps: 8191 characters are at most 32,764
// bytes, and Lucene refuses terms of more than 32,766 (IndexWriter.MAX_TERM_LENGTH).
const longText = 8191

// simpleTypes are the types of MySQL and PostgreSQL, and the servers' own, that need no argument, by what they become.
var simpleTypes = map[string]string{
	"KEYWORD": "keyword", "VARCHAR": "keyword", "CHAR": "keyword", "CHARACTER": "keyword", "CHARACTER VARYING": "keyword",
	"CHAR VARYING": "keyword", "NVARCHAR": "keyword", "NCHAR": "keyword", "STRING": "keyword", "UUID": "keyword",
	"CIDR": "keyword", "MACADDR": "keyword", "TIME": "keyword", "TIMETZ": "keyword",
	"TIME WITH TIME ZONE": "keyword", "TIME WITHOUT TIME ZONE": "keyword",
	"TEXT": "text", "TINYTEXT": "text", "MEDIUMTEXT": "text", "LONGTEXT": "text", "CLOB": "text", "NTEXT": "text",
	"JSON": "text", "JSONB": "text", "XML": "text",
	"TINYINT": "byte", "BYTE": "byte", "TINYINT UNSIGNED": "short",
	"SMALLINT": "short", "INT2": "short", "SHORT": "short", "YEAR": "short", "SMALLINT UNSIGNED": "integer",
	"INT": "integer", "INTEGER": "integer", "INT4": "integer", "MEDIUMINT": "integer", "MEDIUMINT UNSIGNED": "integer",
	"INT UNSIGNED": "long", "INTEGER UNSIGNED": "long",
	"BIGINT": "long", "INT8": "long", "LONG": "long", "BIGINT UNSIGNED": "long",
	"UNSIGNED_LONG": "unsigned_long",
	"REAL":          "float", "FLOAT": "float", "FLOAT4": "float", "HALF_FLOAT": "half_float",
	"DOUBLE": "double", "DOUBLE PRECISION": "double", "FLOAT8": "double",
	"DECIMAL": "double", "NUMERIC": "double", "DEC": "double", "FIXED": "double",
	"BOOL": "boolean", "BOOLEAN": "boolean",
	"DATE": "date", "DATETIME": "date", "TIMESTAMP": "date", "TIMESTAMPTZ": "date", "SMALLDATETIME": "date",
	"TIMESTAMP WITH TIME ZONE": "date", "TIMESTAMP WITHOUT TIME ZONE": "date", "DATE_NANOS": "date_nanos",
	"BINARY": "binary", "VARBINARY": "binary", "BYTEA": "binary", "BLOB": "binary", "TINYBLOB": "binary",
	"MEDIUMBLOB": "binary", "LONGBLOB": "binary",
	"IP": "ip", "INET": "ip", "VERSION": "version", "WILDCARD": "wildcard", "OBJECT": "object", "NESTED": "nested",
	"FLATTENED": "flattened", "FLAT_OBJECT": "flat_object", "GEO_POINT": "geo_point", "GEO_SHAPE": "geo_shape",
}

// typeOf finds what a type becomes. INT[] is INT: any field holds several values. VARCHAR longer than a term may be is
// TEXT.
func typeOf(t sqlparse.Type) (columnType, error) {
	name := strings.NewReplacer(" SIGNED", "", " ZEROFILL", " UNSIGNED").Replace(t.Name)
	name = strings.Replace(name, " UNSIGNED UNSIGNED", " UNSIGNED", 1)
	switch name {
	case "SERIAL", "BIGSERIAL", "SMALLSERIAL", "SERIAL4", "SERIAL8":
		return columnType{mapping: map[string]any{"type": "long"}, auto: true}, nil
	case "SCALED_FLOAT":
		if len(t.Args) != 1 || t.Args[0] < 1 {
			return columnType{}, fmt.Errorf("sqlapi: SCALED_FLOAT takes its factor, as in SCALED_FLOAT(100)")
		}
		return columnType{mapping: map[string]any{"type": "scaled_float", "scaling_factor": float64(t.Args[0])}}, nil
	}
	typ, ok := simpleTypes[strings.TrimSuffix(name, " UNSIGNED")]
	if unsigned, known := simpleTypes[name]; known {
		typ, ok = unsigned, true
	}
	if !ok {
		return columnType{}, fmt.Errorf("sqlapi: type %s", t.Name)
	}
	return columnType{mapping: fieldOfType(typ, t)}, nil
}

// fieldOfType is the definition of a field, as the type's arguments make it.
func fieldOfType(typ string, t sqlparse.Type) map[string]any {
	long := len(t.Args) > 0 && t.Args[0] > longText
	precise := len(t.Args) > 0 && t.Args[0] > 3
	switch {
	case typ == "text", typ == "keyword" && long:
		return map[string]any{
			"type":   "text",
			"fields": map[string]any{"keyword": map[string]any{"type": "keyword", "ignore_above": float64(longText)}},
		}
	case typ == "date" && precise:
		return map[string]any{"type": "date_nanos"}
	case typ == "date":
		return map[string]any{"type": "date"}
	}
	return map[string]any{"type": typ}
}

// text is the type as CREATE TABLE spells it.
func typeText(t sqlparse.Type) string {
	text := t.Name
	if len(t.Args) > 0 {
		args := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Args), " ", ","), "[]")
		text += "(" + args + ")"
	}
	if t.Array {
		text += "[]"
	}
	return text
}

package sqlapi

import (
	"database/sql"
	"math"
	"reflect"
	"strings"
	"time"
)

// column is one column of a result.
type column struct {
	name string // the alias, or the expression where there is none
	typ  string // the server's name of the type, as it was sent
	kind kind
}

// kind says which Go type a column's values have.
type kind uint8

const (
	anyKind    kind = iota // by the value itself: null, undefined, and types that are not known
	boolKind               // bool
	intKind                // int64
	uintKind               // int64, and uint64 above it
	floatKind              // float64
	stringKind             // string
	bytesKind              // []byte
	dayKind                // time.Time at midnight UTC of the day that the text names
	timeKind               // time.Time
	objectKind             // []byte: JSON text
)

// kinds are the types of both servers: Elasticsearch's SqlDataTypes (8.19), OpenSearch's ExprCoreType and the
// names that its legacy engine and PPL use. "date" is a day on Elasticsearch; OpenSearch's legacy engine gives
// the name to timestamps as well, which value looks at.
var kinds = map[string]kind{
	"boolean": boolKind,
	"byte":    intKind, "short": intKind, "integer": intKind, "long": intKind, "int": intKind, "bigint": intKind,
	"tinyint": intKind, "smallint": intKind,
	"unsigned_long": uintKind,
	"double":        floatKind, "float": floatKind, "half_float": floatKind, "scaled_float": floatKind,
	"keyword": stringKind, "text": stringKind, "constant_keyword": stringKind, "wildcard": stringKind,
	"match_only_text": stringKind, "string": stringKind, "ip": stringKind, "version": stringKind,
	"time": stringKind, "interval": stringKind,
	"binary": bytesKind,
	"date":   dayKind,
	"object": objectKind, "nested": objectKind, "struct": objectKind, "array": objectKind,
	"datetime": timeKind, "timestamp": timeKind, "date_nanos": timeKind,
	"geo_point": stringKind, "geo_shape": stringKind, "shape": stringKind,
}

func kindOf(typ string) kind {
	if strings.HasPrefix(typ, "interval_") {
		return stringKind
	}
	return kinds[typ]
}

// newColumn makes a column; OpenSearch sends an alias beside the expression, empty when there is none.
func newColumn(name, alias, typ string) column {
	if alias != "" {
		name = alias
	}
	return column{name: name, typ: typ, kind: kindOf(typ)}
}

// databaseType is the type's name in upper case, as database/sql wants it.
func (c *column) databaseType() string { return strings.ToUpper(c.typ) }

// scanTypes holds types that can take NULL too: any column of either server may be missing from a document.
var scanTypes = [...]reflect.Type{
	anyKind:    reflect.TypeFor[any](),
	boolKind:   reflect.TypeFor[sql.Null[bool]](),
	intKind:    reflect.TypeFor[sql.Null[int64]](),
	uintKind:   reflect.TypeFor[sql.Null[uint64]](),
	floatKind:  reflect.TypeFor[sql.Null[float64]](),
	stringKind: reflect.TypeFor[sql.Null[string]](),
	bytesKind:  reflect.TypeFor[[]byte](),
	dayKind:    reflect.TypeFor[sql.Null[time.Time]](),
	timeKind:   reflect.TypeFor[sql.Null[time.Time]](),
	objectKind: reflect.TypeFor[[]byte](),
}

func (c *column) scanType() reflect.Type { return scanTypes[c.kind] }

// length is the most bytes a value of a type of variable length may have; a keyword is one Lucene term, which
// has at most 32,766 bytes (IndexWriter.MAX_TERM_LENGTH).
func (c *column) length() (int64, bool) {
	switch c.typ {
	case "keyword", "constant_keyword", "wildcard", "version":
		return 32766, true
	case "text", "match_only_text", "string", "binary", "object", "nested":
		return math.MaxInt64, true
	}
	return 0, false
}

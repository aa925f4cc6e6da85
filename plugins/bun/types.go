package esbun

import (
	"net"
	"net/netip"
	"reflect"

	"github.com/uptrace/bun/dialect/sqltype"
	"github.com/uptrace/bun/schema"
)

// columnType is the type of a field's column where its tag names none: bun's, but with room for unsigned numbers, with
// addresses as such, and with JSON as text of any length.
func columnType(f *schema.Field) string {
	switch f.IndirectType {
	case reflect.TypeFor[net.IP](), reflect.TypeFor[netip.Addr]():
		return "IP"
	}
	switch f.IndirectType.Kind() {
	case reflect.Uint8:
		return sqltype.SmallInt
	case reflect.Uint16:
		return sqltype.Integer
	case reflect.Uint32:
		return sqltype.BigInt
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct:
		if f.DiscoveredSQLType == sqltype.VarChar || f.DiscoveredSQLType == "" {
			return sqltype.JSON
		}
	}
	return f.DiscoveredSQLType
}

package sqlapi

import (
	"database/sql/driver"
	"encoding/json"
	"reflect"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// checkValue turns an argument into one of the types that a statement takes: nil, bool, int64, uint64 above it,
// float64, string, []byte, time.Time. Beyond database/sql's own rules it takes uint64 of full size and
// json.RawMessage, which is text.
func checkValue(v *driver.NamedValue) error {
	switch value := v.Value.(type) {
	case uint64:
		v.Value = unsigned(value)
		return nil
	case json.RawMessage:
		v.Value = rawText(value)
		return nil
	case driver.Valuer:
		return driver.ErrSkip
	}
	if rv := reflect.ValueOf(v.Value); rv.IsValid() && rv.CanUint() {
		v.Value = unsigned(rv.Uint())
		return nil
	}
	return driver.ErrSkip
}

// unsigned returns an int64 as far as one goes.
func unsigned(u uint64) any {
	if i := int64(u); i >= 0 {
		return i
	}
	return u
}

func rawText(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// arguments is what sqlparse takes of the arguments.
func arguments(args []driver.NamedValue) []sqlparse.Arg {
	if len(args) == 0 {
		return nil
	}
	list := make([]sqlparse.Arg, len(args))
	for i, a := range args {
		list[i] = sqlparse.Arg{Ordinal: a.Ordinal, Name: a.Name, Value: a.Value}
	}
	return list
}

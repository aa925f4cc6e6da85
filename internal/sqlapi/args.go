package sqlapi

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"reflect"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// checkValue turns an argument into one of the types that a statement takes: nil, bool, int64, uint64 above it,
// float64, string, []byte, time.Time. Beyond database/sql's own rules it takes uint64 of full size and
// json.RawMessage, which is text, also behind pointers and as the value of a driver.Valuer such as sql.Null.
func checkValue(v *driver.NamedValue) error {
	value, err := innermostValue(v.Value)
	if err != nil {
		return err
	}
	v.Value = value
	if raw, ok := value.(json.RawMessage); ok {
		v.Value = rawText(raw)
		return nil
	}
	if rv := reflect.ValueOf(value); rv.IsValid() && rv.CanUint() {
		v.Value = unsigned(rv.Uint())
		return nil
	}
	return driver.ErrSkip
}

// innermostValue asks Valuers and follows pointers, of which nil ones stand for NULL: a Valuer's method on a nil
// pointer would panic where it has a value receiver.
func innermostValue(value any) (any, error) {
	for {
		rv := reflect.ValueOf(value)
		valuer, isValuer := value.(driver.Valuer)
		switch {
		case rv.Kind() == reflect.Pointer && rv.IsNil() && (!isValuer || rv.Type().Elem().Implements(valuerType)):
			return nil, nil
		case isValuer:
			return valueOf(valuer)
		case rv.Kind() != reflect.Pointer:
			return value, nil
		}
		value = rv.Elem().Interface()
	}
}

// valueOf asks a Valuer, and takes as they are the values of the two kinds of sql.Null that would not come through its
// own Value: a large uint64, which it refuses, and JSON, which it makes bytes of.
func valueOf(valuer driver.Valuer) (any, error) {
	switch null := valuer.(type) {
	case sql.Null[uint64]:
		if null.Valid {
			return null.V, nil
		}
	case sql.Null[json.RawMessage]:
		if null.Valid {
			return null.V, nil
		}
	}
	return valuer.Value()
}

var valuerType = reflect.TypeFor[driver.Valuer]()

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

package esbun

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// errNoRows is a destination that is no pointer to rows.
var errNoRows = errors.New("esbun: Load needs a pointer to a struct, to a slice of structs, or to a slice of pointers to them")

// Load fills a relation of rows that are read already, by one query with IN; by two for many-to-many. rows is what Scan
// was given: a pointer to a struct, to a slice of structs, or to a slice of pointers. The relation is named as its field
// is; what it held is replaced. Each apply may narrow the query or order it. Relations of several columns and polymorphic
// ones are an error, as is one that the model has not. db may be a *bun.DB, a bun.Conn or a bun.Tx.
func Load(ctx context.Context, db bun.IDB, rows any, relation string, apply ...func(*bun.SelectQuery) *bun.SelectQuery) error {
	list, err := structs(rows)
	if err != nil || len(list) == 0 {
		return err
	}
	r, err := find(db.Dialect().Tables().Get(list[0].Type()), relation)
	if err != nil {
		return err
	}
	l := loader{db: db, relation: r, apply: apply}
	if r.Type == schema.ManyToManyRelation {
		return l.manyToMany(ctx, list)
	}
	found, err := l.read(ctx, r.JoinTable, r.JoinPKs[0], keys(list, r.BasePKs[0]))
	if err != nil {
		return err
	}
	by := group(found, r.JoinPKs[0])
	for _, row := range list {
		l.fill(row, by[key(row, r.BasePKs[0])])
	}
	return nil
}

// find returns a model's relation, if Load can fill it.
func find(t *schema.Table, name string) (*schema.Relation, error) {
	r := t.Relations[name]
	switch {
	case r == nil:
		return nil, fmt.Errorf("esbun: %s has no relation %s", t, name)
	case r.PolymorphicField != nil, len(r.Condition) > 0:
		return nil, fmt.Errorf("esbun: relation %s of %s is polymorphic", name, t)
	case len(r.BasePKs) != 1 || len(r.JoinPKs) != 1, r.M2MTable != nil && (len(r.M2MBasePKs) != 1 || len(r.M2MJoinPKs) != 1):
		return nil, fmt.Errorf("esbun: relation %s of %s has several columns", name, t)
	}
	return r, nil
}

// structs are the rows behind a pointer; nil pointers among them are left out.
func structs(rows any) ([]reflect.Value, error) {
	v := reflect.ValueOf(rows)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, errNoRows
	}
	switch v = v.Elem(); v.Kind() {
	case reflect.Struct:
		return []reflect.Value{v}, nil
	case reflect.Slice:
		return elements(v)
	}
	return nil, errNoRows
}

func elements(slice reflect.Value) ([]reflect.Value, error) {
	var list []reflect.Value
	for i := range slice.Len() {
		row := slice.Index(i)
		if row.Kind() == reflect.Pointer && row.IsNil() {
			continue
		}
		if row = reflect.Indirect(row); row.Kind() != reflect.Struct {
			return nil, errNoRows
		}
		list = append(list, row)
	}
	return list, nil
}

// loader fills one relation.
type loader struct {
	db       bun.IDB
	relation *schema.Relation
	apply    []func(*bun.SelectQuery) *bun.SelectQuery
}

// read reads the rows of a table whose column has one of the values.
func (l *loader) read(ctx context.Context, t *schema.Table, column *schema.Field, values []any) ([]reflect.Value, error) {
	found := reflect.New(reflect.SliceOf(reflect.PointerTo(t.Type)))
	if len(values) == 0 {
		return nil, nil
	}
	q := l.db.NewSelect().Model(found.Interface()).Where("?.? IN (?)", t.SQLAlias, column.SQLName, bun.List(values))
	if t == l.relation.JoinTable {
		for _, apply := range l.apply {
			q = q.Apply(apply)
		}
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("esbun: relation %s: %w", l.relation.Field.GoName, err)
	}
	return elements(found.Elem())
}

// manyToMany goes by the table between: first its rows, then those that they name.
func (l *loader) manyToMany(ctx context.Context, list []reflect.Value) error {
	r := l.relation
	links, err := l.read(ctx, r.M2MTable, r.M2MBasePKs[0], keys(list, r.BasePKs[0]))
	if err != nil {
		return err
	}
	found, err := l.read(ctx, r.JoinTable, r.JoinPKs[0], keys(links, r.M2MJoinPKs[0]))
	if err != nil {
		return err
	}
	linked := group(links, r.M2MBasePKs[0])
	for _, row := range list {
		wanted := group(linked[key(row, r.BasePKs[0])], r.M2MJoinPKs[0])
		var these []reflect.Value // in the order in which they were read
		for _, f := range found {
			if wanted[key(f, r.JoinPKs[0])] != nil {
				these = append(these, f)
			}
		}
		l.fill(row, these)
	}
	return nil
}

// fill sets the relation's field of a row, which is a struct, a pointer to one, or a slice of either.
func (l *loader) fill(row reflect.Value, found []reflect.Value) {
	field := l.relation.Field.Value(row)
	field.SetZero()
	if field.Kind() != reflect.Slice {
		if len(found) > 0 {
			set(field, found[0])
		}
		return
	}
	field.Set(reflect.MakeSlice(field.Type(), len(found), len(found)))
	for i, f := range found {
		set(field.Index(i), f)
	}
}

func set(field, found reflect.Value) {
	if field.Kind() == reflect.Pointer {
		found = found.Addr()
	}
	field.Set(found)
}

// keys are a column's values, each once, NULL left out.
func keys(rows []reflect.Value, column *schema.Field) []any {
	var values []any
	seen := map[any]bool{nil: true}
	for _, row := range rows {
		if k := key(row, column); !seen[k] {
			seen[k] = true
			values = append(values, k)
		}
	}
	return values
}

// group sorts rows by a column's value.
func group(rows []reflect.Value, column *schema.Field) map[any][]reflect.Value {
	by := map[any][]reflect.Value{}
	for _, row := range rows {
		if k := key(row, column); k != nil {
			by[k] = append(by[k], row)
		}
	}
	return by
}

// key is a column's value such that values of other integer types, pointers, and sql.NullInt64 and its like compare; nil
// for NULL.
func key(row reflect.Value, column *schema.Field) any {
	if column.IsPtr && column.HasNilValue(row) {
		return nil
	}
	v := column.Value(row)
	if valuer, ok := v.Interface().(driver.Valuer); ok {
		value, err := valuer.Value()
		if value == nil || err != nil {
			return nil
		}
		v = reflect.ValueOf(value)
	}
	return plain(reflect.Indirect(v))
}

// plain is a value as one of few types.
func plain(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint() && v.Uint() <= 1<<63-1:
		return int64(v.Uint())
	case v.Kind() == reflect.String:
		return v.String()
	case !v.Comparable():
		return fmt.Sprint(v.Interface())
	}
	return v.Interface()
}

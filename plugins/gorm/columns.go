package esgorm

import (
	"fmt"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// ColumnTypes returns the columns of a model's index as its mapping has them: what objects hold by dotted names, types in
// the servers' words, and as CREATE TABLE spelled them through ColumnType.
func (m Migrator) ColumnTypes(model any) ([]gorm.ColumnType, error) {
	t, err := m.table(model)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("esgorm: no such index: %w", gorm.ErrRecordNotFound)
	}
	return t.types(), nil
}

// HasColumn reports whether a model's index has the field's column, or one of that name. When the cluster does not answer
// it is false, and the error is logged.
func (m Migrator) HasColumn(model any, field string) bool {
	t, err := m.table(model)
	m.fail(err)
	return t != nil && t.column(m.columnName(model, field)) != nil
}

// columnName is the name of a field's column; the name itself when the model has no such field.
func (m Migrator) columnName(model any, field string) string {
	_ = m.RunWithValue(model, func(stmt *gorm.Statement) error {
		if stmt.Schema != nil {
			if f := stmt.Schema.LookUpField(field); f != nil {
				field = f.DBName
			}
		}
		return nil
	})
	return field
}

// DropColumn is refused.
func (m Migrator) DropColumn(model any, field string) error {
	return needsIndex("dropping column", m.columnName(model, field))
}

// AlterColumn is refused.
func (m Migrator) AlterColumn(model any, field string) error {
	return needsIndex("changing column", m.columnName(model, field))
}

// RenameColumn is refused.
func (m Migrator) RenameColumn(model any, oldName, _ string) error {
	return needsIndex("renaming column", m.columnName(model, oldName))
}

// needsIndex refuses what a mapping does not let happen to a column.
func needsIndex(what, column string) error {
	return unsupported(what+" "+column,
		"a mapping only takes new columns: make an index of another name and copy the rows with _reindex")
}

// MigrateColumn checks that the column can hold what the field does. It fails when that needs another type, and logs when
// the column stays NOT NULL where the field is not, or the other way round.
func (m Migrator) MigrateColumn(_ any, f *schema.Field, column gorm.ColumnType) error {
	if f.IgnoreMigration {
		return nil
	}
	wanted, err := sqlapi.FieldType(m.DataTypeOf(f))
	if err != nil {
		return fmt.Errorf("esgorm: column %s: %w", f.DBName, err)
	}
	if has := column.DatabaseTypeName(); !holds(has, wanted) {
		return needsIndex(fmt.Sprintf("a %s in the %s", wanted, has), f.DBName)
	}
	if nullable, ok := column.Nullable(); ok && nullable == f.NotNull && !f.PrimaryKey {
		stays := "NOT NULL"
		if nullable {
			stays = "nullable"
		}
		m.DB.Logger.Warn(m.context(), "esgorm: %s: column %s stays %s", f.Schema.Table, f.DBName, stays)
	}
	return nil
}

// families are types whose later ones hold what the earlier ones do.
var families = [][]string{
	{"byte", "short", "integer", "long"},
	{"half_float", "float", "double"},
}

// alike are types that hold the same.
var alike = [][]string{
	{"keyword", "text", "wildcard", "match_only_text", "constant_keyword"},
	{"date", "date_nanos"},
	{"object", "nested", "flattened", "flat_object"},
	{"double", "scaled_float"},
	{"long", "unsigned_long"},
}

// holds reports whether a column of a type can hold what one of the wanted type does.
func holds(has, wanted string) bool {
	if has == wanted {
		return true
	}
	for _, group := range alike {
		if slices.Contains(group, has) && slices.Contains(group, wanted) {
			return true
		}
	}
	for _, family := range families {
		if i := slices.Index(family, wanted); i >= 0 && slices.Index(family, has) > i {
			return true
		}
	}
	return false
}

// MigrateColumnUnique does nothing: an index keeps no column unique but the primary key, as CreateTable logs.
func (m Migrator) MigrateColumnUnique(any, *schema.Field, gorm.ColumnType) error { return nil }

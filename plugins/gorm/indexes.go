package esgorm

import (
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

// CreateIndex makes nothing and logs so: every column is indexed as it is, and none but the primary key can be kept
// unique. An index that the model does not have is an error.
func (m Migrator) CreateIndex(model any, name string) error {
	return m.RunWithValue(model, func(stmt *gorm.Statement) error {
		index := lookUp(stmt.Schema, name)
		if index == nil {
			return fmt.Errorf("esgorm: %s has no index %s", stmt.Table, name)
		}
		m.noIndex(stmt.Table, index)
		return nil
	})
}

func lookUp(s *schema.Schema, name string) *schema.Index {
	if s == nil {
		return nil
	}
	return s.LookIndex(name)
}

// DropIndex does nothing and logs so.
func (m Migrator) DropIndex(_ any, name string) error {
	m.DB.Logger.Info(m.context(), "esgorm: index %s is not dropped: every column stays indexed", name)
	return nil
}

// RenameIndex does nothing and logs so: indexes have no names.
func (m Migrator) RenameIndex(_ any, oldName, _ string) error {
	m.DB.Logger.Info(m.context(), "esgorm: index %s is not renamed: indexes have no names", oldName)
	return nil
}

// HasIndex reports whether the columns of the model's index are there, for then they are indexed. It is false for an
// index that the model does not have.
func (m Migrator) HasIndex(model any, name string) (has bool) {
	m.fail(m.RunWithValue(model, func(stmt *gorm.Statement) error {
		index := lookUp(stmt.Schema, name)
		if index == nil {
			return nil
		}
		t, err := readTable(m.context(), m.DB, tableName(stmt))
		has = t != nil
		for _, f := range index.Fields {
			has = has && t.column(f.DBName) != nil
		}
		return err
	}))
	return has
}

// GetIndexes returns the primary key, the only index that promises something.
func (m Migrator) GetIndexes(model any) ([]gorm.Index, error) {
	t, err := m.table(model)
	if err != nil || t == nil || t.key == "" {
		return nil, err
	}
	return []gorm.Index{migrator.Index{
		TableName: t.name, NameValue: "PRIMARY", ColumnList: []string{t.key},
		PrimaryKeyValue: truth(true), UniqueValue: truth(true),
	}}, nil
}

// CreateConstraint makes nothing and logs so.
func (m Migrator) CreateConstraint(model any, name string) error {
	return m.RunWithValue(model, func(stmt *gorm.Statement) error {
		m.unkept(stmt.Table, "constraint", name)
		return nil
	})
}

// DropConstraint does nothing: there are none.
func (m Migrator) DropConstraint(any, string) error { return nil }

// HasConstraint returns false: there are none.
func (m Migrator) HasConstraint(any, string) bool { return false }

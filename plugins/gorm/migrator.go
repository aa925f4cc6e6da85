package esgorm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

var _ gorm.Migrator = Migrator{}

// Migrator makes and changes indices. A mapping takes new columns and nothing else: whatever changes or drops a column is
// refused, since it needs a new index. Every column is indexed as it is, so indexes are no work; what they, UNIQUE, CHECK
// and foreign keys would promise is not kept, which the log says.
type Migrator struct{ migrator.Migrator }

// errNoSchema is a model where a name of a table will not do.
var errNoSchema = errors.New("esgorm: this needs a model, not the name of a table")

// CurrentDatabase returns the name of the cluster; "" when it cannot be had.
func (m Migrator) CurrentDatabase() string {
	cluster, err := clusterOf(m.context(), m.DB)
	if err != nil {
		m.fail(err)
		return ""
	}
	return cluster.Topology().ClusterName
}

// fail logs an error that GORM's signature has no room for.
func (m Migrator) fail(err error) {
	if err != nil {
		m.DB.Logger.Error(m.context(), "%v", err)
	}
}

// context is that of the statement in hand.
func (m Migrator) context() context.Context {
	if m.DB.Statement != nil && m.DB.Statement.Context != nil {
		return m.DB.Statement.Context
	}
	return context.Background()
}

// CreateTable makes an index for each model, with the mapping of its fields. A model with one primary key gets it, one
// with several is kept under an id made of them.
func (m Migrator) CreateTable(models ...any) error {
	for _, model := range m.ReorderModels(models, false) {
		if err := m.RunWithValue(model, m.createTable); err != nil {
			return err
		}
	}
	return nil
}

func (m Migrator) createTable(stmt *gorm.Statement) error {
	if stmt.Schema == nil {
		return errNoSchema
	}
	for _, key := range stmt.Schema.PrimaryFields {
		if err := roomForNumber(key); err != nil {
			return err
		}
	}
	m.warn(stmt.Schema)
	text, vars := m.definitions(stmt.Schema)
	text = "CREATE TABLE ? (" + text + ")"
	if options, ok := m.DB.Get("gorm:table_options"); ok {
		text += " " + fmt.Sprint(options)
	}
	vars = append([]any{m.CurrentTable(stmt)}, vars...)
	if err := m.DB.Session(&gorm.Session{}).Exec(text, vars...).Error; err != nil {
		return fmt.Errorf("esgorm: table %s: %w", tableName(stmt), err)
	}
	return nil
}

// definitions are the columns of CREATE TABLE, and what stands for its question marks.
func (m Migrator) definitions(s *schema.Schema) (text string, vars []any) {
	var columns []string
	for _, name := range s.DBNames {
		if f := s.FieldsByDBName[name]; !f.IgnoreMigration {
			columns = append(columns, "? ?")
			vars = append(vars, clause.Column{Name: name}, m.DB.Migrator().FullDataTypeOf(f))
		}
	}
	if len(s.PrimaryFields) == 1 {
		columns = append(columns, "PRIMARY KEY (?)")
		vars = append(vars, clause.Column{Name: s.PrimaryFields[0].DBName})
	}
	return strings.Join(columns, ","), vars
}

// warn logs what a model asks for and an index does not keep.
func (m Migrator) warn(s *schema.Schema) {
	for _, index := range s.ParseIndexes() {
		m.noIndex(s.Table, index)
	}
	for name := range s.ParseUniqueConstraints() {
		m.unkept(s.Table, "UNIQUE", name)
	}
	for name := range s.ParseCheckConstraints() {
		m.unkept(s.Table, "CHECK", name)
	}
}

func (m Migrator) noIndex(table string, index *schema.Index) {
	if strings.EqualFold(index.Class, "UNIQUE") {
		m.unkept(table, "the uniqueness of", index.Name)
		return
	}
	m.DB.Logger.Info(m.context(), "esgorm: %s: index %s is not made: every column is indexed as it is", table, index.Name)
}

func (m Migrator) unkept(table, what, name string) {
	m.DB.Logger.Warn(m.context(), "esgorm: %s: %s %s is not kept: only a primary key is unique", table, what, name)
}

// HasTable reports whether there is an index, or an alias of one, for a model or of a name. When the cluster does not
// answer it is false, and the error is logged.
func (m Migrator) HasTable(model any) bool {
	t, err := m.table(model)
	m.fail(err)
	return t != nil
}

// table reads the table of a model or of a name; nil when there is none.
func (m Migrator) table(model any) (t *table, err error) {
	err = m.RunWithValue(model, func(stmt *gorm.Statement) (err error) {
		t, err = readTable(m.context(), m.DB, tableName(stmt))
		return err
	})
	return t, err
}

// tableName is the whole name of a statement's table. GORM takes what stands before a dot for a schema and cuts it off.
func tableName(stmt *gorm.Statement) string {
	if e := stmt.TableExpr; e != nil && !strings.ContainsAny(e.SQL, " (?") {
		return strings.NewReplacer(`"`, "", "`", "").Replace(e.SQL)
	}
	return stmt.Table
}

// GetTables returns the names of all indices but the hidden ones, whose names begin with a dot.
func (m Migrator) GetTables() ([]string, error) {
	var rows []struct {
		Index string `json:"index"`
	}
	if _, err := get(m.context(), m.DB, "/_cat/indices?format=json&h=index&s=index", &rows); err != nil {
		return nil, err
	}
	var names []string
	for _, row := range rows {
		if !strings.HasPrefix(row.Index, ".") {
			names = append(names, row.Index)
		}
	}
	return names, nil
}

// TableType returns TABLE for an index and VIEW for an alias.
func (m Migrator) TableType(model any) (gorm.TableType, error) {
	t, err := m.table(model)
	switch {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, fmt.Errorf("esgorm: %w", gorm.ErrRecordNotFound)
	case t.index != t.name:
		return migrator.TableType{NameValue: t.name, TypeValue: "VIEW"}, nil
	}
	return migrator.TableType{NameValue: t.name, TypeValue: "TABLE"}, nil
}

// RenameTable is refused.
func (m Migrator) RenameTable(oldName, newName any) error {
	return unsupported("renaming a table", "copy it with _reindex, or give the index an alias")
}

// CreateView is refused.
func (m Migrator) CreateView(name string, _ gorm.ViewOption) error {
	return unsupported("view "+name, "a filtered alias comes near")
}

// DropView is refused.
func (m Migrator) DropView(name string) error { return unsupported("view "+name, "") }

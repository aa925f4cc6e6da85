package esgorm

import (
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// registerClauses replaces what a search engine needs otherwise. A builder of the program's own stays.
func registerClauses(db *gorm.DB) {
	for name, build := range map[string]clause.ClauseBuilder{
		"FOR": refuseLock, "VALUES": valuesBuilder(new(sqlapi.IDs)), "ON CONFLICT": buildConflict, "WHERE": buildWhere,
	} {
		if _, ok := db.ClauseBuilders[name]; !ok {
			db.ClauseBuilders[name] = build
		}
	}
}

// refuseLock is SELECT … FOR UPDATE, by which a program would believe itself alone.
func refuseLock(c clause.Clause, b clause.Builder) {
	lock, _ := c.Expression.(clause.Locking)
	_ = b.AddError(unsupported("a lock (FOR "+lock.Strength+")", "compare a version column in WHERE instead"))
}

// valuesBuilder writes VALUES, with the ids of rows that have several primary keys.
func valuesBuilder(ids *sqlapi.IDs) clause.ClauseBuilder {
	return func(c clause.Clause, b clause.Builder) {
		stmt, ok := b.(*gorm.Statement)
		values, isValues := c.Expression.(clause.Values)
		if ok && isValues && severalKeys(stmt) {
			with, err := identify(stmt, number(stmt.Schema, values, ids))
			_ = stmt.AddError(err)
			c.Expression = with
		}
		c.Build(b)
	}
}

// buildConflict writes ON CONFLICT. The primary keys of a row that has several are its id.
func buildConflict(c clause.Clause, b clause.Builder) {
	stmt, ok := b.(*gorm.Statement)
	conflict, isConflict := c.Expression.(clause.OnConflict)
	if ok && isConflict && severalKeys(stmt) && namesKeys(stmt, conflict.Columns) {
		conflict.Columns = []clause.Column{idColumn}
		c.Expression = conflict
	}
	c.Build(b)
}

// namesKeys reports whether the columns are the model's primary keys.
func namesKeys(stmt *gorm.Statement, columns []clause.Column) bool {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	keys := slices.Clone(stmt.Schema.PrimaryFieldDBNames)
	slices.Sort(names)
	slices.Sort(keys)
	return slices.Equal(names, keys)
}

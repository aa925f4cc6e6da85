package esgorm

import (
	"gorm.io/gorm/clause"
)

// buildWhere writes WHERE. Neither product has row values, so (a, b) IN ((1, 2)), by which GORM asks for rows with several
// keys, becomes ((a = 1 AND b = 2)).
func buildWhere(c clause.Clause, b clause.Builder) {
	if where, ok := c.Expression.(clause.Where); ok {
		where.Exprs = spread(where.Exprs)
		c.Expression = where
	}
	c.Build(b)
}

// spread returns the expressions with row values written out.
func spread(exprs []clause.Expression) []clause.Expression {
	list := make([]clause.Expression, len(exprs))
	for i, e := range exprs {
		list[i] = e
		switch e := e.(type) {
		case clause.IN:
			if columns, ok := e.Column.([]clause.Column); ok && len(e.Values) > 0 {
				list[i] = rowsIn{columns, e.Values}
			}
		case clause.Where:
			list[i] = clause.Where{Exprs: spread(e.Exprs)}
		case clause.AndConditions:
			list[i] = clause.AndConditions{Exprs: spread(e.Exprs)}
		case clause.OrConditions:
			list[i] = clause.OrConditions{Exprs: spread(e.Exprs)}
		case clause.NotConditions:
			list[i] = clause.NotConditions{Exprs: spread(e.Exprs)}
		}
	}
	return list
}

// rowsIn is that columns have the values of one of the rows.
type rowsIn struct {
	columns []clause.Column
	rows    []any
}

// Build writes it in parentheses.
func (r rowsIn) Build(b clause.Builder) {
	_ = b.WriteByte('(')
	for i, row := range r.rows {
		if i > 0 {
			_, _ = b.WriteString(" OR ")
		}
		values, _ := row.([]any)
		_ = b.WriteByte('(')
		r.equal(b, values)
		_ = b.WriteByte(')')
	}
	_ = b.WriteByte(')')
}

func (r rowsIn) equal(b clause.Builder, values []any) {
	for i, v := range values {
		if i > 0 {
			_, _ = b.WriteString(" AND ")
		}
		clause.Eq{Column: r.columns[i], Value: v}.Build(b)
	}
}

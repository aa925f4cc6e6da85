package sqlapi

import "github.com/esdriver/esdriver/internal/sqlparse"

// isConstant reports whether an expression names no column.
func isConstant(e sqlparse.Expr) bool {
	switch e.(type) {
	case *sqlparse.Column, *sqlparse.Excluded:
		return false
	}
	for _, part := range parts(e) {
		if !isConstant(part) {
			return false
		}
	}
	return true
}

// parts are the expressions that an expression is made of.
func parts(e sqlparse.Expr) []sqlparse.Expr {
	switch e := e.(type) {
	case *sqlparse.And:
		return e.Terms
	case *sqlparse.Or:
		return e.Terms
	case *sqlparse.Not:
		return []sqlparse.Expr{e.X}
	case *sqlparse.Compare:
		return []sqlparse.Expr{e.X, e.Y}
	case *sqlparse.In:
		return append([]sqlparse.Expr{e.X}, e.List...)
	case *sqlparse.Between:
		return []sqlparse.Expr{e.X, e.Low, e.High}
	case *sqlparse.Like:
		return append([]sqlparse.Expr{e.X, e.Pattern}, present(e.Escape)...)
	case *sqlparse.IsNull:
		return []sqlparse.Expr{e.X}
	case *sqlparse.Arithmetic:
		return []sqlparse.Expr{e.X, e.Y}
	case *sqlparse.Negate:
		return []sqlparse.Expr{e.X}
	case *sqlparse.Cast:
		return []sqlparse.Expr{e.X}
	case *sqlparse.Call:
		return e.Args
	}
	return nil
}

// present is a list of one, or of none.
func present(e sqlparse.Expr) []sqlparse.Expr {
	if e == nil {
		return nil
	}
	return []sqlparse.Expr{e}
}

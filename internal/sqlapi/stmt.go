package sqlapi

import (
	"context"
	"database/sql/driver"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

var (
	_ driver.StmtQueryContext  = (*Stmt)(nil)
	_ driver.StmtExecContext   = (*Stmt)(nil)
	_ driver.NamedValueChecker = (*Stmt)(nil)
)

// Stmt is a parsed statement of a session. It is immutable.
type Stmt struct {
	conn      *Conn
	statement *sqlparse.Statement
}

// NumInput returns how many arguments the statement takes, -1 when they are named or the server's to count.
func (s *Stmt) NumInput() int { return s.statement.NumInput() }

// QueryContext runs the statement.
func (s *Stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.query(ctx, s.statement, args)
}

// ExecContext runs the statement without giving its rows.
func (s *Stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.exec(ctx, s.statement, args)
}

// Query is QueryContext without a context and names.
func (s *Stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), numbered(args))
}

// Exec is ExecContext without a context and names.
func (s *Stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), numbered(args))
}

// CheckNamedValue accepts what a parameter can be; see checkValue.
func (s *Stmt) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// Close returns nil: nothing was prepared on a server.
func (s *Stmt) Close() error { return nil }

func numbered(args []driver.Value) []driver.NamedValue {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named
}

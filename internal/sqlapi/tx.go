package sqlapi

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// noopTx is a transaction that protects nothing. It is used by one goroutine at a time, as its session is.
type noopTx struct {
	conn  *Conn
	wrote bool // something was, or may have been, written since it began
}

// write notes that something was written, or may have been. A nil transaction does not care.
func (t *noopTx) write() {
	if t != nil {
		t.wrote = true
	}
}

// Commit ends the transaction. What it has written was written long ago.
func (t *noopTx) Commit() error {
	t.conn.tx = nil
	return nil
}

// Rollback ends the transaction. It returns ErrRollbackUnsupported when the transaction has written, or tried to and failed.
func (t *noopTx) Rollback() error {
	t.conn.tx = nil
	if t.wrote {
		return ErrRollbackUnsupported
	}
	return nil
}

// errNoTx is why transactions are refused.
var errNoTx = &UnsupportedError{Construct: "a transaction", Why: "tx=noop accepts them and protects nothing"}

// errNoLock is why SELECT … FOR UPDATE is refused. OpenSearch's legacy engine would pass over it, and the program would
// believe itself alone.
var errNoLock = &UnsupportedError{Construct: "a lock (FOR UPDATE)", Why: "compare a version column in the WHERE of an UPDATE"}

// BeginTx refuses, since neither product has transactions; with NoopTx it begins one that protects nothing. An
// isolation level and a read-only transaction cannot be had either way.
func (c *Conn) BeginTx(_ context.Context, opts driver.TxOptions) (driver.Tx, error) {
	switch {
	case !c.client.options.NoopTx:
		return nil, errNoTx
	case opts.Isolation != driver.IsolationLevel(sql.LevelDefault):
		return nil, &UnsupportedError{Construct: "isolation level " + sql.IsolationLevel(opts.Isolation).String()}
	case opts.ReadOnly:
		return nil, &UnsupportedError{Construct: "a read-only transaction"}
	}
	c.tx = &noopTx{conn: c}
	return c.tx, nil
}

// Begin is BeginTx without a context.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// transaction carries out BEGIN, COMMIT and ROLLBACK as statements, and refuses savepoints and SET.
func (c *Conn) transaction(s *sqlparse.Statement) (driver.Result, error) {
	n, _ := s.Tree().(*sqlparse.TxStatement)
	switch kind := s.Kind(); {
	case n == nil || n.Savepoint != "":
		return nil, &UnsupportedError{Construct: kind.String()}
	case !c.client.options.NoopTx:
		return nil, errNoTx
	case kind == sqlparse.Begin:
		return c.begin(n.Modes)
	case c.tx == nil:
		return driver.RowsAffected(0), nil
	case kind == sqlparse.Commit:
		return driver.RowsAffected(0), c.tx.Commit()
	}
	return driver.RowsAffected(0), c.tx.Rollback()
}

func (c *Conn) begin(modes string) (driver.Result, error) {
	if modes != "" && !strings.EqualFold(modes, "READ WRITE") {
		return nil, &UnsupportedError{Construct: "BEGIN " + modes}
	}
	c.tx = &noopTx{conn: c}
	return driver.RowsAffected(0), nil
}

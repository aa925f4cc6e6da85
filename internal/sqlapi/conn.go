package sqlapi

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/sqlparse"
	"github.com/esdriver/esdriver/plugins"
)

// Conn is a session of database/sql. It holds no connection to a node: each request finds one. It implements
// driver.Conn and those of its optional interfaces that take a context; it is used by one goroutine at a time, as
// database/sql does.
type Conn struct {
	client *Client
	tx     *noopTx // the transaction that was begun last and has not ended; nil when there is none
}

// Conn returns a new session.
func (c *Client) Conn() *Conn { return &Conn{client: c} }

// Ping runs SELECT 1 on some node, which users without any cluster privilege may do.
func (c *Conn) Ping(ctx context.Context) error {
	rows, err := c.QueryContext(ctx, "SELECT 1", nil)
	if err != nil {
		return err
	}
	return rows.Close()
}

// PrepareContext parses the statement; nothing is prepared on a server.
func (c *Conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.client.Prepare(ctx, text)
	if err != nil {
		return nil, badConn(err)
	}
	return &Stmt{conn: c, statement: s}, nil
}

// Prepare is PrepareContext without a context.
func (c *Conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

// QueryContext runs a statement that gives rows.
func (c *Conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.client.Prepare(ctx, text)
	if err != nil {
		return nil, badConn(err)
	}
	return c.query(ctx, s, args)
}

func (c *Conn) query(ctx context.Context, s *sqlparse.Statement, args []driver.NamedValue) (driver.Rows, error) {
	if s.Kind().Writes() {
		c.tx.write()
	}
	rows, err := c.client.Query(ctx, s, arguments(args))
	if err != nil {
		return nil, badConn(err)
	}
	return rows, nil
}

// ExecContext runs a statement whose rows, if it has any, are not wanted.
func (c *Conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.client.Prepare(ctx, text)
	if err != nil {
		return nil, badConn(err)
	}
	return c.exec(ctx, s, args)
}

func (c *Conn) exec(ctx context.Context, s *sqlparse.Statement, args []driver.NamedValue) (driver.Result, error) {
	switch kind := s.Kind(); {
	case kind >= sqlparse.Begin:
		return c.transaction(s)
	case kind.Writes():
		result, err := c.client.Exec(ctx, s, arguments(args))
		if err != nil || result.affected > 0 || kind > sqlparse.Delete {
			c.tx.write()
		}
		if err != nil {
			return nil, badConn(err)
		}
		return result, nil
	}
	rows, err := c.query(ctx, s, args)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(0), rows.Close()
}

// CheckNamedValue accepts what a parameter can be; see checkValue.
func (c *Conn) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// ResetSession forgets a transaction that has not ended, and returns nil.
func (c *Conn) ResetSession(context.Context) error {
	c.tx = nil
	return nil
}

// IsValid returns true: what could break is a node's connection, and those are not a session's.
func (c *Conn) IsValid() bool { return true }

// Close returns nil: a session holds nothing.
func (c *Conn) Close() error { return nil }

// badConn turns the error of a closed cluster into driver.ErrBadConn when nothing was sent. It is the only case:
// failover is the cluster's work, and what was sent must not be sent again by database/sql.
func badConn(err error) error {
	var attempt *plugins.AttemptError
	sent := is[*PartialWriteError](err) || errors.As(err, &attempt) && attempt.Wrote
	if errors.Is(err, cluster.ErrClosed) && !sent {
		return driver.ErrBadConn
	}
	return err
}

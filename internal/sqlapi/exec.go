package sqlapi

import (
	"context"
	"errors"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// Exec runs a statement that writes. What RETURNING asks for is not given.
func (c *Client) Exec(ctx context.Context, s *sqlparse.Statement, args []sqlparse.Arg) (*Result, error) {
	w, err := c.execute(ctx, s, args, false)
	if err != nil {
		return nil, err
	}
	return &w.result, nil
}

// execute runs a write from its first request to its end.
func (c *Client) execute(ctx context.Context, s *sqlparse.Statement, args []sqlparse.Arg, rows bool) (*write, error) {
	call := CallFrom(ctx)
	watch := c.watch(&ctx, s, len(args))
	ctx, stop := statementContext(ctx, call.Timeout)
	defer stop()
	w := &write{client: c, statement: s, args: args, call: call, rows: rows}
	w.result.noID = noInsertID("only an INSERT has one")
	err := w.run(ctx)
	if err != nil {
		err = causeOf(ctx, err)
	}
	watch.end(w.result.affected, err)
	return w, err
}

// write is one execution of a statement that writes.
type write struct {
	client    *Client
	statement *sqlparse.Statement
	args      []sqlparse.Arg
	call      Call
	rows      bool // RETURNING is answered

	table    string // as the statement names it
	done     progress
	result   Result
	returned *returned // nil when nothing is to be returned
}

// run carries the statement out.
func (w *write) run(ctx context.Context) error {
	switch n := w.statement.Tree().(type) {
	case *sqlparse.InsertStatement:
		return w.insert(ctx, n)
	case *sqlparse.UpdateStatement:
		return w.update(ctx, n)
	case *sqlparse.DeleteStatement:
		return w.remove(ctx, n)
	case *sqlparse.TruncateStatement:
		return w.truncate(ctx, n)
	case *sqlparse.RefreshStatement:
		return w.refreshTables(ctx, n)
	}
	return w.define(ctx)
}

// define carries out a statement about tables instead of rows.
func (w *write) define(ctx context.Context) error {
	switch n := w.statement.Tree().(type) {
	case *sqlparse.CreateTableStatement:
		return w.createTable(ctx, n)
	case *sqlparse.AlterTableStatement:
		return w.alterTable(ctx, n)
	case *sqlparse.DropTableStatement:
		return w.dropTables(ctx, n)
	case *sqlparse.CreateIndexStatement:
		return w.createIndex(ctx, n)
	case *sqlparse.DropIndexStatement:
		return w.dropIndex(n)
	}
	return &UnsupportedError{Construct: w.statement.Kind().String()}
}

// refresh says when what the statement writes becomes visible to searches: wait_for, true or false.
func (w *write) refresh() string {
	if w.call.Refresh != "" {
		return w.call.Refresh
	}
	return w.client.options.refresh()
}

// progress says how far a write has come.
type progress struct {
	matched, inserted, updated, deleted, conflicts, unknown, failed int64
	failures                                                        []error
}

// fail counts a row that was refused.
func (p *progress) fail(err error) {
	p.failed++
	if len(p.failures) < maxFailures {
		p.failures = append(p.failures, err)
	}
}

// doubt counts a row of which nobody knows whether it is written.
func (p *progress) doubt(err error) {
	p.unknown++
	if len(p.failures) < maxFailures {
		p.failures = append(p.failures, err)
	}
}

// none reports whether nothing was written, for certain.
func (p *progress) none() bool { return p.inserted+p.updated+p.deleted+p.unknown == 0 }

// end is the statement's error: nil when err is nil and no row has failed; the cause alone when nothing was written,
// and else a PartialWriteError.
func (w *write) end(err error) error {
	p := &w.done
	w.client.forgetStale(w.table, errors.Join(append(p.failures, err)...))
	switch {
	case err == nil && p.failed+p.unknown == 0:
		return nil
	case p.none() && p.failed == 0:
		return err
	case p.none() && p.failed == 1 && err == nil:
		return p.failures[0]
	}
	return &PartialWriteError{
		Statement: w.statement.Kind().String(), Table: w.table, Matched: p.matched, Inserted: p.inserted,
		Updated: p.updated, Deleted: p.deleted, Conflicts: p.conflicts, Unknown: p.unknown, Failed: p.failed,
		Failures: p.failures, Err: err,
	}
}

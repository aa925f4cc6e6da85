package sqlapi

import (
	"context"
	"fmt"

	"github.com/esdriver/esdriver/internal/sqlparse"
	"github.com/esdriver/esdriver/plugins"
)

// watch tells the hooks of one statement. The zero value tells nobody.
type watch struct {
	client    *Client
	ctx       context.Context // what the hooks returned at the start; they get it back at the end
	statement plugins.Statement
}

// watch tells the hooks of a statement's start, and puts the context that they return in place of ctx.
func (c *Client) watch(ctx *context.Context, s *sqlparse.Statement, args int) watch {
	if len(c.hooks) == 0 {
		return watch{}
	}
	w := watch{client: c, statement: plugins.Statement{Text: s.Text(), Args: args}}
	for _, hook := range c.hooks {
		c.guarded(func() { *ctx = hook.StatementStart(*ctx, w.statement) })
	}
	w.ctx = *ctx
	return w
}

// end tells the hooks that the statement has been executed or its rows were closed.
func (w watch) end(rows int64, err error) {
	if w.client == nil {
		return
	}
	for _, hook := range w.client.hooks {
		w.client.guarded(func() { hook.StatementEnd(w.ctx, w.statement, rows, err) })
	}
}

// guarded calls a hook and outlives its panic.
func (c *Client) guarded(call func()) {
	defer func() {
		if r := recover(); r != nil && c.panicked != nil {
			c.panicked(fmt.Errorf("sqlapi: a hook panicked: %v", r))
		}
	}()
	call()
}

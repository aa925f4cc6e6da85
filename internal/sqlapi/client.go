package sqlapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// Doer sends a request to some node of a cluster. Its answers carry the request as the node got it.
type Doer interface {
	RoundTrip(*http.Request) (*http.Response, error)
}

// Config says what a Client works with.
type Config struct {
	Doer    Doer
	Product Product // Auto: found out at the first statement
	Options Options
	// Topology tells the versions of nodes and the cluster's name; nil when nobody knows.
	Topology func() sampler.Topology
	// Hooks are searched for those that implement plugins.StatementHook.
	Hooks []plugins.Hook
	// HookPanicked is told of a hook's panic; nil when nobody wants to know.
	HookPanicked func(error)
}

const cachedPlans = 512

// Client runs statements. It may be used by many goroutines.
type Client struct {
	doer     Doer
	options  Options
	class    pool.Class
	zone     *time.Location
	topology func() sampler.Topology
	hooks    []plugins.StatementHook
	panicked func(error)

	plans       *sqlparse.Cache
	columns     columnCache
	ids         IDs
	misses      misses
	tables      tableCache
	known       atomic.Pointer[server]
	asking      chan struct{} // held by the one who asks for known
	typedParams atomic.Bool   // the server takes parameters as objects with a type

	background background // closes cursors of cancelled statements
	cursors    cursorCounts
}

// NewClient returns a client. It connects to nothing; an unknown time zone is an error.
func NewClient(cfg Config) (*Client, error) {
	zone, err := zoneOf(cfg.Options.timeZone())
	if err != nil {
		return nil, fmt.Errorf("sqlapi: time zone %q: %w", cfg.Options.TimeZone, err)
	}
	c := &Client{
		doer: cfg.Doer, options: cfg.Options, class: pool.Reg, zone: zone, topology: cfg.Topology,
		panicked: cfg.HookPanicked, asking: make(chan struct{}, 1),
		plans: sqlparse.NewCache(cachedPlans),
	}
	if cfg.Options.Class != nil {
		c.class = *cfg.Options.Class
	}
	for _, hook := range cfg.Hooks {
		if h, ok := hook.(plugins.StatementHook); ok {
			c.hooks = append(c.hooks, h)
		}
	}
	c.known.Store(&server{product: cfg.Product})
	return c, nil
}

// Close waits for what the client does in the background, a few seconds at most. Statements that run are not its
// matter: they end with their context, or with the transport.
func (c *Client) Close() { c.background.close() }

// Cursors counts the cursors of all statements so far.
func (c *Client) Cursors() Cursors { return c.cursors.load() }

// Prepare parses a statement for the product that will answer it.
func (c *Client) Prepare(ctx context.Context, text string) (*sqlparse.Statement, error) {
	known, err := c.server(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.plans.Parse(known.product.flavor(), text)
	return s, statementError(err)
}

// Query runs a statement that gives rows.
func (c *Client) Query(ctx context.Context, s *sqlparse.Statement, args []sqlparse.Arg) (*Rows, error) {
	if s.Kind().Writes() {
		return c.queryWrite(ctx, s, args)
	}
	call := CallFrom(ctx)
	watch := c.watch(&ctx, s, len(args))
	ends := ctx.Done() != nil || call.Timeout > 0
	ctx, stop := statementContext(ctx, call.Timeout)
	rows, err := c.query(ctx, s, args, call, ends)
	if err != nil {
		err = causeOf(ctx, err)
		stop()
		watch.end(0, err)
		return nil, err
	}
	rows.watch = watch
	if call.Timeout > 0 {
		rows.plan.stop = stop
	}
	return rows, nil
}

// statementContext is the caller's context with the statement's own timeout.
func statementContext(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout > 0 {
		return context.WithTimeout(ctx, timeout)
	}
	return ctx, func() {}
}

func (c *Client) query(ctx context.Context, s *sqlparse.Statement, args []sqlparse.Arg, call Call, ends bool) (*Rows, error) {
	known, err := c.server(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Kind() == sqlparse.Constant:
		return c.constant(ctx, s)
	case !s.Kind().Reads():
		return nil, &UnsupportedError{Construct: s.Kind().String()}
	case s.Locks():
		return nil, errNoLock
	}
	if rows, err := c.realtime(ctx, s, args, call); rows != nil || err != nil {
		return rows, err
	}
	if call.Routing != "" || call.Preference != "" {
		return nil, &UnsupportedError{Construct: "routing or preference on a statement", Why: "SQL has neither; leave them out"}
	}
	p := &plan{client: c, statement: s, args: args, call: call, options: c.options.with(call), server: known, ends: ends}
	if known.product == OpenSearch {
		err = p.openSearch(ctx)
	} else {
		err = p.elastic()
	}
	if err != nil {
		return nil, statementError(err)
	}
	return p.run(ctx)
}

// causeOf returns the context's error in place of one that came of its end, so that the caller finds
// context.Canceled or context.DeadlineExceeded whatever the transport made of it.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

package esdriver

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"sync"
	"time"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

var (
	_ driver.Conn               = (*Conn)(nil)
	_ driver.Pinger             = (*Conn)(nil)
	_ driver.QueryerContext     = (*Conn)(nil)
	_ driver.ExecerContext      = (*Conn)(nil)
	_ driver.ConnPrepareContext = (*Conn)(nil)
	_ driver.ConnBeginTx        = (*Conn)(nil)
	_ driver.NamedValueChecker  = (*Conn)(nil)
	_ driver.SessionResetter    = (*Conn)(nil)
	_ driver.Validator          = (*Conn)(nil)
)

type session = sqlapi.Conn

// Conn is a session of database/sql, which has it under (*sql.Conn).Raw. It holds no connection to a node: each of
// its requests goes to a node that is fit for it, and the pages of one result may come from several. A session has
// no settings of its own either: what a statement needs beyond its text comes with its context.
type Conn struct {
	*session
	cluster *Cluster
}

// Cluster returns the cluster that the session works on.
func (c *Conn) Cluster() *Cluster { return c.cluster }

// ResetSession forgets a transaction that has not ended. It returns driver.ErrBadConn when the cluster is closed, and
// nil otherwise.
func (c *Conn) ResetSession(ctx context.Context) error {
	if c.cluster.inner.Closed() {
		return driver.ErrBadConn
	}
	return c.session.ResetSession(ctx)
}

// IsValid reports whether the cluster is open.
func (c *Conn) IsValid() bool { return !c.cluster.inner.Closed() }

// statements is a connector's part that runs SQL, made at the first session. All its sessions share it.
type statements struct {
	mu     sync.Mutex // guards client
	client *sqlapi.Client
}

// conn makes a session. That of a closed cluster would be a bad connection, which says less.
func (s *statements) conn(c *Cluster, cfg Config) (driver.Conn, error) {
	if c.inner.Closed() {
		return nil, ErrClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		client, err := newClient(c, cfg)
		if err != nil {
			return nil, &ConfigError{Key: "time_zone", Value: cfg.TimeZone, Err: err}
		}
		s.client = client
	}
	return &Conn{session: s.client.Conn(), cluster: c}, nil
}

// close ends what statements do in the background.
func (s *statements) close() {
	s.mu.Lock()
	client := s.client
	s.mu.Unlock()
	if client != nil {
		client.Close()
	}
}

func newClient(c *Cluster, cfg Config) (*sqlapi.Client, error) {
	return sqlapi.NewClient(sqlapi.Config{
		Doer: c, Topology: c.Topology, Hooks: cfg.hooks(),
		Product: map[Flavor]sqlapi.Product{Elasticsearch: sqlapi.Elasticsearch, OpenSearch: sqlapi.OpenSearch}[cfg.Flavor],
		Options: sqlapi.Options{
			FetchSize: cfg.FetchSize, MaxOffset: cfg.MaxOffset, StrictLimits: cfg.StrictLimits, TimeZone: cfg.TimeZone, Catalog: cfg.Catalog, Class: cfg.Class,
			Arrays: map[string]sqlapi.Arrays{"first": sqlapi.ArraysFirst, "json": sqlapi.ArraysJSON}[cfg.Arrays],
			NoopTx: cfg.Tx == "noop", Refresh: cfg.Refresh, RealtimeGet: !cfg.NoRealtimeGet, NoRetry: cfg.NoRetry,
			AllowFullTable: cfg.AllowFullTable, IgnoreDDL: cfg.DDLUnsupported == "ignore",
		},
	})
}

// WithTimeout returns a context whose statements end when they have taken so long, from the first request to the
// closing of their rows. Zero or less takes the limit away; a deadline of the context holds all the same.
func WithTimeout(ctx context.Context, d time.Duration) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.Timeout = d })
}

// WithFetchSize returns a context whose statements get pages of so many rows, whatever the Config says. Zero is the
// Config's number; negative means no paging.
func WithFetchSize(ctx context.Context, rows int) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.FetchSize = rows })
}

// WithFilter returns a context whose SELECTs give only rows of documents that fit the query too, which is the
// product's query DSL as JSON and must not be changed later. OpenSearch has no filter: statements fail there.
func WithFilter(ctx context.Context, query json.RawMessage) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.Filter = query })
}

// WithPreference returns a context whose requests for documents prefer the copies that the preference names, in the
// servers' words, such as _local. SQL has no preference: a SELECT that is sent as SQL fails.
func WithPreference(ctx context.Context, preference string) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.Preference = preference })
}

// WithRouting returns a context whose requests for documents carry the routing value. SQL has none: a SELECT that is
// sent as SQL fails.
func WithRouting(ctx context.Context, routing string) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.Routing = routing })
}

// WithRequestID returns a context whose requests carry the id as X-Opaque-Id, by which the servers' tasks and slow
// logs, and our [Error], name them.
func WithRequestID(ctx context.Context, id string) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.RequestID = id })
}

// WithAsync returns a context whose SELECTs run as async searches of Elasticsearch, which outlive proxies that cut
// long requests: the answer is asked for again each time the wait is over. Zero turns it off. OpenSearch has none:
// statements fail there.
func WithAsync(ctx context.Context, wait time.Duration) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.Async = wait })
}

// WithRefresh returns a context whose writes become visible to searches as the word says, whatever the Config says:
// wait_for, true or false. The empty word is the Config's. For UPDATE and DELETE of rows that are not chosen by primary
// key wait_for is true, since the servers know no other.
func WithRefresh(ctx context.Context, refresh string) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.Refresh = refresh })
}

// WithFullTable returns a context whose UPDATEs and DELETEs without WHERE change every row, as with the Config's
// AllowFullTable.
func WithFullTable(ctx context.Context) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.AllowFullTable = true })
}

// WithStrictLimits returns a context whose SELECTs fail, after their last row, when the server has probably cut the
// result: it has exactly as many rows as OpenSearch, or ES|QL, gives at most for such a statement.
func WithStrictLimits(ctx context.Context) context.Context {
	return withCall(ctx, func(c *sqlapi.Call) { c.StrictLimits = true })
}

func withCall(ctx context.Context, change func(*sqlapi.Call)) context.Context {
	call := sqlapi.CallFrom(ctx)
	change(&call)
	return sqlapi.WithCall(ctx, call)
}

package sqlapi

import (
	"context"
	"encoding/json"
	"time"

	"github.com/esdriver/esdriver/pool"
)

// DefaultFetchSize is how many rows a page has; Elasticsearch's own default is the same.
const DefaultFetchSize = 1000

// Options are what a data source name says about statements. The zero value has the documented defaults.
type Options struct {
	// FetchSize is the number of rows in a page. Zero means 1000. Negative means no paging: Elasticsearch then
	// uses its own default, OpenSearch gives the whole result in one answer, cut at its caps.
	FetchSize int
	// TimeZone is an IANA name or an offset such as +05:30; points in time are computed and given in it.
	// Empty means UTC. OpenSearch computes in UTC whatever it says; values are given in it all the same.
	TimeZone string
	// Catalog is the cluster that statements are about, for cross-cluster search of Elasticsearch 8 and later.
	Catalog string
	// Arrays says what becomes of a field with several values. On Elasticsearch, whose SQL never gives more than
	// one, ArraysJSON is as ArraysError.
	Arrays Arrays
	// Class is the class of connections; nil is pool.Reg. A class in the context goes before it.
	Class *pool.Class
	// StrictLimits makes a result fail with a LimitError when it has exactly as many rows as OpenSearch gives
	// at most for such a statement and rows may be missing.
	StrictLimits bool
	// MaxOffset is the largest OFFSET on Elasticsearch, which has none: so many rows are read and dropped.
	// Zero means 10,000; negative means no limit.
	MaxOffset int64
	// ReadAhead is how many bytes of an answer are decoded at once, and how large a page may be for the next one
	// to be read ahead of need. Zero means 1 MiB; negative means no reading ahead.
	ReadAhead int
	// Refresh says when a write becomes visible to searches: wait_for (before the statement returns), true (at once)
	// or false (within the index's refresh interval). Empty means wait_for.
	Refresh string
	// NoRetry sends no write a second time, not even one that is safe to repeat.
	NoRetry bool
	// RealtimeGet reads the document itself for a SELECT by primary key alone: it sees every write at once.
	RealtimeGet bool
	// AllowFullTable lets UPDATE and DELETE without WHERE change every row. Otherwise they are an error.
	AllowFullTable bool
	// IgnoreDDL accepts what a search engine cannot keep, such as UNIQUE, foreign keys and CHECK, and does nothing
	// about it. Otherwise it is an error.
	IgnoreDDL bool
	// NoopTx accepts transactions and does nothing about them. Otherwise BeginTx is an error.
	NoopTx bool
}

const defaultReadAhead = 1 << 20

func (o *Options) fetchSize() int {
	if o.FetchSize == 0 {
		return DefaultFetchSize
	}
	return max(o.FetchSize, 0)
}

// chunk is how many bytes of rows are decoded at once.
func (o *Options) chunk() int64 {
	if o.ReadAhead <= 0 {
		return defaultReadAhead
	}
	return int64(o.ReadAhead)
}

func (o *Options) refresh() string {
	if o.Refresh == "" {
		return "wait_for"
	}
	return o.Refresh
}

func (o *Options) timeZone() string {
	if o.TimeZone == "" {
		return "UTC"
	}
	return o.TimeZone
}

// Call is what a context says about the statements run with it. It is never kept on a connection.
type Call struct {
	Timeout      time.Duration   // from the first request to the closing of the rows, when positive
	FetchSize    int             // in place of Options.FetchSize, when not zero
	Filter       json.RawMessage // query DSL that every row must fit too; Elasticsearch only
	Preference   string          // which copies of a shard are read; document requests only
	Routing      string          // which shards are meant; document requests only
	RequestID    string          // sent as X-Opaque-Id: it shows in the server's tasks, slow logs and errors
	Async        time.Duration   // as an async search, asked after this often, when positive; Elasticsearch only
	StrictLimits bool            // as Options.StrictLimits
	Refresh      string          // in place of Options.Refresh, when not empty
	// AllowFullTable is as Options.AllowFullTable.
	AllowFullTable bool
}

type callKey struct{}

// CallFrom returns what the context says; the zero value when it says nothing.
func CallFrom(ctx context.Context) Call {
	call, _ := ctx.Value(callKey{}).(Call)
	return call
}

// WithCall returns a context that says call, in place of all that it said before.
func WithCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// with returns the options with the call's in place of their own.
func (o Options) with(call Call) Options {
	if call.FetchSize != 0 {
		o.FetchSize = call.FetchSize
	}
	o.StrictLimits = o.StrictLimits || call.StrictLimits
	return o
}

// zoneOf loads a time zone: a name of the IANA database, or an offset.
func zoneOf(name string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", name); err == nil {
		return t.Location(), nil
	}
	if name == "Z" {
		return time.UTC, nil
	}
	return time.LoadLocation(name)
}

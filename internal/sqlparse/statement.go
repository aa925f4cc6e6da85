package sqlparse

import "fmt"

// Flavor is the product whose SQL is read and written.
type Flavor uint8

// The flavours.
const (
	Elasticsearch Flavor = iota
	OpenSearch
)

// String returns the product's name.
func (f Flavor) String() string {
	switch f {
	case Elasticsearch:
		return "Elasticsearch"
	case OpenSearch:
		return "OpenSearch"
	}
	return fmt.Sprintf("flavor(%d)", uint8(f))
}

// Version is the version of an OpenSearch server. The zero value means that it is not known.
type Version struct{ Major, Minor int }

// IsZero reports whether the version is not known.
func (v Version) IsZero() bool { return v == Version{} }

// AtLeast reports whether the version is major.minor or later.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// Statement is one parsed statement. It is immutable and may be used by many goroutines.
type Statement struct {
	flavor Flavor
	text   string
	kind   Kind
	style  placeholderStyle
	params []param
	names  []string
	parts  []part
	tail   string // the comments after the statement
	limit  limitClause
	shape  shape
	tree   Node
	sel    *SelectStatement
}

// Text returns the statement as it was given.
func (s *Statement) Text() string { return s.text }

// Flavor returns the flavour it was parsed for.
func (s *Statement) Flavor() Flavor { return s.flavor }

// Kind returns what the statement does.
func (s *Statement) Kind() Kind { return s.kind }

// NumInput returns the number of arguments that the statement takes, or -1 when they are named or, in ES|QL,
// the server's to count.
func (s *Statement) NumInput() int {
	switch s.style {
	case styleNamed, styleServer:
		return -1
	case styleDollar:
		return maxOrdinal(s.params)
	}
	return countHard(s.params)
}

// Names returns the names of the named placeholders, each once, in the order of their first use. The slice is
// the statement's: do not change it.
func (s *Statement) Names() []string { return s.names }

// Plain reports whether the statement is a SELECT that OpenSearch can page (CanPaginateVisitor.java, 2.8 and later):
// one index, WHERE, ORDER BY columns; no aggregate, GROUP BY, DISTINCT, HAVING, window function, LIMIT, OFFSET, JOIN,
// sub-query, nested(), and not without FROM. Only for these may fetch_size be sent there.
func (s *Statement) Plain() bool { return s.shape.plain && !s.limit.present() }

// Table returns the one index that FROM names in the outermost SELECT, without quotes. It is empty when there are
// several, when a sub-query stands there, and for other statements.
func (s *Statement) Table() string { return s.shape.table }

// HasOrderBy reports whether the outermost SELECT has an ORDER BY.
func (s *Statement) HasOrderBy() bool { return s.shape.orderBy }

// Limit returns the LIMIT of the outermost SELECT.
func (s *Statement) Limit() Bound { return s.limit.limit }

// Offset returns the OFFSET of the outermost SELECT.
func (s *Statement) Offset() Bound { return s.limit.offset }

// Locks reports whether the outermost SELECT asks for a lock of the rows it reads, by FOR UPDATE or FOR SHARE.
func (s *Statement) Locks() bool { return s.shape.locks }

// Constant returns which constant a statement of kind Constant asks for: version, server_version_num or database.
// It is empty for other kinds.
func (s *Statement) Constant() string { return s.shape.constant }

// Tree returns the parsed form of a write and of the BEGIN family, such as *InsertStatement, and nil for reads; see
// also [Statement.Select]. The tree is shared: do not change it.
func (s *Statement) Tree() Node { return s.tree }

// Bound is a number of rows in LIMIT or OFFSET. The zero value means that the clause is absent.
type Bound struct {
	Set   bool
	Value int64 // when it is written in the text
	All   bool  // LIMIT ALL
	Param int   // index of the placeholder in the text's order plus one; 0 when it is written in the text
}

// Arg is one argument of a statement.
type Arg struct {
	Ordinal int    // its place, from 1; arguments are matched by their order in the slice, not by this
	Name    string // empty for a positional argument
	// Value is nil, bool, int64, uint64, float64, string, []byte or time.Time.
	Value any
}

// Query is what a server is sent, and what is left to do with its answer.
type Query struct {
	Text string
	// Params are the values of the ? of Text, in its order: nil, bool, int64, float64 or string. A float64 must
	// be sent with a fraction or an exponent, else the server takes it for an integer. With ES|QL and named
	// arguments each is a map of the one name to its value. Elasticsearch only.
	Params []any
	// Offset is how many rows of the answer to drop: the statement has an OFFSET that the server has not.
	Offset int64
	// Limit is how many rows to give after those, -1 for all that come.
	Limit int64
	// Plain reports whether OpenSearch can page the text; see [Statement.Plain].
	Plain bool
}

// ElasticOptions are the choices for a text that Elasticsearch is sent.
type ElasticOptions struct {
	// MaxOffset is the highest OFFSET that is emulated by reading and dropping rows. Zero means 10,000, as many
	// as index.max_result_window allows a search to skip; negative means no limit. Beyond it: [*OffsetError].
	MaxOffset int64
}

// OpenSearchOptions are the choices for a text that OpenSearch is sent.
type OpenSearchOptions struct {
	// Version decides how strings are written. When it is not known, a string with a backslash is refused with
	// an error that is [ErrVersionUnknown].
	Version Version
	// TieBreak appends _id as the last sort key of a plain SELECT, and _index where its table is a pattern. OpenSearch
	// 2.18 and 2.19 lose rows when they page over several shards without (recorded on 2.19.6). An alias of several
	// indices is not told from an index.
	TieBreak bool
	// MaxOffset is as in [ElasticOptions]; it is for an OFFSET without LIMIT, which OpenSearch has not.
	MaxOffset int64
}

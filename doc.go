// Package esdriver is a database/sql driver and a cluster transport for Elasticsearch and OpenSearch.
//
// A program talks to a cluster, not to a host: the package keeps the list of nodes and their health, keeps connections
// to each node apart by class of traffic, sends every request to a node that is well, and to another one after a
// failure where that cannot do the work twice. On top of that there is SQL.
//
//	db, err := sql.Open("esdriver", "elasticsearch://h1:9200,h2:9200")
//
// There are three ways in:
//
//   - database/sql: sql.Open as above, or sql.OpenDB with a [Connector] made of a [Config].
//   - HTTP: [Open] gives a [Cluster], an http.RoundTripper that runs under any client of either product.
//   - both on one cluster: [OpenDB] puts a *sql.DB on a Cluster.
//
// # Guarantees
//
//   - A caller who gives up — a context cancelled or out of time — never counts against a node, and its request is
//     not sent again.
//   - A request whose bytes may have reached a server is sent a second time only if that is harmless: see Failover.
//     Otherwise its error is [ErrMaybeExecuted].
//   - A class of traffic that is saturated does not delay another one: a bulk load does not slow searches or health
//     checks.
//   - A sample that is empty, partial or failed removes no node, and the configured addresses stay candidates for ever.
//     With every node dead, a request is tried on the best of them all the same.
//   - No user's request is spent on finding out whether a dead node is back.
//   - Errors, logs, hooks and the printed Config show no secret. [Config.FormatDSN] is the exception.
//
// # Data source names
//
//	SCHEME://[user[:password]@]host[:port][,host[:port]…][/prefix][?key=value&…]
//
// The schemes are elasticsearch and opensearch, and http and https, with which the product is found out at the first
// answer. The port is 9200 by default; IPv6 addresses stand in brackets. Everything is percent-encoded, above all
// / ? # and @ in user and password; + stands for itself. Durations are Go's, such as 1m30s.
//
//	elasticsearch://user:pa%40ss@h1,h2:9201/search?tls=true&tls.ca=/etc/ca.pem&sampler=sniff
//	opensearch://[::1]:9200?balancer=zone&balancer.local=eu-1a
//	https://h1?api_key=id:key&timeout=30s
//
// The keys, their defaults and their meaning are in the README's table, and each at its field of [Config]. An unknown
// key, a value that is not what the key wants and keys that contradict each other are a [*ConfigError], which names the
// key, the nearest known one, and what was expected. sql.Open returns it; it connects nothing, so what is wrong with the
// cluster is the error of the first statement, or of Ping.
//
// In a Config the zero value of a field is its default. Where something can be off, that is a negative value there, and
// 0 in the DSN: pool.shared=0, attempt_timeout=0, fetch_size=0.
//
// # Nodes
//
// A sampler keeps the list of nodes. ping, the default, asks the seeds whether they are there and learns no others: it
// is right behind a load balancer, NAT or a container network, where the addresses that nodes tell of themselves lead
// nowhere. sniff asks the nodes for all nodes and their roles, and leaves dedicated masters out. static asks nobody.
//
// A cluster binds to the first cluster name and UUID that it meets, or to the name that the key cluster gives; a node of
// another cluster is filtered out and gets no request.
//
// A node that fails is suspect or dead, out of use while others serve, and probed in the background with growing pauses
// until it is back. [Cluster.Topology] and [Cluster.Stats] show the list and the states, [Cluster.Explain] where a
// request would go and why.
//
// A balancer picks the node for each attempt: leastbusy (the less loaded of two random ones, by requests under way and
// latency), roundrobin, or zone (those of one's own zone first).
//
// # Classes
//
// Each node has connections of five classes. A request's class is the context's ([pool.WithClass]), else the key
// class's, else it follows from method and path:
//
//	recovery  2  long maintenance: _reindex, by-query calls, snapshots, _forcemerge, waiting for tasks
//	bulk      3  _bulk
//	reg       6  all the rest: searches, documents, SQL
//	state     1  _cluster, _nodes, _cat, mappings; samplers
//	ping      1  GET / and probes
//
// The numbers are the connections that a class has for itself on each node; it may borrow of 32 further ones that a
// node's classes share, bulk and recovery of half of them. HTTP/1.1 carries one request a connection, so they bound the
// requests under way. Who finds none free waits in line, at most pool.wait and as long as the context lets it, and gets
// [ErrPoolTimeout] at last, which never counts against the node. pool.shared=0 makes the five numbers exact.
//
// # Failover
//
// What happens, what it means for the node, and whether the request goes to another one:
//
//	context ended             nothing                    no; returns at once
//	no connection in time     nothing                    once, to another node
//	cannot connect            dead                       yes: nothing was sent
//	sent, no answer           suspect                    if it may be repeated
//	attempt_timeout           suspect                    if it may be repeated and time is left
//	502, 503, 504             suspect or not ready       if it may be repeated, after a pause
//	429, a rejection          overloaded: less traffic   at most twice, after a pause; Retry-After is honoured
//	any other answer          alive                      no: the answer is the result
//
// What may be repeated follows from the operation, not from the method alone: searches, reads and counts, SQL queries,
// closing a cursor, writes that carry a document's id with op_type=create or a version; not other writes, and a cursor's
// page only where the server can give it again. [WithIdempotent] or an Idempotency-Key header says what the caller
// knows better. A node is tried again only when it is the last one left, after a 429 or the loss of a connection that had
// been idle. Two attempts may run out of time; more only if the request's context has a deadline. All retries together
// stay within retry.budget (a fifth) of the requests, and ten a second. timeout bounds one request with its attempts; a
// statement may make several, and [WithTimeout] bounds those. retry=false turns all of it off.
//
// # Errors
//
// An answer of a server, whatever its status, is no error to [Cluster.RoundTrip]; to a statement it is an [*Error] with
// status, type, reason, node and SQLSTATE. A request without an answer fails with an error that tells every attempt:
//
//	var attempt *esdriver.AttemptError
//	switch {
//	case errors.Is(err, esdriver.ErrMaybeExecuted): // find out before trying again
//	case errors.Is(err, esdriver.ErrPoolTimeout):   // too much at once for pool.reg and pool.shared
//	case errors.Is(err, context.DeadlineExceeded):  // the context, or the key timeout
//	case esdriver.SafeToRetry(err):                 // nothing was sent
//	case errors.As(err, &attempt):                  // attempt.Node, attempt.Took, attempt.Err of the first attempt
//	}
//
// driver.ErrBadConn, at which database/sql runs a statement once more, is returned for nothing that may have been sent.
//
// # database/sql
//
// A session (a connection, in database/sql's words) is a cheap value with no state on a server; sql.DB's limits count
// sessions, and the cluster's pools hold the connections. Closing the *sql.DB closes the cluster that it opened.
//
// init registers one name, esdriver. The names elasticsearch and opensearch are another driver's, and registering a
// name twice ends a program, so further names are the application's to take: [Register].
//
// # Writing
//
// INSERT, UPDATE, DELETE and DDL are carried out here, by requests for documents: neither product's SQL can write. A row
// is atomic, a statement is not; what fails after it has written something is a [*PartialWriteError] with the numbers.
// A row is never inserted twice: the client makes ids where the caller gives none, sends a row whose answer was lost
// again, and reads back what the server says is there already. UPDATE and DELETE by primary key work on documents as
// they are at that moment, and change each only if nobody else has meanwhile. What each statement means, when searches
// see a write ([WithRefresh]), and what a transaction is (none) is told in docs/sql.md.
//
// # Plug-ins
//
// Packages sampler and balancer each have an interface of one method, a registry for use by name in the DSN, and a
// suite of tests for implementations; a value may also be put into the Config. Package plugins has the hooks: values
// that watch attempts, connections, the list of nodes, health and statements, or that sign requests. Config.Logger is
// the hook for package log/slog. A balancer, registered for balancer=first:
//
//	func init() {
//		balancer.Register("first", func(url.Values) (balancer.Balancer, error) { return first{}, nil })
//	}
//
// Package fakecluster is a cluster inside the process, with faults to order, for tests of programs that use this one.
package esdriver

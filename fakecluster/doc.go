// Package fakecluster is an Elasticsearch or OpenSearch cluster inside a test's process: several
// nodes with real listeners on loopback (or an in-memory network for testing/synctest), shared
// documents, and faults to order.
//
//	cluster := fakecluster.Run(t, fakecluster.Nodes(3))
//	db, err := sql.Open("esdriver", cluster.DSN())
//	cluster.Node(0).Kill()
//
// The answers follow recordings of real servers (Elasticsearch 7.3 to 9.5, OpenSearch 2.19 to 3.9), and
// those that are run beside it, in status, headers, error types and shape. The README lists what is emulated, what is not
// and where the fake differs on purpose. The package uses the standard library only.
//
// Every method of [Cluster] and [Node] may be called from many goroutines.
package fakecluster

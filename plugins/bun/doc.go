// Package esbun is a bun dialect for Elasticsearch and OpenSearch.
//
//	conn, err := sql.Open("esdriver", "opensearch://h1:9200,h2:9200")
//	…
//	db := bun.NewDB(conn, esbun.New())
//
// bun writes every argument into the text of a statement, so it is the dialect that keeps values from being taken for
// SQL. It writes strings that hold a backslash as N'…' and times as TIMESTAMP '…' with their zone: the driver passes both
// to either product, of any version, by that product's exact rule (internal/sqlparse).
//
// # Keys
//
// A key with the tag nullzero or autoincrement that is zero is made by the driver, and bun reads it back: numbers of 63
// bits, texts of 20 characters.
//
// # Relations
//
// bun loads has-many by a second query, which works here, and the other relations by JOIN, which Elasticsearch has not.
// [Load] loads relations of every kind by IN.
//
// The package's README lists what there is and what there is not; docs/sql.md of the driver says what each statement
// means.
package esbun

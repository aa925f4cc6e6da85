// Package sqlite is a SQL engine for package fakecluster: it answers SELECT, SHOW and DESCRIBE in the words
// of Elasticsearch SQL or the OpenSearch SQL plugin by running them on an in-memory SQLite database, which
// it fills with the cluster's documents.
//
//	cluster := fakecluster.Run(t, fakecluster.SQL(sqlite.New()))
//
// It checks names against the mapping, translates quotes, values and the flavors' treatment of missing
// values, and gives every column its type on the wire. What SQLite does not know, such as MATCH or
// full-text functions, is refused with a typed error. A field with several values compares by none of
// them. It is a module of its own, so that the core needs no SQLite.
package sqlite

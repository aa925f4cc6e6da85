// Package sqlapi runs SQL on Elasticsearch and OpenSearch over HTTP and implements the interfaces of
// database/sql/driver for it. It sends requests to any node through a [Doer] and knows nothing of nodes itself.
//
// A [Client] is shared by all connections of one data source; a [Conn] is a cheap value without a state of its own
// on the server. A statement is parsed (package sqlparse), written for the product and version that answer, sent,
// and its result read page by page: [Rows] decodes each page in one pass and reads one page ahead.
//
// # Facts about the servers
//
// Elasticsearch (SQL of 7.3, 8.19, 9.x): POST /_sql; the columns come with the first page only; a time zone must
// be sent with every page; the cursor comes after the rows; a page may be asked for again from 8.3 on, when the
// cursor is a point in time, and must not be before, when it is a scroll. Version 7.3 takes parameters as
// objects with a type, later ones as plain values.
//
// OpenSearch (2.19, 3.x): POST /_plugins/_sql; a fetch size is understood for plain SELECTs only and sends others
// to the legacy engine, which cuts results and changes types; a cursor serves once; an error may come with status
// 200; 2.18 and 2.19 lose rows between pages unless the last sort key is unique.
//
// # Cancelling
//
// A statement whose context ends returns at once. If its first page, and with it a cursor, may still be on the
// way, a goroutine of the Client waits a short time for it, to close the cursor; [Client.Close] waits for them all.
package sqlapi

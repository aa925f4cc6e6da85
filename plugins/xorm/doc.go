// Package esxorm is a xorm dialect for Elasticsearch and OpenSearch.
//
//	engine, err := esxorm.Open("elasticsearch://h1:9200,h2:9200")
//
// What a search engine cannot do fails with an error that names it; errors.Is finds [esdriver.ErrUnsupported] in it.
// docs/sql.md of the driver says what each statement means.
//
// # Keys
//
// An integer key with autoincr that is zero is made by the driver: a positive number of 63 bits. Insert of one row puts
// it into the struct; of a slice, xorm does not read the keys. A table has one key of one column.
//
// # Times
//
// xorm writes times without their zone, as they are in the engine's DatabaseTZ, which must be the driver's time_zone.
// [Open] sees to that; a program that calls xorm.NewEngine("esdriver", dsn) has to set it. It writes
// whole seconds; a column whose tag says DATETIME(3) has milliseconds.
//
// # Tables
//
// Engine.Sync, Session.CreateTable and Session.DropTable work by the driver's DDL; Engine.CreateTables and DropTables are
// transactions of xorm's and need tx=noop. A column that is added must not be NOT NULL or have a
// default. Sync changes no column's type: it logs the difference. Every column is indexed, and none but the key is kept
// unique: the tags index and unique make Sync fail with an error that names the index, unless the DSN says
// ddl_unsupported=ignore.
//
// # Transactions
//
// There are none: Session.Begin and Engine.Transaction fail, unless the DSN says tx=noop. Then they protect nothing, and
// Rollback after a write is [esdriver.ErrRollbackUnsupported].
package esxorm

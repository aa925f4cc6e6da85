// Package esgorm is a GORM dialect for Elasticsearch and OpenSearch. A program written for another database changes the
// dialector and the DSN:
//
//	db, err := gorm.Open(esgorm.Open("elasticsearch://h1:9200,h2:9200"), &gorm.Config{})
//
// What a search engine cannot do fails with an error that names it, and errors.Is finds [esdriver.ErrUnsupported] in it.
// The package's README lists what there is and what there is not; docs/sql.md of the driver says what each statement
// means.
//
// # Keys
//
// A key of type string that is empty gets its value from the client, after BeforeCreate has run. An integer key that is
// zero gets a positive number of 63 bits from the driver; the numbers do not count from 1, and a key that cannot hold
// them is refused. A model with several primary keys is kept under an id made of them all, so that each combination is
// there once; conditions on such keys are searches, which see a write after a refresh.
//
// # Visibility
//
// First, Take and Find by primary key alone, Save, Updates and Delete by primary key read and write documents as they
// are at that moment. All other queries are searches and see what is refreshed: with refresh=wait_for, the driver's
// default, a write returns when searches see it, which takes up to a second.
//
// # Transactions
//
// There are none, and GORM is told not to begin one around each write. Begin and Transaction fail, unless the DSN says
// tx=noop: then they protect nothing, and Rollback after a write is [esdriver.ErrRollbackUnsupported].
package esgorm

// Package enginetest holds tests that run over the fake cluster and over real ones alike: what the fake emulates is
// what servers do. It has no code of its own.
//
// The bodies run over a fake of each release in the table of fakes. With ESDRIVER_TEST_ADDRS (http or https addresses
// separated by commas, with user:password@ where one is needed) they also run over the cluster there, side by side
// with a fake of the same release, and the two are compared answer by answer. ESDRIVER_TEST_CA is the file of the
// authority that signed the nodes' certificates, if it is not one of the system's. With ESDRIVER_TEST_ENGINE (the
// path of a run.sh of .ci/engines, which reads its own variables) nodes of that cluster are killed, frozen, stopped
// and added under load; -long makes that load long. .ci/engines.sh does all of it for each engine.
//
//	cd .ci/engines/opensearch && ./run.sh fetch && ./run.sh start
//	export ESDRIVER_TEST_ADDRS=$(./run.sh addrs) ESDRIVER_TEST_ENGINE=$PWD/run.sh
//	go test -count=1 -v ./internal/enginetest
//
// The tests make and delete indices whose names begin with enginetest-, and touch no others.
//
// What the server's own SQL answers is the matter of another suite, in fakecluster/sqlite, since the fake needs that
// engine for it. With ESDRIVER_TEST_SQL_ADDRS, a DSN such as elasticsearch://user:pw@host:9200?tls=true, it runs over the
// cluster there too; its tables begin with esdriver-sql-.
package enginetest

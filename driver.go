package esdriver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

var (
	_ driver.Driver        = (*Driver)(nil)
	_ driver.DriverContext = (*Driver)(nil)
)

func init() { Register("esdriver") }

// Register makes the driver known to database/sql under a further name; "esdriver" is taken care of. It is meant for
// init functions and panics on an empty name or one that is taken, as sql.Register does. The names elasticsearch
// and opensearch are another driver's, which a program may happen to import.
func Register(name string) {
	if name == "" {
		panic("esdriver: Register needs a name")
	}
	sql.Register(name, &Driver{})
}

// Driver is the driver as database/sql knows it.
type Driver struct{}

// OpenConnector reads the DSN and connects nothing. sql.Open calls it, once.
func (*Driver) OpenConnector(name string) (driver.Connector, error) { return openConnector(name) }

func openConnector(name string) (*Connector, error) {
	c, err := ParseDSN(name)
	if err != nil {
		return nil, err
	}
	return NewConnector(c)
}

// Open opens a cluster for a single session; closing the session closes it. It is there for callers that do not know
// OpenConnector, by which sessions share a cluster; database/sql is not one of them.
func (*Driver) Open(name string) (driver.Conn, error) {
	c, err := openConnector(name)
	if err != nil {
		return nil, err
	}
	conn, err := c.Connect(context.Background())
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &soleConn{Conn: conn.(*Conn), connector: c}, nil
}

// soleConn is a session that has its cluster for itself.
type soleConn struct {
	*Conn
	connector *Connector
}

// Close closes the session and its cluster.
func (c *soleConn) Close() error { return errors.Join(c.Conn.Close(), c.connector.Close()) }

// Open opens a cluster and returns after its first sample, or after SampleTimeout without one: until there is a
// sample requests go to the seeds, so a cluster that is down is no error here. The error is a [*ConfigError].
// The caller must close the cluster.
func Open(c Config) (*Cluster, error) {
	connector, err := NewConnector(c)
	if err != nil {
		return nil, err
	}
	return connector.Cluster(context.Background())
}

// OpenDB returns a *sql.DB whose statements run on the cluster. Closing it leaves the cluster open, and several may
// share one. The limits of a *sql.DB (SetMaxOpenConns and the like) count sessions, which are cheap and hold no
// connection: connections are the cluster's, and the pool fields of its Config are their limits.
func OpenDB(c *Cluster) *sql.DB {
	return sql.OpenDB(&Connector{cfg: c.cfg, turn: make(chan struct{}, 1), opened: c, shared: true})
}

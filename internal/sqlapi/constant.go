package sqlapi

import (
	"context"
	"database/sql/driver"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// errNoPostgres is the answer to SHOW server_version_num, which ent's Schema.Create sends before it reads the catalog
// (entgo.io/ent 0.14.5, dialect/sql/schema/postgres.go). Any number would be a promise of that catalog.
var errNoPostgres = &UnsupportedError{
	Construct: "SHOW server_version_num", Why: "this is no PostgreSQL and has no catalog to migrate by; make tables by CREATE TABLE",
}

// constant answers a statement by which programs ask what they are connected to and which neither product has:
// SELECT version(), SELECT current_database().
func (c *Client) constant(ctx context.Context, s *sqlparse.Statement) (*Rows, error) {
	if s.Constant() == "server_version_num" {
		return nil, errNoPostgres
	}
	known, err := c.versioned(ctx)
	if err != nil {
		return nil, err
	}
	value := driver.Value(known.text)
	if s.Constant() == "database" {
		value = c.clusterName()
	}
	only := &page{columns: []column{newColumn(s.Constant(), "", "keyword")}, cells: []driver.Value{value}, rows: 1}
	return newRows(ctx, &plan{client: c, statement: s, server: known}, only), nil
}

// clusterName is the catalog of the options, else the cluster's name; empty when nobody knows.
func (c *Client) clusterName() string {
	if c.options.Catalog == "" && c.topology != nil {
		return c.topology().ClusterName
	}
	return c.options.Catalog
}

package sqlapi

import (
	"context"
	"database/sql/driver"
	"strconv"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// constant answers a statement by which programs ask what they are connected to and which neither product has:
// SELECT version(), SHOW server_version_num.
func (c *Client) constant(ctx context.Context, s *sqlparse.Statement) (*Rows, error) {
	known, err := c.versioned(ctx)
	if err != nil {
		return nil, err
	}
	typ, value := "keyword", driver.Value(known.text)
	switch s.Constant() {
	case "server_version_num":
		typ, value = "keyword", strconv.Itoa(known.version.Major*10000+known.version.Minor*100)
	case "database":
		value = c.clusterName()
	}
	only := &page{columns: []column{newColumn(s.Constant(), "", typ)}, cells: []driver.Value{value}, rows: 1}
	return newRows(ctx, &plan{client: c, statement: s, server: known}, only), nil
}

// clusterName is the catalog of the options, else the cluster's name; empty when nobody knows.
func (c *Client) clusterName() string {
	if c.options.Catalog == "" && c.topology != nil {
		return c.topology().ClusterName
	}
	return c.options.Catalog
}

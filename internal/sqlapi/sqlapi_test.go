package sqlapi_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

func newClient(t testing.TB, cfg sqlapi.Config) *sqlapi.Client {
	t.Helper()
	client, err := sqlapi.NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// readAll runs a statement and reads it to its end.
func readAll(ctx context.Context, c *sqlapi.Client, text string, args []driver.NamedValue) ([]string, [][]driver.Value, error) {
	rows, err := c.Conn().QueryContext(ctx, text, args)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	columns := rows.Columns()
	var all [][]driver.Value
	for {
		row := make([]driver.Value, len(columns))
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return columns, all, nil
		case err != nil:
			return columns, all, err
		}
		all = append(all, row)
	}
}

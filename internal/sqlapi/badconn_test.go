package sqlapi_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/sqlapi"
	"github.com/esdriver/esdriver/plugins"
)

// TestStatementsAreSentAgainByDatabaseSQLOnlyWhenNothingWasSent counts requests: database/sql repeats a statement three
// times when it is told of a bad connection, and never otherwise.
func TestStatementsAreSentAgainByDatabaseSQLOnlyWhenNothingWasSent(t *testing.T) {
	for _, c := range []struct {
		err  error
		sent int64
	}{
		{cluster.ErrClosed, 3},
		{fmt.Errorf("%w: %w", cluster.ErrClosed, &plugins.AttemptError{Wrote: true, Err: io.EOF}), 1},
		{cluster.ErrMaybeExecuted, 1}, {cluster.ErrNoNode, 1}, {cluster.ErrRetryBudget, 1}, {io.ErrUnexpectedEOF, 1}, {context.DeadlineExceeded, 1},
	} {
		var sent atomic.Int64
		doer := doerFunc(func(*http.Request) (*http.Response, error) { sent.Add(1); return nil, c.err })
		db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})})
		stmt, err := db.Prepare("SELECT a FROM t WHERE a = ?")
		require.NoError(t, err, "nothing is prepared on a server")
		for name, run := range map[string]func() error{
			"ping":  db.Ping,
			"query": func() error { _, err := db.Query("SELECT a FROM t WHERE a = ?", 1); return err },
			"stmt":  func() error { _, err := stmt.Query(1); return err },
		} {
			sent.Store(0)
			err := run()
			require.Error(t, err)
			want := c.sent
			if name == "ping" {
				want = 1 // database/sql looks for another session and pings once
			}
			assert.Equal(t, want, sent.Load(), "%s: %v", name, c.err)
			assert.Equal(t, c.sent > 1, err == driver.ErrBadConn, "%s: %v", name, err)
		}
		require.NoError(t, db.Close())
	}
}

func TestErrorOfAServerIsNoBadConnection(t *testing.T) {
	var sent atomic.Int64
	doer := doerFunc(func(r *http.Request) (*http.Response, error) {
		sent.Add(1)
		return reply(r, 503, `{"error":{"type":"x","reason":"y"},"status":503}`)
	})
	db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})})
	defer db.Close()
	var failed *sqlapi.Error
	require.ErrorAs(t, db.Ping(), &failed)
	assert.Equal(t, int64(1), sent.Load())
}

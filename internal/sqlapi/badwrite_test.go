package sqlapi_test

import (
	"database/sql/driver"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/sqlapi"
)

// closing is a server whose cluster is closed after so many bulk requests.
type closing struct {
	*bulkServer
	left atomic.Int64
}

func (s *closing) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/_bulk") {
		if s.left.Add(-1) < 0 {
			return nil, cluster.ErrClosed
		}
	}
	return s.bulkServer.RoundTrip(r)
}

func TestInsertThatTheClosingOfTheClusterCutsIsNotBegunAnew(t *testing.T) {
	text, args := insertOf(1500)
	for chunks := range int64(2) {
		server := &closing{bulkServer: &bulkServer{answers: map[int]string{}}}
		server.left.Store(chunks)
		client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
		_, err := client.Conn().ExecContext(t.Context(), text, args)
		if chunks == 0 {
			require.Equal(t, driver.ErrBadConn, err, "nothing was written: database/sql may try again")
			continue
		}
		require.NotErrorIs(t, err, driver.ErrBadConn)
		require.ErrorIs(t, err, cluster.ErrClosed)
		var some *sqlapi.PartialWriteError
		require.ErrorAs(t, err, &some)
		assert.Equal(t, int64(server.rows), some.Inserted)
	}
}

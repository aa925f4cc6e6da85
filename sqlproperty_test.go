package esdriver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// TestNodesLostBetweenPagesCostNoRow reads a result at every page size while two of three nodes go, one after the other.
// Elasticsearch's cursor survives that, so every row comes, unless the answer with the last page is lost: the server
// has closed the cursor then. A page of the other servers may be lost with its node. There is an error and not an end then.
func TestNodesLostBetweenPagesCostNoRow(t *testing.T) {
	const size = 20
	for _, server := range sqlServers {
		t.Run(server.name, func(t *testing.T) {
			leaktest.Check(t)
			for fetch := 1; fetch <= size+1; fetch++ {
				got, err := readWhileNodesAreLost(t, server.options, size, fetch)
				for i, id := range got {
					require.Equal(t, i, id, "page size %d", fetch)
				}
				if lastPage := len(got)+fetch >= size; server.name == "Elasticsearch 8.19.7" && !(lastPage && errors.Is(err, esdriver.ErrCursorLost)) {
					require.NoError(t, err, "page size %d", fetch)
				}
				if err == nil {
					require.Len(t, got, size, "page size %d", fetch)
				}
			}
		})
	}
}

// readWhileNodesAreLost reads ids from a new cluster, and kills two nodes at any moments on the way.
func readWhileNodesAreLost(t *testing.T, options []fakecluster.Option, size, fetch int) ([]int, error) {
	fake := fakecluster.Run(t, append([]fakecluster.Option{fakecluster.Nodes(3), fakecluster.SQL(&engine{rows: size})}, options...)...)
	db, err := sql.Open("esdriver", fake.DSN())
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.QueryContext(esdriver.WithFetchSize(context.Background(), fetch), "SELECT id, name FROM rows")
	require.NoError(t, err)
	defer rows.Close()
	lost := rand.Perm(3)
	at := []int{rand.IntN(size), rand.IntN(size)}
	var got []int
	for rows.Next() {
		var id int
		var name string
		require.NoError(t, rows.Scan(&id, &name))
		require.Equal(t, fmt.Sprint("row ", id), name)
		got = append(got, id)
		for i := range at {
			if at[i] == id {
				fake.Node(lost[i]).Kill()
			}
		}
	}
	require.NoError(t, rows.Close())
	assert.Zero(t, fake.OpenCursors(), "page size %d", fetch)
	return got, rows.Err()
}

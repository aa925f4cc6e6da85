package sqlapi_test

import (
	"database/sql"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// hide loses the answer to the next bulk request, and lets another writer change row 1 before it is read again.
func hide(t *testing.T, fake *fakecluster.Cluster) {
	fake.Inject(fakecluster.Fault{Path: "/users/_bulk", Times: 1, Action: fakecluster.ResetAfterExecute})
	var reads atomic.Int64
	fake.Inject(fakecluster.Fault{Path: "/users/_mget", Match: func(*http.Request) bool {
		if reads.Add(1) == 2 {
			assert.NoError(t, fake.Put("users", "1", map[string]any{"id": 1, "name": "other", "age": 3, "version": 1}))
		}
		return false
	}})
}

func TestIncrementThatAnothersChangeHidesIsNotDoneAgain(t *testing.T) {
	for _, text := range []string{
		`UPDATE users SET age = age + 1 WHERE id = 1`,
		`UPDATE users SET name = 'b' WHERE id = 1 AND version = 1`,
		`INSERT INTO users (id, name, age) VALUES (1, 'a', 1) ON CONFLICT (id) DO UPDATE SET age = users.age + excluded.age`,
	} {
		writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
			exec(t, db, `INSERT INTO users (id, name, age) VALUES (1, 'a', 1)`)
			hide(t, fake)
			_, err := db.Exec(text)
			var some *esdriver.PartialWriteError
			require.ErrorAs(t, err, &some, text)
			assert.Equal(t, int64(1), some.Unknown)
			require.ErrorIs(t, err, esdriver.ErrMaybeExecuted)
			assert.Equal(t, "other", sources(t, fake, "users")["1"]["name"])
		})
	}
}

func TestConstantsAreWrittenOverAnothersChange(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name, age) VALUES (1, 'a', 1)`)
		hide(t, fake)
		assert.Equal(t, int64(1), affected(t, exec(t, db, `UPDATE users SET name = 'b' WHERE id = 1`)))
		assert.Equal(t, map[string]any{"id": 1.0, "name": "b", "age": 3.0, "version": 1.0}, sources(t, fake, "users")["1"])
	})
}

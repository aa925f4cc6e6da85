package sqlapi_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// sqlPaths are where statements go that the server answers.
var sqlPaths = []string{"/_sql", "/_plugins/_sql"}

func asked(fake *fakecluster.Cluster) int {
	n := 0
	for _, path := range sqlPaths {
		n += len(fake.Requests().Path(path))
	}
	return n
}

func TestSelectByKeySeesWritesAtOnce(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		at := time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)
		exec(t, db, `INSERT INTO users (id, name, age, created, score, active, raw) VALUES (?, ?, ?, ?, ?, ?, ?), (2, 'b', NULL, NULL, NULL, NULL, NULL)`,
			1, "a", 40, at, 0.5, true, []byte{0, 255})
		for _, c := range []struct {
			text string
			args []any
			want [][]any
		}{
			{`SELECT id, name, age, created, score, active, raw FROM users WHERE id = ?`, []any{1}, [][]any{{int64(1), "a", int64(40), at, 0.5, true, []byte{0, 255}}}},
			{`SELECT "users"."name" AS n, users.age FROM "users" WHERE "users"."id" = 2 ORDER BY "users"."id" LIMIT ?`, []any{1}, [][]any{{"b", nil}}},
			{`SELECT name FROM users WHERE id IN (2, 9, 1)`, nil, [][]any{{"b"}, {"a"}}},
			{`SELECT name FROM users u WHERE u.id IN (1, 2) AND u.age IS NULL`, nil, [][]any{{"b"}}},
			{`SELECT name FROM users WHERE id = 1 AND name = 'x'`, nil, nil},
			{`SELECT name FROM users WHERE id = 3`, nil, nil},
			{`SELECT name FROM users WHERE id IN (1, 2) LIMIT 1`, nil, [][]any{{"a"}}},
		} {
			rows, err := db.Query(c.text, c.args...)
			require.NoError(t, err, c.text)
			assert.Equal(t, c.want, rowsOf(t, rows), c.text)
		}
		assert.Zero(t, asked(fake), "no statement went to the server")
		exec(t, db, `UPDATE users SET name = 'z' WHERE id = 1`)
		var name string
		require.NoError(t, db.QueryRow(`SELECT name FROM users WHERE id = 1`).Scan(&name))
		assert.Equal(t, "z", name)
	})
}

func TestSelectThatIsNotByKeyAloneGoesToTheServer(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'a'), (2, 'b')`)
		for _, text := range []string{
			`SELECT name FROM users WHERE name = 'a'`, `SELECT name FROM users WHERE id = 1 AND age <> 3`,
			`SELECT name FROM users WHERE id IN (1, 2) ORDER BY name`, `SELECT COUNT(*) FROM users WHERE id = 1`,
			`SELECT name FROM users WHERE id > 1`, `SELECT name FROM users WHERE id = 1 OR id = 2`,
			`SELECT extra FROM users WHERE id = 1`, `SELECT name FROM nowhere WHERE id = 1`, `SELECT nmae FROM users WHERE id = 1`,
			`SELECT n FROM notes WHERE n = 1`, `SELECT name FROM users WHERE id = 'x'`,
		} {
			before := asked(fake)
			_, err := db.Query(text) //nolint:rowserrcheck // the fake has no SQL engine
			require.Error(t, err)
			assert.Equal(t, before+1, asked(fake), text)
		}
	})
}

func TestRealtimeGetCanBeTurnedOff(t *testing.T) {
	writes(t, "?realtime_get=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'a')`)
		require.Error(t, db.QueryRow(`SELECT name FROM users WHERE id = 1`).Scan(new(string)))
		assert.Equal(t, 1, asked(fake))
	})
}

func TestRefreshIsAsTheConfigAndTheContextSay(t *testing.T) {
	for params, want := range map[string]string{"": "wait_for", "?refresh=true": "true", "?refresh=false": ""} {
		writes(t, params, func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
			exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'a')`)
			exec(t, db, `UPDATE users SET name = 'b' WHERE id = 1`)
			exec(t, db, `DELETE FROM users WHERE id = 1`)
			sent := fake.Requests().Path("/users/_bulk")
			require.Len(t, sent, 3)
			for _, r := range sent {
				assert.Equal(t, want, r.Query.Get("refresh"))
			}
			fake.ResetRequests()
			_, err := db.ExecContext(esdriver.WithRefresh(t.Context(), "true"), `INSERT INTO users (id, name) VALUES (1, 'a')`)
			require.NoError(t, err)
			assert.Equal(t, "true", fake.Requests().Path("/users/_bulk")[0].Query.Get("refresh"))
		})
	}
}

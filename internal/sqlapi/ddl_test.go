package sqlapi_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// mappingOf is what a server says of an index's mapping.
func mappingOf(t testing.TB, fake *fakecluster.Cluster, index string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, fake.URLs()[0]+"/"+index, nil)
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode, string(body))
	var answer map[string]map[string]any
	require.NoError(t, json.Unmarshal(body, &answer))
	return answer[index]
}

func fails(t testing.TB, db *sql.DB, target error, text string, args ...any) error {
	t.Helper()
	_, err := db.ExecContext(context.Background(), text, args...)
	require.ErrorIs(t, err, target, text)
	return err
}

func TestCreateTableMakesAStrictMappingThatRemembersWhatSQLSaid(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `CREATE TABLE people (id BIGSERIAL PRIMARY KEY, name VARCHAR(255) NOT NULL, bio TEXT, age INT DEFAULT 18,
			born DATE, at TIMESTAMP(6), made TIMESTAMPTZ NOT NULL DEFAULT current_timestamp, raw BYTEA, ip INET, price DECIMAL(10,2),
			ok BOOLEAN DEFAULT TRUE, tags VARCHAR[]) WITH (number_of_shards = 2, refresh_interval = '5s')`)
		def := mappingOf(t, fake, "people")
		mapping := def["mappings"].(map[string]any)
		assert.Equal(t, "strict", mapping["dynamic"])
		assert.Equal(t, map[string]any{"number_of_shards": "2", "refresh_interval": "5s"}, subset(def["settings"].(map[string]any)["index"].(map[string]any), "number_of_shards", "refresh_interval"))
		types := map[string]any{}
		for name, v := range mapping["properties"].(map[string]any) {
			types[name] = v.(map[string]any)["type"]
		}
		assert.Equal(t, map[string]any{
			"id": "long", "name": "keyword", "bio": "text", "age": "integer", "born": "date", "at": "date_nanos", "made": "date",
			"raw": "binary", "ip": "ip", "price": "double", "ok": "boolean", "tags": "keyword",
		}, types)
		meta := mapping["_meta"].(map[string]any)["sql"].(map[string]any)
		assert.Equal(t, "id", meta["pk"])
		columns := meta["columns"].([]any)
		assert.Equal(t, map[string]any{"name": "id", "type": "BIGSERIAL", "not_null": true, "auto": true}, columns[0])
		assert.Equal(t, map[string]any{"name": "name", "type": "VARCHAR(255)", "not_null": true}, columns[1])
		assert.Equal(t, map[string]any{"name": "age", "type": "INT", "default": map[string]any{"value": 18.0}}, columns[3])
		assert.Equal(t, map[string]any{"name": "made", "type": "TIMESTAMPTZ", "not_null": true, "default": map[string]any{"now": true}}, columns[6])

		exec(t, db, `INSERT INTO people (name) VALUES ('x')`)
		for _, doc := range sources(t, fake, "people") {
			assert.Equal(t, "x", doc["name"])
			assert.Equal(t, 18.0, doc["age"])
			assert.Equal(t, true, doc["ok"])
			assert.NotEmpty(t, doc["made"])
		}
		fails(t, db, esdriver.ErrNoColumn, `INSERT INTO people (name, nope) VALUES ('x', 1)`)
	})
}

func subset(m map[string]any, names ...string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		some[name] = m[name]
	}
	return some
}

func TestCreateTableOfOneThatExistsFailsUnlessItMay(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		_, err := db.Exec(`CREATE TABLE users (id BIGINT)`)
		var refused *esdriver.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, "42S01", refused.SQLState)
		exec(t, db, `CREATE TABLE IF NOT EXISTS users (id BIGINT)`)
		assert.Contains(t, mappingOf(t, fake, "users")["mappings"].(map[string]any)["properties"], "score", "it is as it was")
	})
}

func TestWhatASearchEngineCannotKeepIsRefusedOrIgnored(t *testing.T) {
	statements := []string{
		`CREATE TABLE t (a INT, b INT UNIQUE)`,
		`CREATE TABLE t (a INT, CONSTRAINT fk FOREIGN KEY (a) REFERENCES users (id) ON DELETE CASCADE)`,
		`CREATE TABLE t (a INT CHECK (a > 0))`,
		`CREATE TABLE t (a INT, KEY k (a))`,
		`CREATE INDEX i ON users (name)`,
		`CREATE UNIQUE INDEX i ON users (name)`,
		`DROP INDEX i`,
		`ALTER TABLE users ADD CONSTRAINT u UNIQUE (name)`,
		`ALTER TABLE users DROP CONSTRAINT u`,
		`ALTER TABLE users ADD COLUMN nick TEXT NOT NULL`,
		`ALTER TABLE users ADD COLUMN nack TEXT DEFAULT 'x'`,
	}
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		for _, s := range statements {
			err := fails(t, db, esdriver.ErrUnsupported, s)
			assert.Regexp(t, `line 1, column \d+: .*ddl_unsupported=ignore`, err.Error(), s)
		}
	})
	writes(t, "?ddl_unsupported=ignore", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		for _, s := range statements {
			exec(t, db, s)
			exec(t, db, `DROP TABLE IF EXISTS t`)
		}
		assert.Contains(t, mappingOf(t, fake, "users")["mappings"].(map[string]any)["properties"], "nick")
	})
}

func TestWhatHasNoMeaningIsRefusedWhateverTheOptions(t *testing.T) {
	writes(t, "?ddl_unsupported=ignore", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		for _, s := range []string{
			`CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))`,
			`CREATE TABLE t (a INT PRIMARY KEY, b INT PRIMARY KEY)`,
			`CREATE TABLE t (a INT, a INT)`,
			`CREATE TABLE t (a HYPERCUBE)`,
			`CREATE TABLE t (a TEXT AUTO_INCREMENT)`,
			`CREATE TABLE t (a INT DEFAULT b + 1)`,
			`ALTER TABLE users DROP COLUMN name`,
			`ALTER TABLE users ALTER COLUMN name TYPE INT`,
			`ALTER TABLE users RENAME COLUMN name TO n`,
			`ALTER TABLE users RENAME TO people`,
			`ALTER TABLE users ADD COLUMN x INT PRIMARY KEY`,
			`ALTER TABLE users ADD COLUMN name INT`,
			`DROP TABLE "*"`, `DROP TABLE "_all"`, `DROP TABLE "users,notes"`, `DROP TABLE "<users-{now/d}>"`, `DROP TABLE "u*"`,
			`TRUNCATE TABLE "*"`, `REFRESH TABLE "*"`, `DELETE FROM "*" WHERE name = 'x'`,
		} {
			err := fails(t, db, esdriver.ErrUnsupported, s)
			assert.NotEmpty(t, err.Error())
		}
		fails(t, db, esdriver.ErrNoColumn, `CREATE TABLE t (a INT, PRIMARY KEY (b))`)
	})
}

func TestAddColumnIsSeenAtOnceAndLosesNothing(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `ALTER TABLE users ADD COLUMN nick VARCHAR(20), ADD COLUMN IF NOT EXISTS name INT`)
		exec(t, db, `INSERT INTO users (name, nick) VALUES ('a', 'b')`)
		mapping := mappingOf(t, fake, "users")["mappings"].(map[string]any)
		meta := mapping["_meta"].(map[string]any)["sql"].(map[string]any)
		assert.Equal(t, "id", meta["pk"])
		assert.Len(t, meta["columns"], 6)
		assert.Equal(t, "keyword", mapping["properties"].(map[string]any)["name"].(map[string]any)["type"])
	})
}

func TestColumnThatOthersHaveAddedIsFound(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (name) VALUES ('a')`)
		other := openDB(t, fake, "")
		exec(t, other, `ALTER TABLE users ADD COLUMN nick VARCHAR(20)`)
		_, err := db.Exec(`UPDATE users SET nick = 'x' WHERE name = 'a'`)
		if err != nil { // within a second of reading the mapping it is not read again
			require.ErrorIs(t, err, esdriver.ErrNoColumn)
		}
	})
}

func TestDropTableDeletesIndicesAndNothingElse(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `DROP TABLE IF EXISTS nowhere, users`)
		fails(t, db, esdriver.ErrNoTable, `DROP TABLE users`)
		err := fails(t, db, esdriver.ErrNoTable, `DROP TABLE notes, users`)
		assert.Contains(t, err.Error(), "after 1 others were dropped")
		fails(t, db, esdriver.ErrNoTable, `UPDATE users SET age = 1 WHERE name = 'x'`)
	})
}

func TestRefreshTableShowsWrites(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO notes (text, n) VALUES ('a', 1)`)
		exec(t, db, `REFRESH TABLE notes`)
		assert.True(t, sent(fake, http.MethodPost, "/notes/_refresh"))
		fails(t, db, esdriver.ErrNoTable, `REFRESH TABLE nowhere`)
	})
}

// sent reports whether the cluster has had such a request.
func sent(fake *fakecluster.Cluster, method, path string) bool { return count(fake, method, path) > 0 }

func count(fake *fakecluster.Cluster, method, path string) int {
	n := 0
	for _, r := range fake.Requests() {
		if r.Method == method && r.Path == path {
			n++
		}
	}
	return n
}

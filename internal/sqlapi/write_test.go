package sqlapi_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

var products = []product{
	{"Elasticsearch 8.19.7", nil},
	{"Elasticsearch 7.10.2", []fakecluster.Option{fakecluster.Version("7.10.2")}},
	{"OpenSearch 2.19.6", []fakecluster.Option{fakecluster.Product(fakecluster.OpenSearch)}},
}

// product is what a fake cluster pretends to be.
type product struct {
	name    string
	options []fakecluster.Option
}

// writes runs a test on each product, on a cluster of three nodes with the tables users and notes.
func writes(t *testing.T, params string, test func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB)) {
	for _, p := range products {
		t.Run(p.name, func(t *testing.T) { p.write(t, params, test) })
	}
}

func (p product) write(t *testing.T, params string, test func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB)) {
	leaktest.Check(t)
	p.fresh(t, params, test)
}

// fresh runs a test on a cluster of its own; it may run beside others.
func (p product) fresh(t *testing.T, params string, test func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB)) {
	fake := fakecluster.Run(t, append([]fakecluster.Option{fakecluster.Nodes(3)}, p.options...)...)
	createIndex(t, fake, "users", usersMapping)
	createIndex(t, fake, "notes", notesMapping)
	test(t, fake, openDB(t, fake, params))
}

func openDB(t testing.TB, fake *fakecluster.Cluster, params string) *sql.DB {
	t.Helper()
	db, err := sql.Open("esdriver", fake.DSN()+params)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

const usersMapping = `{"dynamic": "strict",
	"_meta": {"sql": {"pk": "id", "columns": [
		{"name": "id", "type": "BIGINT", "auto": true}, {"name": "name", "type": "VARCHAR", "not_null": true},
		{"name": "age", "type": "INT"}, {"name": "version", "type": "INT", "default": {"value": 1}},
		{"name": "created", "type": "TIMESTAMP", "default": {"now": true}}
	]}},
	"properties": {
		"id": {"type": "long"}, "name": {"type": "keyword"}, "age": {"type": "integer"}, "version": {"type": "integer"},
		"created": {"type": "date"}, "score": {"type": "double"}, "active": {"type": "boolean"}, "raw": {"type": "binary"},
		"address": {"properties": {"city": {"type": "keyword"}, "zip": {"type": "keyword"}}},
		"extra": {"type": "object", "dynamic": true}
	}}`

// notesMapping is of a table without a primary key.
const notesMapping = `{"dynamic": "strict", "properties": {"text": {"type": "keyword"}, "n": {"type": "long"}}}`

func createIndex(t testing.TB, fake *fakecluster.Cluster, name, mapping string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, fake.URLs()[0]+"/"+name, strings.NewReader(`{"mappings":`+mapping+`}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 200, resp.StatusCode)
}

// sources are the documents of a table by their ids.
func sources(t testing.TB, fake *fakecluster.Cluster, index string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, d := range fake.Docs(index) {
		var source map[string]any
		require.NoError(t, json.Unmarshal(d.Source, &source))
		all[d.ID] = source
	}
	return all
}

func exec(t testing.TB, db *sql.DB, text string, args ...any) sql.Result {
	t.Helper()
	result, err := db.ExecContext(context.Background(), text, args...)
	require.NoError(t, err)
	return result
}

func affected(t testing.TB, r sql.Result) int64 {
	t.Helper()
	n, err := r.RowsAffected()
	require.NoError(t, err)
	return n
}

func TestInsertWritesRowsWithDefaultsAndIds(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		result := exec(t, db, `INSERT INTO users (name, age) VALUES (?, 30), ('b', NULL), ('c', DEFAULT)`, "a")
		assert.Equal(t, int64(3), affected(t, result))
		first, err := result.LastInsertId()
		require.NoError(t, err)
		docs := sources(t, fake, "users")
		require.Len(t, docs, 3)
		for i, name := range []string{"a", "b", "c"} {
			doc := docs[itoa(first+int64(i))]
			assert.Equal(t, name, doc["name"], "ids of one statement follow each other")
			assert.Equal(t, float64(1), doc["version"])
			assert.Contains(t, doc["created"], "T")
			age, written := doc["age"]
			assert.True(t, written, "NULL is written as such")
			assert.Equal(t, map[string]any{"a": 30.0, "b": nil, "c": nil}[name], age)
			assert.NotContains(t, doc, "score", "what is not named and has no default is left out")
		}
	})
}

func TestInsertOfATakenKeyIsADuplicate(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name) VALUES (7, 'old')`)
		_, err := db.Exec(`INSERT INTO users (id, name) VALUES (7, 'new')`)
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
		var duplicate *esdriver.DuplicateKeyError
		require.ErrorAs(t, err, &duplicate)
		assert.Equal(t, esdriver.DuplicateKeyError{Table: "users", Key: "7"}, *duplicate)
		_, partial := errors.AsType[*esdriver.PartialWriteError](err)
		assert.False(t, partial, "nothing was written")

		_, err = db.Exec(`INSERT INTO users (id, name) VALUES (6, 'six'), (7, 'new'), (8, 'eight')`)
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
		var some *esdriver.PartialWriteError
		require.ErrorAs(t, err, &some)
		assert.Equal(t, int64(2), some.Inserted)
		assert.Equal(t, int64(1), some.Failed)
		assert.Len(t, some.Failures, 1)
		assert.Equal(t, "old", sources(t, fake, "users")["7"]["name"])

		_, err = db.Exec(`INSERT INTO users (id, name) VALUES (7, 'old')`)
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey, "an equal row is a duplicate too")
	})
}

func TestConflictClausesDoWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		name, text string
		args       []any
		affected   int64
		want       map[string]any
	}{
		{"do nothing", `INSERT INTO users (id, name) VALUES (1, 'new'), (2, 'two') ON CONFLICT DO NOTHING`, nil, 1, map[string]any{"name": "old", "age": 40.0}},
		{"do nothing on the key", `INSERT INTO users (id, name) VALUES (1, 'new') ON CONFLICT (id) DO NOTHING`, nil, 0, map[string]any{"name": "old"}},
		{"ignore", `INSERT IGNORE INTO users (id, name) VALUES (1, 'new')`, nil, 0, map[string]any{"name": "old"}},
		{"update", `INSERT INTO users (id, name, age) VALUES (1, 'new', 1) ON CONFLICT (id) DO UPDATE SET name = excluded.name`, nil, 1, map[string]any{"name": "new", "age": 40.0}},
		{"update to constants", `INSERT INTO users (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = ?, age = NULL`, []any{1, "new", "other"}, 1, map[string]any{"name": "other", "age": nil}},
		{"update by expressions", `INSERT INTO users (id, name, age) VALUES (1, 'new', 2), (3, 'three', 3) ON CONFLICT (id) DO UPDATE SET age = users.age + excluded.age, name = users.name || excluded.name`, nil, 2, map[string]any{"name": "oldnew", "age": 42.0}},
		{"on duplicate key", "INSERT INTO `users` (`id`, `name`, `age`) VALUES (1, 'new', 5) ON DUPLICATE KEY UPDATE `name` = VALUES(`name`), `age` = `age` + VALUES(`age`), `id` = `users`.`id`", nil, 1, map[string]any{"name": "new", "age": 45.0}},
		{"object", `INSERT INTO users (id, name, extra) VALUES (1, 'new', '{"b":2}') ON CONFLICT (id) DO UPDATE SET extra = excluded.extra`, nil, 1, map[string]any{"name": "old", "extra": map[string]any{"b": 2.0}}},
		{"inside an object", `INSERT INTO users (id, name, address.city) VALUES (1, 'new', 'Rome') ON CONFLICT (id) DO UPDATE SET address.city = excluded.address.city`, nil, 0, nil},
		{"replace", `REPLACE INTO users (id, name) VALUES (1, 'new')`, nil, 1, map[string]any{"name": "new", "age": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
				exec(t, db, `INSERT INTO users (id, name, age, extra) VALUES (1, 'old', 40, '{"a":1}')`)
				if c.want == nil {
					_, err := db.Exec(c.text, c.args...)
					require.Error(t, err)
					return
				}
				assert.Equal(t, c.affected, affected(t, exec(t, db, c.text, c.args...)))
				doc := sources(t, fake, "users")["1"]
				for name, v := range c.want {
					assert.Equal(t, v, doc[name], name)
				}
			})
		})
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

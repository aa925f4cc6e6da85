package sqlapi_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestUpdateByKeyChangesTheRowsThatItChooses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		args       []any
		affected   int64
		want       map[string]any // of the row 1
	}{
		{"constants", `UPDATE users SET name = ?, age = 5 WHERE id = ?`, []any{"new", 1}, 1, map[string]any{"name": "new", "age": 5.0}},
		{"an alias", `UPDATE "users" AS "u" SET "name" = '' WHERE ("u"."id" = 1)`, nil, 1, map[string]any{"name": ""}},
		{"expressions", `UPDATE users SET age = COALESCE(users.age, 0) + ?, name = name || 'x' WHERE id IN (1, 2, 3, 99)`, []any{2}, 3, map[string]any{"age": 42.0, "name": "ax"}},
		{"swapped columns", `UPDATE users SET age = version, version = age WHERE id = 1`, nil, 1, map[string]any{"age": 1.0, "version": 40.0}},
		{"no change", `UPDATE users SET name = 'a' WHERE id = 1`, nil, 1, map[string]any{"name": "a"}},
		{"NULL", `UPDATE users SET age = NULL WHERE id = 1`, nil, 1, map[string]any{"age": nil}},
		{"a further predicate that holds", `UPDATE users SET name = 'n' WHERE score IS NULL AND id = 1`, nil, 1, map[string]any{"name": "n"}},
		{"a further predicate that does not", `UPDATE users SET name = 'n' WHERE id = 1 AND version = 2`, nil, 0, map[string]any{"name": "a"}},
		{"a predicate that is unknown", `UPDATE users SET name = 'n' WHERE id = 1 AND score <> 2`, nil, 0, map[string]any{"name": "a"}},
		{"no such row", `UPDATE users SET name = 'n' WHERE id = 99`, nil, 0, map[string]any{"name": "a"}},
		{"NULL as key", `UPDATE users SET name = 'n' WHERE id = NULL`, nil, 0, map[string]any{"name": "a"}},
		{"the key as it is", `UPDATE users SET id = 1, name = 'n' WHERE id = 1`, nil, 1, map[string]any{"name": "n"}},
		{"text as key", `UPDATE users SET name = 'n' WHERE id = '1'`, nil, 1, map[string]any{"name": "n"}},
		{"an object", `UPDATE users SET extra = '{"b":1}' WHERE id = 1`, nil, 1, map[string]any{"extra": map[string]any{"b": 1.0}, "name": "a"}},
		{"inside an object", `UPDATE users SET address.city = 'Rome' WHERE id = 1`, nil, 1, map[string]any{"address": map[string]any{"city": "Rome", "zip": "1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
				exec(t, db, `INSERT INTO users (id, name, age, extra, address.zip) VALUES (1, 'a', 40, '{"a":1}', '1'), (2, 'b', 1, NULL, NULL), (3, 'c', NULL, NULL, NULL)`)
				assert.Equal(t, c.affected, affected(t, exec(t, db, c.text, c.args...)))
				doc := sources(t, fake, "users")["1"]
				for name, v := range c.want {
					assert.Equal(t, v, doc[name], name)
				}
			})
		})
	}
}

func TestDeleteByKeyDeletesTheRowsThatItChooses(t *testing.T) {
	for text, left := range map[string]int{
		`DELETE FROM users WHERE id = 1`:                                 2,
		`DELETE FROM "users" AS "u" WHERE ("u"."id" = 3)`:                2,
		`DELETE FROM users WHERE id IN (1, 2, 99, NULL)`:                 1,
		`DELETE FROM users WHERE id = 1 AND name = 'b'`:                  3,
		`DELETE FROM users WHERE id IN (1, 2, 3) AND name IN ('a', 'b')`: 1,
		`DELETE FROM users WHERE id = 99`:                                3,
		`DELETE FROM users WHERE id IN (1, 3) AND age IS NULL`:           1,
		`DELETE FROM users WHERE id IN (1, 3) AND NOT (age <> 40)`:       3,
	} {
		t.Run(text, func(t *testing.T) {
			writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
				exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')`)
				assert.Equal(t, int64(3-left), affected(t, exec(t, db, text)))
				assert.Len(t, fake.Docs("users"), left)
			})
		})
	}
}

var rounds = flag.Int("rounds", 300, "how often the two writers of TestOfTwoWritersWithAnOptimisticPredicateOneWins meet")

func TestOfTwoWritersWithAnOptimisticPredicateOneWins(t *testing.T) {
	each := (*rounds + len(products) - 1) / len(products)
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name, version) VALUES (1, 'a', 0)`)
		for version := range each {
			var wins atomic.Int64
			var both sync.WaitGroup
			for writer := range 2 {
				both.Go(func() {
					result, err := db.Exec(`UPDATE users SET version = version + 1, name = ? WHERE id = 1 AND version = ?`, fmt.Sprint(writer), version)
					if assert.NoError(t, err) {
						n, _ := result.RowsAffected()
						wins.Add(n)
					}
				})
			}
			both.Wait()
			require.Equal(t, int64(1), wins.Load())
		}
		assert.Equal(t, float64(each), sources(t, fake, "users")["1"]["version"])
	})
}

func TestCounterLosesNoIncrement(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name, age) VALUES (1, 'a', 0)`)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 25 {
					_, err := db.Exec(`UPDATE users SET age = age + 1 WHERE id = 1`)
					assert.NoError(t, err)
				}
			})
		}
		all.Wait()
		assert.Equal(t, 200.0, sources(t, fake, "users")["1"]["age"])
	})
}

func TestReturningGivesWhatWasWritten(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		var id, version int64
		var name string
		require.NoError(t, db.QueryRow(`INSERT INTO users (name) VALUES ('a') RETURNING id, version AS v, "name"`).Scan(&id, &version, &name))
		assert.Equal(t, "a", name)
		assert.Equal(t, int64(1), version)
		assert.Contains(t, sources(t, fake, "users"), itoa(id))

		require.NoError(t, db.QueryRow(`UPDATE users SET version = version + 1 WHERE id = ? RETURNING version`, id).Scan(&version))
		assert.Equal(t, int64(2), version)

		rows, err := db.Query(`INSERT INTO users (id, name, age) VALUES (?, 'b', 1), (5, 'c', 1) ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING name, version, id`, id)
		require.NoError(t, err)
		assert.Equal(t, [][]any{{"b", int64(2), id}, {"c", int64(1), int64(5)}}, rowsOf(t, rows))

		rows, err = db.Query(`INSERT INTO users (id, name) VALUES (?, 'x'), (6, 'd') ON CONFLICT DO NOTHING RETURNING id`, id)
		require.NoError(t, err)
		assert.Equal(t, [][]any{{int64(6)}}, rowsOf(t, rows))

		rows, err = db.Query(`DELETE FROM users WHERE id IN (5, 6) RETURNING *`)
		require.NoError(t, err)
		columns, err := rows.Columns()
		require.NoError(t, err)
		assert.Equal(t, []string{"id", "name", "age", "version", "created"}, columns[:5])
		assert.Len(t, rowsOf(t, rows), 2)

		rows, err = db.Query(`INSERT INTO notes (text) VALUES ('n') RETURNING _id, text`)
		require.NoError(t, err)
		note := rowsOf(t, rows)[0]
		assert.Contains(t, sources(t, fake, "notes"), note[0])

		rows, err = db.Query(`INSERT INTO notes (text) VALUES ('m')`)
		require.NoError(t, err)
		assert.Empty(t, rowsOf(t, rows), "a write without RETURNING gives no row")
	})
}

func rowsOf(t testing.TB, rows *sql.Rows) [][]any {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var all [][]any
	for rows.Next() {
		row, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		require.NoError(t, rows.Scan(to...))
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	return all
}

func TestWritesThatCannotBeRightAreRefusedBeforeTheyAreSent(t *testing.T) {
	for _, c := range []struct {
		text string
		is   error
		line [2]int
	}{
		{`INSERT INTO users (id, nmae) VALUES (1, 'a')`, esdriver.ErrNoColumn, [2]int{1, 24}},
		{`UPDATE users SET nmae = 'a' WHERE id = 1`, esdriver.ErrNoColumn, [2]int{1, 18}},
		{`INSERT INTO users (id, name) VALUES (1, NULL)`, nil, [2]int{1, 41}},
		{`INSERT INTO users (id) VALUES (1)`, nil, [2]int{1, 1}},
		{`UPDATE users SET name = NULL WHERE id = 1`, nil, [2]int{1, 18}},
		{`INSERT INTO users (id, name, age) VALUES (1, 'a', 'many')`, nil, [2]int{1, 51}},
		{`INSERT INTO users (id, name, age) VALUES (1, 'a', 3000000000)`, nil, [2]int{1, 51}},
		{`INSERT INTO users (id, name, age) VALUES (1, 'a', 1.5)`, nil, [2]int{1, 51}},
		{`INSERT INTO users (id, name, name) VALUES (1, 'a', 'b')`, esdriver.ErrSyntax, [2]int{1, 1}},
	} {
		t.Run(c.text, func(t *testing.T) {
			writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
				exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'old')`)
				fake.ResetRequests()
				_, err := db.Exec(c.text)
				var wrong *esdriver.ColumnError
				require.ErrorAs(t, err, &wrong)
				assert.Equal(t, c.line, [2]int{wrong.Line, wrong.Column})
				if c.is != nil {
					require.ErrorIs(t, err, c.is)
				}
				assert.Empty(t, fake.Requests().Path("/users/_bulk"))
			})
		})
	}
}

func TestConstructsThatAreNotSupportedAreNamed(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'old')`)
		for _, text := range []string{
			`INSERT INTO users (id, name) VALUES (1, 'a') ON CONFLICT (name) DO NOTHING`,
			`INSERT INTO users (id, name) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET id = 2`,
			`UPDATE users SET id = 2 WHERE id = 1`,
			`INSERT INTO users (_id, name) VALUES ('x', 'a')`,
		} {
			_, err := db.ExecContext(context.Background(), text)
			require.ErrorIs(t, err, esdriver.ErrUnsupported, text)
		}
		assert.Len(t, fake.Docs("users"), 1)
	})
}

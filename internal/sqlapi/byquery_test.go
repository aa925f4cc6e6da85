package sqlapi_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// people fills users with n rows: ages go round from 0 to 9,
// every fifth score is NULL.
func people(t testing.TB, db *sql.DB, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		var rows []string
		for i := from; i < min(n, from+1000); i++ {
			score := fmt.Sprint(float64(i) / 2)
			if i%5 == 0 {
				score = "NULL"
			}
			rows = append(rows, fmt.Sprintf("(%d, 'p%d', %d, %s)", i+1, i, i%10, score))
		}
		exec(t, db, `INSERT INTO users (id, name, age, score) VALUES `+strings.Join(rows, ", "))
	}
}

func TestUpdateByPredicateChangesItsRowsAndNoOthers(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 20)
		result := exec(t, db, `UPDATE users AS u SET age = u.age + ?, name = name || '!', "address.city" = 'X' WHERE (u.age >= ? AND score <> 4) OR score IS NULL`, 100, 8)
		assert.EqualValues(t, 7, affected(t, result)) // ages 8 and 9 twice, but for the score of 4, and four NULLs
		for id, doc := range sources(t, fake, "users") {
			changed := doc["age"].(float64) >= 100
			assert.Equal(t, changed, strings.HasSuffix(doc["name"].(string), "!"), id)
			if changed {
				assert.Equal(t, map[string]any{"city": "X"}, doc["address"])
			}
		}
	})
}

func TestDeleteByPredicateDeletesItsRowsAndNoOthers(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 20)
		assert.EqualValues(t, 4, affected(t, exec(t, db, `DELETE FROM "users" WHERE "users"."age" IN (?, ?)`, 3, 4)))
		assert.Len(t, sources(t, fake, "users"), 16)
		assert.EqualValues(t, 0, affected(t, exec(t, db, `DELETE FROM users WHERE age = 3`)))
		assert.EqualValues(t, 0, affected(t, exec(t, db, `DELETE FROM users WHERE age = NULL`)))
		assert.EqualValues(t, 0, affected(t, exec(t, db, `DELETE FROM users WHERE age <> NULL OR 1 = 0`)))
		assert.EqualValues(t, 16, affected(t, exec(t, db, `DELETE FROM users WHERE 1 = 1`)))
	})
}

func TestRowsThatWereNotVisibleYetAreChangedToo(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 5)
		changed := exec(t, db, `UPDATE users SET age = 7 WHERE name LIKE 'p%'`)
		assert.EqualValues(t, 5, affected(t, changed))
		assert.EqualValues(t, 5, affected(t, exec(t, db, `UPDATE users SET age = 8 WHERE age = 7`)), "no conflict with writes of our own")
	})
}

func TestStatementWithoutWhereIsRefusedUnlessAskedFor(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 3)
		for _, s := range []string{`DELETE FROM users`, `UPDATE users SET age = 1`} {
			err := fails(t, db, esdriver.ErrUnsupported, s)
			assert.Contains(t, err.Error(), "allow_full_table=true")
		}
		assert.Len(t, sources(t, fake, "users"), 3)
		result, err := db.ExecContext(esdriver.WithFullTable(context.Background()), `UPDATE users SET age = 77`)
		require.NoError(t, err)
		assert.EqualValues(t, 3, affected(t, result))
		assert.EqualValues(t, 3, affected(t, exec(t, openDB(t, fake, "?allow_full_table=true"), `DELETE FROM users`)))
	})
}

func TestTruncateDeletesEveryRowAndKeepsTheTable(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 12)
		exec(t, db, `INSERT INTO notes (text) VALUES ('x')`)
		assert.EqualValues(t, 13, affected(t, exec(t, db, `TRUNCATE TABLE users, notes RESTART IDENTITY`)))
		assert.Empty(t, sources(t, fake, "users"))
		exec(t, db, `INSERT INTO users (name) VALUES ('again')`)
		fails(t, db, esdriver.ErrNoTable, `TRUNCATE nowhere`)
	})
}

func TestManyRowsAreChangedByATask(t *testing.T) {
	writes(t, "?refresh=true", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 1001)
		fake.ResetRequests()
		assert.EqualValues(t, 1001, affected(t, exec(t, db, `UPDATE users SET version = version + 1 WHERE name LIKE 'p%'`)))
		var calls, tasks int
		for _, r := range fake.Requests() {
			if r.Path == "/users/_update_by_query" {
				calls++
				assert.Equal(t, "false", r.Query.Get("wait_for_completion"))
				assert.Equal(t, "true", r.Query.Get("refresh"))
			}
			if strings.HasPrefix(r.Path, "/_tasks/") {
				tasks++
			}
		}
		assert.Equal(t, 1, calls)
		assert.NotZero(t, tasks)
		for _, doc := range sources(t, fake, "users") {
			require.Equal(t, 2.0, doc["version"])
		}
	})
}

func TestWhatNoQueryCanFindIsRefusedWithItsPlace(t *testing.T) {
	writes(t, "", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		for text, want := range map[string]string{
			`DELETE FROM users WHERE LOWER(name) = 'x'`:               "line 1, column 25: WHERE with LOWER of a column is not supported",
			`DELETE FROM users WHERE age = version`:                   "line 1, column 31: WHERE with a comparison of two columns is not supported",
			`DELETE FROM users WHERE age + 1 > 5`:                     "line 1, column 25: WHERE with + on a column is not supported",
			`DELETE FROM users WHERE age LIKE '1%'`:                   "line 1, column 25: LIKE on a column of type integer is not supported",
			`DELETE FROM users WHERE raw = 'x'`:                       "line 1, column 25: WHERE on column raw of type binary is not supported",
			`DELETE FROM users WHERE name LIKE name`:                  "line 1, column 35: the pattern of LIKE that is not constant is not supported",
			`DELETE FROM users WHERE age`:                             "line 1, column 25: a column of type integer in the place of a predicate is not supported",
			`DELETE FROM users WHERE name = 'x' RETURNING id`:         "line 1, column 46: RETURNING of DELETE by anything but the primary key is not supported",
			`UPDATE users SET id = 9 WHERE name = 'x'`:                "line 1, column 18: a change of the primary key is not supported",
			`DELETE FROM users WHERE name IN (SELECT name FROM note)`: "IN (SELECT …) is not supported",
		} {
			err := fails(t, db, esdriver.ErrUnsupported, text)
			assert.Contains(t, err.Error(), want, text)
		}
		for text, want := range map[string]string{
			`DELETE FROM users WHERE nope = 1`:               "column nope of table users: there is no such column (line 1, column 25)",
			`UPDATE users SET nope = 1 WHERE name = 'x'`:     "column nope of table users: there is no such column (line 1, column 18)",
			`UPDATE users AS u SET age = 1 WHERE x.age = 1`:  "column x.age of table users",
			`UPDATE users SET name = 'x' WHERE u.name = 'x'`: "column u.name of table users",
		} {
			err := fails(t, db, esdriver.ErrNoColumn, text)
			assert.Contains(t, err.Error(), want, text)
		}
		_, err := db.Exec(`DELETE FROM users WHERE created = 'yesterday'`)
		var wrong *esdriver.ColumnError
		require.ErrorAs(t, err, &wrong)
		assert.Equal(t, "22007", wrong.State)
		_, err = db.Exec(`UPDATE users SET name = NULL WHERE age = 1`)
		require.ErrorAs(t, err, &wrong)
		assert.Equal(t, "23502", wrong.State)
	})
}

func TestValuesCannotBecomeQueriesOrScripts(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 4)
		for _, evil := range []string{`"}},{"match_all":{}}`, `*`, `'; ctx.op = 'delete'; '`, "\u0000\n\\", `p*`, `?`} {
			assert.EqualValues(t, 0, affected(t, exec(t, db, `DELETE FROM users WHERE name = ? OR name LIKE ?`, evil, evil)), evil)
			exec(t, db, `UPDATE users SET name = ? WHERE age = 3`, evil)
			assert.Equal(t, evil, sources(t, fake, "users")["4"]["name"])
			exec(t, db, `UPDATE users SET name = 'p3' WHERE age = 3`)
		}
		assert.Len(t, sources(t, fake, "users"), 4)
	})
}

func TestByQueryIsSentOnceWhateverHappens(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		people(t, db, 10)
		fake.ResetRequests()
		fake.Inject(fakecluster.Fault{Path: "/users/_update_by_query", Action: fakecluster.ResetAfterExecute})
		_, err := db.Exec(`UPDATE users SET version = version + 1 WHERE age < 5`)
		var partial *esdriver.PartialWriteError
		require.ErrorAs(t, err, &partial)
		require.ErrorIs(t, err, esdriver.ErrMaybeExecuted)
		assert.EqualValues(t, 5, partial.Unknown)
		assert.EqualValues(t, 5, partial.Matched)
		assert.False(t, esdriver.SafeToRetry(err))
		assert.Equal(t, 1, count(fake, http.MethodPost, "/users/_update_by_query"))
	})
}

package sqlapi_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestTransactionsAreRefusedUnlessTheyAreToDoNothing(t *testing.T) {
	writes(t, "", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		_, err := db.Begin()
		require.ErrorIs(t, err, esdriver.ErrUnsupported)
		for _, text := range []string{"BEGIN", "COMMIT", "ROLLBACK", "START TRANSACTION", "SAVEPOINT a"} {
			_, err := db.Exec(text)
			require.ErrorIs(t, err, esdriver.ErrUnsupported, text)
		}
	})
}

func TestRollbackAfterAWriteIsAnError(t *testing.T) {
	writes(t, "?tx=noop", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		tx, err := db.Begin()
		require.NoError(t, err)
		require.NoError(t, tx.Rollback(), "nothing was written")

		tx, err = db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec(`INSERT INTO users (id, name) VALUES (1, 'a')`)
		require.NoError(t, err)
		require.ErrorIs(t, tx.Rollback(), esdriver.ErrRollbackUnsupported)
		assert.Len(t, fake.Docs("users"), 1)

		tx, err = db.Begin()
		require.NoError(t, err)
		require.NoError(t, tx.QueryRow(`INSERT INTO users (id, name) VALUES (2, 'a') RETURNING id`).Scan(new(int)))
		require.NoError(t, tx.Commit())
		assert.Len(t, fake.Docs("users"), 2)

		tx, err = db.Begin()
		require.NoError(t, err)
		require.NoError(t, tx.QueryRow(`UPDATE users SET name = 'b' WHERE id = 2 RETURNING id`).Scan(new(int)))
		require.ErrorIs(t, tx.Rollback(), esdriver.ErrRollbackUnsupported)
	})
}

func TestStatementOfNoRowIsNothingToRollBack(t *testing.T) {
	writes(t, "?tx=noop", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		for text, want := range map[string]error{
			`UPDATE users SET name = 'b' WHERE id = 9`:                                      nil,
			`UPDATE users SET name = 'b' WHERE name = 'nobody'`:                             nil,
			`DELETE FROM users WHERE id = 9`:                                                nil,
			`INSERT INTO users (id, name) VALUES (1, 'b') ON CONFLICT DO NOTHING`:           nil,
			`UPDATE users SET no_such_column = 'b' WHERE id = 1`:                            esdriver.ErrRollbackUnsupported,
			`CREATE TABLE more (id BIGINT PRIMARY KEY)`:                                     esdriver.ErrRollbackUnsupported,
			`INSERT INTO users (id, name) VALUES (1, 'b'), (2, 'b') ON CONFLICT DO NOTHING`: esdriver.ErrRollbackUnsupported,
		} {
			_, err := db.Exec(`REPLACE INTO users (id, name) VALUES (1, 'a')`)
			require.NoError(t, err)
			tx, err := db.Begin()
			require.NoError(t, err)
			_, _ = tx.Exec(text)
			assert.ErrorIs(t, tx.Rollback(), want, text)
		}
	})
}

func TestTransactionStatementsFollowTheSameRule(t *testing.T) {
	writes(t, "?tx=noop", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		run := func(text string) error {
			_, err := conn.ExecContext(t.Context(), text)
			return err
		}
		require.NoError(t, run("BEGIN"))
		require.NoError(t, run("ROLLBACK"))
		require.NoError(t, run("START TRANSACTION"))
		require.NoError(t, run(`INSERT INTO users (id, name) VALUES (1, 'a')`))
		require.ErrorIs(t, run("ROLLBACK"), esdriver.ErrRollbackUnsupported)
		require.NoError(t, run("ROLLBACK"), "the transaction has ended")
		require.NoError(t, run("BEGIN"))
		require.NoError(t, run(`DELETE FROM users WHERE id = 1`))
		require.NoError(t, run("COMMIT"))
		require.ErrorIs(t, run("SAVEPOINT a"), esdriver.ErrUnsupported)
		require.ErrorIs(t, run("ROLLBACK TO a"), esdriver.ErrUnsupported)
		require.ErrorIs(t, run("BEGIN ISOLATION LEVEL SERIALIZABLE"), esdriver.ErrUnsupported)
	})
}

func TestIsolationAndReadOnlyAreRefused(t *testing.T) {
	writes(t, "?tx=noop", func(t *testing.T, _ *fakecluster.Cluster, db *sql.DB) {
		for _, opts := range []sql.TxOptions{{Isolation: sql.LevelSerializable}, {Isolation: sql.LevelReadCommitted}, {ReadOnly: true}} {
			_, err := db.BeginTx(context.Background(), &opts)
			require.ErrorIs(t, err, esdriver.ErrUnsupported)
		}
	})
}

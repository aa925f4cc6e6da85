package esbun_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// TestMigrationsRunWhereUniqueIsPassedOver goes one migration up and down. Its lock is a unique column, which nothing
// keeps unique here.
func TestMigrationsRunWhereUniqueIsPassedOver(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, strict *bun.DB) {
		conn, err := sql.Open("esdriver", fake.DSN()+"?refresh=true&ddl_unsupported=ignore")
		require.NoError(t, err)
		db := bun.NewDB(conn, esbun.New())
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		var done []string
		step := func(text string) func(context.Context, *migrate.Migrator, *migrate.Migration) error {
			return func(context.Context, *migrate.Migrator, *migrate.Migration) error {
				done = append(done, text)
				return nil
			}
		}
		list := migrate.NewMigrations()
		list.Add(migrate.Migration{Name: "20260102030405", Up: step("up"), Down: step("down")})
		require.ErrorIs(t, migrate.NewMigrator(strict, list).Init(t.Context()), esdriver.ErrUnsupported)

		m := migrate.NewMigrator(db, list)
		require.NoError(t, m.Reset(t.Context()))
		fake.Node(1).Kill()
		for range 2 {
			require.NoError(t, second(m.Migrate(t.Context())))
			assert.Equal(t, []string{"up"}, done, "once")
		}
		require.NoError(t, second(m.Rollback(t.Context())))
		assert.Equal(t, []string{"up", "down"}, done)
		require.NoError(t, m.Lock(t.Context()))
		require.NoError(t, m.Lock(t.Context()), "the lock keeps nobody out")
		require.NoError(t, m.Unlock(t.Context()))

		_, err = migrate.NewAutoMigrator(db)
		require.ErrorContains(t, err, "does not implement sqlschema.Inspector")
	})
}

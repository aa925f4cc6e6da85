package esbun_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/internal/leaktest"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

const addrsVariable = "ESDRIVER_TEST_ADDRS"

// engineDSN is the DSN of the real cluster that the variable names, as http(s)://[user:password@]host:port[,…].
func engineDSN(t *testing.T) string {
	t.Helper()
	list := os.Getenv(addrsVariable)
	if list == "" {
		t.Skipf("%s names no cluster: set it to http://host:port[,…] to run this test over a real one.", addrsVariable)
	}
	seeds := strings.Split(list, ",")
	for i, seed := range seeds[1:] {
		_, host, _ := strings.Cut(seed, "://")
		seeds[i+1] = host[strings.LastIndex(host, "@")+1:]
	}
	dsn := strings.Join(seeds, ",") + "?refresh=true"
	if ca := os.Getenv("ESDRIVER_TEST_CA"); ca != "" {
		dsn += "&tls.ca=" + ca
	}
	return dsn
}

// TestRealClusterKeepsRowsWithoutItsSQL does what needs no SQL of the server: definitions, writes, and reading by key.
func TestRealClusterKeepsRowsWithoutItsSQL(t *testing.T) {
	dsn := engineDSN(t)
	leaktest.Check(t)
	conn, err := sql.Open("esdriver", dsn)
	require.NoError(t, err)
	db := bun.NewDB(conn, esbun.New())
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	table := bun.Ident(fmt.Sprintf("esbun_test_%d", time.Now().UnixNano()))
	require.NoError(t, second(db.NewCreateTable().Model((*Sample)(nil)).ModelTableExpr("?", table).Exec(t.Context())))
	t.Cleanup(func() {
		assert.NoError(t, second(db.NewDropTable().TableExpr("?", table).Exec(context.Background())))
	})

	var rows []Sample
	for i, text := range hard {
		rows = append(rows, Sample{
			ID: int64(i) + 1, Text: text, Raw: []byte(text + "\xff"), List: []string{text}, Deep: map[string]any{"k": text}, Short: 65535, Wide: 1<<32 - 1,
			When: time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC), Addr: netip.MustParseAddr("::1"),
		})
	}
	require.NoError(t, second(db.NewInsert().Model(&rows).ModelTableExpr("?", table).Exec(t.Context())))
	for _, want := range rows {
		got := Sample{ID: want.ID}
		require.NoError(t, db.NewSelect().Model(&got).ModelTableExpr("? AS sample", table).WherePK().Scan(t.Context()))
		assert.True(t, want.When.Equal(got.When))
		got.When = want.When
		assert.Equal(t, want, got)
	}
	require.ErrorIs(t, second(db.NewInsert().Model(&rows[0]).ModelTableExpr("?", table).Exec(t.Context())), esdriver.ErrDuplicateKey)
	require.NoError(t, second(db.NewUpdate().Model(&rows[1]).ModelTableExpr("? AS sample", table).Set("real = real + ?", 1.5).WherePK().Exec(t.Context())))
	found, err := db.NewDelete().Model((*Sample)(nil)).ModelTableExpr("? AS sample", table).Where(`"when" = ?`, rows[0].When).Where("real > ?", 1).Exec(t.Context())
	require.NoError(t, err)
	n, err := found.RowsAffected()
	require.NoError(t, err)
	assert.EqualValues(t, 1, n, "conditions on other columns are queries of the server")
}

package esbun_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

func TestWhatDoesNotExistIsToldByName(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		books := fill(t, db)
		for what, err := range map[string]error{
			"WITH":        second(db.NewUpdate().Model(&books).Column("title").Bulk().Exec(t.Context())),
			"IN (SELECT":  second(db.NewDelete().Model((*Tag)(nil)).Where("name IN (?)", db.NewSelect().Model((*Author)(nil)).Column("name")).Exec(t.Context())),
			"ON CONFLICT": second(db.NewInsert().Model(&Author{Name: "x"}).On("CONFLICT (name) DO NOTHING").Exec(t.Context())),
			"RETURNING":   second(db.NewUpdate().Model(&books).Set("rare = TRUE").Where("pages > 1").Returning("*").Exec(t.Context())),
		} {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), what)
		}
		if strings.HasPrefix(fake.DSN(), "elasticsearch") {
			_, err := db.NewSelect().Model((*Tag)(nil)).Exists(t.Context())
			require.Error(t, err)
			require.ErrorContains(t, db.NewSelect().Model(&books).Relation("Author").Scan(t.Context()), "JOIN")
		}
	})
}

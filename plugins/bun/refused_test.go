package esbun_test

import (
	"context"
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

// Visit notes the hooks that bun calls.
type Visit struct {
	ID    int64 `bun:",pk,autoincrement"`
	Page  string
	Notes []string `bun:"-"`
}

// BeforeAppendModel runs before a statement is written.
func (v *Visit) BeforeAppendModel(_ context.Context, q bun.Query) error {
	v.Notes = append(v.Notes, q.Operation())
	return nil
}

// AfterScanRow runs after a row was read.
func (v *Visit) AfterScanRow(context.Context) error {
	v.Notes = append(v.Notes, "scanned")
	return nil
}

// spoken keeps the statements that bun sends.
type spoken struct{ statements []string }

func (s *spoken) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (s *spoken) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	s.statements = append(s.statements, e.Query)
}

func TestHooksRun(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		log := &spoken{}
		db = db.WithQueryHook(log)
		require.NoError(t, second(db.NewCreateTable().Model((*Visit)(nil)).Exec(t.Context())))
		v := Visit{Page: `\`}
		insert(t, db, &v)
		require.NoError(t, db.NewSelect().Model(&v).WherePK().Scan(t.Context()))
		assert.Equal(t, []string{"INSERT", "scanned", "SELECT", "scanned"}, v.Notes)
		assert.Equal(t, []string{
			`CREATE TABLE "visits" ("id" BIGINT NOT NULL AUTO_INCREMENT, "page" VARCHAR, PRIMARY KEY ("id"))`,
			`INSERT INTO "visits" ("id", "page") VALUES (DEFAULT, N'\') RETURNING "id"`,
		}, log.statements[:2])
	})
}

package esbun_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
)

// Visit notes the hooks that bun calls.
type Visit struct {
	ID    int64 `bun:",pk,autoincrement"`
	Page  string
	Notes []string `bun:"-"`
}

func (v *Visit) note(text string) error {
	v.Notes = append(v.Notes, text)
	return nil
}

// BeforeAppendModel runs before a statement is written.
func (v *Visit) BeforeAppendModel(_ context.Context, q bun.Query) error { return v.note(q.Operation()) }

// BeforeScanRow runs before a row is read.
func (v *Visit) BeforeScanRow(context.Context) error { return v.note("scanning") }

// AfterScanRow runs after a row was read.
func (v *Visit) AfterScanRow(context.Context) error { return v.note("scanned") }

// BeforeInsert runs before anything else.
func (*Visit) BeforeInsert(_ context.Context, q *bun.InsertQuery) error { return noted(q, "before") }

// AfterInsert runs when the row is written.
func (*Visit) AfterInsert(_ context.Context, q *bun.InsertQuery) error { return noted(q, "after") }

// AfterSelect runs when the row is read.
func (*Visit) AfterSelect(_ context.Context, q *bun.SelectQuery) error { return noted(q, "after") }

// AfterUpdate runs when the row is changed.
func (*Visit) AfterUpdate(_ context.Context, q *bun.UpdateQuery) error { return noted(q, "after") }

// AfterDelete runs when the row is deleted.
func (*Visit) AfterDelete(_ context.Context, q *bun.DeleteQuery) error { return noted(q, "after") }

// noted leaves a note with the row of a statement; bun calls these hooks with a row of its own.
func noted(q interface{ GetModel() bun.Model }, text string) error {
	return q.GetModel().Value().(*Visit).note(text)
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
		assert.Equal(t, []string{"before", "INSERT", "scanning", "scanned", "after"}, v.Notes)
		v.Notes = nil
		require.NoError(t, db.NewSelect().Model(&v).WherePK().Scan(t.Context()))
		require.NoError(t, second(db.NewUpdate().Model(&v).WherePK().Exec(t.Context())))
		require.NoError(t, second(db.NewDelete().Model(&v).WherePK().Exec(t.Context())))
		assert.Equal(t, []string{"SELECT", "scanning", "scanned", "after", "UPDATE", "after", "DELETE", "after"}, v.Notes)
		assert.Equal(t, []string{
			`CREATE TABLE "visits" ("id" BIGINT NOT NULL AUTO_INCREMENT, "page" VARCHAR, PRIMARY KEY ("id"))`,
			`INSERT INTO "visits" ("id", "page") VALUES (DEFAULT, N'\') RETURNING "id"`,
		}, log.statements[:2])
	})
}

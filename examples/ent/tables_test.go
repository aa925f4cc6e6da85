package main

import (
	"database/sql"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/examples/ent/ent/migrate"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// eachDriver runs a test with ent's driver on an empty cluster of each product.
func eachDriver(t *testing.T, test func(t *testing.T, db *entsql.Driver)) {
	for _, product := range products {
		t.Run(string(product), func(t *testing.T) {
			leaktest.Check(t)
			fake := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Product(product))
			conn, err := sql.Open("esdriver", fake.DSN())
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, conn.Close()) })
			test(t, entsql.OpenDB(dialect.Postgres, conn))
		})
	}
}

func TestTableIsMadeOfTheGeneratedOne(t *testing.T) {
	statement, err := createTable(migrate.BooksTable)
	require.NoError(t, err)
	assert.Equal(t, `CREATE TABLE IF NOT EXISTS "books" ("id" BIGINT NOT NULL AUTO_INCREMENT, "title" VARCHAR NOT NULL, `+
		`"form" VARCHAR NOT NULL, "pages" BIGINT NOT NULL, "lent" BOOLEAN NOT NULL, "subjects" JSON, "author_id" VARCHAR, `+
		`PRIMARY KEY ("id"))`, statement)
}

func TestTablesThatAreThereAreLeftAlone(t *testing.T) {
	eachDriver(t, func(t *testing.T, db *entsql.Driver) {
		require.NoError(t, createTables(t.Context(), db, migrate.Tables))
		require.NoError(t, db.Exec(t.Context(), `INSERT INTO authors (id, name) VALUES ('a', 'b')`, []any{}, nil))
		require.NoError(t, createTables(t.Context(), db, migrate.Tables))
		var rows entsql.Rows
		require.NoError(t, db.Query(t.Context(), `SELECT name FROM authors WHERE id = 'a'`, []any{}, &rows))
		name, err := entsql.ScanString(rows)
		require.NoError(t, err)
		assert.Equal(t, "b", name)
	})
}

func TestEveryTypeOfAFieldHasAColumn(t *testing.T) {
	eachDriver(t, func(t *testing.T, db *entsql.Driver) {
		id := &schema.Column{Name: "id", Type: field.TypeUUID}
		table := &schema.Table{Name: "every_type", Columns: []*schema.Column{id}, PrimaryKey: []*schema.Column{id}}
		for typ := field.TypeBool; typ.Valid(); typ++ {
			if typ != field.TypeOther {
				table.Columns = append(table.Columns, &schema.Column{Name: typ.ConstName(), Type: typ, Nullable: true})
			}
		}
		place := map[string]string{dialect.Postgres: "geo_point"}
		table.Columns = append(table.Columns, &schema.Column{Name: "long", Type: field.TypeString, Size: 100_000},
			&schema.Column{Name: "place", Type: field.TypeOther, SchemaType: place})
		assert.Len(t, table.Columns, 1+19+2)
		assert.NoError(t, createTables(t.Context(), db, []*schema.Table{table}))
	})
}

func TestWhatATableCannotKeepIsRefused(t *testing.T) {
	eachDriver(t, func(t *testing.T, db *entsql.Driver) {
		a, b := &schema.Column{Name: "a", Type: field.TypeInt}, &schema.Column{Name: "b", Type: field.TypeInt}
		both := []*schema.Column{a, b}
		unique := &schema.Column{Name: "c", Type: field.TypeInt, Unique: true}
		made := &schema.Column{Name: "d", Type: field.TypeUUID, Default: schema.Expr("gen_random_uuid()")}
		second := []*schema.Index{{Unique: true, Columns: both[1:]}}
		for _, c := range []struct {
			names string
			table schema.Table
		}{
			{"a primary key of several columns", schema.Table{Columns: both, PrimaryKey: both}},
			{"UNIQUE", schema.Table{Columns: []*schema.Column{a, unique}, PrimaryKey: both[:1]}},
			{"UNIQUE", schema.Table{Columns: both, PrimaryKey: both[:1], Indexes: second}},
			{"GEN_RANDOM_UUID", schema.Table{Columns: []*schema.Column{a, made}, PrimaryKey: both[:1]}},
		} {
			c.table.Name = "t"
			err := createTables(t.Context(), db, []*schema.Table{&c.table})
			assert.ErrorIs(t, err, esdriver.ErrUnsupported, c.names)
			assert.ErrorContains(t, err, c.names)
		}
		other := &schema.Table{Name: "t", Columns: []*schema.Column{{Name: "a", Type: field.TypeOther}}}
		assert.ErrorContains(t, createTables(t.Context(), db, []*schema.Table{other}), "column a: no type")
	})
}

package esbun_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// TestConditionsChooseTheirRows has the ways in which bun writes WHERE.
func TestConditionsChooseTheirRows(t *testing.T) {
	type query = *bun.SelectQuery
	either := func(q query) query { return q.Where("scale = 10").WhereOr("scale = 20") }
	isOran := func(q query) query { return q.Where("place = 'Oran'") }
	groups := func(q query) query { return q.WhereGroup(" AND ", either).WhereGroup(" AND NOT ", isOran) }
	large := func(q bun.QueryBuilder) bun.QueryBuilder { return q.Where("scale > ?", 15) }
	oran := struct {
		Scale int
		Place string
	}{20, "Oran"}
	two := []Map{{ID: 3}, {ID: 1, Place: "Delft"}}
	conditions := map[string]struct {
		apply func(q query) query
		ids   []int64
	}{
		"keys of rows":       {func(q query) query { return q.Model(&two).WherePK() }, []int64{1, 3}},
		"columns of rows":    {func(q query) query { return q.Model(&two).WherePK("id", "place") }, []int64{1}},
		"a list":             {func(q query) query { return q.Where("place IN (?)", bun.List([]string{"Oran"})) }, []int64{2}},
		"a tuple":            {func(q query) query { return q.Where("id IN ?", bun.Tuple([]int{1, 2})) }, []int64{1, 2}},
		"an empty list":      {func(q query) query { return q.Where("place IN (?)", bun.List([]string{})) }, nil},
		"an empty tuple":     {func(q query) query { return q.Where("id IN ?", bun.Tuple([]int{})) }, nil},
		"groups":             {groups, []int64{1}},
		"a query builder":    {func(q query) query { return q.ApplyQueryBuilder(large) }, []int64{2, 3}},
		"fields of a struct": {func(q query) query { return q.Where("scale = ?scale AND place = ?place", oran) }, []int64{2}},
		"NULL":               {func(q query) query { return q.Where("note IS NOT NULL") }, []int64{2}},
		"always":             {func(q query) query { return q.Where("1 = 1") }, []int64{1, 2, 3}},
		"never":              {func(q query) query { return q.Where("1 = 2") }, nil},
		"a negative number":  {func(q query) query { return q.Where("scale-? > 30", -10) }, []int64{3}},
		"an offset alone":    {func(q query) query { return q.Offset(1) }, []int64{2, 3}},
		"hints of MySQL":     {func(q query) query { return q.UseIndex("x").Comment("they */ mean nothing") }, []int64{1, 2, 3}},
	}
	onMaps(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		for name, c := range conditions {
			var ids []int64
			q := c.apply(db.NewSelect().Model((*Map)(nil))).ColumnExpr("?TablePKs").OrderExpr("map.id")
			require.NoError(t, q.Scan(t.Context(), &ids), name)
			assert.Equal(t, c.ids, ids, name)
		}
	})
}

func TestGroupsAreSummedUp(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		insert(t, db, &[]Book{{Title: "a", Pages: 1}, {Title: "a", Pages: 2}, {Title: "b", Pages: 1}})
		var sums []struct {
			Title string
			Total int
		}
		require.NoError(t, db.NewSelect().Model((*Book)(nil)).Column("title").ColumnExpr("SUM(pages) AS total").Group("title").
			Having("SUM(pages) > ?", 1).Order("title").Scan(t.Context(), &sums))
		require.Len(t, sums, 1)
		assert.Equal(t, 3, sums[0].Total)
	})
}

// TestUpdatesChangeWhatTheySay has the ways in which bun writes UPDATE of one row.
func TestUpdatesChangeWhatTheySay(t *testing.T) {
	onMaps(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		row := func() *Map {
			m := &Map{ID: 1}
			require.NoError(t, db.NewSelect().Model(m).WherePK().Scan(t.Context()))
			return m
		}
		update := func(q *bun.UpdateQuery) *Map {
			result, err := q.Exec(t.Context())
			require.NoError(t, err)
			n, err := result.RowsAffected()
			require.NoError(t, err)
			assert.EqualValues(t, 1, n)
			return row()
		}
		m := row()
		m.Drawn, m.Scale = time.Unix(99, 0), 11
		m = update(db.NewUpdate().Model(m).WherePK())
		assert.Equal(t, 11, m.Scale)
		assert.EqualValues(t, 5, m.Drawn.Unix(), "skipupdate")
		assert.Equal(t, &Size{1, 2}, m.Folded)

		fake.Node(0).Kill()
		m = update(db.NewUpdate().Model(&Map{ID: 1, Place: "Gouda"}).OmitZero().WherePK())
		assert.Equal(t, 11, m.Scale, "zero values are left out")
		m = update(db.NewUpdate().Model(&map[string]any{"place": "Ypres", "note": nil}).Table("maps").Where("id = 1"))
		assert.Equal(t, "Ypres", m.Place)
		m = update(db.NewUpdate().Model(&Map{ID: 1}).Column("place").Value("place", "UPPER(?)", "ghent").WherePK())
		assert.Equal(t, "GHENT", m.Place)
		m = update(db.NewUpdate().Model(&Map{ID: 1, Place: "Liège"}).Set("place = ?place").Where("id = ?id"))
		assert.Equal(t, "Liège", m.Place)
		m = update(db.NewUpdate().Model(m).Set("scale = scale-?", -5).WherePK())
		assert.Equal(t, 16, m.Scale, "a minus and a negative number are no comment")
		m = update(db.NewUpdate().Model(m).Set("note = ?", bun.NullZero("")).WherePK())
		assert.Nil(t, m.Note)

		require.ErrorContains(t, second(db.NewUpdate().Model(&Map{ID: 1}).OmitZero().WherePK().Exec(t.Context())), "empty SET")
		_, err := db.NewUpdate().Model((*Map)(nil)).Set("scale = 1").Exec(t.Context())
		require.ErrorContains(t, err, "at least one Where")
		result, err := db.NewUpdate().Model((*Map)(nil)).Set("scale = scale + 1").Where("1 = 1").Exec(t.Context())
		require.NoError(t, err)
		n, err := result.RowsAffected()
		require.NoError(t, err)
		assert.EqualValues(t, 3, n)
	})
}

// TestInsertsKeepOrChangeTheRowThatIsThere has the ways in which bun writes INSERT of a key that is taken.
func TestInsertsKeepOrChangeTheRowThatIsThere(t *testing.T) {
	type query = *bun.InsertQuery
	inserts := []struct {
		name  string
		apply func(db *bun.DB, q query) query
		rows  int64
		place string
	}{
		{"do nothing", func(_ *bun.DB, q query) query { return q.On("CONFLICT DO NOTHING").Returning("*") }, 0, "Delft"},
		{"every column", func(_ *bun.DB, q query) query { return q.On("CONFLICT (id) DO UPDATE") }, 1, "Lima"},
		{"every column, by MySQL's words", func(_ *bun.DB, q query) query { return q.On("DUPLICATE KEY UPDATE") }, 1, "Lima"},
		{"of the row that is there", func(_ *bun.DB, q query) query {
			return q.On("CONFLICT (id) DO UPDATE").Set("place = map.place || EXCLUDED.place")
		}, 1, "DelftLima"},
		{"values", func(db *bun.DB, q query) query {
			return q.On("CONFLICT (id) DO UPDATE").SetValues(db.NewValues(&map[string]any{"place": "Rome"}))
		}, 1, "Rome"},
		{"replace", func(_ *bun.DB, q query) query { return q.Replace() }, 1, "Lima"},
		{"an expression", func(_ *bun.DB, q query) query { return q.Replace().Value("place", "UPPER(?)", "Lima") }, 1, "LIMA"},
	}
	onMaps(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		for i, c := range inserts {
			if i == len(inserts)/2 {
				fake.Node(1).Kill()
			}
			before := db.NewUpdate().Model(&Map{ID: 1, Place: "Delft"}).Column("place").WherePK()
			require.NoError(t, second(before.Exec(t.Context())))
			result, err := c.apply(db, db.NewInsert().Model(&Map{ID: 1, Place: "Lima"})).Exec(t.Context())
			require.NoError(t, err, c.name)
			n, err := result.RowsAffected()
			require.NoError(t, err)
			assert.Equal(t, c.rows, n, c.name)
			m := Map{ID: 1}
			require.NoError(t, db.NewSelect().Model(&m).Column("place").WherePK().Scan(t.Context()))
			assert.Equal(t, c.place, m.Place, c.name)
		}
	})
}

// Shelf has defaults.
type Shelf struct {
	ID    string    `bun:",pk"`
	Room  string    `bun:",nullzero,notnull,default:'unknown'"`
	Width int64     `bun:",nullzero,default:42"`
	Open  bool      `bun:",default:true"`
	Built time.Time `bun:",nullzero,default:now()"`
}

func TestDefaultsAreFilledInAndComeBack(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		require.NoError(t, db.ResetModel(t.Context(), (*Shelf)(nil)))
		shelf := Shelf{ID: "a"}
		insert(t, db, &shelf)
		assert.WithinDuration(t, time.Now(), shelf.Built, time.Minute)
		shelf.Built = time.Time{}
		assert.Equal(t, Shelf{ID: "a", Room: "unknown", Width: 42, Open: true}, shelf)
	})
}

func TestRowsOfManyAreDeletedByTheirKeys(t *testing.T) {
	onMaps(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		gone := Map{ID: 2}
		require.NoError(t, second(db.NewDelete().Model(&gone).WherePK().Returning("place").Exec(t.Context())))
		assert.Equal(t, "Oran", gone.Place)
		require.NoError(t, second(db.NewDelete().Model(&[]Map{{ID: 1}, {ID: 3}}).WherePK().Comment("both").Exec(t.Context())))
		assert.Empty(t, fake.Docs("maps"))
	})
}

func TestSoftDeletedRowsAreHiddenUntilAskedFor(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		books := []Book{{Title: "a"}, {Title: "b"}, {Title: "c"}}
		insert(t, db, &books)
		all := func() *bun.SelectQuery { return db.NewSelect().Model((*Book)(nil)) }
		titles := func(q *bun.SelectQuery) (titles []string) {
			require.NoError(t, q.Column("title").Order("title").Scan(t.Context(), &titles))
			return titles
		}
		require.NoError(t, second(db.NewDelete().Model((*Book)(nil)).Where("title = ?", "a").Exec(t.Context())))
		fake.Node(1).Kill()
		pair := books[1:]
		require.NoError(t, second(db.NewDelete().Model(&pair).WherePK().Exec(t.Context())))
		assert.Empty(t, titles(all()))
		assert.Equal(t, []string{"a", "b", "c"}, titles(all().WhereDeleted()))
		back := db.NewUpdate().Model(&books[2]).Set("deleted_at = NULL").WherePK().WhereAllWithDeleted()
		require.NoError(t, second(back.Exec(t.Context())))
		assert.Equal(t, []string{"c"}, titles(all()))
		require.NoError(t, second(db.NewDelete().Model((*Book)(nil)).WhereDeleted().ForceDelete().Exec(t.Context())))
		assert.Equal(t, []string{"c"}, titles(all().WhereAllWithDeleted()))
		require.NoError(t, second(db.NewDelete().Model((*Book)(nil)).Where("1 = 1").ForceDelete().Exec(t.Context())))
		assert.Empty(t, fake.Docs("books"))
	})
}

func TestDefinitionsTakeWhatAnIndexCanKeep(t *testing.T) {
	type labelled struct {
		ID    string `bun:",pk"`
		Label string `bun:",unique"`
	}
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		shelf := func(name string) *bun.CreateTableQuery {
			return db.NewCreateTable().Model((*Shelf)(nil)).ModelTableExpr(name)
		}
		require.NoError(t, second(shelf("a").Varchar(10).ColumnExpr("mail VARCHAR").Comment("x").Exec(t.Context())))
		values := map[string]any{"id": "x", "mail": "y"}
		require.NoError(t, second(db.NewInsert().Model(&values).TableExpr("a").Exec(t.Context())))
		require.NoError(t, second(shelf("a").IfNotExists().Exec(t.Context())))
		require.Error(t, second(shelf("a").Exec(t.Context())))
		for range 2 {
			add := db.NewAddColumn().Model((*Tag)(nil)).IfNotExists().ColumnExpr("colour VARCHAR(9)")
			require.NoError(t, second(add.Exec(t.Context())))
		}
		require.NoError(t, db.ResetModel(t.Context(), (*Tag)(nil)))
		loan := db.NewCreateTable().Model((*Loan)(nil)).ModelTableExpr("b")
		for what, err := range map[string]error{
			"UNIQUE":        second(db.NewCreateTable().Model((*labelled)(nil)).Exec(t.Context())),
			"a foreign key": second(loan.WithForeignKeys().Exec(t.Context())),
			"DROP INDEX":    second(db.NewDropIndex().Index("i").IfExists().Exec(t.Context())),
		} {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), what)
		}
		require.Error(t, second(shelf("c").PartitionBy("HASH (id)").Exec(t.Context())))
		require.NoError(t, second(db.NewDropTable().Model((*Tag)(nil)).Cascade().Exec(t.Context())))
	})
}

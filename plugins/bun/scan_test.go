package esbun_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
)

// Size is kept inside the table of what it is the size of.
type Size struct{ Width, Height int }

// Map is on paper; its columns are of sorts that are scanned in ways of their own.
type Map struct {
	ID     int64 `bun:",pk,autoincrement"`
	Place  string
	Scale  int
	Note   *string
	Raw    json.RawMessage
	Any    any    `bun:"type:json"`
	Sheet  Size   `bun:"embed:sheet_"`
	Folded *Size  `bun:"embed:folded_"`
	Owner  *Owner `bun:"type:varchar"`
	Legend *Legend
	Series sql.NullInt64
	Drawn  time.Time `bun:",skipupdate"`
	Seen   int       `bun:",scanonly"`
}

// Owner is a value that makes its own text.
type Owner struct{ name string }

// Value is the text.
func (o *Owner) Value() (driver.Value, error) { return "of " + o.name, nil }

// Scan takes the text.
func (o *Owner) Scan(text any) error {
	o.name = text.(string)[len("of "):]
	return nil
}

// Legend makes its own JSON.
type Legend struct{ Signs []string }

// MarshalJSON gives the signs one more.
func (l *Legend) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"Signs": append(l.Signs, "north")})
}

// onMaps runs a test with a table of three maps.
func onMaps(t *testing.T, test func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB)) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		require.NoError(t, db.ResetModel(t.Context(), (*Map)(nil)))
		insert(t, db, &[]Map{
			{
				ID: 1, Place: "Delft", Scale: 10, Raw: json.RawMessage(`{"a": [1]}`), Any: "x", Sheet: Size{3, 4},
				Folded: &Size{1, 2}, Owner: &Owner{"Ann"}, Legend: &Legend{},
				Series: sql.NullInt64{Int64: 7, Valid: true}, Drawn: time.Unix(5, 0),
			},
			{ID: 2, Place: "Oran", Scale: 20, Note: pointer("torn")},
			{ID: 3, Place: "Pisa", Scale: 30},
		})
		test(t, fake, db)
	})
}

func TestRowsAreScannedIntoWhatTheCallerHas(t *testing.T) {
	onMaps(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		ctx := t.Context()
		maps := func() *bun.SelectQuery { return db.NewSelect().Model((*Map)(nil)).Order("id") }
		fake.Node(2).Kill()

		scale, places, scales := 0, []string{}, []int{}
		require.NoError(t, maps().Column("scale").Limit(1).Scan(ctx, &scale))
		assert.Equal(t, 10, scale)
		require.NoError(t, maps().Column("note").Limit(1).Scan(ctx, &scale))
		assert.Zero(t, scale, "NULL is nothing")
		require.NoError(t, maps().Column("place", "scale").Scan(ctx, &places, &scales))
		assert.Equal(t, []string{"Delft", "Oran", "Pisa"}, places)
		assert.Equal(t, []int{10, 20, 30}, scales)
		require.ErrorIs(t, maps().Column("scale").Where("id = 4").Scan(ctx, &scale), sql.ErrNoRows)

		var row map[string]any
		require.NoError(t, maps().Column("place", "scale").Where("id = 2").Scan(ctx, &row))
		assert.Equal(t, map[string]any{"place": "Oran", "scale": int64(20)}, row)
		var rows []map[string]any
		require.NoError(t, maps().Column("place").Where("id > 1").Scan(ctx, &rows))
		assert.Equal(t, []map[string]any{{"place": "Oran"}, {"place": "Pisa"}}, rows)

		var drawn string
		require.NoError(t, maps().Column("drawn").Limit(1).Scan(ctx, &drawn))
		at, err := time.Parse(time.RFC3339, drawn)
		require.NoError(t, err)
		assert.True(t, at.Equal(time.Unix(5, 0)))
	})
}

func TestStructsTakeNestedColumnsAndRefuseThoseTheyHaveNot(t *testing.T) {
	onMaps(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		type view struct {
			Scale int
			By    *struct{ Note string }
			Seen  int `bun:",scanonly"`
		}
		maps := func(columns string) *bun.SelectQuery { return db.NewSelect().TableExpr("maps").ColumnExpr(columns) }
		var without, with view
		require.NoError(t, maps("scale, note AS by__note").Where("id = 1").Scan(t.Context(), &without))
		assert.Equal(t, view{Scale: 10}, without)
		require.NoError(t, maps("scale, note AS by__note, 5 AS seen").Where("id = 2").Scan(t.Context(), &with))
		assert.Equal(t, "torn", with.By.Note)
		assert.Equal(t, 5, with.Seen)
		require.ErrorContains(t, maps("scale AS nothing").Where("id = 1").Scan(t.Context(), &with), "does not have column")
		require.ErrorContains(t, maps("scale").Scan(t.Context()), "Model(nil)")
		require.ErrorContains(t, second(db.NewInsert().Model(Map{}).Exec(t.Context())), "non-pointer")
	})
}

func TestEveryFieldOfAStructComesBack(t *testing.T) {
	onMaps(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		var maps []*Map
		require.NoError(t, db.NewSelect().Model(&maps).Order("id").Scan(t.Context()))
		require.Len(t, maps, 3)
		first, last := maps[0], maps[2]
		assert.Equal(t, Size{3, 4}, first.Sheet)
		assert.Equal(t, &Size{1, 2}, first.Folded)
		assert.JSONEq(t, `{"a": [1]}`, string(first.Raw))
		assert.Equal(t, "x", first.Any)
		assert.Equal(t, "Ann", first.Owner.name)
		assert.EqualValues(t, 7, first.Series.Int64)
		assert.Equal(t, []string{"north"}, first.Legend.Signs)
		assert.Nil(t, last.Legend)
		assert.Nil(t, last.Raw)
		assert.Nil(t, last.Any)
		assert.Nil(t, last.Owner)
		assert.Nil(t, last.Note)
		assert.False(t, last.Series.Valid)
	})
}

func TestRowsAreScannedOneByOneOrAllAtOnce(t *testing.T) {
	onMaps(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		query := db.NewSelect().Model((*Map)(nil)).Column("scale").OrderExpr("map.scale DESC")
		rows, err := query.Rows(t.Context())
		require.NoError(t, err)
		defer rows.Close()
		var scale int
		require.True(t, rows.Next())
		require.NoError(t, db.ScanRow(t.Context(), rows, &scale))
		assert.Equal(t, 30, scale)
		var rest []int
		require.NoError(t, db.ScanRows(t.Context(), rows, &rest))
		assert.Equal(t, []int{20, 10}, rest)
		require.NoError(t, rows.Err())
	})
}

func TestStatementsOfTheCallersOwnAreQuotedToo(t *testing.T) {
	onMaps(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		var scale int
		raw := db.NewRaw("SELECT scale FROM ? WHERE place = ?", bun.Ident("maps"), "Oran")
		require.NoError(t, raw.Scan(t.Context(), &scale))
		assert.Equal(t, 20, scale)
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.NewRaw("SELECT MAX(scale) FROM maps").Scan(t.Context(), &scale))
		assert.Equal(t, 30, scale)
		text := "\\\"'hello\n%_"
		var got string
		require.NoError(t, db.NewSelect().ColumnExpr("?", text).Scan(t.Context(), &got))
		assert.Equal(t, text, got)
		require.NoError(t, db.PingContext(t.Context()))
	})
}

// broken is a value that has none.
type broken struct{}

func (broken) Value() (driver.Value, error) { return nil, errors.New("no value") }

// itself is a value that gives no other.
type itself string

func (v itself) Value() (driver.Value, error) { return v, nil }

func TestValueThatFailsSendsNothing(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		for _, value := range []driver.Valuer{broken{}, itself("x")} {
			changed := db.NewUpdate().Model((*Tag)(nil)).Set("name = ?", value).Where("name = ?", "x")
			require.Error(t, second(changed.Exec(t.Context())))
			inserted := db.NewInsert().Model(&map[string]any{"name": value}).TableExpr("tags")
			require.Error(t, second(inserted.Exec(t.Context())))
		}
		assert.Empty(t, fake.Docs("tags"))
	})
}

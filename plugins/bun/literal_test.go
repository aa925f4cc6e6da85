package esbun_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// Sample has a column of each sort.
type Sample struct {
	ID    int64 `bun:",pk"`
	Text  string
	Raw   []byte
	Deep  map[string]any
	List  []string
	Real  float64
	Short uint16
	Wide  uint32
	Sure  *bool
	When  time.Time `bun:"type:timestamp(9)"`
	Addr  netip.Addr
}

// hard are strings that end early, or arrive altered, when they are quoted by doubling alone.
var hard = []string{
	``, `'`, `\`, `\\`, `\'`, `'\`, `\\'`, `it's`, `C:\new\table`, `\' OR 1=1 -- `, `") -- `, "`", `?`, `$1`, `:name`, `--`, `/* `, `*/`,
	"a\nb\r\t", `%_`, `N'x'`, `''`, `\"`, `ü\€`, `'; DROP TABLE samples; --`,
}

func TestEveryStringArrivesAsItIs(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		_, err := db.NewCreateTable().Model((*Sample)(nil)).Exec(t.Context())
		require.NoError(t, err)
		texts := append([]string{"\x00"}, hard...)
		for range 40 {
			texts = append(texts, randomText())
		}
		var rows []Sample
		for i, text := range texts {
			rows = append(rows, Sample{ID: int64(i) + 1, Text: text, Raw: []byte(text), List: []string{text}, Deep: map[string]any{"k": text}, When: time.Unix(0, 0), Addr: netip.IPv6Loopback()})
		}
		insert(t, db, &rows)
		for i, text := range texts {
			var got Sample
			require.NoError(t, db.NewSelect().Model(&got).Where("id = ?", i+1).Scan(t.Context()))
			assert.Equal(t, text, got.Text)
			assert.Equal(t, text, string(got.Raw))
			assert.Equal(t, []string{text}, got.List)
			assert.Equal(t, text, got.Deep["k"])
		}
	})
}

// randomText is made of what servers and lexers trip over.
func randomText() string {
	const alphabet = `\\\'''"` + "`" + `?$:-/*;aN%_ é`
	runes := []rune(alphabet)
	text := make([]rune, rand.IntN(12))
	for i := range text {
		text[i] = runes[rand.IntN(len(runes))]
	}
	return string(text)
}

// TestEveryStringFindsItsRow sends strings to the server's own SQL. OpenSearch before 3.0 has no literal for one that ends
// in an odd number of backslashes, which is an error there and nothing else.
func TestEveryStringFindsItsRow(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		for _, text := range hard[1:] {
			insert(t, db, &Author{Name: text})
		}
		for _, text := range hard[1:] {
			var got []Author
			err := db.NewSelect().Model(&got).Where("name = ?", text).Where("name <> ?", "no such").Scan(t.Context())
			if err != nil && text[len(text)-1] == '\\' {
				require.ErrorContains(t, err, "backslash")
				continue
			}
			require.NoError(t, err, "%q", text)
			require.Len(t, got, 1, "%q", text)
			assert.Equal(t, text, got[0].Name)
		}
	})
}

func TestEveryTypeKeepsItsValues(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *bun.DB) {
		_, err := db.NewCreateTable().Model((*Sample)(nil)).Exec(t.Context())
		require.NoError(t, err)
		want := Sample{
			ID: 1<<62 + 1, Text: "x", Raw: []byte{0, 0xff, '\'', '\\'}, Deep: map[string]any{"a": "b"}, List: []string{"1", "2"}, Real: -1.5e-7,
			Short: 65535, Wide: 1<<32 - 1, Sure: pointer(true), When: time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.FixedZone("", 3600)),
			Addr: netip.MustParseAddr("10.1.2.3"),
		}
		insert(t, db, &want)
		got := Sample{ID: want.ID}
		require.NoError(t, db.NewSelect().Model(&got).WherePK().Scan(t.Context()))
		assert.True(t, want.When.Equal(got.When), "%s", got.When)
		got.When = want.When
		assert.Equal(t, want, got)

		n, err := db.NewSelect().Model((*Sample)(nil)).Where(`"when" = ?`, want.When).Where(`"when" < ?`, want.When.Add(1)).Count(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
	})
}

func TestWhatHasNoLiteralIsAnError(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		for _, author := range []Author{{ID: "a", Name: "\xff"}, {ID: "b", Born: pointer(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))}} {
			_, err := db.NewInsert().Model(&author).Exec(t.Context())
			require.Error(t, err)
		}
		assert.Empty(t, fake.Docs("authors"))
	})
}

func BenchmarkAppendString(b *testing.B) {
	d := esbun.New()
	buffer := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buffer = d.AppendString(buffer[:0], `it's a path: C:\new`)
	}
}

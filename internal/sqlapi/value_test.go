package sqlapi

import (
	"math"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTimesOfEveryShapeAreRead(t *testing.T) {
	lmt := time.FixedZone("", 9*3600+18*60+59)
	for text, want := range map[string]time.Time{
		"2026-10-01T07:04:56.789Z":            time.Date(2026, 10, 1, 7, 4, 56, 789e6, time.UTC),
		"2026-10-01T18:04:56.123456789+05:30": time.Date(2026, 10, 1, 12, 34, 56, 123456789, time.UTC),
		"2026-10-01 07:04:56.123456789":       time.Date(2026, 10, 1, 7, 4, 56, 123456789, time.UTC),
		"2026-10-01 07:04:56":                 time.Date(2026, 10, 1, 7, 4, 56, 0, time.UTC),
		"2026-10-01T07:04Z":                   time.Date(2026, 10, 1, 7, 4, 0, 0, time.UTC),
		"2026-10-01":                          time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC),
		"-0001-01-01T00:00:00.000Z":           time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
		"+10000-01-01T08:59:59.999+09:00":     time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC),
		"0001-01-01T09:18:59.000+09:18:59":    time.Date(1, 1, 1, 9, 18, 59, 0, lmt),
		"1969-12-31 23:59:59.999":             time.Date(1969, 12, 31, 23, 59, 59, 999e6, time.UTC),
		"1970-01-01 00:00:00.000000001":       time.Unix(0, 1),
		"2026-10-01T04:04:56.5-03:00":         time.Date(2026, 10, 1, 7, 4, 56, 5e8, time.UTC),
	} {
		got, ok := parseTime([]byte(text))
		if assert.True(t, ok, text) {
			assert.True(t, want.Equal(got), "%s: %s", text, got)
		}
	}
	for _, text := range []string{"", "12:34:56.789Z", "2026-10-01T", "2026-13-01", "2026-10-01T25:00:00Z", "2026-10-01T07:04:56.Z",
		"2026-10-01T07:04:56Zx", "2026-1-1", "20261001", "not a date", "2026-10-01T07:04:56+5", "1234567890123"} {
		_, ok := parseTime([]byte(text))
		assert.False(t, ok, text)
	}
}

func FuzzParseTimeAgreesWithPackageTime(f *testing.F) {
	f.Add(int64(1), int64(2))
	f.Fuzz(func(t *testing.T, sec, nsec int64) {
		want := time.Unix(sec%253402300799, nsec%1e9).UTC() // to the end of the year 9999
		if want.Year() < 0 {
			return
		}
		got, ok := parseTime([]byte(want.Format(time.RFC3339Nano)))
		require.True(t, ok, "%s", want)
		require.True(t, want.Equal(got))
	})
}

func TestCellsBecomeTheirColumnsTypes(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	elastic := &reading{zone: tokyo, days: true}
	openSearch := &reading{zone: time.UTC}
	for _, c := range []struct {
		typ, cell string
		r         *reading
		want      any
	}{
		{"long", "9223372036854775807", elastic, int64(math.MaxInt64)},
		{"long", "-9223372036854775808", elastic, int64(math.MinInt64)},
		{"unsigned_long", "18446744073709551615", elastic, uint64(math.MaxUint64)},
		{"unsigned_long", "7", elastic, int64(7)},
		{"integer", "100.0", elastic, int64(100)},
		{"long", "1.5", openSearch, 1.5},
		{"double", "-0.0", elastic, math.Copysign(0, -1)},
		{"double", "1", elastic, 1.0},
		{"double", `"Infinity"`, elastic, math.Inf(1)},
		{"double", `"-Infinity"`, elastic, math.Inf(-1)},
		{"double", `"g001"`, openSearch, "g001"},
		{"keyword", "4", openSearch, int64(4)},
		{"keyword", `"a\"\u00e9"`, elastic, `a"é`},
		{"keyword", `"NaN"`, elastic, "NaN"},
		{"text", "null", elastic, nil},
		{"null", "null", elastic, nil},
		{"boolean", "true", elastic, true},
		{"boolean", `"true"`, openSearch, "true"},
		{"binary", `"AAEC/w=="`, elastic, []byte{0, 1, 2, 255}},
		{"binary", `"not base64!"`, elastic, "not base64!"},
		{"date", `"2026-10-01T00:00:00.000+05:30"`, elastic, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)},
		{"date", `"2026-10-01"`, openSearch, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)},
		{"date", `"2026-10-01 02:03:04"`, openSearch, time.Date(2026, 10, 1, 2, 3, 4, 0, time.UTC)},
		{"timestamp", `"12:34:56"`, openSearch, "12:34:56"},
		{"time", `"12:34:56.789Z"`, elastic, "12:34:56.789Z"},
		{"interval_day", `"PT48H"`, elastic, "PT48H"},
		{"geo_point", `"POINT (1 2)"`, elastic, "POINT (1 2)"},
		{"geo_point", `{"lat":1,"lon":2}`, openSearch, []byte(`{"lat":1,"lon":2}`)},
		{"nested", `[{"a":1}]`, openSearch, []byte(`[{"a":1}]`)},
		{"undefined", "123456789012345678901234567890", openSearch, "123456789012345678901234567890"},
	} {
		col := newColumn("c", "", c.typ)
		got, err := c.r.value(&col, jsontext.Value(c.cell))
		require.NoError(t, err, c.cell)
		assert.Equal(t, c.want, got, "%s %s", c.typ, c.cell)
	}
	col := newColumn("c", "", "datetime")
	got, err := elastic.value(&col, jsontext.Value(`"2026-10-01T07:04:56.789Z"`))
	require.NoError(t, err)
	assert.Equal(t, "2026-10-01T16:04:56.789+09:00", got.(time.Time).Format(time.RFC3339Nano))
}

func TestSeveralValuesAreReadAsAsked(t *testing.T) {
	tags := newColumn("tags", "", "keyword")
	for arrays, want := range map[Arrays]any{ArraysFirst: "red", ArraysJSON: []byte(`["red","blue"]`)} {
		r := &reading{zone: time.UTC, arrays: arrays}
		got, err := r.value(&tags, jsontext.Value(`["red","blue"]`))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	first := &reading{zone: time.UTC, arrays: ArraysFirst}
	got, err := first.value(&tags, jsontext.Value(`[]`))
	require.NoError(t, err)
	assert.Nil(t, got)
	_, err = (&reading{zone: time.UTC}).value(&tags, jsontext.Value(`["red","blue"]`))
	require.ErrorIs(t, err, ErrArray)
	assert.ErrorContains(t, err, "tags")
}

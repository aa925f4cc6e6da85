package sqlapi_test

import (
	"database/sql"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// openAnswer opens a database that gives one answer to everything.
func openAnswer(t *testing.T, product sqlapi.Product, arrays sqlapi.Arrays, answer string) *sql.DB {
	server := &script{answer: func(path, _ string) (int, string) {
		if path == "/" {
			return 200, `{"version":{"distribution":"opensearch","number":"3.8.0"}}`
		}
		return 200, answer
	}}
	db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: server, Product: product, Options: sqlapi.Options{Arrays: arrays}})})
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// oneCell is an answer of one row and column, in either product's form.
func oneCell(product sqlapi.Product, typ, cell string) string {
	if product == sqlapi.OpenSearch {
		return `{"schema":[{"name":"c","type":"` + typ + `"}],"datarows":[[` + cell + `]],"total":1,"size":1,"status":200}`
	}
	return `{"columns":[{"name":"c","type":"` + typ + `"}],"rows":[[` + cell + `]]}`
}

// anything is a value that is scanned into an any.
type anything struct{ value any }

func TestValuesOfEveryTypeScanAsAUserExpects(t *testing.T) {
	const es, opensearch = sqlapi.Elasticsearch, sqlapi.OpenSearch
	at := time.Date(2026, 10, 1, 7, 4, 56, 123456789, time.UTC)
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	text, number := "x", int64(7)
	for _, c := range []struct {
		product   sqlapi.Product
		typ, cell string
		want      any // of the type of the destination
	}{
		{es, "boolean", "true", true}, {es, "boolean", "true", sql.Null[bool]{V: true, Valid: true}}, {es, "boolean", "true", anything{true}},
		{es, "byte", "-128", int8(-128)}, {es, "short", "300", int16(300)}, {es, "integer", "7", int32(7)},
		{es, "long", "9223372036854775807", int64(math.MaxInt64)}, {es, "long", "7", &number}, {es, "long", "7", "7"}, {es, "long", "7", sql.Null[int64]{V: 7, Valid: true}},
		{es, "integer", "100.0", 100},
		{es, "unsigned_long", "18446744073709551615", uint64(math.MaxUint64)}, {es, "unsigned_long", "18446744073709551615", anything{uint64(math.MaxUint64)}},
		{es, "unsigned_long", "18446744073709551615", sql.Null[uint64]{V: math.MaxUint64, Valid: true}}, {es, "unsigned_long", "18446744073709551615", "18446744073709551615"},
		{es, "unsigned_long", "7", uint64(7)}, {es, "unsigned_long", "7", int64(7)}, {es, "unsigned_long", "7", sql.Null[uint64]{V: 7, Valid: true}},
		{es, "double", "1.5", 1.5}, {es, "float", "0.1", float32(0.1)}, {es, "double", `"Infinity"`, math.Inf(1)}, {es, "half_float", `"-Infinity"`, sql.Null[float64]{V: math.Inf(-1), Valid: true}},
		{es, "scaled_float", "12.34", sql.NullFloat64{Float64: 12.34, Valid: true}}, {es, "double", "3", 3},
		{es, "keyword", `"x"`, "x"}, {es, "keyword", `"x"`, &text}, {es, "text", `"x"`, []byte("x")}, {es, "text", `"x"`, sql.RawBytes("x")}, {es, "ip", `"::1"`, sql.Null[string]{V: "::1", Valid: true}},
		{es, "version", `"1.2.3"`, anything{"1.2.3"}}, {es, "keyword", `"7"`, 7},
		{es, "binary", `"AP8="`, []byte{0, 255}}, {es, "binary", `"AP8="`, sql.RawBytes{0, 255}}, {es, "binary", `""`, []byte{}},
		{es, "datetime", `"2026-10-01T12:34:56.123456789+05:30"`, at}, {es, "datetime", `"2026-10-01T07:04:56.123456789Z"`, sql.NullTime{Time: at, Valid: true}},
		{es, "datetime", `"2026-10-01T07:04:56.123456789Z"`, "2026-10-01T07:04:56.123456789Z"},
		{es, "date", `"2026-10-01T00:00:00.000+05:30"`, day}, {es, "time", `"12:34:56.789Z"`, "12:34:56.789Z"}, {es, "interval_day_to_second", `"PT26H3M4.5S"`, "PT26H3M4.5S"},
		{es, "geo_point", `"POINT (1 2)"`, "POINT (1 2)"},
		{es, "keyword", "null", sql.Null[string]{}}, {es, "long", "null", (*int64)(nil)}, {es, "null", "null", anything{nil}}, {es, "datetime", "null", sql.Null[time.Time]{}},
		{es, "binary", "null", []byte(nil)}, {es, "long", "null", sql.NullInt64{}},
		{opensearch, "timestamp", `"2026-10-01 07:04:56.123456789"`, at}, {opensearch, "datetime", `"2026-10-01 07:04:56.123456789"`, at}, {opensearch, "date", `"2026-10-01"`, day},
		{opensearch, "time", `"12:34:56"`, "12:34:56"}, {opensearch, "undefined", "null", anything{nil}}, {opensearch, "float", "65504.0", float32(65504)},
		{opensearch, "object", `{"a":[1,{"b":"}"}]}`, json.RawMessage(`{"a":[1,{"b":"}"}]}`)}, {opensearch, "object", `{"a":1}`, `{"a":1}`}, {opensearch, "object", `{"a":1}`, anything{[]byte(`{"a":1}`)}},
		{opensearch, "nested", `[{"a":1},{"a":2}]`, json.RawMessage(`[{"a":1},{"a":2}]`)}, {opensearch, "text", `[{"a":1},{"a":2}]`, json.RawMessage(`[{"a":1},{"a":2}]`)},
		{opensearch, "geo_point", `{"lat":1.0,"lon":2}`, json.RawMessage(`{"lat":1.0,"lon":2}`)}, {opensearch, "binary", `"AP8="`, []byte{0, 255}},
		{opensearch, "integer", `"42"`, 42}, {opensearch, "boolean", `"true"`, true}, {opensearch, "double", `"1.5"`, 1.5}, // as the legacy engine sends them
	} {
		db := openAnswer(t, c.product, sqlapi.ArraysError, oneCell(c.product, c.typ, c.cell))
		rows, err := db.Query("SELECT c FROM idx")
		require.NoError(t, err)
		require.True(t, rows.Next())
		dest := reflect.New(reflect.TypeOf(c.want))
		if want, ok := c.want.(anything); ok {
			c.want, dest = want.value, reflect.New(reflect.TypeFor[any]())
		}
		require.NoError(t, rows.Scan(dest.Interface()), "%s %s", c.typ, c.cell)
		assertScanned(t, c.want, dest.Elem().Interface(), c.typ+" "+c.cell)
		require.False(t, rows.Next())
		require.NoError(t, rows.Err())
	}
}

func TestValuesThatDoNotFitTheirDestinationAreAnError(t *testing.T) {
	for _, c := range []struct {
		typ, cell string
		dest      any
	}{
		{"short", "300", new(int8)}, {"long", "-1", new(uint64)}, {"unsigned_long", "18446744073709551615", new(int64)}, {"keyword", "null", new(string)},
		{"keyword", `"x"`, new(int)}, {"double", "1.5", new(int)}, {"keyword", `"2026-10-01"`, new(time.Time)}, {"double", `"NaN"`, new(int)},
	} {
		err := openAnswer(t, sqlapi.Elasticsearch, sqlapi.ArraysError, oneCell(sqlapi.Elasticsearch, c.typ, c.cell)).QueryRow("SELECT c FROM idx").Scan(c.dest)
		require.Error(t, err, "%s %s into %T", c.typ, c.cell, c.dest)
	}
}

func assertScanned(t *testing.T, want, got any, msg string) {
	t.Helper()
	if at, ok := want.(time.Time); ok {
		assert.True(t, at.Equal(got.(time.Time)), "%s: %v", msg, got)
		return
	}
	assert.Equal(t, want, got, msg)
}

func TestNaNScans(t *testing.T) {
	var f float64
	db := openAnswer(t, sqlapi.Elasticsearch, sqlapi.ArraysError, oneCell(sqlapi.Elasticsearch, "double", `"NaN"`))
	require.NoError(t, db.QueryRow("SELECT c FROM idx").Scan(&f))
	assert.True(t, math.IsNaN(f))
}

func TestRawBytesHoldUntilTheNextRow(t *testing.T) {
	db := openAnswer(t, sqlapi.OpenSearch, sqlapi.ArraysError,
		`{"schema":[{"name":"s","type":"keyword"},{"name":"b","type":"binary"},{"name":"o","type":"object"},{"name":"n","type":"long"}],"datarows":[["one","AQ==",{"a":1},1],["two","Ag==",{"a":2},2],[null,null,null,null]],"total":3,"size":3,"status":200}`)
	rows, err := db.Query("SELECT s, b, o, n FROM idx")
	require.NoError(t, err)
	defer rows.Close()
	var s, b, o, n sql.RawBytes
	var read [][]string
	for rows.Next() {
		require.NoError(t, rows.Scan(&s, &b, &o, &n))
		read = append(read, []string{string(s), string(b), string(o), string(n)})
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, [][]string{{"one", "\x01", `{"a":1}`, "1"}, {"two", "\x02", `{"a":2}`, "2"}, {"", "", "", ""}}, read)
}

func TestSeveralValuesScanAsTheOptionSays(t *testing.T) {
	answer := oneCell(sqlapi.OpenSearch, "keyword", `["red","blue"]`)
	var text string
	require.NoError(t, openAnswer(t, sqlapi.OpenSearch, sqlapi.ArraysFirst, answer).QueryRow("SELECT c FROM idx").Scan(&text))
	assert.Equal(t, "red", text)
	var raw json.RawMessage
	require.NoError(t, openAnswer(t, sqlapi.OpenSearch, sqlapi.ArraysJSON, answer).QueryRow("SELECT c FROM idx").Scan(&raw))
	assert.JSONEq(t, `["red","blue"]`, string(raw))
	err := openAnswer(t, sqlapi.OpenSearch, sqlapi.ArraysError, answer).QueryRow("SELECT c FROM idx").Scan(&text)
	var array *sqlapi.ArrayError
	require.ErrorAs(t, err, &array)
	assert.Equal(t, "c", array.Column)
	assert.Equal(t, "22000", array.SQLState())
	require.ErrorIs(t, err, sqlapi.ErrArray)
}

func TestColumnTypesTellWhatIsKnown(t *testing.T) {
	for _, c := range []struct {
		product sqlapi.Product
		typ     string
		name    string
		scan    reflect.Type
		length  int64 // 0: not of variable length
	}{
		{sqlapi.Elasticsearch, "boolean", "BOOLEAN", reflect.TypeFor[sql.Null[bool]](), 0},
		{sqlapi.Elasticsearch, "byte", "BYTE", reflect.TypeFor[sql.Null[int64]](), 0},
		{sqlapi.Elasticsearch, "unsigned_long", "UNSIGNED_LONG", reflect.TypeFor[sql.Null[uint64]](), 0},
		{sqlapi.Elasticsearch, "scaled_float", "SCALED_FLOAT", reflect.TypeFor[sql.Null[float64]](), 0},
		{sqlapi.Elasticsearch, "keyword", "KEYWORD", reflect.TypeFor[sql.Null[string]](), 32766},
		{sqlapi.Elasticsearch, "text", "TEXT", reflect.TypeFor[sql.Null[string]](), math.MaxInt64},
		{sqlapi.Elasticsearch, "binary", "BINARY", reflect.TypeFor[[]byte](), math.MaxInt64},
		{sqlapi.Elasticsearch, "datetime", "DATETIME", reflect.TypeFor[sql.Null[time.Time]](), 0},
		{sqlapi.Elasticsearch, "date", "DATE", reflect.TypeFor[sql.Null[time.Time]](), 0},
		{sqlapi.Elasticsearch, "time", "TIME", reflect.TypeFor[sql.Null[string]](), 0},
		{sqlapi.Elasticsearch, "interval_year_to_month", "INTERVAL_YEAR_TO_MONTH", reflect.TypeFor[sql.Null[string]](), 0},
		{sqlapi.Elasticsearch, "null", "NULL", reflect.TypeFor[any](), 0},
		{sqlapi.OpenSearch, "timestamp", "TIMESTAMP", reflect.TypeFor[sql.Null[time.Time]](), 0},
		{sqlapi.OpenSearch, "nested", "NESTED", reflect.TypeFor[[]byte](), math.MaxInt64},
		{sqlapi.OpenSearch, "undefined", "UNDEFINED", reflect.TypeFor[any](), 0},
		{sqlapi.OpenSearch, "knn_vector", "KNN_VECTOR", reflect.TypeFor[any](), 0},
	} {
		rows, err := openAnswer(t, c.product, sqlapi.ArraysError, oneCell(c.product, c.typ, "null")).Query("SELECT c FROM idx")
		require.NoError(t, err)
		types, err := rows.ColumnTypes()
		require.NoError(t, err)
		require.Len(t, types, 1)
		column := types[0]
		assert.Equal(t, "c", column.Name())
		assert.Equal(t, c.name, column.DatabaseTypeName())
		assert.Equal(t, c.scan, column.ScanType(), c.typ)
		nullable, known := column.Nullable()
		assert.True(t, nullable && known)
		length, varies := column.Length()
		assert.Equal(t, c.length, length, c.typ)
		assert.Equal(t, c.length > 0, varies)
		_, _, decimal := column.DecimalSize()
		assert.False(t, decimal)
		require.True(t, rows.Next())
		require.NoError(t, rows.Scan(reflect.New(column.ScanType()).Interface()), "NULL fits")
		require.NoError(t, rows.Close())
	}
}

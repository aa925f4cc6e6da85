package sqlapi_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// shout is a Valuer with a value receiver, of which a nil pointer stands for NULL.
type shout string

func (s shout) Value() (driver.Value, error) { return string(s) + "!", nil }

// quiet is a Valuer that knows what its nil pointer means.
type quiet struct{}

func (q *quiet) Value() (driver.Value, error) {
	if q == nil {
		return "nil", nil
	}
	return nil, errors.New("no value")
}

// TestArgumentsReachTheServerAsTheyAre sends each argument through database/sql to Elasticsearch, which takes it as
// JSON.
func TestArgumentsReachTheServerAsTheyAre(t *testing.T) {
	type id uint32
	var (
		large  = uint64(math.MaxInt64)
		text   = "x"
		raw    = json.RawMessage(`{"a":"b"}`)
		absent *shout
		at     = time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))
	)
	server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
	db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})})
	defer db.Close()
	for _, c := range []struct {
		arg  any
		want string
	}{
		{nil, `null`}, {true, `true`}, {1, `1`}, {int8(-1), `-1`}, {id(7), `7`}, {large, `9223372036854775807`}, {&large, `9223372036854775807`},
		{1.0, `1.0`}, {float32(0.5), `0.5`}, {1e300, `1e+300`}, {"it's \"x\" \\", `"it's \"x\" \\"`}, {&text, `"x"`}, {(*string)(nil), `null`},
		{[]byte{0, 255}, `"AP8="`}, {raw, `"{\"a\":\"b\"}"`}, {&raw, `"{\"a\":\"b\"}"`}, {json.RawMessage(nil), `null`},
		{at, `"2026-01-02T02:04:05.0000006Z"`}, {sql.Null[time.Time]{V: at, Valid: true}, `"2026-01-02T02:04:05.0000006Z"`},
		{sql.Null[uint64]{V: large, Valid: true}, `9223372036854775807`}, {sql.Null[uint64]{}, `null`}, {sql.NullString{String: "s", Valid: true}, `"s"`},
		{sql.Null[json.RawMessage]{V: raw, Valid: true}, `"{\"a\":\"b\"}"`}, {sql.Null[json.RawMessage]{}, `null`}, {sql.Null[int64]{}, `null`},
		{shout("hey"), `"hey!"`}, {absent, `null`}, {(*quiet)(nil), `"nil"`},
	} {
		rows, err := db.Query("SELECT a FROM t WHERE a = ?", c.arg)
		require.NoError(t, err, "%T %v", c.arg, c.arg)
		require.NoError(t, rows.Close())
		assert.Contains(t, server.sent[len(server.sent)-1], `"params":[`+c.want+`]`, "%T", c.arg)
	}
}

func TestArgumentsThatCannotArriveAreRefusedOnBothServers(t *testing.T) {
	for _, product := range []sqlapi.Product{sqlapi.Elasticsearch, sqlapi.OpenSearch} {
		server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
		db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: server, Product: product})})
		defer db.Close()
		beyond := uint64(math.MaxInt64) + 1
		for _, arg := range []any{beyond, &beyond, sql.Null[uint64]{V: beyond, Valid: true}, math.NaN(), math.Inf(-1), "\xff",
			time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), []string{"a"}, struct{}{}, make(chan int), &quiet{}, sql.Out{Dest: new(int)}} {
			_, err := db.Query("SELECT COUNT(*) FROM t WHERE a = ?", arg)
			require.Error(t, err, "%T", arg)
			require.NotErrorIs(t, err, driver.ErrBadConn)
		}
		assert.Empty(t, server.sent)
	}
}

func TestNumberOfArgumentsIsCheckedBeforeAnythingIsSent(t *testing.T) {
	server := &script{answer: func(string, string) (int, string) { return 200, oneRow }}
	db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})})
	defer db.Close()
	for text, args := range map[string][]any{
		"SELECT a FROM t WHERE a = ?":                 {},
		"SELECT a FROM t WHERE a = ? AND b = 1":       {1, 2},
		"SELECT a FROM t WHERE a = $2":                {1},
		"SELECT a FROM t WHERE a = :x":                {sql.Named("y", 1)},
		"SELECT a FROM t WHERE a = @x AND b = @y":     {sql.Named("x", 1)},
		"SELECT a FROM t WHERE a = ? AND b = ? AND 1": {sql.Named("x", 1), 2},
	} {
		_, err := db.Query(text, args...)
		require.Error(t, err, text)
		stmt, err := db.Prepare(text)
		require.NoError(t, err, text)
		_, err = stmt.QueryContext(context.Background(), args...)
		require.Error(t, err, text)
		require.NoError(t, stmt.Close())
	}
	assert.Empty(t, server.sent)
}

func TestCursorThatNobodyAskedForIsACutResult(t *testing.T) {
	server := &script{}
	server.answer = func(path, body string) (int, string) {
		if body != `{"cursor":"n:1f8b"}` {
			return 200, `{"schema":[{"name":"n","type":"integer"}],"datarows":[[1],[2]],"total":2,"size":2,"status":200,"cursor":"n:1f8b"}`
		}
		return 200, `{"schema":[{"name":"n","type":"integer"}],"datarows":[],"total":0,"size":0,"status":200}`
	}
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
	for _, strict := range []bool{false, true} {
		ctx := sqlapi.WithCall(context.Background(), sqlapi.Call{FetchSize: -1, StrictLimits: strict})
		_, rows, err := readAll(ctx, client, "SELECT n FROM t", nil)
		assert.Len(t, rows, 2)
		var limit *sqlapi.LimitError
		assert.Equal(t, strict, errors.As(err, &limit), "%v", err)
	}
}

// TestLargeUnsignedArgumentsKeepTheirValue: reads refuse them on both servers, documents take them.
func TestLargeUnsignedArgumentsKeepTheirValue(t *testing.T) {
	beyond := uint64(math.MaxInt64) + 1
	for _, arg := range []any{beyond, &beyond, sql.Null[uint64]{V: beyond, Valid: true}} {
		v := driver.NamedValue{Ordinal: 1, Value: arg}
		require.NoError(t, (&sqlapi.Stmt{}).CheckNamedValue(&v))
		assert.Equal(t, beyond, v.Value, "%T", arg)
	}
}

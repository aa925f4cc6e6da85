package enginetest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

const (
	batchRows       = 1000 // of one INSERT
	insertWriters   = 4
	insertTable     = "enginetest-inserted"
	insertedColumns = 4 // that a row gives a value for
)

// TestKilledNodeDoublesAndLosesNoInsertedRow inserts 10,000 rows, 100,000 with -long, while a node is killed and started
// again. The last fifth waits for the node to be back.
func TestKilledNodeDoublesAndLosesNoInsertedRow(t *testing.T) {
	leaktest.Check(t)
	e, h := newReal(t), newHarness(t)
	r := &insertion{T: t, load: &load{engine: e, index: insertTable, nodes: e.facts.nodes}, batches: 10}
	if *long {
		r.batches = 100
	}
	r.open()
	r.began = time.Now()
	r.run(map[int]func(){
		r.batches / 5:     func() { h.do(t, "kill 1") },
		r.batches * 2 / 5: func() { h.do(t, "up 1") },
		r.batches * 4 / 5: func() { r.answers(t, 1) },
	})
	took := time.Since(r.began)
	r.whole(t)
	r.check()
	t.Logf("%d rows over %s in %s, the slowest INSERT in %s", r.batches*batchRows, e.facts.release(),
		took.Round(time.Millisecond), time.Duration(r.slowest.Load()).Round(time.Millisecond))
}

// insertion is many INSERTs by several writers at once.
type insertion struct {
	*testing.T
	*load
	batches int
	slowest atomic.Int64 // nanoseconds
}

// open makes the table.
func (r *insertion) open() {
	r.patient = openCluster(r.T, r.engine.DSN(), "sampler=sniff")
	r.cluster = openCluster(r.T, r.engine.DSN(), "sampler=sniff", "refresh=false")
	r.db = esdriver.OpenDB(r.cluster)
	r.Cleanup(func() { require.NoError(r.T, r.db.Close()) })
	r.delete(r.T)
	r.Cleanup(func() { r.delete(r.T) })
	_, err := r.db.Exec(`CREATE TABLE "` + insertTable + `" (id BIGSERIAL PRIMARY KEY, n BIGINT, name VARCHAR, price DOUBLE, raw BYTEA)
		WITH (number_of_shards = 3, number_of_replicas = 1)`)
	require.NoError(r.T, err)
	r.whole(r.T)
}

// run inserts all batches; meanwhile tells what is done before one is begun, while those before it are on their way.
func (r *insertion) run(meanwhile map[int]func()) {
	var writers sync.WaitGroup
	defer writers.Wait()
	next := make(chan int)
	defer close(next)
	for range insertWriters {
		writers.Go(func() {
			for batch := range next {
				r.insert(batch)
			}
		})
	}
	for batch := range r.batches {
		if do := meanwhile[batch]; do != nil {
			do()
		}
		next <- batch
	}
}

func (r *insertion) insert(batch int) {
	args := make([]any, 0, batchRows*insertedColumns)
	for i := range batchRows {
		name, price, raw := inserted(int64(batch*batchRows + i))
		args = append(args, batch*batchRows+i, name, price, raw)
	}
	began := time.Now()
	result, err := r.db.ExecContext(context.Background(), insertOf(batchRows), args...)
	if assert.NoError(r.T, err) {
		n, _ := result.RowsAffected()
		assert.EqualValues(r.T, batchRows, n)
	}
	r.slow(int64(time.Since(began)))
}

func (r *insertion) slow(took int64) {
	for old := r.slowest.Load(); took > old && !r.slowest.CompareAndSwap(old, took); old = r.slowest.Load() {
	}
}

// insertOf is an INSERT of so many rows.
func insertOf(rows int) string {
	return `INSERT INTO "` + insertTable + `" (n, name, price, raw) VALUES (?, ?, ?, ?)` + strings.Repeat(`, (?, ?, ?, ?)`, rows-1)
}

// inserted are the values of the row with a number.
func inserted(n int64) (name string, price float64, raw []byte) {
	return fmt.Sprintf("row '%d' \"ä\\\n\x00 🎉", n), float64(n) / 3, []byte{byte(n), 0, 255, byte(n >> 8)}
}

// check reads every row, and finds each number once, with its values.
func (r *insertion) check() {
	seen := make(map[int64]bool, r.batches*batchRows)
	require.Equal(r.T, 200, send(r.T, r.patient, "POST", "/"+insertTable+"/_refresh", "").status)
	count := send(r.T, r.patient, "POST", "/"+insertTable+"/_count", "")
	assert.EqualValues(r.T, r.batches*batchRows, count.number("count"))
	page := send(r.T, r.patient, "POST", "/"+insertTable+"/_search?scroll=1m", `{"size":5000,"sort":["_doc"]}`)
	for len(page.list("hits.hits")) > 0 {
		for _, hit := range page.list("hits.hits") {
			r.checkRow(seen, hit.(map[string]any)["_source"].(map[string]any))
		}
		page = send(r.T, r.patient, "POST", "/_search/scroll", fmt.Sprintf(`{"scroll":"1m","scroll_id":%q}`, page.word("_scroll_id")))
	}
	require.Equal(r.T, 200, page.status, page.text)
	send(r.T, r.patient, "DELETE", "/_search/scroll", fmt.Sprintf(`{"scroll_id":[%q]}`, page.word("_scroll_id")))
	assert.Len(r.T, seen, r.batches*batchRows)
}

func (r *insertion) checkRow(seen map[int64]bool, row map[string]any) {
	n := int64(row["n"].(float64))
	require.False(r.T, seen[n], "row %d is there twice", n)
	seen[n] = true
	name, price, raw := inserted(n)
	delete(row, "id")
	require.Equal(r.T, map[string]any{
		"n": float64(n), "name": name, "price": price, "raw": base64.StdEncoding.EncodeToString(raw),
	}, row)
}

// awkward are values that something on the way might alter, by the type of their column.
var awkward = []struct {
	typ    string
	values []any
}{
	{"TEXT", []any{
		"", " ", "it's", `C:\dir\`, `\' OR 1=1 -- `, "\"a\" `b` ? $1 :x", "a\nb\r\n\tc", "nul\x00byte", "你好 🎉 é é", "\u2028\u2029\ufeff\ufffd",
		"\x01\x1f\x7f\u0080", "</script>&<>", "null", "true", "1e400", "2026-01-02", `{"a":[1,2]}`, "\U0010ffff", "%_*?",
		strings.Repeat("1 MB äöü\n", 1<<17),
	}},
	{"VARCHAR", []any{"", "it's", `\`, "\x00", "🎉", strings.Repeat("ä", 8000)}},
	{"BYTEA", []any{[]byte{0}, []byte{255, 254, 0, 1}, []byte("text"), bytes.Repeat([]byte{0, 1, 128, 255}, 1<<18)}},
	{"BIGINT", []any{int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), int64(1<<53 + 1), int64(-1<<53 - 1)}},
	{"DOUBLE", []any{0.1, -0.1, 1.0, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, -math.MaxFloat64, 1.0 / 3, 9007199254740993.0, math.Pi}},
	{"BOOLEAN", []any{true, false}},
	{"TIMESTAMP", []any{
		time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999e6, time.UTC),
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC),
	}},
	{"TIMESTAMP(9)", []any{
		time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 1, time.UTC),
		time.Date(2262, 1, 1, 0, 0, 0, 999999999, time.UTC),
	}},
}

// unsigned is for engines that have such numbers. Those that an int64 holds come as one.
var unsigned = []any{int64(0), int64(math.MaxInt64), uint64(math.MaxInt64) + 1, uint64(math.MaxUint64)}

func TestFakeKeepsAwkwardValuesAsTheyAre(t *testing.T) {
	leaktest.Check(t)
	for _, f := range fakes {
		t.Run(f.release(), func(t *testing.T) { keepAwkward(t, newFake(t, f)) })
	}
}

func TestRealClusterBehavesAsTheFakeWithAwkwardValues(t *testing.T) {
	leaktest.Check(t)
	keepAwkward(t, newReal(t))
}

func keepAwkward(t *testing.T, e engine) {
	cluster := openCluster(t, e.DSN(), "refresh=true")
	db := esdriver.OpenDB(cluster)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	w := &writing{T: t, Assertions: assert.New(t), db: db, cluster: cluster}
	t.Cleanup(w.clear)
	for i, column := range awkward {
		w.keeps(fmt.Sprintf("awkward-%d", i), column.typ, column.values)
	}
	if f := e.Facts(); f.product == fakecluster.OpenSearch && f.atLeast(2, 8) {
		w.keeps("awkward-unsigned", "UNSIGNED_LONG", unsigned)
	}
}

// keeps inserts values with one statement, and reads them as the server's JSON, by SELECT, and by RETURNING.
func (w *writing) keeps(name, typ string, values []any) {
	t := w.table(name)
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, v ` + typ + `)`)
	var args []any
	for i, v := range values {
		args = append(args, i, v)
	}
	text := `INSERT INTO ` + t + ` VALUES (?, ?)` + strings.Repeat(`, (?, ?)`, len(values)-1)
	w.EqualValues(len(values), w.exec(text, args...))
	w.holds(t, values)
	w.reads(typ, values, `SELECT v FROM `+t+` WHERE id = ?`)
	w.reads(typ, values, `DELETE FROM `+t+` WHERE id = ? RETURNING v`)
}

// reads asks for each value. A SELECT of a type that OpenSearch's own SQL gives in another form goes to that, which not
// every engine here has.
func (w *writing) reads(typ string, values []any, text string) {
	if strings.HasPrefix(text, "SELECT") && (typ == "UNSIGNED_LONG" || strings.HasPrefix(typ, "TIMESTAMP")) {
		return
	}
	for i, want := range values {
		var got any
		require.NoError(w.T, w.db.QueryRow(text, i).Scan(&got))
		w.True(sameValue(want, got), "%s: %.40q became %.40q (%T)", typ, fmt.Sprint(want), fmt.Sprint(got), got)
	}
}

// holds compares the documents' JSON with what encoding/json makes of the values.
func (w *writing) holds(table string, values []any) {
	a := send(w.T, w.cluster, "POST", "/"+strings.Trim(table, `"`)+"/_search", `{"size":100,"sort":["id"]}`)
	var found struct {
		Hits struct {
			Hits []struct {
				Source struct{ V json.RawMessage } `json:"_source"`
			}
		}
	}
	require.NoError(w.T, json.Unmarshal([]byte(a.text), &found))
	require.Len(w.T, found.Hits.Hits, len(values))
	for i, hit := range found.Hits.Hits {
		w.True(sameJSON(values[i], hit.Source.V), "%.40q is kept as %.40s", fmt.Sprint(values[i]), hit.Source.V)
	}
}

// sameValue compares a value with what was read of its column, type and all.
func sameValue(want, got any) bool {
	switch want := want.(type) {
	case []byte:
		b, ok := got.([]byte)
		return ok && bytes.Equal(want, b)
	case time.Time:
		at, ok := got.(time.Time)
		return ok && want.Equal(at)
	}
	return want == got
}

// sameJSON reports whether a value is what JSON says. Numbers and times may be written in different ways.
func sameJSON(want any, text json.RawMessage) bool {
	switch want := want.(type) {
	case []byte:
		return decodesTo(text, func(b []byte) bool { return bytes.Equal(b, want) })
	case string:
		return decodesTo(text, func(s string) bool { return s == want })
	case float64:
		return decodesTo(text, func(f float64) bool { return f == want })
	case time.Time:
		return decodesTo(text, want.Equal)
	}
	return fmt.Sprint(want) == string(text) // integers and booleans
}

func decodesTo[T any](text json.RawMessage, is func(T) bool) bool {
	var v T
	return json.Unmarshal(text, &v) == nil && is(v)
}

package sqlapi

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readPage decodes an answer; the rows that came before an error are returned with it.
func readPage(body io.Reader, chunk int64) (columns []column, rows [][]driver.Value, cursor string, err error) {
	resp := &http.Response{Body: io.NopCloser(body), Request: &http.Request{}}
	p, err := openPage(resp, &reading{columns: new(columnCache), zone: time.UTC, days: true, arrays: ArraysJSON}, nil, chunk)
	if err != nil {
		return nil, nil, "", err
	}
	defer p.free()
	for {
		row := make([]driver.Value, len(p.columns))
		ok, err := p.next(row)
		if err != nil || !ok {
			return p.columns, rows, p.cursor, err
		}
		rows = append(rows, row)
	}
}

func FuzzPageIsReadTheSameHoweverItArrives(f *testing.F) {
	f.Add(benchPage()[:2000])
	f.Add([]byte(`{"columns":[{"name":"a","type":"long"}],"rows":[[1],[2]],"cursor":"x"}`))
	f.Add([]byte(`{"schema":[{"name":"a","alias":"","type":"keyword"}],"total":1,"datarows":[["a\"\\"],[[1,{"b":"]"}]]],"size":1,"status":200}`))
	f.Add([]byte(`{"error":{"type":"x","reason":"y"},"status":500}`))
	f.Add([]byte(`{"columns":[],"rows":[[],[]]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		_, whole, cursor, err := readPage(bytes.NewReader(answer), 1<<20)
		_, pieces, cursorOfPieces, errOfPieces := readPage(iotest.OneByteReader(bytes.NewReader(answer)), 1)
		require.Equal(t, err == nil, errOfPieces == nil, "%v, %v", err, errOfPieces)
		require.Equal(t, fmt.Sprint(whole), fmt.Sprint(pieces)) // as text: NaN is not equal to itself
		require.Equal(t, cursor, cursorOfPieces)
	})
}

// TestRandomRowsAreReadAsEncodingJSONWritesThem writes pages of every kind of value and of every length, some larger
// than the window, and reads them back.
func TestRandomRowsAreReadAsEncodingJSONWritesThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		rows := make([][]any, random.IntN(40))
		for i := range rows {
			rows[i] = []any{random.Int64() >> random.IntN(64), randomText(random, n), random.NormFloat64(), random.IntN(2) == 0, nil}
		}
		raw, err := json.Marshal(map[string]any{
			"columns": []map[string]string{{"name": "i", "type": "long"}, {"name": "s", "type": "keyword"}, {"name": "f", "type": "double"},
				{"name": "b", "type": "boolean"}, {"name": "n", "type": "null"}},
			"rows": rows, "cursor": "c",
		})
		require.NoError(t, err)
		columns, got, cursor, err := readPage(iotest.HalfReader(bytes.NewReader(raw)), 500)
		require.NoError(t, err)
		require.Len(t, columns, 5)
		assert.Equal(t, "c", cursor)
		require.Len(t, got, len(rows))
		for i := range rows {
			for j := range rows[i] {
				require.Equal(t, rows[i][j], got[i][j])
			}
		}
	}
}

func randomText(random *rand.Rand, n int) string {
	length := random.IntN(40)
	if n%20 == 0 && random.IntN(10) == 0 {
		length = 200_000
	}
	text := make([]rune, length)
	for i := range text {
		text[i] = []rune(`ab"\,[]{}:é漢😀` + "\n\t\x00\u2028")[random.IntN(17)]
	}
	return string(text)
}

func TestAnswerThatIsCutIsAnErrorAtEveryLength(t *testing.T) {
	whole := []byte(`{"columns":[{"name":"a","type":"long"}],"rows":[[1],[22]],"cursor":"x"}`)
	for n := range whole {
		_, _, _, err := readPage(bytes.NewReader(whole[:n]), 1<<20)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d", n)
		var broken *AnswerError
		require.ErrorAs(t, err, &broken)
	}
}

func TestAnswerThatIsNoResultIsAnError(t *testing.T) {
	for _, answer := range []string{
		`<html>proxy</html>`, `[]`, `{}`, `{"columns":[{"name":"a","type":"long"}],"rows":[1]}`, `{"columns":1,"rows":[]}`,
		`{"columns":[{"name":"a","type":"long"}],"rows":[[1,2]]}`, `{"columns":[{"name":"a","type":"long"},{"name":"b","type":"long"}],"rows":[[1]]}`,
		`{"columns":[{"name":"a","type":"long"}],"rows":[[nope]]}`, `{"columns":[{"name":"a","type":"long"}],"rows":[[1] [2]]}x`,
		`{"columns":[{"name":"a","type":"long"}],"rows":[[1]]} {}`, `{"columns":[{"name":"a","type":"long"}],"rows":[[tru]]}`,
		`{"columns":[{"name":"a","type":"long"}],"values":[[1]],"is_partial":true}`,
	} {
		_, _, _, err := readPage(bytes.NewReader([]byte(answer)), 1<<20)
		var broken *AnswerError
		require.ErrorAs(t, err, &broken, answer)
	}
}

func TestErrorWithStatus200IsFound(t *testing.T) {
	for _, answer := range []string{
		`{"error":{"reason":"There was internal problem at backend","details":"FOO","type":"UnsupportedOperationException"},"status":500}`,
		`{"status":500,"error":{"reason":"There was internal problem at backend","details":"FOO","type":"UnsupportedOperationException"}}`,
	} {
		_, _, _, err := readPage(bytes.NewReader([]byte(answer)), 1<<20)
		var failed *Error
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, 500, failed.Status)
		assert.Equal(t, "UnsupportedOperationException", failed.Type)
		require.ErrorIs(t, err, ErrUnsupported)
	}
}

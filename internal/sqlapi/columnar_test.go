package sqlapi

import (
	"database/sql/driver"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openColumnar opens an answer of Elasticsearch SQL.
func openColumnar(answer string) (*page, error) {
	r := &reading{columns: new(columnCache), zone: time.UTC, days: true, byColumn: true}
	resp := &http.Response{Body: io.NopCloser(strings.NewReader(answer)), Request: &http.Request{}}
	return openPage(resp, r, nil, 1<<20)
}

func TestAnswerByColumnGivesItsRows(t *testing.T) {
	for answer, want := range map[string][][]driver.Value{
		`{"columns":[{"name":"n","type":"integer"},{"name":"s","type":"keyword"}],"values":[[1,2,3],["a",null,"[c]"]]}`:            {{int64(1), "a"}, {int64(2), nil}, {int64(3), "[c]"}},
		`{"columns":[{"name":"n","type":"integer"},{"name":"s","type":"keyword"}],"values":[[1,2],["a","b"]],"cursor":"x"}`:        {{int64(1), "a"}, {int64(2), "b"}},
		`{"columns":[{"name":"n","type":"integer"},{"name":"s","type":"keyword"}],"values":[[],[]]}`:                               nil,
		`{"id":"a","is_partial":false,"is_running":false,"columns":[{"name":"n","type":"long"}],"values":[[9223372036854775807]]}`: {{int64(1<<63 - 1)}},
	} {
		p, err := openColumnar(answer)
		require.NoError(t, err, answer)
		var rows [][]driver.Value
		for {
			row := make([]driver.Value, len(p.columns))
			ok, err := p.next(row)
			require.NoError(t, err)
			if !ok {
				break
			}
			rows = append(rows, row)
		}
		assert.Equal(t, want, rows, answer)
		assert.Equal(t, strings.Contains(answer, "cursor"), p.cursor == "x")
		p.free()
	}
}

func TestAnswerByColumnThatDoesNotFitIsAnError(t *testing.T) {
	for _, values := range []string{`[[1],[2,3]]`, `[[1]]`, `[[1],[2],[3]]`, `{"a":1}`, `[1,2]`} {
		_, err := openColumnar(`{"columns":[{"name":"n","type":"integer"},{"name":"m","type":"integer"}],"values":` + values + `}`)
		var broken *AnswerError
		require.ErrorAs(t, err, &broken, values)
	}
}

func TestCellThatCannotBeReadByColumnComesAfterTheRowsBeforeIt(t *testing.T) {
	p, err := openColumnar(`{"columns":[{"name":"n","type":"integer"},{"name":"tags","type":"keyword"}],"values":[[1,2],["a",["b","c"]]]}`)
	require.NoError(t, err)
	row := make([]driver.Value, 2)
	ok, err := p.next(row)
	require.True(t, ok)
	require.NoError(t, err)
	_, err = p.next(row)
	require.ErrorIs(t, err, ErrArray)
}

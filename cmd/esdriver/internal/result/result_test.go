package result_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/result"
)

// written is a result in a format.
func written(t *testing.T, format string, columns []string, rows ...[]any) string {
	t.Helper()
	var b bytes.Buffer
	w, err := result.New(format, &b)
	require.NoError(t, err)
	require.NoError(t, w.Head(columns))
	for _, row := range rows {
		require.NoError(t, w.Row(row))
	}
	require.NoError(t, w.End())
	return b.String()
}

var (
	columns = []string{"id", "name", "at"}
	rows    = [][]any{
		{int64(1), "a|<b>\n\"c\"", time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)},
		{nil, []byte(`{"x":[1]}`), 0.1},
	}
)

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"table": `  id  name        at
----  ----------  ---------------------------
   1  a|<b>\n"c"  2026-01-02T03:04:05.000006Z
NULL  {"x":[1]}   0.1
`,
		"vertical": `-- row 1
id    1
name  a|<b>\n"c"
at    2026-01-02T03:04:05.000006Z
-- row 2
id    NULL
name  {"x":[1]}
at    0.1
`,
		"csv": `id,name,at
1,"a|<b>
""c""",2026-01-02T03:04:05.000006Z
,"{""x"":[1]}",0.1
`,
		"json": `[
{"id":1,"name":"a|\u003cb\u003e\n\"c\"","at":"2026-01-02T03:04:05.000006Z"},
{"id":null,"name":{"x":[1]},"at":0.1}
]
`,
		"markdown": `| id | name | at |
|---|---|---|
| 1 | a\|&lt;b>\n"c" | 2026-01-02T03:04:05.000006Z |
| NULL | {"x":[1]} | 0.1 |
`,
	} {
		got := written(t, format, columns, rows...)
		assert.Equal(t, want, got, format)
	}
}

func TestResultWithoutRows(t *testing.T) {
	for format, want := range map[string]string{
		"table": "a\n-\n", "vertical": "", "csv": "a\n", "json": "[\n]\n", "markdown": "| a |\n|---|\n",
	} {
		assert.Equal(t, want, written(t, format, []string{"a"}), format)
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	for _, format := range result.Formats {
		got := written(t, format, []string{"a", "b"}, []any{int64(9007199254740993), 0.1234567890123})
		assert.Contains(t, got, "9007199254740993", format)
		assert.Contains(t, got, "0.1234567890123", format)
	}
}

func TestValuesCannotMoveATerminalsCursor(t *testing.T) {
	for _, format := range []string{"table", "vertical", "markdown"} {
		assert.NotContains(t, written(t, format, []string{"a\x1b[1m"}, []any{"\x1b[2J\a"}), "\x1b", format)
	}
}

func TestLongTableBeginsAgainAndLosesNoRow(t *testing.T) {
	var list [][]any
	for i := range 2000 {
		list = append(list, []any{int64(i)})
	}
	lines := strings.Split(strings.TrimSpace(written(t, "table", []string{"n"}, list...)), "\n")
	assert.Len(t, lines, 2000+2*2)
}

func TestBytesThatAreNoTextAreBase64(t *testing.T) {
	assert.Equal(t, "/w==", result.Text([]byte{0xff}))
	text, err := result.JSON([]byte{0xff})
	require.NoError(t, err)
	assert.Equal(t, `"/w=="`, string(text))
}

func TestUnknownFormatIsAnErrorThatListsTheKnownOnes(t *testing.T) {
	err := result.Check("xml")
	var unknown *result.FormatError
	require.ErrorAs(t, err, &unknown)
	assert.ErrorContains(t, err, "table, vertical, csv, json, markdown")
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, format := range result.Formats {
		w, err := result.New(format, fullDisk{})
		require.NoError(t, err)
		var failed error
		for _, err := range []error{w.Head([]string{"a"}), w.Row([]any{"x"}), w.End()} {
			failed = errors.Join(failed, err)
		}
		assert.ErrorIs(t, failed, errFull, format)
	}
}

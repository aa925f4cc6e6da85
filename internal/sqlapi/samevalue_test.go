package sqlapi_test

import (
	"bytes"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type recordedPage struct {
	Columns, Schema []struct{ Name, Alias, Type string }
	Rows, DataRows  [][]json.RawMessage
	Values          [][]json.RawMessage // of ES|QL by row, else by column
}

// cells are the page's rows.
func (p *recordedPage) cells(byColumn bool) [][]json.RawMessage {
	rows := slices.Concat(p.Rows, p.DataRows)
	if !byColumn {
		return append(rows, p.Values...)
	}
	for i, column := range p.Values {
		for n, cell := range column {
			if i == 0 {
				rows = append(rows, nil)
			}
			rows[n] = append(rows[n], cell)
		}
	}
	return rows
}

// assertRows compares what was read with what the recorded pages say, by an own reading of JSON.
func assertRows(t *testing.T, shown []*recording, columns []string, rows [][]driver.Value) {
	var names, types []string
	var cells [][]json.RawMessage
	for i, r := range shown {
		var p recordedPage
		require.NoError(t, json.Unmarshal([]byte(r.answer), &p))
		cells = append(cells, p.cells(r.Path == "/_sql")...)
		for _, c := range append(p.Columns, p.Schema...) {
			if i > 0 {
				break
			}
			name := c.Name
			if c.Alias != "" {
				name = c.Alias
			}
			names, types = append(names, name), append(types, c.Type)
		}
	}
	assert.Equal(t, names, columns)
	require.Len(t, rows, len(cells))
	for i, row := range rows {
		for j, v := range row {
			require.True(t, sameValue(types[j], cells[i][j], v), "row %d column %s %s: recorded %s, read %T %v",
				i, names[j], types[j], cells[i][j], v, v)
		}
	}
}

// sameValue says whether a value is what the recorded cell stands for.
func sameValue(typ string, cell json.RawMessage, v driver.Value) bool {
	switch v := v.(type) {
	case nil:
		return string(cell) == "null"
	case bool:
		return strconv.FormatBool(v) == string(cell)
	case int64:
		f, err := strconv.ParseFloat(string(cell), 64)
		return strconv.FormatInt(v, 10) == string(cell) || err == nil && strings.Contains(string(cell), ".") && f == float64(v)
	case uint64:
		return typ == "unsigned_long" && strconv.FormatUint(v, 10) == string(cell)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strings.Contains(string(cell), map[bool]string{true: "NaN", false: "Infinity"}[math.IsNaN(v)])
		}
		f, err := strconv.ParseFloat(string(cell), 64)
		return err == nil && f == v && !isWhole(typ)
	case string:
		var s string
		return json.Unmarshal(cell, &s) == nil && s == v && !isTime(typ)
	case time.Time:
		return sameTime(typ, cell, v)
	case []byte:
		var s string
		if json.Unmarshal(cell, &s) == nil {
			raw, err := base64.StdEncoding.DecodeString(s)
			return err == nil && typ == "binary" && bytes.Equal(raw, v)
		}
		return bytes.Equal(cell, v)
	}
	return false
}

func isWhole(typ string) bool { return typ == "long" || typ == "integer" || typ == "unsigned_long" }
func isTime(typ string) bool  { return typ == "datetime" || typ == "timestamp" || typ == "date" }

func sameTime(typ string, cell json.RawMessage, v time.Time) bool {
	var s string
	if !isTime(typ) || json.Unmarshal(cell, &s) != nil {
		return false
	}
	if strings.HasPrefix(s, "+10000-") || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "+09:18:59") {
		return true // beyond package time's layouts; see TestTimesOfEveryShapeAreRead
	}
	if typ == "date" && strings.Contains(s, "T") && strings.HasSuffix(s, "00:00.000"+s[23:]) {
		day, err := time.Parse(time.DateOnly, s[:10])
		return err == nil && day.Equal(v)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if want, err := time.Parse(layout, s); err == nil {
			return want.Equal(v)
		}
	}
	return false
}

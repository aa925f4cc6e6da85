package load_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/load"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// guessed returns the properties that a dry run writes.
func guessed(t *testing.T, file string) (map[string]any, []byte) {
	t.Helper()
	var out, shown bytes.Buffer
	// Nothing listens there: a dry run has no need of it.
	err := load.Run(t.Context(), load.Config{DSN: "http://127.0.0.1:1", Files: []string{file}, DryRun: true, Out: &out, Screen: screen.New(&shown, false)})
	require.NoError(t, err)
	var mapping struct{ Properties map[string]any }
	require.NoError(t, json.Unmarshal(out.Bytes(), &mapping))
	return mapping.Properties, out.Bytes()
}

func typed(name string) map[string]any { return map[string]any{"type": name} }

var keyword = map[string]any{"type": "keyword", "ignore_above": 8191.0}

func TestTypesOfCSVAreTheNarrowestThatHoldAllValues(t *testing.T) {
	for values, want := range map[string]map[string]any{
		"1\n-2\n":                              typed("long"),
		"1\n2.5\n":                             typed("double"),
		"1e3\n":                                typed("double"),
		"9223372036854775808\n":                keyword,
		"007\n":                                keyword,
		"1\nx\n":                               keyword,
		"true\nfalse\n":                        typed("boolean"),
		"true\n1\n":                            keyword,
		"2026-01-02\n":                         typed("date"),
		"2026-01-02T03:04:05Z\n":               typed("date"),
		"2026-01-02 03:04:05\n":                {"type": "date", "format": "yyyy-MM-dd HH:mm:ss"},
		"2026-01-02 03:04:05\n2026-01-02\n":    keyword,
		string(bytes.Repeat([]byte("a"), 257)): typed("text"),
		"-\n":                                  keyword,
		"2026-13-45\n":                         keyword,
		"\"\"\n1\n":                            typed("long"),
		"1\n\"2026-01-02\"\n":                  keyword,
		string(bytes.Repeat([]byte("9"), 300)): typed("text"),
		"2026-01-02T03:04:05\n2026-02-03T00:00:00": typed("date"),
	} {
		properties, _ := guessed(t, write(t, "f.csv", "v\n"+values))
		assert.Equal(t, want, properties["v"], "%q", values)
	}
}

func TestTypesOfNDJSONFollowObjectsAndArrays(t *testing.T) {
	properties, _ := guessed(t, write(t, "f.ndjson",
		`{"a":{"b":1,"c":["x","y"]},"d":null,"e":"2026-01-02","f":[1,2.5],"g":"7","h":[{"i":true}]}`+"\n"))
	assert.Equal(t, map[string]any{
		"a": map[string]any{"properties": map[string]any{"b": typed("long"), "c": keyword}},
		"e": typed("date"), "f": typed("double"), "g": keyword,
		"h": map[string]any{"properties": map[string]any{"i": typed("boolean")}},
	}, properties)
}

func TestMappingOfADryRunCanBeChangedAndUsed(t *testing.T) {
	leaktest.Check(t)
	file := write(t, "rows.csv", "n\n1\n")
	_, text := guessed(t, file)
	changed := write(t, "m.json", string(bytes.Replace(text, []byte("long"), []byte("keyword"), 1)))
	c := fakecluster.Run(t)
	var shown bytes.Buffer
	require.NoError(t, load.Run(t.Context(), load.Config{
		DSN: c.DSN(), Files: []string{file}, Mapping: changed, Screen: screen.New(&shown, false),
	}))
	assert.Contains(t, shown.String(), "n       keyword")
	assert.Equal(t, `{"n":"1"}`, string(c.Docs("rows")[0].Source))
}

func TestMappingThatIsNoneIsRefused(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"mappings":{}}`} {
		var shown bytes.Buffer
		err := load.Run(t.Context(), load.Config{
			DSN: "http://127.0.0.1:1", Files: []string{"none.csv"}, Mapping: write(t, "m.json", text), Screen: screen.New(&shown, false),
		})
		assert.ErrorContains(t, err, "mapping", text)
	}
}

func TestFilesThatTellNoFormatOrNoNamesAreRefused(t *testing.T) {
	for name, text := range map[string]string{"f.txt": "a", "f": "a", "f.csv": "", "g.csv": "a,,b\n", "h.csv": "a,a\n"} {
		file := write(t, name, text)
		var out, shown bytes.Buffer
		err := load.Run(t.Context(), load.Config{DSN: "http://127.0.0.1:1", Files: []string{file}, DryRun: true, Out: &out, Screen: screen.New(&shown, false)})
		assert.Error(t, err, name)
	}
}

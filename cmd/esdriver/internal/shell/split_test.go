package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// split cuts a text as a script is cut.
func split(s *splitter, text string) []statement {
	var all []statement
	for line := range strings.Lines(text) {
		all = append(all, s.feed(strings.TrimSuffix(line, "\n"))...)
	}
	return append(all, s.end()...)
}

func TestStatementsEndAtSemicolonsThatAreInNoStringNameOrComment(t *testing.T) {
	for text, want := range map[string][]statement{
		"":                               nil,
		" ;; \n;":                        nil,
		"a":                              {{"a", 1, 1}},
		"a;b":                            {{"a", 1, 1}, {"b", 1, 3}},
		"\n  a\nb ;\n\n c":               {{"a\nb", 2, 3}, {"c", 5, 2}},
		"'x;''y';z":                      {{"'x;''y'", 1, 1}, {"z", 1, 9}},
		`"x;" ` + "`y;`;z":               {{`"x;" ` + "`y;`", 1, 1}, {"z", 1, 11}},
		"a -- b;\n;c":                    {{"a -- b;", 1, 1}, {"c", 2, 2}},
		"a /* ; \n ; */ b;c":             {{"a /* ; \n ; */ b", 1, 1}, {"c", 2, 9}},
		"-- only\n/* comments; */":       nil,
		"-- c\na":                        {{"-- c\na", 1, 1}},
		"/* esql */ FROM a":              {{"/* esql */ FROM a", 1, 1}},
		"a;\\d b; c\nd":                  {{"a", 1, 1}, {`\d b; c`, 1, 3}, {"d", 2, 1}},
		"-- c\n \\x\na":                  {{`\x`, 2, 2}, {"a", 3, 1}},
		"'open; \n":                      {{"'open;", 1, 1}},
		"select '\\' ; x":                {{"select '\\'", 1, 1}, {"x", 1, 14}},
		"é;ü":                            {{"é", 1, 1}, {"ü", 1, 3}},
		"a /* b":                         {{"a /* b", 1, 1}},
		"a - b; /* x */ \n -- y\n c - d": {{"a - b", 1, 1}, {"/* x */ \n -- y\n c - d", 1, 8}},
	} {
		assert.Equal(t, want, split(&splitter{}, text), "%q", text)
	}
}

func TestBackslashTakesAQuoteWithItWhereTheProductSaysSo(t *testing.T) {
	const text = `a '\';' ;b`
	assert.Equal(t, []statement{{`a '\';'`, 1, 1}, {"b", 1, 10}}, split(&splitter{escapes: true}, text))
	assert.Equal(t, []statement{{`a '\'`, 1, 1}, {"' ;b", 1, 7}}, split(&splitter{}, text))
}

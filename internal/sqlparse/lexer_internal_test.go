package sqlparse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kindsOf lexes the text and names its significant tokens.
func kindsOf(t *testing.T, flavor Flavor, text string) string {
	t.Helper()
	all, err := lex(flavor, text)
	require.NoError(t, err, text)
	marks := map[tokenKind]string{tokWord: "w", tokQuoted: "q", tokString: "s", tokNational: "N", tokNumber: "n",
		tokParam: "?", tokOp: "o", tokComment: "c"}
	var b strings.Builder
	for _, token := range all {
		b.WriteString(marks[token.kind])
	}
	return b.String()
}

func TestLexerTellsPlaceholdersFromWhatLooksLikeThem(t *testing.T) {
	for text, want := range map[string]string{
		`?`:                 "?",
		`?::INTEGER`:        "?ow",
		`a::int`:            "wow",
		`:name`:             "?",
		`a=:name`:           "wo?",
		`(:a,:b)`:           "o?o?o",
		`cluster:index`:     "wow",
		`"c":idx`:           "qow",
		`12:30`:             "non",
		`'12:30:00'`:        "s",
		`$1`:                "?",
		`$1,$12`:            "?o?",
		`a$1`:               "w",
		`$x`:                "ow",
		`@name`:             "?",
		`user@host`:         "w",
		`@@version`:         "ow",
		`{"a":1, "b": :c}`:  "oqonoqo?o",
		`{ts '2024-01-01'}`: "owso",
		`/* ? :a */`:        "c",
		`-- ? :a`:           "c",
		`"a?":b`:            "qow",
		"`a?`":              "q",
		`N'?'`:              "N",
		`n'it''s'`:          "N",
		`INN'x'`:            "ws",
	} {
		assert.Equal(t, want, kindsOf(t, Elasticsearch, text), text)
	}
}

func TestLexerReadsNumbersWordsAndNames(t *testing.T) {
	for text, want := range map[string]string{
		`1`: "n", `1.5`: "n", `.5`: "n", `1e5`: "n", `1E-05`: "n", `1.5e+3`: "n", `1e`: "w", `2x`: "w",
		`t.5`: "won", `logs-2026.11.29`: "wonon", `Ünïcødé_1`: "w", `a<=b`: "wow", `a<=>b`: "wow", `a||b`: "wow",
	} {
		assert.Equal(t, want, kindsOf(t, Elasticsearch, text), text)
	}
}

func TestEachFlavorEndsStringsAndCommentsWhereItsServerDoes(t *testing.T) {
	assert.Equal(t, "s", kindsOf(t, OpenSearch, `'\''`))
	assert.Equal(t, "s", kindsOf(t, Elasticsearch, `'\'`))
	assert.Equal(t, "sow", kindsOf(t, OpenSearch, `'\\'+a`))
	assert.Equal(t, "N", kindsOf(t, OpenSearch, `N'\'`))
	assert.Equal(t, "c", kindsOf(t, OpenSearch, `# ?`))
	assert.Equal(t, "o?", kindsOf(t, Elasticsearch, `# ?`))
	assert.Equal(t, "nc", kindsOf(t, Elasticsearch, `5--1`))
	_, err := lex(OpenSearch, `5--1`)
	assert.ErrorContains(t, err, "a comment is -- and a space")
}

func TestOpenSearchKnowsColumnsThatStartWithAnAt(t *testing.T) {
	assert.Equal(t, "wow", kindsOf(t, OpenSearch, `t.@timestamp`))
	assert.Equal(t, "?", kindsOf(t, OpenSearch, `@timestamp`))
}

// FuzzLexer: the tokens of any text make up the text, and nothing panics.
func FuzzLexer(f *testing.F) {
	for _, seed := range []string{"", `SELECT a FROM t WHERE b = 'it''s\' -- x`, "/* ", "`a``b`", `"a""b"`, `N'x`, "1.2.3e4e",
		`$1$2?:a@b`, "--", "#", `'\`, `"\`, "\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, flavor := range []Flavor{Elasticsearch, OpenSearch} {
			all, err := lex(flavor, text)
			if err != nil {
				continue
			}
			var b strings.Builder
			for _, token := range all {
				require.Less(t, token.start, token.end)
				b.WriteString(text[token.start:token.end])
			}
			require.Equal(t, text, b.String())
		}
	})
}

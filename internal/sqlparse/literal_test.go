package sqlparse_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

var (
	v2 = sqlparse.Version{Major: 2, Minor: 19}
	v3 = sqlparse.Version{Major: 3, Minor: 8}
)

// serverReads reads the string literal at the start of the text as a server does: where it ends by the lexer, which
// takes a backslash and the next character together, and what it holds by the unquoting of the version. It is written
// from the servers' rules alone and shares nothing with the code that writes.
func serverReads(text string, major int) (value, rest string, ok bool) {
	runes := []rune(text)
	if len(runes) == 0 || runes[0] != '\'' {
		return "", "", false
	}
	end := -1
	for i := 1; i < len(runes) && end < 0; i++ {
		next := rune(-1)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case runes[i] == '\\' && next >= 0, runes[i] == '\'' && next == '\'':
			i++
		case runes[i] == '\'':
			end = i
		case runes[i] == '\\':
			return "", "", false
		}
	}
	if end < 0 {
		return "", "", false
	}
	return serverUnquotes(runes[1:end], major), string(runes[end+1:]), true
}

func serverUnquotes(inner []rune, major int) string {
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if i+1 < len(inner) {
			pair := string(inner[i : i+2])
			if pair == `''` || major >= 3 && (pair == `\\` || pair == `\'` || pair == `\"`) {
				i++
			}
		}
		b.WriteRune(inner[i])
	}
	return b.String()
}

// requireExact checks that the value arrives as it is, within its literal, or is refused where it may be.
func requireExact(t testing.TB, value string, v sqlparse.Version) {
	literal, err := sqlparse.OpenSearchString(value, v)
	if err != nil {
		require.Less(t, v.Major, 3, "%q was refused: %v", value, err)
		trailing := len(value) - len(strings.TrimRight(value, `\`))
		require.Equal(t, 1, trailing%2, "%q was refused: %v", value, err)
		return
	}
	got, rest, ok := serverReads(literal+" OR x = 'y'", v.Major)
	if !ok || got != value || rest != " OR x = 'y'" {
		require.Failf(t, "altered", "%q was written %s and read as %q, then %q", value, literal, got, rest)
	}
}

func TestIndependentReaderAgreesWithRecordedServers(t *testing.T) {
	for literal, want := range map[string][2]string{ // as 2.19.6 and 3.8.0 answered
		`'it''s'`: {`it's`, `it's`}, `'it\'s'`: {`it\'s`, `it's`}, `'a\b'`: {`a\b`, `a\b`}, `'a\\b'`: {`a\\b`, `a\b`},
		`'\\'''`: {`\\'`, `\'`}, `'\\\''`: {`\\\'`, `\'`}, `'a\"b'`: {`a\"b`, `a"b`}, `'\'; DROP TABLE x --'`: {`\'; DROP TABLE x --`, `'; DROP TABLE x --`},
	} {
		for i, major := range []int{2, 3} {
			got, rest, ok := serverReads(literal, major)
			assert.True(t, ok && rest == "", literal)
			assert.Equal(t, want[i], got, "%s on %d", literal, major)
		}
	}
	_, rest, _ := serverReads(`'\'' OR 1=1 -- '`, 2)
	assert.Equal(t, " OR 1=1 -- '", rest, "the known hole of quote doubling")
}

func TestNoneOfAMillionValuesEscapesItsLiteralOrArrivesAltered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`\`, `\`, `'`, `'`, `"`, `''`, `\'`, "`", "--", " OR 1=1 -- ", "a", "n", "%", "?", "\n", "\x00", "é", "漢", "😀", "/*"}
	var b strings.Builder
	for range 500_000 {
		b.Reset()
		for range random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		requireExact(t, b.String(), v2)
		requireExact(t, b.String(), v3)
	}
}

func TestKnownInjectionStaysInItsLiteral(t *testing.T) {
	for value, want := range map[string][2]string{
		`\' OR 1=1 -- `: {`'\' OR 1=1 -- '`, `'\\'' OR 1=1 -- '`},
		`it's`:          {`'it''s'`, `'it''s'`},
		`a\b`:           {`'a\b'`, `'a\\b'`},
		`\\`:            {`'\\'`, `'\\\\'`},
		`\''`:           {`'\''''`, `'\\'''''`},
		"new\nline\x00": {"'new\nline\x00'", "'new\nline\x00'"},
	} {
		for i, v := range []sqlparse.Version{v2, v3} {
			got, err := sqlparse.OpenSearchString(value, v)
			require.NoError(t, err)
			assert.Equal(t, want[i], got)
			requireExact(t, value, v)
		}
	}
}

func TestStringsThatCannotBeWrittenAreRefused(t *testing.T) {
	for _, value := range []string{`\`, `ends\`, `a\\\`} {
		_, err := sqlparse.OpenSearchString(value, v2)
		var literal *sqlparse.LiteralError
		require.ErrorAs(t, err, &literal)
		assert.NotContains(t, err.Error(), "ends", "the value may be a secret")
		requireExact(t, value, v3)
	}
	for _, v := range []sqlparse.Version{v2, v3, {}} {
		_, err := sqlparse.OpenSearchString("a\xff", v)
		assert.Error(t, err)
	}
	_, err := sqlparse.ElasticString("a\xff")
	assert.Error(t, err)
}

func TestUnknownVersionMattersOnlyWithABackslash(t *testing.T) {
	got, err := sqlparse.OpenSearchString("it's", sqlparse.Version{})
	require.NoError(t, err)
	assert.Equal(t, "'it''s'", got)
	_, err = sqlparse.OpenSearchString(`a\b`, sqlparse.Version{})
	assert.ErrorIs(t, err, sqlparse.ErrVersionUnknown)
	_, err = parse(t, sqlparse.OpenSearch, "SELECT ?").OpenSearch(positional([]any{`a\b`}), sqlparse.OpenSearchOptions{})
	assert.True(t, errors.Is(err, sqlparse.ErrVersionUnknown))
}

func TestLegacyEngineIsGivenNoBackslash(t *testing.T) {
	for _, text := range []string{"SELECT a FROM x JOIN y ON x.a = y.a WHERE b = ?", "SELECT a FROM x WHERE a IN (SELECT a FROM y WHERE b = ?)",
		"SELECT a FROM x, y WHERE b = ?", "SELECT a FROM x WHERE b = ? FOR UPDATE", "SELECT a FROM x WHERE b = ? UNION SELECT 1"} {
		for v, want := range map[sqlparse.Version]bool{v2: false, {Major: 3, Minor: 6}: false, {Major: 3, Minor: 7}: true} {
			_, err := parse(t, sqlparse.OpenSearch, text).OpenSearch(positional([]any{`a\nb`}), sqlparse.OpenSearchOptions{Version: v})
			assert.Equal(t, want, err == nil, "%s on %v: %v", text, v, err)
		}
		assert.Contains(t, openSearch(t, text, "it's").Text, "'it''s'")
	}
}

func TestOpenSearchLiteralsKeepTypeAndValue(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	for want, value := range map[string]any{
		"NULL": nil, "TRUE": true, "FALSE": false, "-9223372036854775808": int64(math.MinInt64), "9223372036854775807": uint64(math.MaxInt64),
		"1.5": 1.5, "5.0": 5.0, "-0.0": math.Copysign(0, -1), "1E300": 1e300, "1.7976931348623157E308": math.MaxFloat64, "5E-324": 5e-324,
		"123456789.125": 123456789.125, "'x'": "x", "TIMESTAMP '2026-01-02 02:04:05.000000006'": at,
		"TIMESTAMP '0001-01-01 00:00:00'": time.Time{},
	} {
		got, err := sqlparse.OpenSearchLiteral(value, v2)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestFloatsReadBackTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		f := math.Float64frombits(random.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		text, err := sqlparse.OpenSearchLiteral(f, v2)
		require.NoError(t, err)
		back, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		require.True(t, f == back && !strings.Contains(text, "+") && strings.ContainsAny(text, ".E"), text)
	}
}

func TestValuesWithoutALiteralAreRefusedOnBoth(t *testing.T) {
	for _, value := range []any{math.NaN(), math.Inf(1), math.Inf(-1), uint64(math.MaxInt64) + 1, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), int(1), []string{"a"}, "a\xff"} {
		var literal *sqlparse.LiteralError
		_, err := parse(t, sqlparse.OpenSearch, "SELECT ?").OpenSearch(positional([]any{value}), sqlparse.OpenSearchOptions{Version: v3})
		assert.ErrorAs(t, err, &literal, "%v", value)
		_, err = parse(t, sqlparse.Elasticsearch, "SELECT ?").Elastic(positional([]any{value}), sqlparse.ElasticOptions{})
		assert.ErrorAs(t, err, &literal, "%v", value)
	}
	_, err := sqlparse.OpenSearchLiteral([]byte("x"), v3)
	assert.ErrorContains(t, err, "base64")
}

func TestElasticParamsKeepTheirValues(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	q := elastic(t, "SELECT ?, ?, ?, ?, ?, ?, ?", nil, true, uint64(7), 1.5, `\' OR 1=1`, []byte{0, 255}, at)
	assert.Equal(t, []any{nil, true, int64(7), 1.5, `\' OR 1=1`, "AP8=", "2026-01-02T02:04:05.000000006Z"}, q.Params)
}

func TestNationalStringsAreWrittenForTheVersion(t *testing.T) {
	text := `SELECT N'it''s C:\dir' AS a FROM idx`
	assert.Equal(t, `SELECT 'it''s C:\dir' AS a FROM idx`, elastic(t, text).Text)
	assert.Equal(t, `SELECT 'it''s C:\dir' AS a FROM idx`, openSearch(t, text).Text)
	q, err := parse(t, sqlparse.OpenSearch, text).OpenSearch(nil, sqlparse.OpenSearchOptions{Version: v3})
	require.NoError(t, err)
	assert.Equal(t, `SELECT 'it''s C:\\dir' AS a FROM idx`, q.Text)
	_, err = parse(t, sqlparse.OpenSearch, `SELECT N'ends\'`).OpenSearch(nil, sqlparse.OpenSearchOptions{Version: v2})
	assert.Error(t, err)
}

func TestLiteralsNeverMergeWithTheirNeighbours(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT ?'x'":                      "SELECT 'v' 'x'",
		"SELECT 'x'?":                      "SELECT 'x' 'v'",
		"SELECT ??":                        "SELECT 'v' 'v'",
		"SELECT a FROM x WHERE b=?AND c=1": "SELECT a FROM x WHERE b='v'AND c=1",
		"SELECT IN?":                       "SELECT IN 'v'",
	} {
		assert.Equal(t, want, openSearch(t, text, values("v", strings.Count(text, "?"))...).Text)
	}
	assert.Equal(t, "SELECT a - -5", openSearch(t, "SELECT a -?", int64(-5)).Text)
	assert.Equal(t, "SELECT 5 AND", openSearch(t, "SELECT ?AND", int64(5)).Text)
	assert.Equal(t, "SELECT ? ?", elastic(t, "SELECT $1$1", "x").Text)
}

func values(v any, n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// FuzzOpenSearchLiteral: no value escapes its literal, none arrives altered.
func FuzzOpenSearchLiteral(f *testing.F) {
	for _, seed := range []string{"", `'`, `\`, `\'`, `\\'`, `"\"`, `\' OR 1=1 -- `, "\n\x00😀", `\''\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		value = strings.ToValidUTF8(value, "?") // what is not UTF-8 is refused, as another test proves
		requireExact(t, value, v2)
		requireExact(t, value, v3)
		s := parse(t, sqlparse.OpenSearch, "SELECT a FROM x WHERE b = N'"+strings.ReplaceAll(value, "'", "''")+"' AND c = 1")
		q, err := s.OpenSearch(nil, sqlparse.OpenSearchOptions{Version: v3})
		require.NoError(t, err)
		got, rest, ok := serverReads(strings.TrimPrefix(q.Text, "SELECT a FROM x WHERE b = "), 3)
		require.True(t, ok && got == value && rest == " AND c = 1", q.Text)
	})
}

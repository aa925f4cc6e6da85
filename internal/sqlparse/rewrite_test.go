package sqlparse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func parse(t testing.TB, flavor sqlparse.Flavor, text string) *sqlparse.Statement {
	t.Helper()
	s, err := sqlparse.Parse(flavor, text)
	require.NoError(t, err, text)
	return s
}

func elastic(t testing.TB, text string, values ...any) sqlparse.Query {
	t.Helper()
	q, err := parse(t, sqlparse.Elasticsearch, text).Elastic(positional(values), sqlparse.ElasticOptions{})
	require.NoError(t, err, text)
	return q
}

func openSearch(t testing.TB, text string, values ...any) sqlparse.Query {
	t.Helper()
	o := sqlparse.OpenSearchOptions{Version: sqlparse.Version{Major: 2, Minor: 19}}
	q, err := parse(t, sqlparse.OpenSearch, text).OpenSearch(positional(values), o)
	require.NoError(t, err, text)
	return q
}

func positional(values []any) []sqlparse.Arg {
	args := make([]sqlparse.Arg, len(values))
	for i, v := range values {
		args[i] = sqlparse.Arg{Ordinal: i + 1, Value: v}
	}
	return args
}

func TestServersOwnSyntaxPassesUntouched(t *testing.T) {
	for _, text := range []string{
		`SELECT a FROM idx WHERE MATCH(a, 'x ?', 'operator=and')`,
		`SELECT * FROM (SELECT a, b FROM idx) PIVOT (SUM(b) FOR a IN ('x', 'y'))`,
		`SELECT a FROM idx WHERE QUERY('a:b') AND b RLIKE 'x.*' AND c = {ts '2024-01-01 00:00:00'}`,
		`SELECT TOP 5 a::INTEGER FROM cluster:idx`, `SELECT a FROM idx WHERE d > NOW() - INTERVAL 1 DAY`,
		`SHOW TABLES LIKE 'a%'`, `SHOW COLUMNS IN t`, `SYS COLUMNS TABLE LIKE 't'`, `DESCRIBE "t"`, `DESC idx`,
		`EXPLAIN (PLAN ANALYZED) SELECT a FROM idx`, `SELEC id FROM people`, `SELECT a LIKE 'x|_%' ESCAPE '\'`,
		`/* app */ SELECT a -- the column` + "\n" + `FROM idx`,
	} {
		assert.Equal(t, text, elastic(t, text).Text)
	}
	for _, text := range []string{
		`SELECT nested(message.info, 'a') FROM idx`, `SHOW TABLES LIKE "peo%"`, `DESCRIBE TABLES LIKE people COLUMNS LIKE '%'`,
		`SELECT a FROM idx WHERE multi_match(['a^2', b], 'x', operator=OR, analyzer=standard, type='best_fields', slop=2)`,
		`SELECT LENGTH('a\\b\'c') AS n, "it's \"so\""`, `/*! HASH_WITH_TERMS_FILTER */ SELECT a FROM idx # why`,
		`SELECT CAST(a AS STRING), EXTRACT(DAY_HOUR FROM b), TIMESTAMPADD(DAY, 1, c) FROM idx`,
		`SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC NULLS LAST) FROM idx`,
		`SELECT CASE WHEN a = 1 THEN b ELSE c END, f.e FROM logs-* WHERE a BETWEEN 1 AND 2`,
		`SELECT a FROM idx WHERE day = '2000-02-29' AND date > DATE '2000-01-01' AND x > NOW() - INTERVAL 1 SECOND_MICROSECOND`,
		`SELECT a FROM idx WHERE b = {d '2000-01-01'} LIMIT 5, 10`,
		`SELECT a FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE @timestamp > 5`,
	} {
		assert.Equal(t, text, openSearch(t, text).Text)
	}
}

func TestIdentifiersGetTheFlavorsQuotes(t *testing.T) {
	text := "SELECT \"a\"\"b\", `c``d`, `e\"f`, \"g`h\" FROM \"x\""
	assert.Equal(t, "SELECT \"a\"\"b\", \"c`d\", \"e\"\"f\", \"g`h\" FROM \"x\"", elastic(t, text).Text)
	assert.Equal(t, "SELECT `a\"b`, `c``d`, `e\"f`, `g``h` FROM `x`", openSearch(t, text).Text)
}

func TestBackslashInAnOpenSearchIdentifierIsRefused(t *testing.T) {
	for _, text := range []string{`SELECT "a\" FROM idx"` + " FROM idx", "SELECT `a\\` FROM idx -- `", `SELECT a FROM "t\x"`} {
		_, err := sqlparse.Parse(sqlparse.OpenSearch, text)
		assert.ErrorContains(t, err, "backslash in an identifier", text)
	}
	assert.Equal(t, `SELECT "a\" FROM idx`, elastic(t, `SELECT "a\" FROM idx`).Text)
}

func TestReservedNamesAreQuotedForOpenSearchOnly(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT score, d FROM people`:                                      "SELECT `score`, `d` FROM people",
		`SELECT id FROM people WHERE score > 1 AND match = 'x'`:            "SELECT id FROM people WHERE `score` > 1 AND `match` = 'x'",
		`SELECT SUM(score) AS query FROM idx GROUP BY range ORDER BY rank`: "SELECT SUM(`score`) AS `query` FROM idx GROUP BY `range` ORDER BY `rank`",
		`SELECT t.score, score.x FROM idx t`:                               "SELECT `t`.`score`, `score`.x FROM idx `t`",
		`SELECT a score, b FROM terms`:                                     "SELECT a `score`, b FROM `terms`",
		`SELECT interval, interval FROM idx WHERE interval = 1`:            "SELECT `interval`, `interval` FROM idx WHERE `interval` = 1",
		`SELECT SCORE(MATCH(score, 'x'), 2) FROM idx`:                      "SELECT SCORE(MATCH(`score`, 'x'), 2) FROM idx",
		`SELECT CAST(score AS LONG), 1 AS long FROM idx`:                   "SELECT CAST(`score` AS LONG), 1 AS `long` FROM idx",
		`SELECT a FROM idx WHERE NOT term IN (stats, -fields)`:             "SELECT a FROM idx WHERE NOT `term` IN (`stats`, -`fields`)",
		`SELECT CASE WHEN format THEN view ELSE end END FROM idx`:          "SELECT CASE WHEN `format` THEN `view` ELSE `end` END FROM idx",
	} {
		assert.Equal(t, want, openSearch(t, text).Text)
		assert.Equal(t, text, elastic(t, text).Text)
	}
}

func TestCommentsStayUnlessTheServerSeesThemEndElsewhere(t *testing.T) {
	assert.Equal(t, "SELECT a   FROM idx", elastic(t, "SELECT a /* x /* y */ FROM idx").Text)
	assert.Equal(t, "SELECT a \n, b FROM idx", openSearch(t, "SELECT a--\tx\n, b FROM idx").Text)
	assert.Equal(t, "SELECT a FROM idx ORDER BY _id /* last */", tieBreak(t, "SELECT a FROM idx; /* last */ ; "))
}

func TestTrailingSemicolonsGoAndASecondStatementIsRefused(t *testing.T) {
	assert.Equal(t, "SELECT 1", elastic(t, " SELECT 1 ; ;\n").Text)
	_, err := sqlparse.Parse(sqlparse.Elasticsearch, "SELECT 1; SELECT 2")
	var syntax *sqlparse.SyntaxError
	require.ErrorAs(t, err, &syntax)
	assert.Equal(t, sqlparse.SyntaxError{Line: 1, Column: 9, Token: ";", Msg: "one statement at a time"}, *syntax)
}

func TestSyntaxErrorsTellLineColumnAndToken(t *testing.T) {
	for text, want := range map[string]sqlparse.SyntaxError{
		"SELECT\n  'é' , 'open":  {Line: 2, Column: 9, Token: "'open", Msg: "unterminated string"},
		"SELECT \"open":          {Line: 1, Column: 8, Token: "\"open", Msg: "unterminated identifier"},
		"SELECT 1 /* open":       {Line: 1, Column: 10, Token: "/* open", Msg: "unterminated comment"},
		"  -- nothing":           {Line: 1, Column: 13, Msg: "empty statement"},
		"SELECT ?1":              {Line: 1, Column: 8, Token: "?1", Msg: "a numbered placeholder is written $1"},
		"SELECT $0":              {Line: 1, Column: 8, Token: "$0", Msg: "placeholders are $1 to $65535"},
		"SELECT ?, $1":           {Line: 1, Column: 11, Token: "$1", Msg: "placeholders of two styles in one statement"},
		"SELECT :a, @b":          {Line: 1, Column: 12, Token: "@b", Msg: "placeholders of two styles in one statement"},
		"SELECT 'a', 'b\xff'":    {Line: 1, Column: 15, Msg: "the statement is not UTF-8"},
		"SELECT $99999999999999": {Line: 1, Column: 8, Token: "$99999999999999", Msg: "placeholders are $1 to $65535"},
	} {
		_, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
		var syntax *sqlparse.SyntaxError
		require.ErrorAs(t, err, &syntax, text)
		assert.Equal(t, want, *syntax, text)
	}
}

func TestKindsAreToldByTheirFirstWords(t *testing.T) {
	for text, want := range map[string]sqlparse.Kind{
		"select 1": sqlparse.Select, "((SELECT 1))": sqlparse.Select, "WITH x AS (SELECT 1) SELECT a FROM x": sqlparse.Select,
		"SHOW TABLES": sqlparse.Show, "DESC t": sqlparse.Describe, "DEBUG SELECT 1": sqlparse.Explain,
		"SYS TYPES": sqlparse.Sys, "-- c\nBEGIN": sqlparse.Begin, "START TRANSACTION READ ONLY": sqlparse.Begin,
		"END": sqlparse.Commit, "ABORT": sqlparse.Rollback, "ROLLBACK TO SAVEPOINT a": sqlparse.Rollback,
		"SAVEPOINT a": sqlparse.Savepoint, "RELEASE SAVEPOINT a": sqlparse.Savepoint, "SET x = 1": sqlparse.Set,
		"REFRESH TABLE t": sqlparse.RefreshTable, "DROP INDEX i": sqlparse.DropIndex, "SELECT @@version": sqlparse.Constant,
		"VALUES (1)": sqlparse.Other, "(UPDATE)": sqlparse.Other, "REFRESH x": sqlparse.Other,
		"/* esql */ FROM idx | LIMIT ?": sqlparse.ESQL, "esql FROM idx": sqlparse.ESQL, "/*PPL*/ source=t": sqlparse.PPL,
	} {
		assert.Equal(t, want, parse(t, sqlparse.Elasticsearch, text).Kind(), text)
	}
}

func TestOtherLanguagesPassWithoutTheirPrefix(t *testing.T) {
	q := elastic(t, "/* esql */ FROM idx | WHERE a == ? AND b == \"'\" // it's", int64(1))
	assert.Equal(t, "FROM idx | WHERE a == ? AND b == \"'\" // it's", q.Text)
	assert.Equal(t, []any{int64(1)}, q.Params)
	s := parse(t, sqlparse.Elasticsearch, "ESQL FROM idx | WHERE a == ?n")
	assert.Equal(t, -1, s.NumInput())
	q, err := s.Elastic([]sqlparse.Arg{{Name: "n", Value: "x"}}, sqlparse.ElasticOptions{})
	require.NoError(t, err)
	assert.Equal(t, []any{map[string]any{"n": "x"}}, q.Params)
	assert.Equal(t, "source=t | where a='?'", openSearch(t, "/* ppl */ source=t | where a='?'").Text)
	_, err = parse(t, sqlparse.OpenSearch, "ppl source=t").OpenSearch(numbered(1), sqlparse.OpenSearchOptions{})
	assert.ErrorContains(t, err, "too many arguments")
}

func TestNoServerIsSentAWriteOrTheOtherFlavorsText(t *testing.T) {
	var unsupported *sqlparse.UnsupportedError
	_, err := parse(t, sqlparse.OpenSearch, "DELETE FROM idx").OpenSearch(nil, sqlparse.OpenSearchOptions{})
	assert.ErrorAs(t, err, &unsupported)
	_, err = parse(t, sqlparse.OpenSearch, "SELECT 1").Elastic(nil, sqlparse.ElasticOptions{})
	assert.ErrorAs(t, err, &unsupported)
	_, err = parse(t, sqlparse.OpenSearch, "esql FROM idx").OpenSearch(nil, sqlparse.OpenSearchOptions{})
	assert.ErrorAs(t, err, &unsupported)
}

// FuzzRewrite: a text that was written is written the same again, and nothing panics.
func FuzzRewrite(f *testing.F) {
	for _, seed := range []string{"SELECT a, \"b\" FROM `t` LIMIT 5 OFFSET 3", "SELECT score d FROM idx -- x", "OFFSET 5 LIMIT 2",
		"SELECT N'a\\' FROM idx; /* */", "SELECT interval -1 FROM idx LIMIT ALL OFFSET 2", "SHOW TABLES LIKE \"x\"", "SELECT @a.b",
		"SELECT a/**/b--\n-1 LIMIT 5,\"x\"", "SELECT\"\"T OFFSET 0", "SELECT OFFSET T", "SELECT \"a\" \"b\", \"c\"", "select*from idx limit 9999999999 offset 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, write := range []func(string) (string, bool){writeElastic, writeOpenSearch} {
			once, ok := write(text)
			if !ok || bounded(once) || bounded(text) {
				continue // without its LIMIT or OFFSET a text that no server takes may be another statement
			}
			twice, ok := write(once)
			require.True(t, ok, "%q became %q, which cannot be read", text, once)
			require.Equal(t, once, twice, text)
		}
	})
}

// bounded reports whether a text has one of the words, wherever it is.
func bounded(text string) bool {
	text = strings.ToUpper(text)
	return strings.Contains(text, "LIMIT") || strings.Contains(text, "OFFSET")
}

func writeElastic(text string) (string, bool) {
	s, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
	if err != nil || s.Kind() == sqlparse.ESQL {
		return "", false
	}
	q, err := s.Elastic(nil, sqlparse.ElasticOptions{MaxOffset: -1})
	return q.Text, err == nil
}

func writeOpenSearch(text string) (string, bool) {
	s, err := sqlparse.Parse(sqlparse.OpenSearch, text)
	if err != nil || s.Kind() == sqlparse.PPL {
		return "", false
	}
	q, err := s.OpenSearch(nil, sqlparse.OpenSearchOptions{Version: sqlparse.Version{Major: 3}, MaxOffset: -1})
	return q.Text, err == nil
}

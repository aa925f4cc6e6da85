package sqlparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func tieBreak(t testing.TB, text string) string {
	t.Helper()
	q, err := parse(t, sqlparse.OpenSearch, text).OpenSearch(nil, sqlparse.OpenSearchOptions{TieBreak: true})
	require.NoError(t, err, text)
	return q.Text
}

func TestOffsetIsLeftToTheCallerOnElasticsearch(t *testing.T) {
	for text, want := range map[string]sqlparse.Query{
		"SELECT a FROM idx LIMIT 10 OFFSET 20":        {Text: "SELECT a FROM idx LIMIT 30", Offset: 20, Limit: 10},
		"SELECT a FROM idx OFFSET 20 LIMIT 10":        {Text: "SELECT a FROM idx LIMIT 30", Offset: 20, Limit: 10},
		"SELECT a FROM idx LIMIT 20, 10":              {Text: "SELECT a FROM idx LIMIT 30", Offset: 20, Limit: 10},
		"SELECT a FROM idx LIMIT 10 OFFSET 0 ROWS":    {Text: "SELECT a FROM idx LIMIT 10", Limit: 10},
		"SELECT a FROM idx OFFSET 20 ROWS":            {Text: "SELECT a FROM idx", Offset: 20, Limit: -1, Plain: true},
		"SELECT a FROM idx LIMIT 4294967296 OFFSET 1": {Text: "SELECT a FROM idx", Offset: 1, Limit: 4294967296, Plain: true},
		"SELECT a FROM idx LIMIT ALL OFFSET 2":        {Text: "SELECT a FROM idx", Offset: 2, Limit: -1, Plain: true},
		"SELECT a FROM idx LIMIT 9223372036854775807": {Text: "SELECT a FROM idx", Limit: -1, Plain: true},
		"SELECT a FROM idx limit 7":                   {Text: "SELECT a FROM idx limit 7", Limit: -1},
		"SELECT a FROM idx LIMIT ALL":                 {Text: "SELECT a FROM idx LIMIT ALL", Limit: -1},
		"SELECT a FROM idx LIMIT 2147483647 OFFSET 9": {Text: "SELECT a FROM idx", Offset: 9, Limit: 2147483647, Plain: true},
	} {
		assert.Equal(t, want, elastic(t, text), text)
	}
}

func TestOpenSearchReadsLimitAndOffsetItself(t *testing.T) {
	for text, want := range map[string]sqlparse.Query{
		"SELECT a FROM idx limit 10 offset 20":    {Text: "SELECT a FROM idx limit 10 offset 20", Limit: -1},
		"SELECT a FROM idx LIMIT 20, 10":          {Text: "SELECT a FROM idx LIMIT 20, 10", Limit: -1},
		"SELECT a FROM idx OFFSET 20 LIMIT 10":    {Text: "SELECT a FROM idx LIMIT 10 OFFSET 20", Limit: -1},
		"SELECT a FROM idx OFFSET 20":             {Text: "SELECT a FROM idx", Offset: 20, Limit: -1, Plain: true},
		"SELECT a FROM idx LIMIT ALL":             {Text: "SELECT a FROM idx", Limit: -1, Plain: true},
		"SELECT a FROM idx LIMIT ALL OFFSET 3":    {Text: "SELECT a FROM idx", Offset: 3, Limit: -1, Plain: true},
		"SELECT a FROM idx LIMIT 1 OFFSET 2 ROWS": {Text: "SELECT a FROM idx LIMIT 1 OFFSET 2", Limit: -1},
	} {
		assert.Equal(t, want, openSearch(t, text), text)
	}
}

func TestParametersOfLimitBecomeDigits(t *testing.T) {
	q := elastic(t, "SELECT a FROM idx WHERE b = ? LIMIT ? OFFSET ?", "x", int64(10), uint64(20))
	assert.Equal(t, sqlparse.Query{Text: "SELECT a FROM idx WHERE b = ? LIMIT 30", Params: []any{"x"}, Offset: 20, Limit: 10}, q)
	assert.Equal(t, "SELECT TOP 5 a FROM idx", elastic(t, "SELECT TOP ? a FROM idx", int64(5)).Text)
	assert.Equal(t, "SELECT a FROM (SELECT a FROM idx LIMIT 3) x", elastic(t, "SELECT a FROM (SELECT a FROM idx LIMIT ?) x", int64(3)).Text)
	assert.Equal(t, "SELECT a FROM idx LIMIT 1, 2", openSearch(t, "SELECT a FROM idx LIMIT ?, ?", int64(1), int64(2)).Text)
	s := parse(t, sqlparse.Elasticsearch, "SELECT a FROM idx WHERE b IN (?, ?) LIMIT ? OFFSET 7")
	assert.Equal(t, sqlparse.Bound{Set: true, Param: 3}, s.Limit())
	assert.Equal(t, sqlparse.Bound{Set: true, Value: 7}, s.Offset())
	for _, bad := range []any{int64(-1), "10", 1.5, nil, true} {
		var arg *sqlparse.ArgError
		_, err := parse(t, sqlparse.Elasticsearch, "SELECT a FROM idx LIMIT ?").Elastic(positional([]any{bad}), sqlparse.ElasticOptions{})
		assert.ErrorAs(t, err, &arg, "%v", bad)
	}
}

func TestOffsetBeyondTheCapNamesTheKnob(t *testing.T) {
	s := parse(t, sqlparse.Elasticsearch, "SELECT a FROM idx LIMIT 1 OFFSET 10001")
	_, err := s.Elastic(nil, sqlparse.ElasticOptions{})
	var offset *sqlparse.OffsetError
	require.ErrorAs(t, err, &offset)
	assert.Equal(t, sqlparse.OffsetError{Offset: 10001, Max: 10000}, *offset)
	assert.ErrorContains(t, err, "MaxOffset")
	for _, most := range []int64{10001, -1} {
		_, err = s.Elastic(nil, sqlparse.ElasticOptions{MaxOffset: most})
		assert.NoError(t, err)
	}
}

func TestNamesThatLookLikeALimitAreNone(t *testing.T) {
	for _, text := range []string{"SELECT limit FROM idx", "SELECT a AS offset FROM idx", "SELECT t.limit 5 FROM idx", "SELECT a FROM idx WHERE limit 5", "SELECT a FROM idx {LIMIT 5}",
		"SELECT a FROM (SELECT a FROM idx LIMIT 5) x"} {
		assert.False(t, parse(t, sqlparse.Elasticsearch, text).Limit().Set, text)
		assert.Equal(t, text, elastic(t, text).Text)
	}
}

func TestPlainIsWhatOpenSearchCanPage(t *testing.T) {
	for _, text := range []string{
		"SELECT * FROM idx", "SELECT a, LENGTH(b) AS n FROM idx", "SELECT ALL a FROM `t` AS x WHERE x.a = 1 OR NOT (b LIKE 'c%')",
		"SELECT a FROM idx x ORDER BY x.a DESC NULLS LAST, b", "SELECT a FROM logs-*", "SELECT a FROM .kibana", "SELECT a FROM s.t",
		"SELECT a FROM idx WHERE MATCH(a, 'x') ORDER BY @timestamp", "SELECT a k FROM idx ORDER BY k", "SELECT count FROM idx",
		"SELECT a FROM logs-2026 WHERE b = 'LIMIT 5'", "SELECT a FROM idx WHERE CASE WHEN b THEN c ELSE d END = 1;",
	} {
		assert.True(t, parse(t, sqlparse.OpenSearch, text).Plain(), text)
	}
	for _, text := range []string{
		"SELECT 1", "SELECT COUNT(*) FROM idx", "SELECT DISTINCT a FROM idx", "SELECT a FROM idx GROUP BY a", "SELECT a FROM idx HAVING a > 1",
		"SELECT a FROM idx LIMIT 5", "SELECT a FROM idx OFFSET 5", "SELECT a FROM idx, u", "SELECT a FROM idx JOIN u ON t.a = u.a",
		"SELECT a FROM idx LEFT JOIN u ON t.a = u.a", "SELECT a FROM idx WHERE b IN (SELECT b FROM u)", "SELECT a FROM (SELECT a FROM idx) x",
		"SELECT ROW_NUMBER() OVER (ORDER BY a) FROM idx", "SELECT nested(a.b) FROM idx", "SELECT a FROM idx ORDER BY 1",
		"SELECT a FROM idx ORDER BY LENGTH(a)", "SELECT a FROM idx ORDER BY a + 1", "SELECT t.* FROM idx", "SELECT a FROM logs-2026.11.29",
		"SELECT a FROM idx UNION ALL SELECT a FROM u", "SELECT a FROM idx FOR UPDATE", "SHOW TABLES LIKE 'a'", "SELECT a FROM idx x y",
		"SELECT sum (a) FROM idx", "SELECT a FROM idx WHERE query_string(['a'], 'x')", "SELECT HIGHLIGHT(a) FROM idx", "SELECT a FROM idx FETCH FIRST 5 ROWS ONLY",
		"SELECT a FROM idx LIMIT 5 FOR UPDATE", "SELECT a FROM idx MINUS SELECT a FROM u", "SELECT a FROM idx WHERE EXISTS (SELECT 1)",
	} {
		assert.False(t, parse(t, sqlparse.OpenSearch, text).Plain(), text)
	}
}

func TestTieBreakMakesTheIDTheLastSortKeyOfPlainSelects(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM idx":                        "SELECT a FROM idx ORDER BY _id",
		"SELECT a FROM idx WHERE b = 1 ORDER BY n": "SELECT a FROM idx WHERE b = 1 ORDER BY n, _id",
		"SELECT a FROM idx ORDER BY n, _id DESC":   "SELECT a FROM idx ORDER BY n, _id DESC",
		"SELECT a FROM idx ORDER BY `_id`":         "SELECT a FROM idx ORDER BY `_id`",
		"SELECT a FROM idx OFFSET 5":               "SELECT a FROM idx ORDER BY _id",
		"SELECT a FROM idx LIMIT 5":                "SELECT a FROM idx LIMIT 5",
		"SELECT COUNT(*) FROM idx":                 "SELECT COUNT(*) FROM idx",
		"SELECT a FROM idx # why":                  "SELECT a FROM idx ORDER BY _id # why",
		"SELECT a FROM logs-*":                     "SELECT a FROM logs-* ORDER BY _id, _index",
		"SELECT a FROM `x*` ORDER BY n":            "SELECT a FROM `x*` ORDER BY n, _id, _index",
		"SELECT a FROM `x,y` ORDER BY _id":         "SELECT a FROM `x,y` ORDER BY _id, _index",
		"SELECT a FROM x* ORDER BY `_index`, _id":  "SELECT a FROM x* ORDER BY `_index`, _id",
		"SELECT a FROM x* ORDER BY _index LIMIT 5": "SELECT a FROM x* ORDER BY _index LIMIT 5",
		"SELECT a FROM idx ORDER BY _index":        "SELECT a FROM idx ORDER BY _index, _id",
	} {
		assert.Equal(t, want, tieBreak(t, text))
	}
}

func TestTableIsTheOneIndexWithoutItsQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM idx": "idx", `SELECT a FROM "logs-2026.11.29" x`: "logs-2026.11.29", "SELECT COUNT(*) FROM `a``b` GROUP BY c": "a`b",
		"SELECT a FROM cluster:idx": "cluster:idx", "SELECT 1": "", "SELECT a FROM idx, u": "", "SELECT a FROM (SELECT 1) x": "",
		"INSERT INTO t VALUES (1)": "", "SELECT a FROM idx JOIN u ON 1 = 1": "",
	} {
		assert.Equal(t, want, parse(t, sqlparse.Elasticsearch, text).Table(), text)
	}
	assert.True(t, parse(t, sqlparse.Elasticsearch, "SELECT a FROM idx ORDER BY a").HasOrderBy())
	assert.False(t, parse(t, sqlparse.Elasticsearch, "SELECT a FROM (SELECT a FROM idx ORDER BY a) x").HasOrderBy())
}

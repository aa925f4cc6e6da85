package sqlparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func TestEveryPlaceholderStyleBindsItsArguments(t *testing.T) {
	assert.Equal(t, []any{"a", "b"}, elastic(t, "SELECT ?, ?", "a", "b").Params)
	q := elastic(t, "SELECT $2, $1, $2", "a", "b")
	assert.Equal(t, "SELECT ?, ?, ?", q.Text)
	assert.Equal(t, []any{"b", "a", "b"}, q.Params)
	for _, text := range []string{"SELECT :x, :y, :x", "SELECT @x, @y, @x"} {
		s := parse(t, sqlparse.Elasticsearch, text)
		assert.Equal(t, -1, s.NumInput())
		assert.Equal(t, []string{"x", "y"}, s.Names())
		q, err := s.Elastic([]sqlparse.Arg{{Name: "y", Value: "b"}, {Name: "x", Value: "a"}}, sqlparse.ElasticOptions{})
		require.NoError(t, err)
		assert.Equal(t, "SELECT ?, ?, ?", q.Text)
		assert.Equal(t, []any{"a", "b", "a"}, q.Params)
	}
	assert.Equal(t, "SELECT 'b', 'a', 'b'", openSearch(t, "SELECT $2, $1, $2", "a", "b").Text)
}

func TestNumInputCountsWhatIsTaken(t *testing.T) {
	for text, want := range map[string]int{"SELECT 1": 0, "SELECT ?, ?": 2, "SELECT $3, $1": 3, "SELECT :a": -1,
		`SELECT '?', "?", ? /* ? */ -- ?`: 1, "INSERT INTO t VALUES (?, $1)": -2} {
		s, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
		if want == -2 {
			assert.ErrorContains(t, err, "two styles")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, want, s.NumInput(), text)
	}
}

func TestWrongArgumentsAreTold(t *testing.T) {
	for _, c := range []struct {
		text string
		args []sqlparse.Arg
		want sqlparse.ArgError
	}{
		{"SELECT ?, ?", numbered(1), sqlparse.ArgError{Want: 2, Got: 1, Msg: "too few arguments"}},
		{"SELECT ?", numbered(2), sqlparse.ArgError{Want: 1, Got: 2, Msg: "too many arguments"}},
		{"SELECT $2", numbered(1), sqlparse.ArgError{Want: 2, Got: 1, Msg: "too few arguments"}},
		{"SELECT ?", []sqlparse.Arg{{Name: "a"}}, sqlparse.ArgError{Want: 1, Got: 1, Name: "a", Msg: "the statement has no named placeholder"}},
		{"SELECT :a, :b", []sqlparse.Arg{{Name: "a"}}, sqlparse.ArgError{Want: 2, Got: 1, Name: "b", Msg: "missing"}},
		{"SELECT :a", []sqlparse.Arg{{Name: "a"}, {Name: "c"}}, sqlparse.ArgError{Want: 1, Got: 2, Name: "c", Msg: "no placeholder has that name; there are [a]"}},
		{"SELECT :a", []sqlparse.Arg{{Name: "a"}, {Name: "a"}}, sqlparse.ArgError{Want: 1, Got: 2, Name: "a", Msg: "given twice"}},
		{"SELECT :a", numbered(1), sqlparse.ArgError{Want: 1, Got: 1, Ordinal: 1, Msg: "the placeholders are named: [a]"}},
	} {
		_, err := parse(t, sqlparse.Elasticsearch, c.text).Elastic(c.args, sqlparse.ElasticOptions{})
		var arg *sqlparse.ArgError
		require.ErrorAs(t, err, &arg, c.text)
		assert.Equal(t, c.want, *arg, c.text)
	}
}

func TestAtNamesOnOpenSearchAreColumnsUnlessAnArgumentHasTheName(t *testing.T) {
	text := "SELECT @timestamp FROM logs WHERE @timestamp > @since ORDER BY @timestamp"
	s := parse(t, sqlparse.OpenSearch, text)
	assert.Equal(t, -1, s.NumInput())
	assert.True(t, s.Plain())
	q, err := s.OpenSearch([]sqlparse.Arg{{Name: "since", Value: int64(5)}}, sqlparse.OpenSearchOptions{})
	require.NoError(t, err)
	assert.Equal(t, "SELECT @timestamp FROM logs WHERE @timestamp > 5 ORDER BY @timestamp", q.Text)
	q, err = s.OpenSearch(nil, sqlparse.OpenSearchOptions{})
	require.NoError(t, err)
	assert.Equal(t, text, q.Text)
	assert.Equal(t, "SELECT @timestamp FROM logs WHERE a = 1 AND @b = 2 LIMIT 3",
		openSearch(t, "SELECT @timestamp FROM logs WHERE a = ? AND @b = ? LIMIT ?", int64(1), int64(2), int64(3)).Text)
}

func TestBindGivesOneValueForEachPlaceholder(t *testing.T) {
	s := parse(t, sqlparse.Elasticsearch, "UPDATE t SET a = $2, b = $1 WHERE c = $2")
	values, err := s.Bind(positional([]any{"x", "y"}))
	require.NoError(t, err)
	assert.Equal(t, []any{"y", "x", "y"}, values)
	where := s.Tree().(*sqlparse.UpdateStatement).Where.(*sqlparse.Compare)
	assert.Equal(t, 2, where.Y.(*sqlparse.Param).Index)
}

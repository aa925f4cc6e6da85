package sqlparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func TestTimestampWithAZoneIsWrittenAsAnArgumentWouldBe(t *testing.T) {
	const text = "SELECT a FROM books WHERE b = ? AND c > TIMESTAMP '2026-10-01T09:04:05.5+02:00' AND isbn = N'x'"
	args := []sqlparse.Arg{{Ordinal: 1, Value: int64(7)}}

	s, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
	require.NoError(t, err)
	q, err := s.Elastic(args, sqlparse.ElasticOptions{})
	require.NoError(t, err)
	assert.Equal(t, "SELECT a FROM books WHERE b = ? AND c > ? AND isbn = 'x'", q.Text)
	assert.Equal(t, []any{int64(7), "2026-10-01T07:04:05.5Z"}, q.Params)

	s, err = sqlparse.Parse(sqlparse.OpenSearch, text)
	require.NoError(t, err)
	q, err = s.OpenSearch(args, sqlparse.OpenSearchOptions{})
	require.NoError(t, err)
	assert.Equal(t, "SELECT a FROM books WHERE b = 7 AND c > TIMESTAMP '2026-10-01 07:04:05.500000000' AND isbn = 'x'", q.Text)
}

func TestTimestampWithoutAZoneIsLeftToTheServer(t *testing.T) {
	for _, text := range []string{
		"SELECT a FROM t WHERE c > TIMESTAMP '2026-10-01 07:04:05'",
		"SELECT a FROM t WHERE c > TIMESTAMP /* no */ '2026-10-01T07:04:05Z'",
		"SELECT timestamp FROM t WHERE c = '2026-10-01T07:04:05Z'",
	} {
		s, err := sqlparse.Parse(sqlparse.OpenSearch, text)
		require.NoError(t, err)
		q, err := s.OpenSearch(nil, sqlparse.OpenSearchOptions{})
		require.NoError(t, err)
		assert.Contains(t, q.Text, "'2026-10-01")
		assert.NotContains(t, q.Text, "07:04:05.")
	}
}

package sqlparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func TestBytesAreWrittenInHexadecimal(t *testing.T) {
	for _, flavor := range []sqlparse.Flavor{sqlparse.Elasticsearch, sqlparse.OpenSearch} {
		s, err := sqlparse.Parse(flavor, "INSERT INTO files (body, x) VALUES (x'00fF27', x)")
		require.NoError(t, err)
		row := s.Tree().(*sqlparse.InsertStatement).Rows[0]
		assert.Equal(t, []byte{0, 0xff, '\''}, row[0].(*sqlparse.Literal).Value)
		assert.IsType(t, &sqlparse.Column{}, row[1])
		for _, wrong := range []string{"X'0'", "X'zz'", "X 'ff'"} {
			_, err := sqlparse.Parse(flavor, "INSERT INTO files (body) VALUES ("+wrong+")")
			require.Error(t, err, wrong)
		}
	}
}

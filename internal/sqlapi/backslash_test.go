package sqlapi_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// TestBackslashThatTheLegacyEngineHasReadIsRefused: which statements go to that engine is known by the answer alone,
// in which the total comes before the rows.
func TestBackslashThatTheLegacyEngineHasReadIsRefused(t *testing.T) {
	const (
		legacy = `{"schema":[{"name":"a","type":"long"}],"total":1,"datarows":[[1]],"size":1,"status":200}`
		own    = `{"schema":[{"name":"a","type":"long"}],"datarows":[[1]],"total":1,"size":1,"status":200}`
		paged  = `{"schema":[{"name":"a","type":"long"}],"cursor":"d:x","total":1,"datarows":[[1]],"size":1,"status":200}`
	)
	for _, c := range []struct {
		version, answer string
		value           any
		refused         bool
	}{
		{"2.19.6", legacy, `C:\new`, true},
		{"2.19.6", paged, `C:\new`, true},
		{"2.19.6", own, `C:\new`, false},
		{"2.19.6", legacy, `it's`, false},
		{"2.19.6", legacy, int64(1), false},
		{"3.6.0", legacy, `C:\new`, false}, // every backslash was written twice, which both engines read as one
	} {
		closed := 0
		server := &script{}
		server.answer = func(path, _ string) (int, string) {
			switch path {
			case "/":
				return 200, fmt.Sprintf(`{"version":{"distribution":"opensearch","number":%q}}`, c.version)
			case "/_plugins/_sql/close":
				closed++
				return 200, `{"succeeded":true}`
			}
			return 200, c.answer
		}
		client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
		rows, err := client.Conn().QueryContext(context.Background(), "SELECT a FROM t WHERE s = ? LIMIT 5", named(c.value))
		if c.refused {
			require.ErrorIs(t, err, sqlapi.ErrUnsupported, "%+v", c)
			assert.Equal(t, c.answer == paged, closed == 1)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, rows.Next(make([]driver.Value, 1)))
		require.NoError(t, rows.Close())
	}
}

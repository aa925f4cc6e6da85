package fakecluster_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
)

func TestStrangersAreRefusedAsElasticsearchDoes(t *testing.T) {
	c := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Credentials("elastic", "secret"))
	hc := client(t, c)
	for name, authorize := range map[string]func(*http.Request){
		"no credentials": func(*http.Request) {},
		"wrong password": func(r *http.Request) { r.SetBasicAuth("elastic", "wrong") },
		"nonsense":       func(r *http.Request) { r.Header.Set("Authorization", "Nope x") },
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest(http.MethodGet, c.Node(0).URL()+"/_cluster/health", nil)
			require.NoError(t, err)
			authorize(req)
			resp, err := hc.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			assert.Equal(t, 401, resp.StatusCode)
			assert.Len(t, resp.Header.Values("WWW-Authenticate"), 3)
			assert.Empty(t, resp.Header.Get("X-Elastic-Product"), "strangers are not told what answers")
		})
	}
}

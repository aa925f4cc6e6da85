package link_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

func open(t *testing.T, opts ...fakecluster.Option) (*link.Link, *fakecluster.Cluster) {
	t.Helper()
	leaktest.Check(t)
	c := fakecluster.Run(t, append(opts, fakecluster.Nodes(1))...)
	l, err := link.Open(c.DSN(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l, c
}

func TestProductAndVersionAreTold(t *testing.T) {
	l, _ := open(t, fakecluster.Product(fakecluster.OpenSearch), fakecluster.Version("3.8.0"))
	p, err := l.Product(t.Context())
	require.NoError(t, err)
	assert.True(t, p.OpenSearch())
	assert.Equal(t, "3.8.0", p.Version)
	for at, want := range map[[2]int]bool{{3, 8}: true, {2, 19}: true, {3, 9}: false, {4, 0}: false} {
		assert.Equal(t, want, p.AtLeast(at[0], at[1]), at)
	}
	l, _ = open(t)
	p, err = l.Product(t.Context())
	require.NoError(t, err)
	assert.False(t, p.OpenSearch())
}

func TestFieldsAreThoseThatHoldValues(t *testing.T) {
	l, c := open(t)
	require.NoError(t, c.Put("a", "1", map[string]any{"o": map[string]any{"n": 1}, "s": "x"}))
	require.NoError(t, c.Put("b", "1", map[string]any{"s": "x", "z": true}))
	fields, err := l.Fields(t.Context(), "a,b")
	require.NoError(t, err)
	assert.Equal(t, []link.Field{
		{Name: "o.n", Type: "long"}, {Name: "s", Type: "text"}, {Name: "s.keyword", Type: "keyword", Sub: true}, {Name: "z", Type: "boolean"},
	}, fields)
}

func TestRefusalTellsTheServersReason(t *testing.T) {
	l, c := open(t)
	err := l.Ask(t.Context(), http.MethodGet, "/nothing/_mapping", nil, nil)
	var refused *link.StatusError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusNotFound, refused.Status)
	assert.Contains(t, refused.Reason(), "index_not_found_exception: no such index [nothing]")

	c.Inject(fakecluster.Fault{Action: fakecluster.Status(502, "<html>no</html>", nil)})
	_, err = l.Product(t.Context())
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "<html>no</html>", refused.Reason())
}

package sampler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

func TestPingLearnsNamesAtTheListedAddress(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, rootOf("n1", "prod", "uuid-1")),
		"h2:9200": says(200, rootOf("n2", "prod", "uuid-1")),
	}}
	prev := seeds("h1:9200", "h2:9200")

	got, err := sampler.Ping{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	require.Len(t, got.Nodes, 2)
	n := got.Nodes[0]
	assert.Equal(t, "h1:9200", n.Addr)
	assert.Equal(t, "n1", n.Name)
	assert.Equal(t, "8.19.7", n.Version)
	assert.Equal(t, "prod", n.ClusterName)
	assert.Equal(t, "uuid-1", n.ClusterUUID)
	assert.Empty(t, n.ID, "GET / does not tell the id")
	assert.Equal(t, "prod", got.ClusterName)
	assert.Equal(t, "uuid-1", got.ClusterUUID)
	assert.Equal(t, prev.Seeds, got.Seeds)
	assert.False(t, got.Partial)
	assert.Empty(t, prev.Seeds[0].Name, "the seed is not written to")
	assert.ElementsMatch(t, []string{"h1:9200/", "h2:9200/"}, f.asked)
}

func TestPingKeepsNodeWhenAnotherNodeAnswersBehindTheAddress(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{"lb:9200": says(200, rootOf("n1", "prod", "u"))}}
	first, err := sampler.Ping{}.Sample(t.Context(), seeds("lb:9200"), f.get)
	require.NoError(t, err)

	same, err := sampler.Ping{}.Sample(t.Context(), first, f.get)
	require.NoError(t, err)
	assert.Same(t, first.Nodes[0], same.Nodes[0])

	f.replies["lb:9200"] = says(200, rootOf("n2", "prod", "u"))
	other, err := sampler.Ping{}.Sample(t.Context(), first, f.get)
	require.NoError(t, err)
	a, b := first.Nodes[0], other.Nodes[0]
	assert.Equal(t, []string{a.ID, a.EphemeralID, a.Addr}, []string{b.ID, b.EphemeralID, b.Addr})
	assert.Equal(t, "n2", b.Name)
}

func TestPingSilentSeedMakesThePicturePartial(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, rootOf("n1", "prod", "u"))}}

	got, err := sampler.Ping{}.Sample(t.Context(), seeds("h1:9200", "h2:9200"), f.get)

	require.NoError(t, err)
	assert.Equal(t, []string{"h1:9200"}, addrs(got.Nodes))
	assert.True(t, got.Partial)
	require.Len(t, got.Failures, 1)
	assert.Equal(t, "h2:9200", got.Failures[0].Addr)
	assert.ErrorIs(t, got.Failures[0].Err, errRefused)
}

func TestPingWithoutAnyAnswerIsAnErrorThatNamesEachSeed(t *testing.T) {
	f := &fakeNet{}
	got, err := sampler.Ping{}.Sample(t.Context(), seeds("h1:9200", "h2:9200"), f.get)
	require.ErrorIs(t, err, errRefused)
	assert.ErrorContains(t, err, "h1:9200")
	assert.ErrorContains(t, err, "h2:9200")
	assert.True(t, got.Partial)
	assert.Len(t, got.Failures, 2)
}

func TestPingCountsAliveWhoAnswersAsANode(t *testing.T) {
	const noMaster = `{"status":503,"name":"old","cluster_name":"prod","version":{"number":"6.3.0"}}`
	cases := map[string]struct {
		status int
		body   string
		alive  bool
		denied bool
	}{
		"503 in a node's own words":     {503, noMaster, true, false},
		"503 of a proxy":                {503, `{"error":"no healthy upstream"}`, false, false},
		"401":                           {401, `{"error":{"type":"security_exception"}}`, true, true},
		"403":                           {403, `no`, true, true},
		"429":                           {429, `{"error":"busy"}`, false, false},
		"500 in a node's own words":     {500, noMaster, false, false},
		"captive portal":                {200, `<html>please log in</html>`, false, false},
		"JSON of something else":        {200, `{"status":"ok","version":{"number":"1"}}`, false, false},
		"other types":                   {200, `{"name":"x","version":"1.0"}`, false, false},
		"null":                          {200, `null`, false, false},
		"nothing":                       {200, ``, false, false},
		"before 1.4, no cluster's name": {200, `{"status":200,"name":"Zom","version":{"number":"1.0.0"}}`, true, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := &fakeNet{replies: map[string]reply{"h1:9200": says(c.status, c.body)}}
			got, err := sampler.Ping{}.Sample(t.Context(), seeds("h1:9200"), f.get)
			assert.Equal(t, c.alive, len(got.Nodes) == 1)
			assert.Equal(t, !c.alive, got.Partial)
			assert.Equal(t, !c.alive, err != nil)
			assert.Equal(t, !c.alive || c.denied, len(got.Failures) == 1)
			for _, failure := range got.Failures {
				var answer *sampler.AnswerError
				require.ErrorAs(t, failure.Err, &answer)
				assert.Equal(t, c.status, answer.Status)
				assert.Equal(t, c.body, answer.Snippet)
				if c.denied {
					assert.ErrorIs(t, failure.Err, sampler.ErrUnauthorized)
				}
			}
		})
	}
}

func TestPingDeniedSeedStaysAsItWasKnown(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, rootOf("n1", "prod", "u"))}}
	first, err := sampler.Ping{}.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.NoError(t, err)

	f.replies["h1:9200"] = says(401, `{}`)
	got, err := sampler.Ping{}.Sample(t.Context(), first, f.get)

	require.NoError(t, err)
	require.Len(t, got.Nodes, 1)
	assert.Same(t, first.Nodes[0], got.Nodes[0])
}

func TestPingTellsTheClusterOfEachNode(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, rootOf("n1", "other", "u-other")),
		"h2:9200": says(200, rootOf("n2", "prod", "u-prod")),
		"h3:9200": says(200, rootOf("n3", "prod", "_na_")),
	}}
	prev := seeds("h1:9200", "h2:9200", "h3:9200")
	prev.ClusterName = "prod"

	got, err := sampler.Ping{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	require.Len(t, got.Nodes, 3, "the cluster judges, not the sampler")
	assert.Equal(t, "other", got.Nodes[0].ClusterName)
	assert.Empty(t, got.Nodes[2].ClusterUUID, "a node that has joined no cluster has no UUID to tell")
	assert.Equal(t, "prod", got.ClusterName)
	assert.Equal(t, "u-prod", got.ClusterUUID)
}

func TestSeedsOfOneAddressAreOneNode(t *testing.T) {
	prev := sampler.Topology{Seeds: []*sampler.Node{seedAt("https://h1:9200/first"), seedAt("http://h1:9200/second")}}
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, rootOf("n1", "prod", "u"))}}
	for name, s := range map[string]sampler.Sampler{"ping": sampler.Ping{}, "static": sampler.Static{}} {
		t.Run(name, func(t *testing.T) {
			got, err := s.Sample(t.Context(), prev, f.get)
			require.NoError(t, err)
			require.Len(t, got.Nodes, 1)
			assert.Equal(t, "https://h1:9200/first", got.Nodes[0].URL.String())
		})
	}
}

func TestPingAsksAllAtOnceAndEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		f := &fakeNet{replies: map[string]reply{
			"h1:9200": hangs, "h2:9200": hangs, "h3:9200": says(200, rootOf("n3", "prod", "u")),
		}}
		begin := time.Now()
		got, err := sampler.Ping{}.Sample(ctx, seeds("h1:9200", "h2:9200", "h3:9200"), f.get)
		require.NoError(t, err)
		assert.Equal(t, 5*time.Second, time.Since(begin))
		assert.Equal(t, []string{"h3:9200"}, addrs(got.Nodes))
		assert.Equal(t, time.Now(), got.At)
	})
}

func TestPingAsksNobodyWhenTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &fakeNet{}
	_, err := sampler.Ping{}.Sample(ctx, seeds("h1:9200"), f.get)
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, f.asks(""))
}

func TestStaticAsksNobody(t *testing.T) {
	prev := seeds("h2:9200", "h1:9200")
	got, err := sampler.Static{}.Sample(t.Context(), prev, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"h2:9200", "h1:9200"}, addrs(got.Nodes))
	assert.Same(t, prev.Seeds[0], got.Nodes[0])
	assert.False(t, got.Partial)
	assert.False(t, got.At.IsZero())
}

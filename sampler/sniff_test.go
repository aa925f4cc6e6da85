package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

// three is the answer of a cluster of three nodes, at h1 to h3.
var three = nodesOf("prod", 0,
	listed("a", "h1:9200", workRoles), listed("b", "h2:9200", workRoles), listed("c", "h3:9200", workRoles))

// sampled is the topology after a first good sample of three, asked of h1.
func sampled(t *testing.T) sampler.Topology {
	t.Helper()
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.NoError(t, err)
	require.Equal(t, []string{"h1:9200", "h2:9200", "h3:9200"}, addrs(got.Nodes))
	return got
}

func TestSniffLearnsEveryNode(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, nodesOf("prod", 0,
		listed("a", "h1:9200", workRoles, `"attributes":{"zone":"z1"}`),
		listed("b", "h2:9200", `"roles":[]`)))}}

	got, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200"), f.get)

	require.NoError(t, err)
	require.Len(t, got.Nodes, 2)
	want := &sampler.Node{ID: "a", EphemeralID: "1700000000000", Name: "name-a", Addr: "h1:9200", Version: "8.19.7",
		URL: got.Seeds[0].URL, Roles: []string{"data", "ingest", "master"}, Attrs: map[string]string{"zone": "z1"},
		ClusterName: "prod"}
	assert.Equal(t, want, got.Nodes[0])
	assert.Equal(t, []string{}, got.Nodes[1].Roles, "coordinating only: empty, not nil")
	assert.Nil(t, got.Nodes[1].Attrs)
	assert.Equal(t, "prod", got.ClusterName)
	assert.False(t, got.Partial)
	require.Len(t, f.asked, 1)
	assert.Contains(t, f.asked[0], "h1:9200/_nodes/_all/http,jvm?timeout=1000ms&filter_path=")
}

func TestSniffKeepsPointersOfUnchangedNodesOverManySamples(t *testing.T) {
	first := sampled(t)
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, three), "h2:9200": says(200, three), "h3:9200": says(200, three),
	}}
	prev := first
	for range 200 {
		next, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
		require.NoError(t, err)
		for i := range first.Nodes {
			require.Same(t, first.Nodes[i], next.Nodes[i])
		}
		prev = next
	}
}

func TestSniffMakesANewNodeOfARestartedOne(t *testing.T) {
	prev := sampled(t)
	restarted := nodesOf("prod", 0, `"a":{"name":"name-a","version":"8.19.7",`+workRoles+
		`,"http":{"publish_address":"h1:9200"},"jvm":{"start_time_in_millis":1700000099999}}`,
		listed("b", "h2:9200", workRoles), listed("c", "h3:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, restarted)}}

	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	assert.NotSame(t, prev.Nodes[0], got.Nodes[0])
	assert.Equal(t, "1700000099999", got.Nodes[0].EphemeralID)
	assert.Same(t, prev.Nodes[1], got.Nodes[1])
}

func TestSniffKeepsTheClusterUUIDThatOthersFoundOut(t *testing.T) {
	prev := sampled(t)
	probed := *prev.Nodes[1]
	probed.ClusterUUID = "u"
	prev.Nodes[1] = &probed
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Same(t, &probed, got.Nodes[1])
}

func TestSniffTriesEveryCandidateBeforeItGivesUp(t *testing.T) {
	var list []string
	for i := range 10 {
		list = append(list, fmt.Sprintf("s%d:9200", i))
	}
	f := &fakeNet{replies: map[string]reply{"s9:9200": says(200, three)}}

	got, err := sampler.Sniff{}.Sample(t.Context(), seeds(list...), f.get)

	require.NoError(t, err)
	assert.Equal(t, []string{"h1:9200", "h2:9200", "h3:9200"}, addrs(got.Nodes))
	assert.Len(t, got.Failures, 9)
	assert.Len(t, f.asked, 10)
}

func TestSniffAsksNoMoreThanItWants(t *testing.T) {
	prev := seeds("h1:9200", "h2:9200", "h3:9200", "h4:9200", "h5:9200")
	f := &fakeNet{replies: map[string]reply{}}
	for _, n := range prev.Seeds {
		f.replies[n.Addr] = says(200, three)
	}
	for fanout, want := range map[int]int{-1: 3, 0: 3, 1: 1, 2: 2, 9: 5} {
		f.asked = nil
		_, err := sampler.Sniff{Fanout: fanout}.Sample(t.Context(), prev, f.get)
		require.NoError(t, err)
		assert.Len(t, f.asked, want, "fanout %d", fanout)
	}
}

func TestSniffAsksASeedInEverySampleAndEachAddressOnce(t *testing.T) {
	prev := sampled(t)
	prev.Seeds = seeds("h1:9200", "lb:9200").Seeds
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, three), "h2:9200": says(200, three), "h3:9200": says(200, three), "lb:9200": says(200, three),
	}}
	for range 50 {
		f.asked = nil
		_, err := sampler.Sniff{Fanout: 2}.Sample(t.Context(), prev, f.get)
		require.NoError(t, err)
		assert.Positive(t, f.asks("h1:")+f.asks("lb:"), "%v", f.asked)
		assert.LessOrEqual(t, f.asks("h1:"), 1)
	}
	f.asked = nil
	_, err := sampler.Sniff{Fanout: 9}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Len(t, f.asked, 4)
}

func TestSniffFailureAndEmptinessEvictNobody(t *testing.T) {
	cases := map[string]reply{
		"refused":       nil,
		"500":           says(500, `{"error":"x"}`),
		"401":           says(401, `{}`),
		"HTML":          says(200, `<html>`),
		"nothing":       says(200, ``),
		"null":          says(200, `null`),
		"empty object":  says(200, `{}`),
		"no nodes":      says(200, nodesOf("prod", 0)),
		"all timed out": says(200, nodesOf("prod", 3)),
		"cut off":       says(200, three[:len(three)/2]),
		"wrong types":   says(200, `{"cluster_name":"prod","nodes":{"a":{"http":[]}}}`),
		"a list":        says(200, `[1]`),
	}
	for name, r := range cases {
		t.Run(name, func(t *testing.T) {
			prev := sampled(t)
			f := &fakeNet{replies: map[string]reply{"h1:9200": r, "h2:9200": r, "h3:9200": r}}
			got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
			require.Error(t, err)
			assert.True(t, got.Partial)
			require.Len(t, got.Nodes, 3)
			assert.Same(t, prev.Nodes[2], got.Nodes[2])
			assert.Len(t, got.Failures, 3, "each is asked and told of")
		})
	}
}

func TestSniffEmptyAnswerAndDenialCanBeToldApart(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, nodesOf("prod", 0)), "h2:9200": says(403, `{}`),
	}}
	_, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200", "h2:9200"), f.get)
	assert.ErrorIs(t, err, sampler.ErrEmpty)
	assert.ErrorIs(t, err, sampler.ErrUnauthorized)
}

func TestSniffPartialAnswerAddsButDoesNotEvict(t *testing.T) {
	prev := sampled(t)
	partial := nodesOf("prod", 1, listed("a", "h1:9200", workRoles), listed("d", "h4:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, partial), "h2:9200": says(200, partial)}}

	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	assert.True(t, got.Partial)
	assert.Equal(t, []string{"h1:9200", "h2:9200", "h3:9200", "h4:9200"}, addrs(got.Nodes))
}

func TestSniffWholeAnswersEvictAMemberThatIsGone(t *testing.T) {
	prev := sampled(t)
	two := nodesOf("prod", 0, listed("a", "h1:9200", workRoles), listed("b", "h2:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, two), "h2:9200": says(200, two)}}

	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	assert.False(t, got.Partial, "the dead node's own silence proves nothing against two whole answers")
	assert.Equal(t, []string{"h1:9200", "h2:9200"}, addrs(got.Nodes))
	require.Len(t, got.Failures, 1)
	assert.Equal(t, "h3:9200", got.Failures[0].Addr)
}

func TestSniffOneAnswerAmongManyFailuresEvictsNobody(t *testing.T) {
	prev := sampled(t)
	alone := nodesOf("prod", 0, listed("a", "h1:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, alone)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.True(t, got.Partial)
	assert.Len(t, got.Nodes, 3)
}

func TestSniffDoesNotTakeAStrangersWordForANewNode(t *testing.T) {
	prev := sampled(t)
	stale := nodesOf("prod", 0, listed("a", "h1:9200", workRoles), listed("b", "h2:9200", workRoles),
		listed("c", "h3:9200", workRoles), listed("ghost", "h9:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, three), "h2:9200": says(200, three), "h3:9200": says(200, stale),
	}}

	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	assert.Equal(t, []string{"h1:9200", "h2:9200", "h3:9200"}, addrs(got.Nodes))
	require.Len(t, got.Failures, 1)
	assert.Equal(t, "h9:9200", got.Failures[0].Addr)
	assert.ErrorIs(t, got.Failures[0].Err, sampler.ErrMinority)

	f.replies["h2:9200"] = says(200, stale)
	got, err = sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Contains(t, addrs(got.Nodes), "h9:9200", "most of them list it now")
}

func TestSniffKeepsAMinorityNodeThatIsKnownOrAnswered(t *testing.T) {
	prev := sampled(t)
	prev.Seeds = seeds("h1:9200", "h9:9200").Seeds
	two := nodesOf("prod", 0, listed("a", "h1:9200", workRoles), listed("b", "h2:9200", workRoles))
	own := nodesOf("prod", 0, listed("c", "h3:9200", workRoles), listed("new", "h9:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{
		"h1:9200": says(200, two), "h2:9200": says(200, two), "h9:9200": says(200, own),
	}}
	got, err := sampler.Sniff{Fanout: 4}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.False(t, got.Partial)
	assert.Equal(t, []string{"h1:9200", "h2:9200", "h3:9200", "h9:9200"}, addrs(got.Nodes))
}

func TestSniffIgnoresAnswersOfAnotherCluster(t *testing.T) {
	prev := sampled(t)
	prev.Seeds = seeds("h1:9200", "x1:9200").Seeds
	other := nodesOf("other", 0, listed("x", "x1:9200", workRoles), listed("y", "x2:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three), "h2:9200": says(200, three),
		"h3:9200": says(200, three), "x1:9200": says(200, other)}}

	got, err := sampler.Sniff{Fanout: 4}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	assert.Equal(t, []string{"h1:9200", "h2:9200", "h3:9200"}, addrs(got.Nodes))
	require.Equal(t, []string{"x1:9200"}, addrs(got.Filtered), "who was asked, not whom it told of")
	assert.Equal(t, "other", got.Filtered[0].ClusterName)

	again, err := sampler.Sniff{Fanout: 4}.Sample(t.Context(), got, f.get)
	require.NoError(t, err)
	assert.Same(t, got.Filtered[0], again.Filtered[0])
}

func TestSniffOfAnotherClusterAloneFiltersTheNodesThatMoved(t *testing.T) {
	prev := sampled(t)
	other := nodesOf("other", 0, listed("x", "h1:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, other), "h2:9200": says(200, other), "h3:9200": says(200, other)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Empty(t, got.Nodes)
	assert.False(t, got.Partial)
	assert.Len(t, got.Filtered, 3)
	assert.Equal(t, "prod", got.ClusterName)

	f.replies["h2:9200"], f.replies["h3:9200"] = nil, nil
	got, err = sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.True(t, got.Partial)
	assert.Equal(t, []string{"h2:9200", "h3:9200"}, addrs(got.Nodes), "silent members stay")
}

func TestSniffAtFirstContactTakesTheFirstSeedsCluster(t *testing.T) {
	other := nodesOf("other", 0, listed("x", "x1:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{
		"x1:9200": says(200, other), "h1:9200": says(200, three), "h2:9200": says(200, three),
	}}
	for name, c := range map[string]struct{ order, want []string }{
		"other first":  {[]string{"down:9200", "x1:9200", "h1:9200", "h2:9200"}, []string{"x1:9200"}},
		"other second": {[]string{"h1:9200", "x1:9200"}, []string{"h1:9200", "h2:9200", "h3:9200"}},
	} {
		t.Run(name, func(t *testing.T) {
			prev := seeds(c.order...)
			got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
			require.NoError(t, err)
			assert.Equal(t, c.want, addrs(got.Nodes))

			prev.Nodes = prev.Seeds // the floor, after a failed sample: still no cluster is known
			got, err = sampler.Sniff{}.Sample(t.Context(), prev, f.get)
			require.NoError(t, err)
			assert.Subset(t, append(c.want, c.order...), addrs(got.Nodes))
			assert.NotEmpty(t, got.Filtered)
		})
	}
}

func TestSniffTakesAnyClusterWhenAnyIsWelcome(t *testing.T) {
	prev := sampled(t)
	prev.ClusterName = ""
	renamed := nodesOf("renamed", 0, listed("a", "h1:9200", workRoles), listed("b", "h2:9200", workRoles), listed("c", "h3:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, renamed), "h2:9200": says(200, three), "h3:9200": says(200, three)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Empty(t, got.Filtered)
	assert.Len(t, got.Nodes, 3)
}

func TestSniffKeepsSchemeAndPrefixOfWhoTold(t *testing.T) {
	prev := sampler.Topology{Seeds: []*sampler.Node{seedAt("https://lb:443/es%2Fx/y")}}
	answer := nodesOf("prod", 0, listed("a", "1.2.3.4:9200", workRoles), listed("b", "[::1]:9200", workRoles),
		listed("c", "lb:443", workRoles))
	f := &fakeNet{replies: map[string]reply{"lb:443": says(200, answer)}}

	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)

	require.NoError(t, err)
	require.Len(t, got.Nodes, 3)
	assert.Equal(t, "https://1.2.3.4:9200/es%2Fx/y", got.Nodes[0].URL.String())
	assert.Equal(t, "[::1]:9200", got.Nodes[1].Addr)
	assert.Equal(t, "https://[::1]:9200/es%2Fx/y", got.Nodes[1].URL.String())
}

func TestSniffUsesTheSeedsURLForTheSeedsAddress(t *testing.T) {
	prev := sampler.Topology{Seeds: []*sampler.Node{seedAt("http://h1:9200/a"), seedAt("https://h2:9200/b")}}
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Equal(t, "https://h2:9200/b", got.Nodes[1].URL.String())
	assert.Equal(t, "http://h3:9200/a", got.Nodes[2].URL.String())
}

func TestSniffSkipsAndTellsNodesWithoutUsableAddress(t *testing.T) {
	answer := nodesOf("prod", 0, listed("a", "h1:9200", workRoles), listed("b", "0.0.0.0:9200", workRoles),
		`"c":{"name":"no-http",`+workRoles+`}`, listed("d", "h1:9200", workRoles),
		`"e":{"name":"master-without-http",`+masterRoles+`}`)
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, answer)}}

	got, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200"), f.get)

	require.NoError(t, err)
	assert.Equal(t, []string{"h1:9200"}, addrs(got.Nodes))
	assert.False(t, got.Partial)
	require.Len(t, got.Failures, 3)
	assert.ErrorIs(t, got.Failures[0].Err, sampler.ErrNoAddress)
	assert.ErrorIs(t, got.Failures[1].Err, sampler.ErrNoAddress)
	assert.ErrorContains(t, got.Failures[1].Err, "no-http")
	assert.ErrorIs(t, got.Failures[2].Err, sampler.ErrTaken)
}

func TestSniffWithoutAnyPublishedAddressIsAnError(t *testing.T) {
	answer := nodesOf("prod", 0, `"a":{"name":"managed",`+workRoles+`}`, `"b":{"name":"master",`+masterRoles+`}`)
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, answer)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.ErrorIs(t, err, sampler.ErrNoAddress)
	assert.ErrorContains(t, err, "managed")
	assert.True(t, got.Partial)
}

func TestSniffLeavesAMemberWhoseAddressTurnsUnusableWhereItWas(t *testing.T) {
	prev := sampled(t)
	answer := nodesOf("prod", 0, listed("a", "h1:9200", workRoles), listed("b", "inet[192.168.2.7:]", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, answer), "h2:9200": says(200, answer), "h3:9200": says(200, answer)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	require.Equal(t, []string{"h1:9200", "h2:9200"}, addrs(got.Nodes))
	assert.Same(t, prev.Nodes[1], got.Nodes[1])
}

func TestSniffResolveMovesAndDropsNodes(t *testing.T) {
	broken := errors.New("no such mapping")
	s := sampler.Sniff{Resolve: func(_ context.Context, n *sampler.Node) (*url.URL, error) {
		switch n.Name {
		case "name-a":
			return url.Parse("https://user:secret@NAT.example.com:19200/p?q#f")
		case "name-b":
			return nil, nil
		default:
			return nil, broken
		}
	}}
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three)}}
	got, err := s.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.NoError(t, err)
	require.Equal(t, []string{"nat.example.com:19200"}, addrs(got.Nodes))
	assert.Equal(t, "https://nat.example.com:19200/p", got.Nodes[0].URL.String())
	require.Len(t, got.Failures, 1)
	assert.ErrorIs(t, got.Failures[0].Err, broken)
	assert.Equal(t, "h3:9200", got.Failures[0].Addr)

	again, err := s.Sample(t.Context(), got, f.get)
	require.NoError(t, err)
	assert.Same(t, got.Nodes[0], again.Nodes[0])
}

func TestSniffResolveTakesTheDefaultPort(t *testing.T) {
	s := sampler.Sniff{Resolve: func(_ context.Context, n *sampler.Node) (*url.URL, error) {
		return map[string]*url.URL{
			"name-a": {Scheme: "http", Host: "[::1]"}, "name-b": {Scheme: "http"}, "name-c": {Host: "x:1"},
		}[n.Name], nil
	}}
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three)}}
	got, err := s.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.NoError(t, err)
	assert.Equal(t, []string{"[::1]:9200"}, addrs(got.Nodes))
	assert.Len(t, got.Failures, 2)
}

func TestSniffCancelledSampleChangesNothing(t *testing.T) {
	prev := sampled(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &fakeNet{}
	got, err := sampler.Sniff{}.Sample(ctx, prev, f.get)
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, f.asks(""), "nobody is asked in vain")
	assert.True(t, got.Partial)
	assert.True(t, slices.Equal(prev.Nodes, got.Nodes))
}

func TestSniffDoesNotWaitLongForSilentNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		f := &fakeNet{replies: map[string]reply{"s1:9200": hangs, "s2:9200": hangs, "s3:9200": hangs, "h1:9200": says(200, three)}}
		begin := time.Now()

		got, err := sampler.Sniff{}.Sample(ctx, seeds("s1:9200", "s2:9200", "s3:9200", "h1:9200"), f.get)

		require.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(begin), "one patience for the first three, one for more than one answer")
		assert.Subset(t, addrs(got.Nodes), []string{"h1:9200", "h2:9200", "h3:9200"})
		assert.Len(t, got.Failures, 3)
		assert.True(t, got.Partial)
	})
}

func TestSniffBlamesSilentNodesButNotThoseItCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeNet{replies: map[string]reply{
			"h1:9200": says(200, three), "h2:9200": hangs, "h3:9200": says(200, three), "h4:9200": hangs,
		}}
		got, err := sampler.Sniff{Fanout: 2}.Sample(t.Context(), seeds("h1:9200", "h2:9200", "h3:9200", "h4:9200"), f.get)
		require.NoError(t, err)
		assert.Len(t, f.asked, 4)
		require.Len(t, got.Failures, 1)
		assert.Equal(t, "h2:9200", got.Failures[0].Addr)
		assert.ErrorContains(t, got.Failures[0].Err, "no answer within 2s")
	})
}

func TestSniffEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		f := &fakeNet{replies: map[string]reply{"h1:9200": hangs, "h2:9200": hangs}}
		begin := time.Now()
		_, err := sampler.Sniff{}.Sample(ctx, seeds("h1:9200", "h2:9200"), f.get)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 4*time.Second, time.Since(begin))
	})
}

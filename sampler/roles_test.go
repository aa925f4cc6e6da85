package sampler_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

func TestRolesDecideWhoIsRoutedTo(t *testing.T) {
	cases := []struct {
		name, roles, wanted string
		routed              bool
	}{
		{"data and master", `"roles":["master","data"]`, "", true},
		{"a data tier and master", `"roles":["data_hot","master"]`, "", true},
		{"dedicated master", `"roles":["master"]`, "", false},
		{"dedicated manager", `"roles":["cluster_manager","remote_cluster_client"]`, "", false},
		{"voting only", `"roles":["master","voting_only"]`, "", false},
		{"search", `"roles":["search"]`, "", true},
		{"ingest and master", `"roles":["ingest","master"]`, "", true},
		{"unheard-of role beside master", `"roles":["master","quantum"]`, "", true},
		{"coordinating only", `"roles":[]`, "", true},
		{"coordinating between clusters", `"roles":["remote_cluster_client"]`, "", true},
		{"no word of roles", `"x":1`, "", true},
		{"data tier for data", `"roles":["data_frozen"]`, "data", true},
		{"one of several", `"roles":["ml"]`, "data, ML", true},
		{"none of several", `"roles":["ingest"]`, "data,ml", false},
		{"a tier is no other tier", `"roles":["data_hot"]`, "data_warm", false},
		{"the general role is no tier", `"roles":["data"]`, "data_warm", false},
		{"master when wanted", `"roles":["cluster_manager"]`, "master", true},
		{"coordinating only when wanted", `"roles":[]`, "coordinating_only", true},
		{"data is not coordinating only", `"roles":["data"]`, "coordinating_only", false},
		{"unknown is not coordinating only", `"x":1`, "coordinating_only", false},
		{"1.x default", `"http_address":"inet[/1.2.3.4:9200]"`, "data", true},
		{"1.x dedicated master", `"http_address":"1.2.3.4:9200","attributes":{"data":"false","master":"true"}`, "", false},
		{"1.x client", `"http_address":"1.2.3.4:9200","attributes":{"client":"true","data":"false"}`, "", true},
		{"1.x client is not data", `"http_address":"1.2.3.4:9200","attributes":{"client":"true","data":"false"}`, "data", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, nodesOf("prod", 0, listed("a", "h2:9200", c.roles)))}}
			s, err := sampler.New("sniff", url.Values{"roles": {c.wanted}})
			require.NoError(t, err)
			got, err := s.Sample(t.Context(), seeds("h1:9200"), f.get)
			if c.routed {
				require.NoError(t, err)
				assert.Equal(t, []string{"h2:9200"}, addrs(got.Nodes))
				return
			}
			var none *sampler.NoMatchError
			require.ErrorAs(t, err, &none)
			assert.Empty(t, got.Nodes)
		})
	}
}

func TestDedicatedMasterIsAskedButNotRoutedTo(t *testing.T) {
	answer := nodesOf("prod", 0, listed("m", "h1:9200", masterRoles), listed("d", "h2:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, answer)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.NoError(t, err)
	assert.Equal(t, []string{"h2:9200"}, addrs(got.Nodes))
	assert.Empty(t, got.Failures)
}

func TestMemberThatLosesItsWorkRolesLeavesEvenWhenThePictureIsPartial(t *testing.T) {
	prev := sampled(t)
	answer := nodesOf("prod", 1, listed("a", "h1:9200", workRoles), listed("b", "h2:9200", masterRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, answer), "h2:9200": says(200, answer), "h3:9200": says(200, answer)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.True(t, got.Partial)
	assert.Equal(t, []string{"h1:9200", "h3:9200"}, addrs(got.Nodes))
}

func TestAttributesDecideWhoIsRoutedTo(t *testing.T) {
	rack := func(r string) string { return `"attributes":{"rack_id":"` + r + `","other":"x"}` }
	answer := nodesOf("prod", 0, listed("a", "h1:9200", workRoles, rack("one")), listed("b", "h2:9200", workRoles, rack("two")),
		listed("c", "h3:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, answer)}}
	s, err := sampler.New("sniff", url.Values{"attr.rack_id": {"one"}, "attr.other": {"x"}, "fanout": {"2"}})
	require.NoError(t, err)
	got, err := s.Sample(t.Context(), seeds("h1:9200"), f.get)
	require.NoError(t, err)
	assert.Equal(t, []string{"h1:9200"}, addrs(got.Nodes))
}

func TestFilterThatRefusesAllNamesBothLists(t *testing.T) {
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, three)}}
	s := sampler.Sniff{Roles: []string{"ml"}, Attrs: map[string]string{"zone": "z9"}}

	got, err := s.Sample(t.Context(), seeds("h1:9200"), f.get)

	var none *sampler.NoMatchError
	require.ErrorAs(t, err, &none)
	assert.Empty(t, got.Nodes, "the seeds are not used instead")
	assert.Len(t, none.Rejected, 3)
	assert.Len(t, none.Seeds, 1)
	for _, word := range []string{"roles=ml attr.zone=z9", "name-a", "name-c", "h3:9200", "seeds, not used: h1:9200"} {
		assert.ErrorContains(t, err, word)
	}
}

func TestUnknownOrBadParametersAreErrors(t *testing.T) {
	cases := []struct {
		sampler string
		params  url.Values
		part    string
	}{
		{"static", url.Values{"role": {"x"}}, `sampler: static: role: unknown parameter (known: none)`},
		{"ping", url.Values{"roles": {"x"}}, `ping: roles: unknown parameter (known: none)`},
		{"sniff", url.Values{"role": {"x"}}, `sniff: role: unknown parameter (known: attr.NAME, fanout, roles)`},
		{"sniff", url.Values{"attr.": {"x"}}, `attr.: unknown parameter`},
		{"sniff", url.Values{"roles": {"x", "y"}}, `roles: want one value`},
		{"sniff", url.Values{"fanout": {"0"}}, `fanout: got "0": want a number from 1 on`},
		{"sniff", url.Values{"fanout": {"many"}}, `fanout: got "many": want a number`},
	}
	for _, c := range cases {
		_, err := sampler.New(c.sampler, c.params)
		assert.ErrorContains(t, err, c.part)
	}
	for _, name := range []string{"static", "ping", "sniff"} {
		_, err := sampler.New(name, nil)
		assert.NoError(t, err)
	}
}

func TestOrderOfRolesMakesNoDifference(t *testing.T) {
	prev := sampled(t)
	turned := nodesOf("prod", 0, listed("a", "h1:9200", `"roles":["master","ingest","data"]`),
		listed("b", "h2:9200", workRoles), listed("c", "h3:9200", workRoles))
	f := &fakeNet{replies: map[string]reply{"h1:9200": says(200, turned)}}
	got, err := sampler.Sniff{}.Sample(t.Context(), prev, f.get)
	require.NoError(t, err)
	assert.Same(t, prev.Nodes[0], got.Nodes[0])
}

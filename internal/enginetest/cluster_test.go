package enginetest_test

import (
	"context"
	"fmt"
	"net/url"
)

func root(s *session) {
	got := s.want(200, "GET", "/", "")
	s.NotEmpty(got.word("name"))
	s.NotEmpty(got.word("cluster_name"))
	s.Len(got.word("cluster_uuid"), 22)
	s.Equal(s.facts.version, got.word("version.number"))
	s.Equal(s.facts.product == "opensearch", got.word("version.distribution") == "opensearch")
	s.Empty(s.want(200, "HEAD", "/", "").text)
	s.Equal(s.facts.elastic(7, 14), got.header.Get("X-Elastic-Product") == "Elasticsearch")
	s.Contains(got.header.Get("Content-Type"), "json")
}

func nodes(s *session) {
	got := s.want(200, "GET", "/_nodes/_all/http", "")
	s.EqualValues(s.facts.nodes, got.number("_nodes.successful"))
	s.Len(got.object("nodes"), s.facts.nodes)
	for id := range got.object("nodes") {
		s.NotEmpty(got.list("nodes." + id + ".roles"))
		s.Contains(got.word("nodes."+id+".http.publish_address"), ":")
		s.Equal(s.facts.version, got.word("nodes."+id+".version"))
		one := s.want(200, "GET", "/_nodes/"+id+"/http,jvm", "")
		s.Len(one.object("nodes"), 1)
		s.NotZero(one.number("nodes." + id + ".jvm.start_time_in_millis"))
	}
	s.Len(s.want(200, "GET", "/_nodes/_local/http", "").object("nodes"), 1)
	s.Empty(s.want(200, "GET", "/_nodes/nobody/http", "").object("nodes"))
	s.Len(s.want(200, "GET", "/_cat/nodes?format=json&h=name,node.role", "").body, s.facts.nodes)
}

func state(s *session) {
	got := s.want(200, "GET", "/_cluster/state/nodes?local=true", "")
	s.Len(got.word("cluster_uuid"), 22)
	s.Len(got.object("nodes"), s.facts.nodes)
	for id := range got.object("nodes") {
		s.NotEmpty(got.word("nodes." + id + ".ephemeral_id"))
	}
}

func health(s *session) {
	s.create(`"n":{"type":"long"}`)
	got := s.want(200, "GET", "/_cluster/health/%s", "")
	s.Equal("green", got.word("status"))
	s.EqualValues(s.facts.nodes, got.number("number_of_nodes"))
	s.EqualValues(1, got.number("active_primary_shards"))
	s.EqualValues(2, got.number("active_shards"))
	s.Equal(false, got.at("timed_out"))
	late := s.want(408, "GET", fmt.Sprintf("/_cluster/health/%%s?wait_for_nodes=%d&timeout=1ms", s.facts.nodes+1), "")
	s.Equal(true, late.at("timed_out"))
	s.want(200, "GET", fmt.Sprintf("/_cluster/health/%%s?wait_for_nodes=>=%d", s.facts.nodes), "")
}

// topology is what the client itself makes of the engine.
func topology(s *session) {
	s.NoError(s.cluster.Refresh(context.Background()))
	top := s.cluster.Topology()
	said := s.want(200, "GET", "/", "")
	s.Len(top.Nodes, s.facts.nodes)
	s.Equal(said.word("cluster_name"), top.ClusterName)
	s.Contains([]string{"", said.word("cluster_uuid")}, top.ClusterUUID, "a sniffed list does not tell the UUID")
	s.Empty(top.Filtered)
	s.Empty(top.Failures)
	names := map[string]bool{}
	for _, n := range top.Nodes {
		names[n.Name] = true
		s.Equal(s.facts.version, n.Version)
		u, err := url.Parse("//" + n.Addr)
		s.NoError(err)
		s.NotEmpty(u.Port())
	}
	s.Len(names, s.facts.nodes, "each node is listed once")
	s.True(names[said.word("name")])
}

package fakecluster

import (
	"slices"
	"strings"
)

// build is what a server says about its own making.
type build struct {
	flavor, kind, hash, date, lucene, wire, index string
}

// build returns figures of a real release of the same line (from the recordings).
func (c *Cluster) build() build {
	switch {
	case c.cfg.flavor == OpenSearch && c.release.atLeast(3, 0):
		return build{"", "unknown", "0000000000000000000000000000000000000000", "2026-07-01T04:27:16.038403104Z", "10.3.2", "2.19.0", "2.0.0"}
	case c.cfg.flavor == OpenSearch:
		return build{"", "unknown", "97d3c13bf22a4a72ac11dc503fe44c97662b9161", "2026-07-01T04:27:16.038403104Z", "9.12.3", "7.10.0", "7.0.0"}
	case c.release.atLeast(8, 0):
		return build{"default", "zip", "198d86868932741b4e0d184425510217febc27d1", "2025-11-07T13:35:54.762042224Z", "9.12.2", "7.17.0", "7.0.0"}
	}
	return build{"default", "zip", "747e1cc71def077253878a59143c1f785afa92b9", "2021-01-13T00:42:12.435326Z", "8.7.0", "6.8.0", "6.0.0-beta1"}
}

func (b build) fields() object {
	var o object
	if b.flavor != "" {
		o = object{"build_flavor", b.flavor}
	}
	return o.with("build_type", b.kind, "build_hash", b.hash)
}

// root answers GET and HEAD /.
func (c *Cluster) root(k *call) (*reply, error) {
	b := c.build()
	version := object{}
	tagline := "You Know, for Search"
	if c.cfg.flavor == OpenSearch {
		version, tagline = version.with("distribution", "opensearch"), "The OpenSearch Project: https://opensearch.org/"
	}
	version = version.with("number", c.cfg.version).with(b.fields()...).with("build_date", b.date, "build_snapshot", false,
		"lucene_version", b.lucene, "minimum_wire_compatibility_version", b.wire, "minimum_index_compatibility_version", b.index)
	return jsonReply(200, object{
		"name", k.node.Name(), "cluster_name", k.view.clusterName, "cluster_uuid", k.view.clusterUUID,
		"version", version, "tagline", tagline,
	}), nil
}

// defaultRoles are the roles of a node without any setting.
func (c *Cluster) defaultRoles() []string {
	switch {
	case c.cfg.flavor == OpenSearch && c.release.atLeast(2, 0):
		return []string{"cluster_manager", "data", "ingest", "remote_cluster_client"}
	case c.cfg.flavor == Elasticsearch && c.release.atLeast(7, 16):
		return []string{"data", "data_cold", "data_content", "data_frozen", "data_hot", "data_warm", "ingest", "master", "ml", "remote_cluster_client", "transform"}
	}
	return []string{"data", "ingest", "master", "remote_cluster_client"}
}

// defaultAttrs are the attributes the product sets itself.
func (c *Cluster) defaultAttrs() map[string]string {
	if c.cfg.flavor == OpenSearch {
		return map[string]string{"shard_indexing_pressure_enabled": "true"}
	}
	return map[string]string{"xpack.installed": "true"}
}

func (n *Node) roles() []string {
	if n.cfg.roles != nil {
		return n.cfg.roles
	}
	return n.cluster.defaultRoles()
}

// holdsData says whether a node with these roles is a data node.
func holdsData(roles []string) bool {
	return slices.ContainsFunc(roles, func(r string) bool { return r == "data" || strings.HasPrefix(r, "data_") })
}

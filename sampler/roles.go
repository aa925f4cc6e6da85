package sampler

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// coordinatingOnly is the wanted role that stands for nodes without a role of their own; the word is the one
// of Elasticsearch's node filters (Elasticsearch 8.19, "Node specification").
const coordinatingOnly = "coordinating_only"

// manages reports whether the role makes a node eligible as master. OpenSearch 2.0 renamed it.
func manages(role string) bool { return role == "master" || role == "cluster_manager" }

// works reports whether a node with the role does more than keep the cluster together. A role that is not
// known here counts as work: servers add roles, and a node left out for that would be missed.
func works(role string) bool {
	return !manages(role) && role != "voting_only" && role != "remote_cluster_client"
}

// dedicatedMaster reports whether the node is there to be master and for nothing else. A node whose roles are
// not known, or that has none, is not: it coordinates.
func dedicatedMaster(n *Node) bool {
	return slices.ContainsFunc(n.Roles, manages) && !slices.ContainsFunc(n.Roles, works)
}

// hasRole reports whether the node has the wanted role. "data" stands for the data tiers ("data_hot") too, and
// "master" and "cluster_manager" for each other.
func hasRole(n *Node, want string) bool {
	if want == coordinatingOnly {
		idle := func(role string) bool { return manages(role) || works(role) }
		return n.Roles != nil && !slices.ContainsFunc(n.Roles, idle)
	}
	return slices.ContainsFunc(n.Roles, func(role string) bool {
		tier := want == "data" && strings.HasPrefix(role, "data_")
		return role == want || tier || manages(role) && manages(want)
	})
}

// accepts reports whether requests may be routed to the node, by its roles and attributes.
func (s Sniff) accepts(n *Node) bool {
	for key, value := range s.Attrs {
		if got, ok := n.Attrs[key]; !ok || got != value {
			return false
		}
	}
	if len(s.Roles) == 0 {
		return !dedicatedMaster(n)
	}
	return slices.ContainsFunc(s.Roles, func(want string) bool { return hasRole(n, want) })
}

// filter describes accepts in words.
func (s Sniff) filter() string {
	words := []string{"roles=(all but dedicated masters)"}
	if len(s.Roles) > 0 {
		words[0] = "roles=" + strings.Join(s.Roles, ",")
	}
	for _, key := range slices.Sorted(maps.Keys(s.Attrs)) {
		words = append(words, fmt.Sprintf("attr.%s=%s", key, s.Attrs[key]))
	}
	return strings.Join(words, " ")
}

// legacyRoles gives the roles of a node before Elasticsearch 5.0, which told them by attributes alone, and only
// where a setting differs from the default: data and master are on, client switches both off.
func legacyRoles(attrs map[string]string) []string {
	roles := []string{}
	for _, role := range []string{"data", "master"} {
		if attrs[role] != "false" && attrs["client"] != "true" {
			roles = append(roles, role)
		}
	}
	return roles
}

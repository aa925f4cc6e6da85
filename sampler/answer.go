package sampler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Why an answer is of no use.
var (
	errStatus = errors.New("unexpected status")
	errNotUs  = errors.New("not an answer of Elasticsearch or OpenSearch")
)

func unauthorized(err error) bool { return errors.Is(err, ErrUnauthorized) }

// root is the answer to GET /. Elasticsearch before 1.4 does not tell the cluster's name.
type root struct {
	Name        string `json:"name"`
	ClusterName string `json:"cluster_name"`
	ClusterUUID string `json:"cluster_uuid"`
	Version     struct {
		Number string `json:"number"`
	} `json:"version"`
}

// noUUID is what a node calls its cluster's UUID before it has joined one
// (Elasticsearch 8.19, Metadata.UNKNOWN_CLUSTER_UUID; the same in OpenSearch).
const noUUID = "_na_"

// askRoot asks the node who it is. A 503 with a node's own words counts as an answer: Elasticsearch up to 6.x
// gives it while the cluster has no master (6.3, RestMainAction.java).
func askRoot(ctx context.Context, n *Node, get Getter) (root, error) {
	const path = "/"
	status, body, err := get(ctx, n, path)
	if err != nil {
		return root{}, err
	}
	var r root
	if err := decode(path, status, body, &r, http.StatusServiceUnavailable); err != nil {
		return root{}, err
	}
	if r.Version.Number == "" || r.Name == "" && r.ClusterName == "" {
		return root{}, newAnswerError(path, status, body, errNotUs)
	}
	if r.ClusterUUID == noUUID {
		r.ClusterUUID = ""
	}
	return r, nil
}

// decode reads a JSON answer that came with status 200 or one of the others allowed.
func decode(path string, status int, body []byte, into any, allowed ...int) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return newAnswerError(path, status, body, ErrUnauthorized)
	case status != http.StatusOK && !slices.Contains(allowed, status):
		return newAnswerError(path, status, body, errStatus)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return newAnswerError(path, status, body, fmt.Errorf("%w: %w", errNotUs, err))
	}
	return nil
}

// members is the answer to _nodes/_all/http,jvm.
type members struct {
	Summary struct {
		Total      int `json:"total"`
		Successful int `json:"successful"`
		Failed     int `json:"failed"`
	} `json:"_nodes"` // absent before Elasticsearch 5.0
	ClusterName string             `json:"cluster_name"`
	Nodes       map[string]*member `json:"nodes"` // by node id
}

// whole reports whether every node of the cluster, as far as the asked one knows it, is in the answer.
func (m *members) whole() bool {
	return m.Summary.Failed == 0 && m.Summary.Successful >= m.Summary.Total
}

// member is one node in the answer to _nodes/_all/http,jvm.
type member struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	EphemeralID string            `json:"ephemeral_id"`
	Roles       []string          `json:"roles"` // since Elasticsearch 5.0
	Attributes  map[string]string `json:"attributes"`
	HTTPAddress string            `json:"http_address"` // before Elasticsearch 5.0
	HTTP        struct {
		PublishAddress string `json:"publish_address"`
	} `json:"http"`
	JVM struct {
		Start json.Number `json:"start_time_in_millis"`
	} `json:"jvm"`
}

// askMembers asks the node for all nodes of its cluster. A list of no nodes is an error.
func askMembers(ctx context.Context, n *Node, path string, get Getter) (*members, error) {
	status, body, err := get(ctx, n, path)
	if err != nil {
		return nil, err
	}
	m := new(members)
	if err := decode(path, status, body, m); err != nil {
		return nil, err
	}
	switch {
	case m.ClusterName == "" && m.Nodes == nil, m.hasHole():
		return nil, newAnswerError(path, status, body, errNotUs)
	case len(m.Nodes) == 0:
		return nil, newAnswerError(path, status, body, ErrEmpty)
	}
	return m, nil
}

// hasHole reports whether a node of the list is null.
func (m *members) hasHole() bool {
	for _, n := range m.Nodes {
		if n == nil {
			return true
		}
	}
	return false
}

// node makes a Node without an address. The roles are sorted: servers give them in any order.
func (m *member) node(id, cluster string) *Node {
	n := &Node{ID: id, EphemeralID: m.EphemeralID, Name: m.Name, Version: m.Version, ClusterName: cluster}
	if n.EphemeralID == "" {
		n.EphemeralID = m.JVM.Start.String()
	}
	if len(m.Attributes) > 0 {
		n.Attrs = m.Attributes
	}
	n.Roles = m.Roles
	if n.Roles == nil && m.HTTPAddress != "" {
		n.Roles = legacyRoles(m.Attributes)
	}
	slices.Sort(n.Roles)
	return n
}

func (m *member) address() (string, error) {
	if m.HTTP.PublishAddress != "" {
		return parseAddress(m.HTTP.PublishAddress)
	}
	return parseAddress(m.HTTPAddress)
}

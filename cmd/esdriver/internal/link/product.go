package link

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// Product is what a node says of itself at GET /.
type Product struct {
	Node        string // the node's name
	Cluster     string
	UUID        string
	Name        string // elasticsearch or opensearch
	Version     string // such as 8.19.7
	major, part int
}

// AtLeast reports whether the version is so high.
func (p Product) AtLeast(major, minor int) bool {
	return p.major > major || p.major == major && p.part >= minor
}

// OpenSearch reports whether the product is OpenSearch.
func (p Product) OpenSearch() bool { return p.Name == "opensearch" }

// Product asks a node for product and version.
func (l *Link) Product(ctx context.Context) (Product, error) {
	var root struct {
		Name    string
		Cluster string `json:"cluster_name"`
		UUID    string `json:"cluster_uuid"`
		Version struct{ Number, Distribution string }
	}
	if err := l.Ask(ctx, http.MethodGet, "/", nil, &root); err != nil {
		return Product{}, err
	}
	p := Product{Node: root.Name, Cluster: root.Cluster, UUID: root.UUID, Name: "elasticsearch", Version: root.Version.Number}
	if root.Version.Distribution != "" {
		p.Name = root.Version.Distribution
	}
	p.major, p.part = majorMinor(p.Version)
	return p, nil
}

// majorMinor reads the first two numbers of a version, 0 for what is none.
func majorMinor(version string) (major, minor int) {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, _ = strconv.Atoi(first)
	minor, _ = strconv.Atoi(second)
	return major, minor
}

package enginetest_test

import (
	"slices"

	"github.com/esdriver/esdriver/fakecluster"
)

// capability is something that not every engine can do.
type capability string

const (
	byQuery       capability = "by-query calls"
	pointInTime   capability = "points in time"
	painless      capability = "scripts"
	mediaVersions capability = "versions in media types"
)

// capabilities tell which engines can: those of the product, from the version on, with the module installed. A stripped
// distribution lacks modules that its version has: 8.19.7 of .ci/engines has no reindex and no
// lang-painless, 7.10.2 no x-pack-core.
var capabilities = []struct {
	capability   capability
	product      fakecluster.Flavor
	major, minor int
	module       string
}{
	{byQuery, fakecluster.Elasticsearch, 7, 0, "reindex"},
	{byQuery, fakecluster.OpenSearch, 1, 0, "reindex"},
	{pointInTime, fakecluster.Elasticsearch, 7, 10, "x-pack-core"},
	{pointInTime, fakecluster.OpenSearch, 2, 4, ""},
	{painless, fakecluster.Elasticsearch, 7, 0, "lang-painless"},
	{mediaVersions, fakecluster.Elasticsearch, 8, 0, ""},
	{painless, fakecluster.OpenSearch, 1, 0, "lang-painless"},
}

// can reports whether an engine of these facts has the capability.
func (f facts) can(c capability) bool {
	for _, row := range capabilities {
		if row.capability == c && row.product == f.product && f.atLeast(row.major, row.minor) {
			return f.modules == nil || row.module == "" || slices.Contains(f.modules, row.module)
		}
	}
	return false
}

// lacks returns the capabilities of those wanted that the engine has not.
func (f facts) lacks(wanted []capability) []capability {
	return slices.DeleteFunc(slices.Clone(wanted), f.can)
}

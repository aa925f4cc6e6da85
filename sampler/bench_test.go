package sampler_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

func BenchmarkSample(b *testing.B) {
	for _, size := range []int{3, 100, 1000} {
		b.Run(fmt.Sprintf("sniff/%d", size), func(b *testing.B) {
			get := bigCluster(size)
			prev, err := sampler.Sniff{}.Sample(b.Context(), seeds("10.0.0.0:9200"), get)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				prev, _ = sampler.Sniff{}.Sample(b.Context(), prev, get)
			}
			require.Len(b, prev.Nodes, size)
		})
	}
}

// bigCluster answers for every node of a cluster of that size.
func bigCluster(size int) sampler.Getter {
	nodes := make([]string, size)
	for i := range nodes {
		nodes[i] = listed(fmt.Sprintf("id-%d", i), fmt.Sprintf("10.0.%d.%d:9200", i/256, i%256), workRoles,
			`"attributes":{"zone":"z1","rack_id":"r1"}`)
	}
	body := []byte(nodesOf("prod", 0, nodes...))
	return func(context.Context, *sampler.Node, string) (int, []byte, error) { return 200, body, nil }
}

package audit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/fakecluster/audit"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

var (
	first  = &sampler.Node{Addr: "a:9200"}
	second = &sampler.Node{Addr: "b:9200"}
)

func attempt(t *audit.Trail, n *sampler.Node, wrote bool, o balancer.Outcome) {
	ctx := t.AttemptStart(context.Background(), plugins.Attempt{Node: n})
	t.AttemptEnd(ctx, plugins.Attempt{Node: n}, plugins.AttemptResult{Outcome: o, Wrote: wrote})
}

func TestAttemptsAreToldByTheirEnd(t *testing.T) {
	var trail audit.Trail
	attempt(&trail, first, true, balancer.Outcome{Status: 503, Kind: balancer.NodeFailed})
	attempt(&trail, first, true, balancer.Outcome{Kind: balancer.NodeFailed})
	attempt(&trail, first, false, balancer.Outcome{Kind: balancer.NodeFailed})
	attempt(&trail, first, false, balancer.Outcome{Kind: balancer.PoolFull})
	attempt(&trail, second, true, balancer.Outcome{Kind: balancer.CallerGone})
	assert.Equal(t, []string{
		"Attempt a:9200 503", "Attempt a:9200 no answer", "Attempt a:9200 no connection", "Attempt a:9200 pool full",
		"Attempt b:9200 caller gone",
	}, trail.Events())
}

func TestHealthAndTopologyAreTold(t *testing.T) {
	trail := audit.Trail{Name: func(addr string) string { return map[string]string{"a:9200": "n1"}[addr] }}
	trail.TopologyChanged(plugins.TopologyChange{
		Added: []*sampler.Node{first}, Removed: []*sampler.Node{second}, Filtered: []*sampler.Node{second},
	})
	for _, c := range []plugins.HealthChange{
		{Node: first, From: plugins.Unverified, To: plugins.Alive}, {Node: first, From: plugins.Alive, To: plugins.Suspect},
		{Node: first, From: plugins.Suspect, To: plugins.Dead}, {Node: first, From: plugins.Dead, To: plugins.Alive},
		{Node: first, From: plugins.Alive, To: plugins.NotReady},
	} {
		trail.HealthChanged(c)
	}
	trail.ProbeEnd(first, 0, nil)
	trail.ProbeEnd(second, 0, errors.New("refused"))
	trail.SampleEnd(sampler.Topology{}, 0, nil)
	trail.SampleEnd(sampler.Topology{}, 0, errors.New("nobody answers"))
	assert.Equal(t, []string{
		"Added n1", "Removed b:9200", "Filtered b:9200", "Verified n1", "Suspect n1", "NodeDead n1", "Resurrected n1",
		"Not-ready n1", "Ping n1", "PingFailed b:9200", "Sample", "SampleFailed",
	}, trail.Events())
	assert.Equal(t, []string{"Ping n1", "PingFailed b:9200"}, trail.Only("Ping"))
	trail.Reset()
	assert.Empty(t, trail.Events())
}

func TestEventsBelongToTheCaller(t *testing.T) {
	var trail audit.Trail
	trail.SampleEnd(sampler.Topology{}, 0, nil)
	clear(trail.Events())
	assert.Equal(t, []string{"Sample"}, trail.Events())
}

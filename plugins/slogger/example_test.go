package slogger_test

import (
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/plugins/slogger"
	"github.com/esdriver/esdriver/sampler"
)

// A hook is called by the cluster; here it is called by hand.
func ExampleNew() {
	hook := slogger.New(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})))

	node := &sampler.Node{Name: "es-1", Addr: "10.0.0.1:9200"}
	hook.TopologyChanged(plugins.TopologyChange{
		Added:    []*sampler.Node{node},
		Topology: sampler.Topology{ClusterName: "logs", Nodes: []*sampler.Node{node}},
	})
	hook.HealthChanged(plugins.HealthChange{
		Node: node, From: plugins.Alive, To: plugins.Dead,
		Err: errors.New("connection refused"), Retry: time.Second,
	})
	hook.HealthChanged(plugins.HealthChange{Node: node, From: plugins.Dead, To: plugins.Alive})

	// Output:
	// level=INFO msg="topology changed" cluster=logs nodes=1 added=[10.0.0.1:9200] removed=[]
	// level=WARN msg="node changed" node=10.0.0.1:9200 name=es-1 from=alive to=dead retry_in=1s error="connection refused"
	// level=INFO msg="node changed" node=10.0.0.1:9200 name=es-1 from=dead to=alive
}

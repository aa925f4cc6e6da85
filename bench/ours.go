package main

import (
	"context"
	"strings"

	"github.com/esdriver/esdriver"
)

// ours is this project's cluster with its defaults: classes, balancer, health, retries and cancellation are all on.
// The nodes are given, so that no sample falls into a measurement.
type ours struct{ cluster *esdriver.Cluster }

func openOurs(nodes []string) (layer, error) {
	cfg, err := esdriver.ParseDSN("elasticsearch://" + strings.Join(nodes, ",") + "?sampler=static")
	if err != nil {
		return nil, err
	}
	cluster, err := esdriver.Open(cfg)
	return &ours{cluster}, err
}

func (l *ours) do(ctx context.Context, w *worker, o *operation) error {
	return w.consume(l.cluster.RoundTrip(o.request(ctx, "")))
}

func (l *ours) close() { _ = l.cluster.Close(context.Background()) } // the process ends next

package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/bench/srv"
)

// ours is this project's cluster with its defaults: classes, balancer, health, retries and cancellation are all on.
// The nodes are given, so that no sample falls into a measurement.
type ours struct{ cluster *esdriver.Cluster }

func dsn(nodes []string) string {
	return "elasticsearch://" + strings.Join(nodes, ",") + "?sampler=static"
}

func openOurs(nodes []string) (layer, error) {
	cfg, err := esdriver.ParseDSN(dsn(nodes))
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

// sqlLayer is database/sql over the same.
type sqlLayer struct{ db *sql.DB }

func openSQL(nodes []string) (layer, error) {
	db, err := sql.Open("esdriver", dsn(nodes))
	if err == nil {
		db.SetMaxIdleConns(allGoroutines)
	}
	return &sqlLayer{db}, err
}

func (l *sqlLayer) do(ctx context.Context, _ *worker, o *operation) error {
	if o.path != srv.SQL {
		return fmt.Errorf("bench: %s is no SQL", o.path)
	}
	var id int64
	var name string
	return l.db.QueryRowContext(ctx, pointSelect, 1).Scan(&id, &name)
}

func (l *sqlLayer) close() { _ = l.db.Close() } // the process ends next

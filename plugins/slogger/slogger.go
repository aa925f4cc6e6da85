// Package slogger logs what happens in a cluster to a [log/slog.Logger]. Give a [Hook] to Config.Hooks:
//
//	config.Hooks = append(config.Hooks, slogger.New(slog.Default()))
//
// Nodes that fail, that belong to another cluster, samples that fail and errors in the background are logged as
// warnings; changes of the topology and recoveries as information; attempts, probes and good samples for debugging.
// A level that the logger does not want costs one question and no allocation.
//
// Nothing secret is logged: nodes are shown by address and name, requests by method and path without the query,
// errors without the user info and query of URLs in them. Headers, bodies and statements are not shown.
package slogger

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

// Hook logs to a logger. It implements plugins.AttemptHook, TopologyHook, HealthHook, ProbeHook and ErrorHook, and is
// safe for concurrent use as the logger's handler is. Make it with [New].
type Hook struct {
	log *slog.Logger
}

// New returns a hook that logs to the logger, at the levels that its handler is set to; nil means
// [slog.Default] as it is now.
func New(log *slog.Logger) *Hook {
	if log == nil {
		log = slog.Default()
	}
	return &Hook{log: log}
}

// AttemptStart does nothing and returns the context as it is.
func (h *Hook) AttemptStart(ctx context.Context, _ plugins.Attempt) context.Context { return ctx }

// AttemptEnd logs the attempt for debugging, with the context of the request.
func (h *Hook) AttemptEnd(ctx context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	if !h.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	path, _, _ := strings.Cut(a.Path, "?")
	attrs := append(node(a.Node),
		slog.String("class", a.Class.String()),
		slog.Int("attempt", a.Number),
		slog.String("method", a.Method),
		slog.String("path", path),
		slog.String("outcome", r.Outcome.Kind.String()),
		slog.Duration("took", r.Took),
	)
	if r.Outcome.Status != 0 {
		attrs = append(attrs, slog.Int("status", r.Outcome.Status), slog.Duration("latency", r.Outcome.Latency))
	}
	if r.Retry {
		attrs = append(attrs, slog.Bool("retry", true))
	}
	h.log.LogAttrs(ctx, slog.LevelDebug, "attempt", withCause(attrs, r.Outcome.Err)...)
}

// TopologyChanged logs who came and who went, and warns of each node of another cluster.
func (h *Hook) TopologyChanged(change plugins.TopologyChange) {
	ctx := context.Background()
	if h.log.Enabled(ctx, slog.LevelInfo) && len(change.Added)+len(change.Removed) > 0 {
		h.log.LogAttrs(ctx, slog.LevelInfo, "topology changed",
			slog.String("cluster", change.Topology.ClusterName),
			slog.Int("nodes", len(change.Topology.Nodes)),
			slog.Any("added", addrs(change.Added)),
			slog.Any("removed", addrs(change.Removed)),
		)
	}
	if !h.log.Enabled(ctx, slog.LevelWarn) {
		return
	}
	for _, n := range change.Filtered {
		h.log.LogAttrs(ctx, slog.LevelWarn, "node of another cluster", append(node(n),
			slog.String("cluster", n.ClusterName), slog.String("cluster_uuid", n.ClusterUUID),
			slog.String("want_cluster", change.Topology.ClusterName),
			slog.String("want_cluster_uuid", change.Topology.ClusterUUID),
		)...)
	}
}

// SampleEnd warns of a sample that failed and logs the others for debugging.
func (h *Hook) SampleEnd(t sampler.Topology, took time.Duration, err error) {
	ctx, level, text := context.Background(), slog.LevelDebug, "sample"
	if err != nil {
		level, text = slog.LevelWarn, "sample failed"
	}
	if !h.log.Enabled(ctx, level) {
		return
	}
	h.log.LogAttrs(ctx, level, text, withCause([]slog.Attr{
		slog.Int("nodes", len(t.Nodes)),
		slog.Int("failures", len(t.Failures)),
		slog.Bool("partial", t.Partial),
		slog.Duration("took", took),
	}, err)...)
}

// HealthChanged warns of a node that fails and informs of one that recovers or drains.
func (h *Hook) HealthChanged(change plugins.HealthChange) {
	ctx, level := context.Background(), levelOf(change.To)
	if !h.log.Enabled(ctx, level) {
		return
	}
	attrs := append(node(change.Node),
		slog.String("from", change.From.String()),
		slog.String("to", change.To.String()),
	)
	if change.Retry > 0 {
		attrs = append(attrs, slog.Duration("retry_in", change.Retry))
	}
	h.log.LogAttrs(ctx, level, "node changed", withCause(attrs, change.Err)...)
}

// levelOf returns the level of a change to the state. TopologyChanged warns of filtered nodes already.
func levelOf(to plugins.State) slog.Level {
	switch to {
	case plugins.Suspect, plugins.NotReady, plugins.Dead:
		return slog.LevelWarn
	case plugins.Alive, plugins.Draining:
		return slog.LevelInfo
	default:
		return slog.LevelDebug
	}
}

// BackgroundError warns of an error that nothing else tells of.
func (h *Hook) BackgroundError(err error) {
	ctx := context.Background()
	if !h.log.Enabled(ctx, slog.LevelWarn) {
		return
	}
	h.log.LogAttrs(ctx, slog.LevelWarn, "error in the background", withCause(nil, err)...)
}

// ProbeEnd logs the probe for debugging; what follows from it is a change of health.
func (h *Hook) ProbeEnd(n *sampler.Node, took time.Duration, err error) {
	ctx := context.Background()
	if !h.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	h.log.LogAttrs(ctx, slog.LevelDebug, "probe",
		withCause(append(node(n), slog.Duration("took", took)), err)...)
}

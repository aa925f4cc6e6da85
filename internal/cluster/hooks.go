package cluster

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// hooks are the plug-ins sorted by what they implement, so that nobody asks twice. A hook that panics is
// recovered from and reported; a decorator's panic fails its attempt.
type hooks struct {
	attempt   []plugins.AttemptHook
	acquire   []plugins.AcquireHook
	topology  []plugins.TopologyHook
	health    []plugins.HealthHook
	probe     []plugins.ProbeHook
	decorator []plugins.Decorator
	panicked  func(error)
}

func sortHooks(all []plugins.Hook, panicked func(error)) hooks {
	h := hooks{panicked: panicked}
	for _, hook := range all {
		h.attempt = appendIf(h.attempt, hook)
		h.acquire = appendIf(h.acquire, hook)
		h.topology = appendIf(h.topology, hook)
		h.health = appendIf(h.health, hook)
		h.probe = appendIf(h.probe, hook)
		h.decorator = appendIf(h.decorator, hook)
	}
	return h
}

func appendIf[T any](list []T, hook plugins.Hook) []T {
	if h, ok := hook.(T); ok {
		return append(list, h)
	}
	return list
}

// guard is deferred around every call of a hook.
func (h *hooks) guard() {
	if r := recover(); r != nil {
		h.panicked(fmt.Errorf("cluster: a hook panicked: %v", r))
	}
}

func (h *hooks) attemptStart(ctx context.Context, a plugins.Attempt) (out context.Context) {
	out = ctx
	defer h.guard()
	for _, hook := range h.attempt {
		out = hook.AttemptStart(out, a)
	}
	return out
}

func (h *hooks) attemptEnd(ctx context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	for _, hook := range h.attempt {
		func() {
			defer h.guard()
			hook.AttemptEnd(ctx, a, r)
		}()
	}
}

func (h *hooks) acquireEnd(ctx context.Context, n *sampler.Node, class pool.Class, waited time.Duration, err error) {
	for _, hook := range h.acquire {
		func() {
			defer h.guard()
			hook.AcquireEnd(ctx, n, class, waited, err)
		}()
	}
}

func (h *hooks) topologyChanged(change plugins.TopologyChange) {
	for _, hook := range h.topology {
		func() {
			defer h.guard()
			hook.TopologyChanged(change)
		}()
	}
}

func (h *hooks) sampleEnd(t sampler.Topology, took time.Duration, err error) {
	for _, hook := range h.topology {
		func() {
			defer h.guard()
			hook.SampleEnd(t, took, err)
		}()
	}
}

func (h *hooks) healthChanged(change plugins.HealthChange) {
	for _, hook := range h.health {
		func() {
			defer h.guard()
			hook.HealthChanged(change)
		}()
	}
}

func (h *hooks) probeEnd(n *sampler.Node, took time.Duration, err error) {
	for _, hook := range h.probe {
		func() {
			defer h.guard()
			hook.ProbeEnd(n, took, err)
		}()
	}
}

func (h *hooks) decorate(req *http.Request, n *sampler.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cluster: a decorator panicked: %v", r)
			h.panicked(err)
		}
	}()
	for _, hook := range h.decorator {
		if err := hook.Decorate(req, n); err != nil {
			return fmt.Errorf("cluster: decorate: %w", err)
		}
	}
	return nil
}

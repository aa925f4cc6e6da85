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
	trouble   []plugins.ErrorHook
	decorator []plugins.Decorator
	herald    *herald
	panicked  func(error) // counts a panic and tells the hooks
	count     func(error) // counts it
}

func sortHooks(all []plugins.Hook, panicked, count func(error)) hooks {
	h := hooks{herald: newHerald(), panicked: panicked, count: count}
	for _, hook := range all {
		h.attempt = appendIf(h.attempt, hook)
		h.acquire = appendIf(h.acquire, hook)
		h.topology = appendIf(h.topology, hook)
		h.health = appendIf(h.health, hook)
		h.probe = appendIf(h.probe, hook)
		h.trouble = appendIf(h.trouble, hook)
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
func (h *hooks) guard(tell func(error)) {
	if r := recover(); r != nil {
		tell(fmt.Errorf("cluster: a hook panicked: %v", r))
	}
}

// later has the herald call a hook.
func (h *hooks) later(call func()) {
	h.herald.add(func() {
		defer h.guard(h.panicked)
		call()
	})
}

func (h *hooks) attemptStart(ctx context.Context, a plugins.Attempt) context.Context {
	for _, hook := range h.attempt {
		func() {
			defer h.guard(h.panicked)
			if own := hook.AttemptStart(ctx, a); own != nil {
				ctx = own
			}
		}()
	}
	return ctx
}

func (h *hooks) attemptEnd(ctx context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	for _, hook := range h.attempt {
		func() {
			defer h.guard(h.panicked)
			hook.AttemptEnd(ctx, a, r)
		}()
	}
}

func (h *hooks) acquireEnd(ctx context.Context, n *sampler.Node, class pool.Class, waited time.Duration, err error) {
	for _, hook := range h.acquire {
		func() {
			defer h.guard(h.panicked)
			hook.AcquireEnd(ctx, n, class, waited, err)
		}()
	}
}

func (h *hooks) topologyChanged(change plugins.TopologyChange) {
	for _, hook := range h.topology {
		h.later(func() { hook.TopologyChanged(change) })
	}
}

func (h *hooks) sampleEnd(t sampler.Topology, took time.Duration, err error) {
	for _, hook := range h.topology {
		h.later(func() { hook.SampleEnd(t, took, err) })
	}
}

func (h *hooks) healthChanged(change plugins.HealthChange) {
	for _, hook := range h.health {
		h.later(func() { hook.HealthChanged(change) })
	}
}

func (h *hooks) probeEnd(n *sampler.Node, took time.Duration, err error) {
	for _, hook := range h.probe {
		h.later(func() { hook.ProbeEnd(n, took, err) })
	}
}

// backgroundError tells of an error that no other hook hears of.
func (h *hooks) backgroundError(err error) {
	for _, hook := range h.trouble {
		h.herald.add(func() {
			defer h.guard(h.count) // or one that panics would be told of its own panics without end
			hook.BackgroundError(err)
		})
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

package pool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Set is the groups of a cluster's nodes by the node's key, which is its address. It is safe for concurrent
// use. The zero Set is empty and ready. A Set must not be copied.
type Set[C any] struct {
	groups atomic.Pointer[map[string]*Group[C]] // replaced, never changed

	mu      sync.Mutex  // guards replacing groups, and all below
	leaving []*Group[C] // closed, perhaps with connections still in use
	closed  bool
}

// Add returns the key's group, made of cfg if there is none yet. An empty cfg.Name is the key. It fails with
// NewGroup's error, or with [ErrClosed].
func (s *Set[C]) Add(key string, cfg Config[C]) (*Group[C], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if g, ok := s.Get(key); ok {
		return g, nil
	}
	if cfg.Name == "" {
		cfg.Name = key
	}
	g, err := NewGroup(cfg)
	if err != nil {
		return nil, err
	}
	next := maps.Clone(s.all())
	if next == nil {
		next = make(map[string]*Group[C])
	}
	next[key] = g
	s.groups.Store(&next)
	return g, nil
}

// Get returns the key's group, and whether there is one.
func (s *Set[C]) Get(key string) (*Group[C], bool) {
	g, ok := s.all()[key]
	return g, ok
}

// Acquire returns a connection of the key's group, as [Group.Acquire] does. For a key that is not in the set
// it fails with an error that is [ErrClosed]: its node was removed.
func (s *Set[C]) Acquire(ctx context.Context, key string, class Class) (Conn[C], error) {
	g, ok := s.Get(key)
	if !ok {
		return Conn[C]{}, fmt.Errorf("pool: no node %s: %w", key, ErrClosed)
	}
	return g.Acquire(ctx, class)
}

// Retain removes and closes the groups of all other keys. It does not wait for their connections in use.
// A key that is added again later gets a new group.
func (s *Set[C]) Retain(keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retain(keys)
}

// Sweep sweeps every group; see [Group.Sweep].
func (s *Set[C]) Sweep() {
	for _, g := range s.all() {
		g.Sweep()
	}
}

// Close closes all groups and lets no more be added. It does not wait; see Wait.
// Closing twice is closing once.
func (s *Set[C]) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.retain(nil)
}

// Wait returns nil when no removed or closed group has a connection any more, and ctx's error if that ends first.
func (s *Set[C]) Wait(ctx context.Context) error {
	s.mu.Lock()
	leaving := slices.Clone(s.leaving)
	s.mu.Unlock()
	for _, g := range leaving {
		select {
		case <-g.Closed():
		case <-ctx.Done():
			return fmt.Errorf("pool: connections to %s are still in use: %w", g.cfg.Name, ctx.Err())
		}
	}
	return nil
}

// all returns the groups by key, not to be changed; nil when there was none yet.
func (s *Set[C]) all() map[string]*Group[C] {
	if groups := s.groups.Load(); groups != nil {
		return *groups
	}
	return nil
}

// retain is Retain. The caller holds mu.
func (s *Set[C]) retain(keys []string) {
	s.leaving = slices.DeleteFunc(s.leaving, (*Group[C]).gone)
	next := make(map[string]*Group[C])
	for key, g := range s.all() {
		if slices.Contains(keys, key) {
			next[key] = g
			continue
		}
		g.Close()
		s.leaving = append(s.leaving, g)
	}
	s.groups.Store(&next)
}

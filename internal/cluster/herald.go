package cluster

import (
	"fmt"
	"sync"
)

// mostEvents is how many events may wait for hooks that are slow; later ones are lost, and that is reported.
const mostEvents = 1024

// herald tells the hooks what happens in the background, one event after the other, on a goroutine of its own. So a hook
// may take its time, and call the cluster, and holds up neither a request nor the list of nodes.
type herald struct {
	mu     sync.Mutex // mu guards all below
	events []func()
	lost   int // since the last event that was told

	wake chan struct{}
}

func newHerald() *herald { return &herald{wake: make(chan struct{}, 1)} }

// add queues an event. It never blocks.
func (h *herald) add(event func()) {
	h.mu.Lock()
	if len(h.events) < mostEvents {
		h.events = append(h.events, event)
	} else {
		h.lost++
	}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// take returns the events that wait, and how many were lost behind them.
func (h *herald) take() (events []func(), lost int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	events, lost = h.events, h.lost
	h.events, h.lost = nil, 0
	return events, lost
}

// heralding is the herald's goroutine. It ends at Close, when all that waits has been told.
func (c *Cluster) heralding() {
	defer c.background.done()
	for {
		select {
		case <-c.hooks.herald.wake:
			c.tellAll()
		case <-c.background.stopping():
			c.tellAll()
			return
		}
	}
}

func (c *Cluster) tellAll() {
	for events, lost := c.hooks.herald.take(); len(events) > 0; events, lost = c.hooks.herald.take() {
		for _, event := range events {
			event()
		}
		if lost > 0 {
			c.report(fmt.Errorf("cluster: the hooks are slow: %d events were not told", lost))
		}
	}
}

package cluster

import (
	"context"
	"fmt"

	"github.com/esdriver/esdriver/pool"
)

// warm dials ahead on a node that has just been found well, in the background. The goroutine ends when the
// connections are there, at the first failure, or at Close.
func (c *Cluster) warm(p *peer) {
	if c.cfg.Warm == WarmNone || !c.background.start() {
		return
	}
	go func() {
		defer c.background.done()
		if err := c.warmUp(c.background.context(), p); err != nil && !c.background.stopped() {
			c.trouble(fmt.Errorf("cluster: warm %s: %w", p.node.Load().Addr, err))
		}
	}()
}

func (c *Cluster) warmUp(ctx context.Context, p *peer) error {
	if c.cfg.Warm == WarmLight {
		return p.group.Warm(ctx, pool.Reg, 1)
	}
	for class, size := range c.cfg.Sizes {
		if err := p.group.Warm(ctx, pool.Class(class), int(size)); err != nil {
			return err
		}
	}
	return nil
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// errPanicked is what a sampler's panic becomes.
var errPanicked = errors.New("cluster: the sampler panicked")

// Spacing of samples.
const (
	sampleSoonest = time.Second            // after the last, when a failure asks for one
	sampleRetry   = 500 * time.Millisecond // first pause after a failed sample; it doubles up to SampleEvery
	maxAnswer     = 64 << 20               // a sample's or probe's answer; 1,000 nodes are about 1 MB
)

// sampling is the loop that takes samples, one at a time, and never gives up. It ends at Close.
func (c *Cluster) sampling() {
	defer c.background.done()
	retry := fullJitter(2*sampleRetry, max(2*c.cfg.SampleEvery, 2*sampleRetry))
	for first := true; ; first = false {
		var waiting []chan error
		if !first {
			var ok bool
			if waiting, ok = c.awaitSample(retry.NextBackOff); !ok {
				return
			}
		}
		err := c.sample()
		c.sampledAt, c.failed = time.Now(), err != nil
		if err == nil {
			retry.Reset()
		}
		for _, w := range waiting {
			w <- err
		}
		c.firstSample.Do(func() { close(c.sampled) })
	}
}

// awaitSample waits until a sample is due or asked for, and returns who waits for it; false at Close.
func (c *Cluster) awaitSample(retry func() time.Duration) ([]chan error, bool) {
	wait := jitter(c.cfg.SampleEvery)
	if c.failed {
		wait = min(wait, retry())
	}
	due := time.NewTimer(wait)
	if c.cfg.SampleEvery <= 0 && !c.failed {
		due.Stop()
	}
	defer due.Stop()
	for {
		select {
		case <-due.C:
			return nil, true
		case w := <-c.refreshes:
			return c.othersToo(w), true
		case <-c.nudged:
			if c.cfg.SampleEvery > 0 {
				due.Reset(max(0, min(sampleSoonest, wait)-time.Since(c.sampledAt)))
			}
		case <-c.background.stopping():
			return nil, false
		}
	}
}

// othersToo collects everybody who asks at the same time: one sample serves all.
func (c *Cluster) othersToo(first chan error) []chan error {
	waiting := []chan error{first}
	for {
		select {
		case w := <-c.refreshes:
			waiting = append(waiting, w)
		default:
			return waiting
		}
	}
}

// jitter spreads d by a tenth to both sides, so that many clients do not sample in step.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return time.Hour
	}
	return d - d/10 + rand.N(d/5+1)
}

// nudgeSampler asks for a sample soon: a request has found a node failing. What probes and samples find does not
// ask for further samples.
func (c *Cluster) nudgeSampler() {
	select {
	case c.nudged <- struct{}{}:
	default:
	}
}

// sample takes one sample and has the owner adopt it.
func (c *Cluster) sample() error {
	ctx, cancel := context.WithTimeout(c.background.context(), c.cfg.SampleTimeout)
	defer cancel()
	c.cancelSample.Store(&cancel)
	began := time.Now()
	prev := c.snap.Load().topology
	t, err := c.ask(ctx, prev)
	took := time.Since(began)
	c.samples.Add(1)
	if c.background.stopped() {
		return ErrClosed
	}
	if t.At.IsZero() {
		t.At = time.Now()
	}
	if err != nil {
		c.sampleFailures.Add(1)
		err = fmt.Errorf("cluster: sample: %w", err)
		c.report(err)
		t.Partial = true
	}
	for _, f := range t.Failures {
		if f.Err != nil {
			c.report(fmt.Errorf("cluster: sample: %s: %w", f.Addr, f.Err))
		}
	}
	if runErr := c.run(c.background.context(), func() { c.take(prev, t, err) }); runErr != nil {
		return runErr
	}
	c.hooks.sampleEnd(t, took, err)
	return err
}

// take adopts a sample, unless the seeds have changed while it was taken: it may speak for one that is gone, and
// another follows. It runs on the owner.
func (c *Cluster) take(prev, t sampler.Topology, err error) {
	if slices.Equal(prev.Seeds, c.roster.seeds) {
		c.roster.refusal = refusal(err)
		c.adopt(t)
	}
}

// refusal returns the error of a sampler that has found nodes of which none is wanted: the seeds must not be used
// in their place then.
func refusal(err error) error {
	if _, ok := errors.AsType[*sampler.NoMatchError](err); ok {
		return err
	}
	return nil
}

// ask calls the sampler. A panic of its is an error: the loop must go on.
func (c *Cluster) ask(ctx context.Context, prev sampler.Topology) (t sampler.Topology, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanicked, r)
		}
	}()
	if c.cfg.IgnoreName {
		prev.ClusterName, prev.ClusterUUID = "", ""
	}
	return c.cfg.Sampler.Sample(ctx, prev, c.getter)
}

// getter is the sampler.Getter. What it learns by GET / is as good as a probe.
func (c *Cluster) getter(ctx context.Context, n *sampler.Node, path string) (int, []byte, error) {
	if n == nil {
		return 0, nil, errors.New("cluster: the sampler asked for a nil node")
	}
	p := c.snap.Load().byAddr(n.Addr)
	if p == nil {
		return 0, nil, fmt.Errorf("cluster: node %s is not in the list", n.Addr)
	}
	a, err := c.get(ctx, p, n, path, pool.State)
	if path == "/" && !c.background.stopped() && !errors.Is(ctx.Err(), context.Canceled) {
		_ = c.judgeProbe(p, n, a, err) // the sampler hears of err itself
	}
	return a.status, a.body, err
}

func (s *snapshot) byAddr(addr string) *peer {
	for _, p := range s.all {
		if p.node.Load().Addr == addr {
			return p
		}
	}
	return nil
}

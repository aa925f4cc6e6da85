package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// watch starts the node's watcher unless one runs: a goroutine that probes until the node is alive again.
// It ends then, when the node leaves the list, or at Close.
func (c *Cluster) watch(p *peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watched || !c.background.start() {
		return
	}
	p.watched = true
	go func() {
		defer c.background.done()
		for c.pause(p) {
			c.probe(p)
		}
	}()
}

// pause waits until the next probe is due and reports whether there is one to make.
func (c *Cluster) pause(p *peer) bool {
	p.mu.Lock()
	if p.is() == plugins.Alive {
		p.watched = false
		p.mu.Unlock()
		return false
	}
	wait := time.Until(p.until)
	p.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.wake:
	case <-p.gone:
		return false
	case <-c.background.stopping():
		return false
	}
	return true
}

// probe asks the node for GET / in class ping and notes what it learns.
func (c *Cluster) probe(p *peer) {
	n := p.node.Load()
	began := time.Now()
	ctx, cancel := context.WithTimeout(c.background.context(), c.cfg.SampleTimeout)
	defer cancel()
	answer, err := c.get(ctx, p, n, "/", pool.Ping)
	c.probes.Add(1)
	if c.background.stopped() {
		return
	}
	if err = c.judgeProbe(p, n, answer, err); err != nil {
		c.probeFailures.Add(1)
		c.report(fmt.Errorf("cluster: probe of %s: %w", n.Addr, err))
	}
	c.hooks.probeEnd(n, time.Since(began), err)
}

// answer is a small answer that was read whole.
type answer struct {
	status int
	header http.Header
	closes bool // Connection: close
	body   []byte
}

// root is the answer to GET /, alike in both products since 1.0.
type root struct {
	Name        string `json:"name"`
	ClusterName string `json:"cluster_name"`
	ClusterUUID string `json:"cluster_uuid"`
}

var errNotRecovered = errors.New("the cluster has not recovered its state")

// judgeProbe turns the answer to GET / into a state, and returns what is wrong with the node.
func (c *Cluster) judgeProbe(p *peer, n *sampler.Node, a answer, err error) error {
	if err != nil && p.lack(err) {
		p.postpone(lackRetry)
		return err
	}
	if err != nil {
		c.unreachable(p, err)
		return err
	}
	var r root
	decoded := json.Unmarshal(a.body, &r)
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		c.answered(p, a)
		return &statusError{status: a.status, reason: "credentials not accepted by GET /"}
	case a.status == http.StatusServiceUnavailable && decoded == nil, r.ClusterUUID == "_na_":
		c.unavailable(p, errNotRecovered)
		return errNotRecovered
	case a.status >= 500:
		err = &statusError{status: a.status}
		c.unreachable(p, err)
		return err
	case a.status == http.StatusOK && decoded != nil:
		err = fmt.Errorf("GET / answered %q instead of a JSON object; is this Elasticsearch or OpenSearch?", snippet(a.body))
		c.unreachable(p, err)
		return err
	}
	if err := c.identity.judge(r.ClusterName, r.ClusterUUID); err != nil {
		c.stranger(p, err)
		return err
	}
	c.answered(p, a)
	return nil
}

// lackRetry is when a probe is tried again that we could not make.
const lackRetry = time.Second

// lack reports whether an error comes of something on our side, so that it says nothing of the node: file descriptors,
// a decorator's failure, or a connection when others hold all of them.
func (p *peer) lack(err error) bool {
	if _, local := errors.AsType[*localError](err); local {
		return true
	}
	if ours(err) || errors.Is(err, pool.ErrTimeout) || errors.Is(err, pool.ErrClosed) {
		return true
	}
	_, dialed := errors.AsType[*pool.DialError](err)
	_, connected := errors.AsType[*httpconn.Error](err)
	return !dialed && !connected && errors.Is(err, context.DeadlineExceeded) && !p.dialing()
}

// dialing reports whether a connection to the node is being dialed: who waits then waits for the node.
func (p *peer) dialing() bool {
	for class := range pool.Class(pool.NumClasses) {
		if p.group.Stat(class).Dialing > 0 {
			return true
		}
	}
	return false
}

// postpone puts the next probe off.
func (p *peer) postpone(wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if next := time.Now().Add(wait); next.After(p.until) {
		p.until = next
	}
}

// answered brings a probed node back, unless it says that it is on its way out.
func (c *Cluster) answered(p *peer, a answer) {
	p.mu.Lock()
	from, to := p.is(), plugins.Alive
	p.verified = true
	p.learnCut(a.closes)
	if a.closes && !p.alwaysCut {
		to = plugins.Draining
		p.until = time.Now().Add(drainRetry)
	}
	p.enter(to)
	p.failures = 0
	if p.refusals < streak {
		p.waits.Reset()
	}
	p.clean.Store(to == plugins.Alive && p.refusals == 0 && p.knowsCut)
	p.mu.Unlock()
	if from != to {
		c.moved(p, from, to, nil, 0)
	}
	if from != to && to == plugins.Alive {
		c.recovered(p)
	}
}

// stranger takes a node of another cluster out; it is judged anew after a while, for it may come home.
func (c *Cluster) stranger(p *peer, err error) {
	p.mu.Lock()
	from, _ := p.fail(plugins.Filtered, err, identityNext)
	p.mu.Unlock()
	c.moved(p, from, plugins.Filtered, err, identityNext)
}

// recovered has all other nodes probed at once when the first comes back after a total outage: what has
// brought one back has most likely brought all back.
func (c *Cluster) recovered(back *peer) {
	snap := c.snap.Load()
	for _, p := range snap.all {
		if p != back && p.serves() {
			return
		}
	}
	for _, p := range snap.all {
		if p != back {
			p.nudge()
		}
	}
}

// get fetches a path from one node: probes and samples, which are never retried and mark nothing.
func (c *Cluster) get(ctx context.Context, p *peer, n *sampler.Node, path string, class pool.Class) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return answer{}, fmt.Errorf("cluster: path %q: %w", path, err)
	}
	a := &attempt{c: c, peer: p, node: n, class: class}
	resp, err := a.do(ctx, req, nil, c.cfg.SampleTimeout)
	if err != nil {
		return answer{}, err
	}
	body, err := readAll(resp.Body, maxAnswer)
	if err != nil {
		return answer{}, fmt.Errorf("cluster: answer to GET %s: %w", path, err)
	}
	return answer{status: resp.StatusCode, header: resp.Header, closes: resp.Close, body: body}, nil
}

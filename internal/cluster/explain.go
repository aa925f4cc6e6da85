package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/plugins"
)

// Explain tells how the request would be routed now, without sending it.
func (c *Cluster) Explain(req *http.Request) plugins.Explanation {
	if req.URL == nil {
		return plugins.Explanation{Text: "the request has no URL\n"}
	}
	req = withMethod(req)
	e := plugins.Explanation{
		Class:  c.classOf(req),
		Nodes:  c.nodeStats(),
		Tokens: c.budget.left(c.requests.Load(), time.Now()),
	}
	e.Idempotent, e.Why = idempotency(req)
	r := &request{c: c, req: req, ctx: req.Context(), class: e.Class, key: routingKeyFrom(req.Context())}
	snap := c.snap.Load()
	if p, n, done := r.pick(snap); p != nil {
		e.Picked = n
		if done != nil {
			c.tellPicker(done, balancer.Outcome{Kind: balancer.CallerGone})
		}
	} else if p := r.fallback(snap); p != nil {
		e.Picked = p.node.Load()
	}
	e.Text = explain(req, &e)
	return e
}

func explain(req *http.Request, e *plugins.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s travels in class %s; ", req.Method, req.URL.Path, e.Class)
	if e.Idempotent {
		fmt.Fprintf(&b, "may be sent twice (%s)\n", e.Why)
	} else {
		fmt.Fprintf(&b, "must not be sent twice (%s)\n", e.Why)
	}
	if e.Picked != nil {
		fmt.Fprintf(&b, "would go to %s now; %.0f retries are left in the budget\n", e.Picked.Addr, e.Tokens)
	} else {
		b.WriteString("no node can take it now\n")
	}
	for _, n := range e.Nodes {
		explainNode(&b, n, e)
	}
	return b.String()
}

func explainNode(b *strings.Builder, n plugins.NodeStats, e *plugins.Explanation) {
	s := n.Pools[e.Class]
	fmt.Fprintf(b, "  %s %s: %d in flight; class %s %d in use, %d idle, %d waiting, of %d",
		n.Node.Addr, n.State, n.InFlight, e.Class, s.InUse, s.Idle, s.Waiting, s.Limit)
	if n.LastErr != nil {
		fmt.Fprintf(b, "; last failure: %v", n.LastErr)
	}
	if !n.DeadTill.IsZero() {
		fmt.Fprintf(b, "; probed in %s", max(0, time.Until(n.DeadTill)).Round(time.Millisecond))
	}
	b.WriteByte('\n')
}

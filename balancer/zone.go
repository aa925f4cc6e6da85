package balancer

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// overprovisioning is how much more than its fair part a node is trusted to carry, before requests
	// leave the zone: with 1.4, as in Envoy's zone aware routing, a zone keeps all of its traffic while
	// five sevenths of its nodes are well.
	overprovisioning = 1.4
	// absence is how long a local node that went away is still expected back. A restart is shorter; a node
	// that was taken out for good must not send requests to other zones for ever.
	absence = 10 * time.Minute
)

var zoneParams = []string{"attr", "inner", "local"}

func init() { Register("zone", newZone) }

// zone keeps requests with the nodes whose attribute has the local value while enough of these are well, and
// sends the part that they should not carry to the others. Its keys:
//
//   - local: the value that makes a node a local one; required
//   - attr: the attribute to compare, default "zone"
//   - inner: the balancer that chooses within each side, default [Default]; "zone" again makes it finer
//   - inner.*: keys of the inner balancer
//
// The part that stays is 1.4 × local nodes well / local nodes known, at most all. Known are those that were
// in an Update, by address, until ten minutes after they went away. Without local nodes all goes to the others.
type zone struct {
	attr, local string
	near, far   Balancer
	known       map[string]time.Time // local addresses: when they went away, zero for those that are here
}

func newZone(params url.Values) (Balancer, error) {
	own, forInner := splitParams(params)
	if err := checkParams("zone", own, zoneParams...); err != nil {
		return nil, err
	}
	z := &zone{attr: "zone", local: own.Get("local"), known: map[string]time.Time{}}
	if z.local == "" {
		return nil, fmt.Errorf("balancer: zone: %w", &ParamError{Name: "local", Want: "the zone to stay in"})
	}
	if attr := own.Get("attr"); attr != "" {
		z.attr = attr
	}
	inner := own.Get("inner")
	if inner == "" {
		inner = Default
	}
	if err := z.makeInner(inner, forInner); err != nil {
		return nil, err
	}
	return z, nil
}

// splitParams parts the keys of the inner balancer, their prefix removed, from the zone's own.
func splitParams(params url.Values) (own, inner url.Values) {
	own, inner = url.Values{}, url.Values{}
	for key, values := range params {
		if rest, ok := strings.CutPrefix(key, "inner."); ok {
			inner[rest] = values
		} else {
			own[key] = values
		}
	}
	return own, inner
}

// makeInner makes one balancer for each side, so that neither sees the nodes of the other.
func (z *zone) makeInner(name string, params url.Values) (err error) {
	if !slices.Contains(Names(), name) {
		return fmt.Errorf("balancer: zone: %w", &ParamError{Name: "inner", Value: name, Want: strings.Join(Names(), ", ")})
	}
	if z.near, err = New(name, params); err == nil {
		z.far, err = New(name, params)
	}
	if err != nil {
		return ofInner(err)
	}
	return nil
}

func (z *zone) Update(nodes []*Node) Picker {
	near, far := z.split(nodes)
	away, last := z.remember(near)
	switch {
	case len(far) == 0:
		return z.near.Update(near)
	case len(near) == 0:
		return z.far.Update(far)
	}
	well := float64(len(near)) / float64(len(near)+away)
	return &zonePicker{
		near: z.near.Update(near), far: z.far.Update(far),
		stay: min(1, overprovisioning*well), until: last.Add(absence),
	}
}

func (z *zone) split(nodes []*Node) (near, far []*Node) {
	for _, n := range nodes {
		if n.Attrs[z.attr] == z.local {
			near = append(near, n)
		} else {
			far = append(far, n)
		}
	}
	return near, far
}

// remember notes which local nodes are here. It returns how many are away and expected back, and when the
// last of these went.
func (z *zone) remember(near []*Node) (away int, last time.Time) {
	known := make(map[string]time.Time, len(near))
	for _, n := range near {
		known[n.Addr] = time.Time{}
	}
	for addr, since := range missing(z.known, known, time.Now()) {
		known[addr] = since
		away++
		if since.After(last) {
			last = since
		}
	}
	z.known = known
	return away, last
}

// missing returns those of before that are not here but still expected, with the time when they went.
func missing(before, here map[string]time.Time, now time.Time) map[string]time.Time {
	gone := map[string]time.Time{}
	for addr, since := range before {
		if since.IsZero() {
			since = now
		}
		if _, ok := here[addr]; !ok && now.Sub(since) < absence {
			gone[addr] = since
		}
	}
	return gone
}

// zonePicker is immutable.
type zonePicker struct {
	near, far Picker
	stay      float64   // the part of requests that stays in the zone
	until     time.Time // from then on nobody is expected back, and all stays
}

// Pick tries the other side when all nodes of the first one were tried.
func (p *zonePicker) Pick(r Request) (Choice, error) {
	first, second := p.near, p.far
	if p.leaves() {
		first, second = second, first
	}
	choice, err := first.Pick(r)
	if err != nil {
		return second.Pick(r)
	}
	return choice, nil
}

// leaves reports whether a request is to leave the zone. The clock is read only for those that would.
func (p *zonePicker) leaves() bool {
	return p.stay < 1 && rand.Float64() >= p.stay && time.Until(p.until) > 0
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

// cluster looks at what all nodes share.
func (d *doctor) cluster(ctx context.Context, l *link.Link) {
	ctx, cancel := context.WithTimeout(ctx, 3*within)
	defer cancel()
	d.addresses(ctx, l)
	d.clock(ctx, l)
	d.sql(ctx, l)
}

// serious is a finding that is bad if the DSN needs what it is about, and a note if not.
func (d *doctor) serious(needed bool, about, what, advice string) {
	if needed {
		d.report(bad(about, what, advice))
		return
	}
	d.report(note(about, what, advice))
}

// addresses looks whether sniffing is allowed, and whether the addresses that the nodes tell of themselves can be
// reached from here.
func (d *doctor) addresses(ctx context.Context, l *link.Link) {
	sniffs := d.config.SamplerName == "sniff"
	var answer struct {
		Nodes map[string]struct {
			Name string
			HTTP struct {
				Address string `json:"publish_address"`
			}
		}
	}
	if err := l.Ask(ctx, http.MethodGet, "/_nodes/http", nil, &answer); err != nil {
		d.serious(sniffs, "sniffing", "the nodes cannot be listed: "+why(err),
			"Grant the cluster privilege monitor (Elasticsearch) or cluster:monitor/nodes/info (OpenSearch), or keep sampler=ping.")
		return
	}
	d.report(good("sniffing", fmt.Sprintf("the nodes can be listed: %d", len(answer.Nodes))))
	reached := 0
	for _, id := range slices.Sorted(maps.Keys(answer.Nodes)) {
		n := answer.Nodes[id]
		addr := dialable(n.HTTP.Address)
		if addr == "" {
			d.serious(sniffs, "publish", n.Name+" tells no HTTP address", "A managed service hides them: keep sampler=ping.")
		} else if err := dial(ctx, addr); err != nil {
			d.serious(sniffs, "publish", fmt.Sprintf("%s tells %s, which cannot be reached from here: %s", n.Name, addr, cause(err)),
				"Set http.publish_host in the server, or keep sampler=ping, which asks the DSN's addresses alone.")
		} else {
			reached++
		}
	}
	if reached > 0 {
		d.report(good("publish", fmt.Sprintf("%d of %d addresses can be reached", reached, len(answer.Nodes))))
	}
}

// dialable is the part of a publish address that can be dialed: servers write host:port or host/ip:port.
func dialable(address string) string {
	host, rest, named := strings.Cut(address, "/")
	if !named {
		return address
	}
	return host + rest[strings.LastIndex(rest, ":"):]
}

// why is the server's reason, or the innermost cause.
func why(err error) string {
	if no, ok := errors.AsType[*link.StatusError](err); ok {
		return fmt.Sprintf("status %d: %s", no.Status, no.Reason())
	}
	return cause(err)
}

// Clocks that differ by more than apart are mentioned, by more than farApart they break what has an end: tokens, and
// ranges of time.
const (
	apart    = 5 * time.Second
	farApart = time.Minute
)

// clock compares this machine's clock with the nodes'.
func (d *doctor) clock(ctx context.Context, l *link.Link) {
	var answer struct {
		Nodes map[string]struct {
			Name      string
			Timestamp int64
		}
	}
	began := time.Now()
	err := l.Ask(ctx, http.MethodGet, "/_nodes/stats/process?filter_path=nodes.*.name,nodes.*.timestamp", nil, &answer)
	if err != nil || len(answer.Nodes) == 0 {
		d.report(note("clock", "the nodes do not tell their time", "Without the right to see their statistics it cannot be compared."))
		return
	}
	here := began.Add(time.Since(began) / 2)
	var most time.Duration
	name := ""
	for _, n := range answer.Nodes {
		if n.Timestamp == 0 {
			continue
		}
		if off := time.UnixMilli(n.Timestamp).Sub(here); off.Abs() >= most.Abs() {
			most, name = off, n.Name
		}
	}
	d.skew(name, most)
}

func (d *doctor) skew(name string, off time.Duration) {
	what := fmt.Sprintf("%s is %s off this machine's", name, off.Round(time.Millisecond))
	advice := "Synchronise the clocks (NTP): tokens, certificates and ranges of time depend on them."
	switch {
	case name == "":
		d.report(note("clock", "the nodes do not tell their time", "It cannot be compared."))
	case off.Abs() > farApart:
		d.report(bad("clock", what, advice))
	case off.Abs() > apart:
		d.report(note("clock", what, advice))
	default:
		d.report(good("clock", what+", at most"))
	}
}

// sql looks whether statements may be run.
func (d *doctor) sql(ctx context.Context, l *link.Link) {
	path, module := "/_sql", "SQL is a part of the default distribution of Elasticsearch; the one under the Apache licence (oss) lacks it."
	if d.products[0].OpenSearch() {
		path, module = "/_plugins/_sql", "Install the plug-in opensearch-sql on every node."
	}
	_, err := l.Call(esdriver.WithIdempotent(ctx, true), http.MethodPost, path, []byte(`{"query":"SELECT 1"}`))
	no, refused := errors.AsType[*link.StatusError](err)
	switch {
	case err == nil:
		d.report(good("SQL", "statements are answered"))
	case refused && (no.Status == http.StatusForbidden || no.Status == http.StatusUnauthorized):
		d.report(bad("SQL", "the user may run no statement: "+no.Reason(), "Grant the privilege read on the indices (Elasticsearch) or the role for the SQL plug-in (OpenSearch)."))
	default:
		d.report(bad("SQL", why(err), module))
	}
}

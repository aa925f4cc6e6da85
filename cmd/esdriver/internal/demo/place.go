package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/sampler"
)

// place is the cluster that the demo runs on.
type place struct {
	db      *sql.DB
	cluster *esdriver.Cluster    // db's
	fake    *fakecluster.Cluster // nil when the cluster is the user's
}

// openPlace opens the user's cluster, or starts one when there is no DSN.
func openPlace(ctx context.Context, dsn string, live time.Duration) (*place, error) {
	p := &place{}
	if dsn == "" {
		fake, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.ClusterName("demo"), fakecluster.SQL(sqlite.New()))
		if err != nil {
			return nil, err
		}
		p.fake = fake
		dsn = fmt.Sprintf("%s?sampler=sniff&sampler.interval=%s", fake.DSN(), sampleEvery(live))
	}
	if err := p.open(ctx, dsn); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// sampleEvery is short, so that a node that joins is found while the live part lasts.
func sampleEvery(live time.Duration) time.Duration {
	return min(max(live/30, 50*time.Millisecond), 500*time.Millisecond)
}

func (p *place) open(ctx context.Context, dsn string) (err error) {
	if p.db, err = sql.Open("esdriver", dsn); err != nil {
		return err
	}
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		p.cluster = c.(*esdriver.Conn).Cluster()
		return nil
	})
}

// close closes the driver before the cluster, so that nothing fails on the way.
func (p *place) close() (err error) {
	if p.db != nil {
		err = p.db.Close()
	}
	if p.fake != nil {
		p.fake.Close()
	}
	return err
}

// introduce says which cluster it is, once it answers.
func (d *demo) introduce(ctx context.Context) error {
	d.title(1, "The cluster")
	if err := d.place.db.PingContext(ctx); err != nil {
		return fmt.Errorf("demo: the cluster does not answer: %w", err)
	}
	t := d.place.cluster.Topology()
	where := "yours"
	if d.place.fake != nil {
		where = "started inside this process"
	}
	d.Printf("   Cluster %q, %s.\n\n", t.ClusterName, where)
	nodes := table.Table{Columns: []string{"node", "address", "version"}}
	for _, n := range byName(t.Nodes)[:min(len(t.Nodes), maxNodes)] {
		nodes.Add(nameOf(n), clip(n.Addr, addrWidth), clip(n.Version, nameWidth))
	}
	d.Lines(indent, nodes.Lines())
	d.more(len(t.Nodes) - maxNodes)
	return nil
}

// more says how many nodes were left out.
func (d *demo) more(n int) {
	if n > 0 {
		d.Printf("%sand %d more\n", indent, n)
	}
}

const (
	indent    = "   "
	maxNodes  = 8  // how many nodes of a large cluster are shown
	nameWidth = 16 // how much of a node's name is
	addrWidth = 40
)

// clip shortens a text to a width.
func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "~"
	}
	return text
}

// nameOf is what a node is called: its name, or its address while the name is not known.
func nameOf(n *sampler.Node) string {
	if n.Name != "" {
		return clip(n.Name, nameWidth)
	}
	return clip(n.Addr, nameWidth)
}

// byName returns the nodes in the order of their names.
func byName(nodes []*sampler.Node) []*sampler.Node {
	return slices.SortedFunc(slices.Values(nodes), func(a, b *sampler.Node) int {
		return strings.Compare(nameOf(a), nameOf(b))
	})
}

// counted is a number with its noun, in the plural unless it is 1.
func counted(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

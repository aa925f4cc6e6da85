// Package doctor is the command esdriver doctor: it looks for what keeps a program from working with a cluster, and says
// what helps.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

// Config says what is looked at.
type Config struct {
	// DSN is the cluster.
	DSN string
	// Screen is where findings are shown.
	Screen *screen.Screen
}

// within bounds each single look.
const within = 10 * time.Second

// WrongError says that something is wrong; what it is was shown.
type WrongError struct{ Findings int }

// Error tells how much is wrong.
func (e *WrongError) Error() string {
	if e.Findings == 1 {
		return "doctor: one thing is wrong"
	}
	return fmt.Sprintf("doctor: %d things are wrong", e.Findings)
}

// doctor is one examination.
type doctor struct {
	*screen.Screen
	config   esdriver.Config
	wrong    int
	products []link.Product // of the seeds that answer
}

// Run looks at the DSN's addresses, one after the other, and through the first that answers at the cluster. The error is
// a *WrongError if it finds something that keeps a program from working.
func Run(ctx context.Context, c Config) error {
	d := &doctor{Screen: c.Screen}
	config, err := esdriver.ParseDSN(c.DSN)
	if err != nil {
		return err
	}
	d.config = config
	d.Printf("%s\n", config)
	d.report(good("DSN", "it is well formed"))
	var through *link.Link
	for _, seed := range config.Seeds {
		if l := d.seed(ctx, seed); l != nil && through == nil {
			through = l
		} else if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	d.compare()
	if through != nil {
		d.cluster(ctx, through)
		err = errors.Join(err, through.Close())
	}
	return errors.Join(ctx.Err(), err, d.verdict(), c.Screen.Err())
}

func (d *doctor) verdict() error {
	d.Println()
	if d.wrong > 0 {
		return &WrongError{d.wrong}
	}
	d.Println("Nothing is wrong.")
	return nil
}

// compare looks whether the addresses lead to one cluster, and to the product that the DSN names.
func (d *doctor) compare() {
	if len(d.products) == 0 {
		return
	}
	d.Printf("\nThe cluster\n")
	first := d.products[0]
	for _, p := range d.products[1:] {
		if p.UUID != first.UUID {
			d.report(bad("cluster", fmt.Sprintf("%s belongs to cluster %s, and %s to %s", first.Node, first.Cluster, p.Node, p.Cluster),
				"Put only addresses of one cluster into the DSN."))
			return
		}
	}
	d.report(good("cluster", fmt.Sprintf("%s, %s %s", first.Cluster, first.Name, first.Version)))
	if want := d.config.Flavor; want != esdriver.FlavorAuto && want.String() != first.Name {
		d.report(bad("product", fmt.Sprintf("the DSN says %s, and it is %s", want, first.Name), "Write "+first.Name+":// instead."))
	}
	if !supported(first) {
		d.report(note("version", first.Version+" is older than what the driver is tested with",
			"Elasticsearch from 7.10 and OpenSearch from 2.19 on are; older ones may work."))
	}
}

// supported reports whether the driver is tested with the version, or an older one of its kind.
func supported(p link.Product) bool {
	if p.OpenSearch() {
		return p.AtLeast(2, 19)
	}
	return p.AtLeast(7, 10)
}

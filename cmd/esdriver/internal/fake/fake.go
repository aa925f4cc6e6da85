// Package fake is the command esdriver fake: a cluster on fixed ports, for tests in any language.
package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
)

// Config says what the cluster is.
type Config struct {
	// Product is elasticsearch or opensearch.
	Product string
	// Version is what the nodes say they are. Default: the product's that the fake was recorded from.
	Version string
	// Nodes is their number, from 1 on.
	Nodes int
	// Port is the first node's; the others have those after it. 0: any that are free.
	Port int
	// SQL lets the cluster answer SELECT.
	SQL bool
	// Out is where the addresses are written, once all nodes listen.
	Out io.Writer
}

// ErrPorts says that there are not so many ports.
var ErrPorts = errors.New("fake: ports end at 65535")

// Run runs the cluster until the context ends, which is no error.
func Run(ctx context.Context, c Config) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	cluster, err := fakecluster.Start(options...)
	if err != nil {
		return err
	}
	defer cluster.Close()
	for _, n := range cluster.Nodes() {
		fmt.Fprintf(c.Out, "%s  %s\n", n.Name(), n.URL())
	}
	if _, err := fmt.Fprintf(c.Out, "DSN     %s\n", cluster.DSN()); err != nil {
		return fmt.Errorf("fake: %w", err)
	}
	<-ctx.Done()
	return nil
}

func (c Config) options() ([]fakecluster.Option, error) {
	options := []fakecluster.Option{
		fakecluster.Product(fakecluster.Flavor(c.Product)), fakecluster.Nodes(c.Nodes), fakecluster.KeepRequests(0),
	}
	if c.Version != "" {
		options = append(options, fakecluster.Version(c.Version))
	}
	if c.SQL {
		options = append(options, fakecluster.SQL(sqlite.New()))
	}
	if c.Port == 0 {
		return options, nil
	}
	if c.Port < 0 || c.Port+c.Nodes-1 > 65535 {
		return nil, ErrPorts
	}
	for i := range c.Nodes {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port+i))
		options = append(options, fakecluster.ForNode(i, fakecluster.Addr(addr)))
	}
	return options, nil
}

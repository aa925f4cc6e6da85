// Package nodes is the commands esdriver nodes and esdriver top: the nodes of a cluster as the driver sees them, once or
// again and again.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/plugins"
)

// Config says what is shown.
type Config struct {
	// DSN is the cluster: the nodes are those that a program with this DSN has.
	DSN string
	// Screen is where they are shown.
	Screen *screen.Screen
	// Every is the pause between two pictures of Top. It must be positive.
	Every time.Duration
	// Pictures is how many Top shows; 0: until its context ends.
	Pictures int
}

// asked is how many requests for GET / each node gets for a picture of List, so that there is a latency to show.
const asked = 5

// askWithin bounds these requests.
const askWithin = 5 * time.Second

// viewer is one run.
type viewer struct {
	*link.Link
	*screen.Screen
	clock *stopwatch
}

func open(c Config) (*viewer, error) {
	v := &viewer{Screen: c.Screen, clock: newStopwatch()}
	var err error
	v.Link, err = link.Open(c.DSN, func(config *esdriver.Config) {
		config.Hooks = append(config.Hooks, v.clock)
		config.BalancerName, config.BalancerParams = "roundrobin", nil // each node is asked alike
	})
	return v, err
}

// List shows the nodes once. It fails if none answers.
func List(ctx context.Context, c Config) (err error) {
	v, err := open(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close(), c.Screen.Err()) }()
	var last error
	for range asked {
		if last = v.ask(ctx, askWithin); last != nil {
			break
		}
	}
	t, s := v.Topology(), v.Stats()
	v.Printf("Cluster %s, %s\n\n", orDash(t.ClusterName), counted(len(t.Nodes), "node"))
	v.Lines("", describe(s))
	v.Println()
	v.Lines("", v.work(s))
	v.troubles(s)
	if !slices.ContainsFunc(s.Nodes, func(n plugins.NodeStats) bool { return n.State == plugins.Alive }) {
		return fmt.Errorf("nodes: no node answers: %w", last)
	}
	return nil
}

// Top shows the nodes until its context ends or it has shown enough, which is no error.
func Top(ctx context.Context, c Config) (err error) {
	v, err := open(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close(), c.Screen.Err()) }()
	tick := time.NewTicker(c.Every)
	defer tick.Stop()
	for shown := 1; ; shown++ {
		if err := v.ask(ctx, c.Every); ctx.Err() != nil {
			return nil
		} else if err != nil {
			v.clock.trouble(err)
		}
		v.picture()
		if shown == c.Pictures || c.Screen.Err() != nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// ask sends as many requests as there are nodes, at once, and returns the last failure.
func (v *viewer) ask(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	failures := make(chan error, max(1, len(v.Topology().Nodes)))
	var group sync.WaitGroup
	for range cap(failures) {
		group.Go(func() {
			_, err := v.Call(ctx, http.MethodGet, "/", nil)
			failures <- err
		})
	}
	group.Wait()
	close(failures)
	var last error
	for err := range failures {
		if err != nil {
			last = err
		}
	}
	return last
}

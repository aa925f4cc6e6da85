package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/nodes"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

func newNodes() *cobra.Command {
	return &cobra.Command{
		Use:   "nodes DSN",
		Short: "Show the nodes of a cluster as the driver sees them",
		Long: `Show the nodes that a program with this DSN has: with sampler=ping, the
default, the DSN's own addresses, with sampler=sniff what they tell. For each
node there are its state, version and roles, the connections of each class, and
how long it takes to answer GET /, of which it gets five.

` + dsnText + `

The exit status is 0 if a node answers, 1 if none does, 2 for a wrong command
line and 130 after an interrupt.`,
		Example: "  esdriver nodes 'elasticsearch://h1:9200?sampler=sniff'",
		Args:    numbered(1, 1, "a DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			return nodes.List(c.Context(), nodes.Config{DSN: args[0], Screen: screen.New(c.OutOrStdout(), true)})
		},
	}
}

// A picture of top costs each node a request, so that there are not too many.
const fastest = 100 * time.Millisecond

func newTop() *cobra.Command {
	var config nodes.Config
	c := &cobra.Command{
		Use:   "top DSN",
		Short: "Watch the nodes of a cluster",
		Long: `Show what nodes shows, again and again until an interrupt: in place on a
terminal, one picture below the other elsewhere. Each node gets a GET / for
each picture. What is shown is this command's own traffic: a program shows its
own with the package plugins/debughttp.

` + dsnText + `

The exit status is 0, also after an interrupt, 1 if nothing can be shown, and 2
for a wrong command line.`,
		Example: "  esdriver top 'opensearch://h1:9200?sampler=sniff'\n  esdriver top --count 1 opensearch://h1 >nodes.txt",
		Args:    numbered(1, 1, "a DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if config.Every < fastest || config.Pictures < 0 {
				return &usageError{fmt.Errorf("top: want --every of at least %s and no negative --count", fastest)}
			}
			config.DSN, config.Screen = args[0], screen.New(c.OutOrStdout(), true)
			return nodes.Top(c.Context(), config)
		},
	}
	c.Flags().DurationVar(&config.Every, "every", 2*time.Second, "the pause between two pictures")
	c.Flags().IntVar(&config.Pictures, "count", 0, "end after so many pictures; 0: after an interrupt")
	return c
}

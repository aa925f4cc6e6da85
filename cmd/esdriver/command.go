package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/demo"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

// usageError is a command line that makes no sense.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func newRoot(in io.Reader, out, problems io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "esdriver",
		Short:         "Clusters of Elasticsearch and OpenSearch, through the driver for Go",
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(out)
	root.SetErr(problems)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(newDemo(), newSQL(in), newLoad(), newDump(), newNodes(), newTop(), newDoctor(), newFake())
	return root
}

func noArgs(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case c.HasParent():
		return &usageError{fmt.Errorf("%s: want no argument, got %q", c.Name(), args[0])}
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += ", did you mean " + near[0] + "?"
	}
	return &usageError{errors.New(text)}
}

// numbered makes a command line with fewer or more arguments than named a usage error.
func numbered(least, most int, names string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return &usageError{fmt.Errorf("%s: want %s, got %d arguments", c.Name(), names, len(args))}
		}
		return nil
	}
}

// dsnText is a part of the help of every command that takes a DSN.
const dsnText = `DSN is a data source name, such as https://user:secret@h1,h2?sampler=sniff.
The README lists its keys.`

// shortest is the least duration in which the demo's nodes can go and come back.
const shortest = time.Second

func newDemo() *cobra.Command {
	var config demo.Config
	var plain bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Load a table, query it, and go on while nodes come and go",
		Long: `Load the chemical elements into a cluster, run six queries, then go on querying
while a node is killed, comes back, and a fourth one joins. It takes about 20
seconds and needs nothing: the cluster runs inside this process.

The exit status is 0 if every query was answered rightly, 1 if not, 2 for a
wrong command line and 130 after an interrupt.`,
		Example: "  esdriver demo --duration 30s",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if config.Duration < shortest {
				return &usageError{fmt.Errorf("--duration: got %s, want at least %s", config.Duration, shortest)}
			}
			config.Screen = screen.New(c.OutOrStdout(), !plain)
			return demo.Run(c.Context(), config)
		},
	}
	c.Flags().StringVar(&config.DSN, "dsn", "", "run on this cluster instead, in the index\n"+
		"esdriver_demo_elements, which is dropped at the end;\nno node is killed")
	c.Flags().DurationVar(&config.Duration, "duration", 15*time.Second, "how long the live part lasts")
	c.Flags().BoolVar(&plain, "no-color", false, "no colours, as with NO_COLOR in the environment")
	return c
}

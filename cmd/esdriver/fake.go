package main

import (
	"github.com/spf13/cobra"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/fake"
)

func newFake() *cobra.Command {
	var config fake.Config
	c := &cobra.Command{
		Use:   "fake",
		Short: "Run an in-process cluster on fixed ports, for tests",
		Long: `Run a cluster of either product inside this process, for tests in any language.
It listens on loopback alone, keeps documents in memory, and ends with an
interrupt. What it does not do is listed in the README of fakecluster.

The exit status is 0 after an interrupt, 1 if the cluster cannot be started,
for instance because a port is taken, and 2 for a wrong command line.`,
		Example: `  esdriver fake
  esdriver fake --product opensearch --version 3.8.0 --nodes 1 --port 19200`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			config.Out = c.OutOrStdout()
			return fake.Run(c.Context(), config)
		},
	}
	c.Flags().StringVar(&config.Product, "product", "elasticsearch", "elasticsearch or opensearch")
	c.Flags().StringVar(&config.Version, "version", "", "what the nodes say they are")
	c.Flags().IntVar(&config.Nodes, "nodes", 3, "how many nodes there are")
	c.Flags().IntVar(&config.Port, "port", 9200, "the first node's port; the others have those after it;\n0: any that are free")
	c.Flags().BoolVar(&config.SQL, "sql", true, "answer SELECT")
	return c
}

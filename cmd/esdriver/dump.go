package main

import (
	"github.com/spf13/cobra"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/dump"
)

func newDump() *cobra.Command {
	var config dump.Config
	c := &cobra.Command{
		Use:   "dump DSN TABLE",
		Short: "Write the documents of a table to a file",
		Long: `Write the documents of a table (an index, an alias, or a pattern such as
logs-*), as they are when it begins, to the standard output or a file. NDJSON
holds them as they were stored, CSV has a column for each field. A file appears
under its name when it is complete.

Elasticsearch is read by a point in time, and a node that fails on the way does
no harm. OpenSearch, and Elasticsearch before 7.12, are read by a scroll, which
does not survive its node.

` + dsnText + `

The exit status is 0 if all was written, 1 if not, 2 for a wrong command line
and 130 after an interrupt.`,
		Example: `  esdriver dump elasticsearch://h1:9200 books >books.ndjson
  esdriver dump -o books.csv.gz opensearch://h1 books`,
		Args: numbered(2, 2, "a DSN and a table"),
		RunE: func(c *cobra.Command, args []string) error {
			config.DSN, config.Table = args[0], args[1]
			config.Out, config.Problems = c.OutOrStdout(), c.ErrOrStderr()
			return dump.Run(c.Context(), config)
		},
	}
	c.Flags().StringVarP(&config.File, "output", "o", "", "the file: .csv, .ndjson, .jsonl or .json, .gz behind it\nor not")
	return c
}

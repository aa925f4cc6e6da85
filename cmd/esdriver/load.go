package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/load"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

func newLoad() *cobra.Command {
	var config load.Config
	c := &cobra.Command{
		Use:   "load DSN FILE...",
		Short: "Write the rows of files into a table, each once",
		Long: `Write the rows of CSV or NDJSON files into a table, in bulk. The name tells the
format: .csv (the first row names the columns), .tsv, .ndjson, .jsonl or .json
(an object a line), and .gz behind it or not. A table that is not there is
made; the types of its columns are guessed from the first 1,000 rows of each
file and shown before they are used. --dry-run writes them as a mapping and
loads nothing; after a change --mapping takes them.

Rows that cannot be read, or that the servers refuse, are kept with the reason
in FILE.TABLE.rejected.ndjson. How far a load has come is kept in
FILE.TABLE.journal until it is complete: after an interrupt, or a failure, the
same command goes on there. A row's id is made of the file's name, the row's
place and its content, and the servers take an id once, so that no row is lost
or written twice whatever fails.

` + dsnText + `

The exit status is 0 if every row was loaded, 1 if not, 2 for a wrong command
line and 130 after an interrupt.`,
		Example: `  esdriver load elasticsearch://h1:9200 books.csv
  esdriver load --table logs opensearch://h1 2026-*.ndjson.gz
  esdriver load --dry-run http://h1 books.csv >books.json
  esdriver load --mapping books.json http://h1 books.csv`,
		Args: numbered(2, math.MaxInt, "a DSN and files"),
		RunE: func(c *cobra.Command, args []string) error {
			config.DSN, config.Files = args[0], args[1:]
			config.Out, config.Screen = c.OutOrStdout(), screen.New(c.OutOrStdout(), true)
			return load.Run(c.Context(), config)
		},
	}
	c.Flags().StringVar(&config.Table, "table", "", "the table; the first file's name by default")
	c.Flags().StringVar(&config.Mapping, "mapping", "", "a file with the mapping of a table that is to be made")
	c.Flags().BoolVar(&config.DryRun, "dry-run", false, "write the mapping that would be used, and end")
	return c
}

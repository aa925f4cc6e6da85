package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/result"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/shell"
)

// localDSN is the cluster of a shell that is given none.
const localDSN = "http://localhost:9200"

// dsnVariable holds a DSN that is not to be seen in the list of processes.
const dsnVariable = "ESDRIVER_DSN"

func newSQL(in io.Reader) *cobra.Command {
	var config shell.Config
	c := &cobra.Command{
		Use:   "sql [DSN]",
		Short: "Run SQL: a shell, a script, or single statements",
		Long: `Run SQL statements and show their rows. On a terminal it is a shell with
history and completion of tables and columns; \? lists its commands. Otherwise
statements are read from the standard input. Each ends with a semicolon; the
last one need not.

` + dsnText + `
Without one it is that of the environment's ` + dsnVariable + `, else
` + localDSN + `.

The exit status is 0 if every statement was carried out, 1 at the first that
was not (which a shell with a person at it survives), 2 for a wrong command
line and 130 after an interrupt. Errors go to the standard error, with file,
line and column.`,
		Example: `  esdriver sql elasticsearch://h1:9200
  esdriver sql -c 'SELECT COUNT(*) FROM books' --format csv elasticsearch://h1
  esdriver sql -f report.sql --format markdown opensearch://h1 >report.md
  echo 'SHOW TABLES' | esdriver sql`,
		Args: numbered(0, 1, "at most a DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := result.Check(config.Format); err != nil {
				return &usageError{err}
			}
			if len(config.Commands) > 0 && config.Script != "" {
				return &usageError{errors.New("sql: -c and -f exclude each other")}
			}
			config.DSN = shellDSN(args)
			config.In, config.Out, config.Problems = in, c.OutOrStdout(), c.ErrOrStderr()
			config.Interactive = terminal(in) && terminal(c.OutOrStdout())
			return shell.Run(c.Context(), config)
		},
	}
	c.Flags().StringArrayVarP(&config.Commands, "command", "c", nil, "run these statements and end; may be given again")
	c.Flags().StringVarP(&config.Script, "file", "f", "", "run the statements of a file and end; - is the\nstandard input")
	c.Flags().StringVar(&config.Format, "format", "table", strings.Join(result.Formats, ", ")+"\n")
	return c
}

func shellDSN(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	if dsn := os.Getenv(dsnVariable); dsn != "" {
		return dsn
	}
	return localDSN
}

// terminal reports whether a stream of the process is a terminal.
func terminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

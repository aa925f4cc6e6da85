package main

import (
	"github.com/spf13/cobra"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/doctor"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor DSN",
		Short: "Find out what keeps a program from working with a cluster",
		Long: `Look at each address of the DSN: name, connection, certificate, credentials,
version; and through the first that answers at the cluster: whether its nodes
may be listed and can be reached at the addresses they tell, its clock, and
whether SQL is allowed. Each finding that is not good comes with advice.
Nothing is changed.

` + dsnText + `

The exit status is 0 if nothing is wrong, 1 if something is, 2 for a wrong
command line and 130 after an interrupt.`,
		Example: "  esdriver doctor 'https://elastic:secret@h1:9200,h2:9200?tls.ca=http_ca.crt'",
		Args:    numbered(1, 1, "a DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			return doctor.Run(c.Context(), doctor.Config{DSN: args[0], Screen: screen.New(c.OutOrStdout(), true)})
		},
	}
}

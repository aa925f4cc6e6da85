// Command esdriver shows what the driver does and serves those who run clusters. See esdriver help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit statuses.
const (
	statusOK          = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130 // a shell's word for SIGINT
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs a command line and returns the exit status.
func run(ctx context.Context, args []string, in io.Reader, out, problems io.Writer) int {
	root := newRoot(in, out, problems)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return statusOK
	}
	_, usage := errors.AsType[*usageError](err)
	switch {
	case usage:
		fmt.Fprintf(problems, "esdriver: %v\nesdriver help tells more.\n", err)
		return statusUsage
	case ctx.Err() != nil:
		fmt.Fprintln(problems, "esdriver: interrupted")
		return statusInterrupted
	}
	fmt.Fprintln(problems, "esdriver:", err)
	return statusFailed
}

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

	"github.com/esdriver/esdriver/cmd/esdriver/internal/complaint"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/shell"
)

// The exit statuses.
const (
	statusOK          = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130 // a shell's word for SIGINT
	statusUnread      = 141 // for SIGPIPE
	statusTerminated  = 143 // and for SIGTERM
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // its default would leave open what a server keeps for a reader
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { // ends with the process
		first := <-signals
		signal.Stop(signals) // a second one ends the process at once
		if first == os.Interrupt {
			end(nil)
		}
		end(shell.ErrTerminated)
	}()
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
	case errors.Is(err, syscall.EPIPE): // whoever reads has what it wants, as head does
		return statusUnread
	case usage:
		fmt.Fprintf(problems, "esdriver: %v\nesdriver help tells more.\n", err)
		return statusUsage
	case errors.Is(err, shell.ErrTerminated) || errors.Is(context.Cause(ctx), shell.ErrTerminated):
		fmt.Fprintln(problems, "esdriver: terminated")
		return statusTerminated
	case ctx.Err() != nil:
		fmt.Fprintln(problems, "esdriver: interrupted")
		return statusInterrupted
	}
	fmt.Fprintln(problems, "esdriver:", complaint.Of(err))
	return statusFailed
}

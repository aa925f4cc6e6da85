package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/peterh/liner"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/complaint"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// ErrTerminated says that a signal has ended the shell with a person at it.
var ErrTerminated = errors.New("shell: terminated")

// errInterrupted is what becomes of a statement that is interrupted.
var errInterrupted = errors.New("shell: interrupted")

// converse talks with a person until the end of the input. An interrupt ends the statement that runs, or drops the one
// that is being typed, and never the shell: hence the statements' contexts are not ctx's.
func (s *shell) converse(ctx context.Context, problems io.Writer) (err error) {
	fmt.Fprintf(s.out, "%s\nStatements end with a semicolon; \\? lists commands, \\q ends.\n", s.welcome())
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	defer surviveInterrupts()()
	term := liner.NewLiner()
	defer func() { err = errors.Join(err, term.Close()) }()
	term.SetCtrlCAborts(true)
	term.SetTabCompletionStyle(liner.TabPrints)
	term.SetWordCompleter(s.words.complete)
	recall(term)
	defer func() { err = errors.Join(err, remember(term)) }()
	return s.dialogue(ctx, term, problems)
}

// surviveInterrupts makes one that comes between two statements harmless: it would leave the terminal as it is.
func surviveInterrupts() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, os.Interrupt)
	return func() { signal.Stop(unread) }
}

// dialogue asks for lines and answers them.
func (s *shell) dialogue(ctx context.Context, term *liner.State, problems io.Writer) error {
	split := &splitter{escapes: s.flavor == sqlparse.OpenSearch}
	for {
		line, err := ask(ctx, term, prompt(split))
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			split.clear()
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("shell: prompt: %w", err)
		}
		if line != "" {
			term.AppendHistory(line)
		}
		if err := s.answer(ctx, split, line); errors.Is(err, errQuit) {
			return err
		} else if err != nil {
			fmt.Fprintln(problems, "error:", complaint.Of(err))
		}
	}
}

// ask reads a line. When the context ends it does not wait for one, and the terminal can be asked no more: what reads it
// ends with the process.
func ask(ctx context.Context, term *liner.State, prompt string) (string, error) {
	if ctx.Err() != nil {
		return "", ErrTerminated
	}
	var line string
	var err error
	read := make(chan struct{})
	go func() {
		defer close(read)
		line, err = term.Prompt(prompt)
	}()
	select {
	case <-read:
		return line, err
	case <-ctx.Done():
		fmt.Println() // the prompt's line is not ended
		return "", ErrTerminated
	}
}

// answer runs what ends in a line. Its error names no line: the person sees it.
func (s *shell) answer(ctx context.Context, split *splitter, line string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err := s.all(ctx, "", split.feed(line))
	at, placed := errors.AsType[*PlaceError](err)
	switch {
	case placed && ctx.Err() != nil:
		return errInterrupted
	case placed:
		return at.Err
	}
	return err
}

func (s *shell) welcome() string {
	if s.product.Name == "" {
		return "The cluster does not answer yet."
	}
	return fmt.Sprintf("Cluster %s, %s %s.", s.product.Cluster, s.product.Name, s.product.Version)
}

func prompt(split *splitter) string {
	if split.pending() {
		return "  -> "
	}
	return "sql> "
}

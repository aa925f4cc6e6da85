package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/peterh/liner"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// converse talks with a person until the end of the input. An interrupt ends the statement that runs, or drops the one
// that is being typed, and never the shell: hence the statements' contexts are not ctx's.
func (s *shell) converse(ctx context.Context, problems io.Writer) (err error) {
	fmt.Fprintf(s.out, "%s\nStatements end with a semicolon; \\? lists commands, \\q ends.\n", s.welcome())
	term := liner.NewLiner()
	defer func() { err = errors.Join(err, term.Close()) }()
	term.SetCtrlCAborts(true)
	term.SetTabCompletionStyle(liner.TabPrints)
	term.SetWordCompleter(s.words.complete)
	recall(term)
	defer func() { err = errors.Join(err, remember(term)) }()
	split := &splitter{escapes: s.flavor == sqlparse.OpenSearch}
	for {
		line, err := term.Prompt(prompt(split))
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
		if err := s.answer(context.WithoutCancel(ctx), split, line); errors.Is(err, errQuit) {
			return err
		} else if err != nil {
			fmt.Fprintln(problems, "error:", err)
		}
	}
}

// answer runs what ends in a line. Its error names no line: the person sees it.
func (s *shell) answer(ctx context.Context, split *splitter, line string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err := s.all(ctx, "", split.feed(line))
	if at, ok := errors.AsType[*PlaceError](err); ok {
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

// historyFile is where statements are kept, for their owner alone.
func historyFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "esdriver", "history"), nil
}

// recall reads the history. There is none at first, and one that cannot be read is no reason to refuse work.
func recall(term *liner.State) {
	name, err := historyFile()
	if err != nil {
		return
	}
	file, err := os.Open(name)
	if err != nil {
		return
	}
	defer file.Close()
	if _, err := term.ReadHistory(file); err != nil {
		term.ClearHistory()
	}
}

// remember writes the history.
func remember(term *liner.State) error {
	name, err := historyFile()
	if err != nil {
		return nil // without a home there is no history
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("shell: history: %w", err)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("shell: history: %w", err)
	}
	_, err = term.WriteHistory(file)
	return errors.Join(err, file.Close())
}

// Package shell is the command esdriver sql: it reads statements, from a person, a script or a pipe, and shows what the
// cluster answers.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/result"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// Config says what a shell runs on.
type Config struct {
	// DSN is the cluster.
	DSN string
	// Format is one of result.Formats.
	Format string
	// Commands are texts of statements that are run instead of what In gives; so is the file Script, in which - is In.
	Commands []string
	Script   string
	// In gives statements when there are no Commands and no Script.
	In io.Reader
	// Out is where results go, Problems where errors do that do not end the shell.
	Out, Problems io.Writer
	// Interactive is set when a person types: there is a prompt then, with history and completion, and an error does
	// not end the shell. In and Out must be the process's own.
	Interactive bool
}

// shell is one session.
type shell struct {
	*link.Link
	product  link.Product
	flavor   sqlparse.Flavor
	format   string
	vertical bool // rows one below the other, whatever the format
	timing   bool
	out      io.Writer
	words    *vocabulary
}

// errQuit ends a shell without an error.
var errQuit = errors.New("shell: quit")

// Run runs a shell to the end of its input. Without a person at it the first error ends it; that error names the place
// in the input.
func Run(ctx context.Context, c Config) (err error) {
	l, err := link.Open(c.DSN, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	s := &shell{Link: l, format: c.Format, out: c.Out}
	s.words = &vocabulary{link: l}
	if err := s.meet(ctx); err != nil {
		return err
	}
	if err := s.source(ctx, c); !errors.Is(err, errQuit) {
		return err
	}
	return nil
}

// meet finds out the product, whose rules say where a string ends. A DSN that tells it needs no answer.
func (s *shell) meet(ctx context.Context) (err error) {
	s.product, err = s.Product(ctx)
	if err != nil && s.Config.Flavor == esdriver.FlavorAuto {
		return err
	}
	s.flavor = sqlparse.Elasticsearch
	if s.product.OpenSearch() || s.Config.Flavor == esdriver.OpenSearch {
		s.flavor = sqlparse.OpenSearch
	}
	return nil
}

// source runs what there is to run.
func (s *shell) source(ctx context.Context, c Config) error {
	switch {
	case len(c.Commands) > 0:
		for _, text := range c.Commands {
			if err := s.script(ctx, "-c", strings.NewReader(text)); err != nil {
				return err
			}
		}
		return nil
	case c.Script != "" && c.Script != "-":
		file, err := os.Open(c.Script)
		if err != nil {
			return fmt.Errorf("shell: script: %w", err)
		}
		defer file.Close()
		return s.script(ctx, c.Script, file)
	case c.Interactive && c.Script == "":
		return s.converse(ctx, c.Problems)
	}
	return s.script(ctx, "stdin", c.In)
}

// effective is the format in force.
func (s *shell) effective() string {
	if s.vertical {
		return "vertical"
	}
	return s.format
}

// note writes a line for people, which formats for programs do without.
func (s *shell) note(format string, a ...any) error {
	if result.Machine(s.effective()) {
		return nil
	}
	_, err := fmt.Fprintf(s.out, format+"\n", a...)
	return err
}

// Package load is the command esdriver load: it writes the rows of files into a table, in bulk, each row once, whatever
// is killed and run again on the way.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

// Config says what is loaded where.
type Config struct {
	// DSN is the cluster.
	DSN string
	// Files are the files, .csv, .tsv, .ndjson, .jsonl or .json with an object a line; each may end in .gz too.
	Files []string
	// Table is the index. Default: the first file's name without its endings, in lower case.
	Table string
	// Mapping is a file with the mapping of a table that does not exist yet. Default: it is guessed.
	Mapping string
	// DryRun writes the mapping to Out and loads nothing.
	DryRun bool
	// Out is where the mapping of a dry run goes.
	Out io.Writer
	// Screen is where progress is shown.
	Screen *screen.Screen
}

// RejectedError says that rows were refused, which is known of each in the file.
type RejectedError struct {
	Rows  int64
	Files []string
}

// Error tells the number and the files.
func (e *RejectedError) Error() string {
	return fmt.Sprintf("load: %s rejected; see %s", counted(e.Rows, "row was", "rows were"), strings.Join(e.Files, ", "))
}

// loader is one run.
type loader struct {
	*link.Link
	*screen.Screen
	table  *target
	failed RejectedError
}

// Run loads the files, one after the other. When it fails, or is ended, the same call goes on where it was. Rows that
// the server refuses, or that cannot be read, are kept in a file beside the loaded one, and a *RejectedError at the end.
func Run(ctx context.Context, c Config) (err error) {
	if c.Table == "" {
		c.Table = tableName(c.Files[0])
	}
	mapping, err := plan(c)
	if err != nil || c.DryRun {
		return err
	}
	l, err := link.Open(c.DSN, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close(), c.Screen.Err()) }()
	run := &loader{Link: l, Screen: c.Screen}
	if run.table, err = run.prepare(ctx, c.Table, mapping); err != nil {
		return err
	}
	for _, name := range c.Files {
		if err := run.file(ctx, name); err != nil {
			return fmt.Errorf("load: %s: %w", name, err)
		}
	}
	return run.finish(ctx)
}

// tableName is what a table is called after a file.
func tableName(file string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(file)), ".gz")
	return strings.ReplaceAll(strings.TrimSuffix(name, filepath.Ext(name)), " ", "_")
}

// finish makes the rows visible to searches.
func (l *loader) finish(ctx context.Context) error {
	if _, err := l.Call(ctx, "POST", l.table.path("_refresh"), nil); err != nil {
		return fmt.Errorf("load: everything is loaded, but not visible yet: %w", err)
	}
	if l.failed.Rows > 0 {
		return &l.failed
	}
	return nil
}

// counted is a number with its noun.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped is a number with a comma after each three digits.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

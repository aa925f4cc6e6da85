// Package dump is the command esdriver dump: it writes the documents of a table to a file.
package dump

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

// Config says what is written where.
type Config struct {
	// DSN is the cluster.
	DSN string
	// Table is an index, an alias or a pattern.
	Table string
	// File is what is written to, in the format of its name: .csv, or .ndjson, .jsonl, .json; .gz behind it
	// compresses it. It appears when it is complete. Default: Out, as NDJSON.
	File string
	// Out is used when there is no File.
	Out io.Writer
	// Problems is where the number of documents goes.
	Problems io.Writer
}

// Run writes the documents as they are at its beginning.
func Run(ctx context.Context, c Config) (err error) {
	ext := filepath.Ext(strings.TrimSuffix(c.File, ".gz"))
	if c.File != "" && encoders[ext] == nil {
		return fmt.Errorf("dump: the ending %q tells no format: want .csv, .ndjson, .jsonl or .json, and .gz behind it or not", ext)
	}
	l, err := link.Open(c.DSN, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	rows, err := write(ctx, l, c, ext)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Problems, "%d rows\n", rows)
	return err
}

// write writes to Out, or to a file that takes its name when it is complete.
func write(ctx context.Context, l *link.Link, c Config, ext string) (rows int64, err error) {
	if c.File == "" {
		return encode(ctx, l, c.Table, ".ndjson", c.Out)
	}
	part := c.File + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("dump: %w", err)
	}
	if rows, err = compress(ctx, l, c, ext, file); err != nil {
		return 0, errors.Join(err, file.Close(), os.Remove(part))
	}
	if err := file.Close(); err != nil {
		return 0, fmt.Errorf("dump: %w", err)
	}
	return rows, os.Rename(part, c.File)
}

func compress(ctx context.Context, l *link.Link, c Config, ext string, file io.Writer) (int64, error) {
	if !strings.HasSuffix(c.File, ".gz") {
		return encode(ctx, l, c.Table, ext, file)
	}
	zip := gzip.NewWriter(file)
	rows, err := encode(ctx, l, c.Table, ext, zip)
	if err != nil {
		return 0, err
	}
	return rows, zip.Close()
}

// encode reads the table page by page and writes it.
func encode(ctx context.Context, l *link.Link, table, ext string, w io.Writer) (rows int64, err error) {
	out := bufio.NewWriter(w)
	encoder, err := encoders[ext](ctx, l, table, out)
	if err != nil {
		return 0, err
	}
	r, err := open(ctx, l, table)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	for {
		hits, err := r.next(ctx)
		if err != nil {
			return 0, err
		}
		if len(hits) == 0 {
			return rows, encoder.end()
		}
		for i := range hits {
			if err := encoder.row(hits[i].Source); err != nil {
				return 0, err
			}
		}
		rows += int64(len(hits))
	}
}

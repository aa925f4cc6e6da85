package load

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// maxRow is the longest row that is read: one quote that is never closed must not cost the memory of a whole file.
const maxRow = 64 << 20

// ErrRowTooLong says that a row is longer than 64 MiB; in a CSV file a quote is probably not closed.
var ErrRowTooLong = errors.New("load: a row is longer than 64 MiB: in a CSV file a quote is probably not closed")

// source is an open file of rows.
type source struct {
	rows
	file *os.File
	read atomic.Int64 // bytes of the file that were read, compressed as they are
	size int64
}

// rows reads one row after the other.
type rows interface {
	// next returns the next row, which is valid until the call after it, or io.EOF.
	next() (row, error)
}

// row is a row of a file.
type row struct {
	number int64    // from 1
	start  int64    // where it begins in the file's text, uncompressed
	end    int64    // where the next one begins
	names  []string // of the fields; nil when line holds the document
	fields []string
	line   []byte
	bad    error // why it cannot be loaded; nil for a good one
}

// place is where reading begins. The zero place is the beginning.
type place struct {
	Position int64 // in the file's text, uncompressed, after the row with this number
	Rows     int64
}

// openSource opens a file at a place where a row has ended.
func openSource(name string, at place) (*source, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &source{file: file}
	if err := s.start(name, at); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

func (s *source) start(name string, at place) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size()
	text := &text{source: s}
	plain, zipped := strings.CutSuffix(strings.ToLower(name), ".gz")
	if zipped {
		if text.unzip, err = gzip.NewReader(counting{s}); err != nil {
			return err
		}
	}
	switch ext := filepath.Ext(plain); ext {
	case ".csv":
		s.rows, err = newCSV(text, ',', at)
	case ".tsv":
		s.rows, err = newCSV(text, '\t', at)
	case ".ndjson", ".jsonl", ".json":
		s.rows, err = newLines(text, at)
	default:
		return fmt.Errorf("load: the ending %q tells no format: want .csv, .tsv, .ndjson, .jsonl or .json, and .gz behind it or not", ext)
	}
	return err
}

func (s *source) close() error { return s.file.Close() }

// counting counts what is read of the file.
type counting struct{ s *source }

func (c counting) Read(p []byte) (int, error) {
	n, err := c.s.file.Read(p)
	c.s.read.Add(int64(n))
	return n, err
}

// text is the file's text, uncompressed. It refuses to give more than maxRow until it is told that a row has ended.
type text struct {
	source *source
	unzip  *gzip.Reader // nil for a file that is not compressed
	since  int64
}

func (t *text) Read(p []byte) (n int, err error) {
	if t.since > maxRow {
		return 0, ErrRowTooLong
	}
	if t.unzip != nil {
		n, err = t.unzip.Read(p)
	} else {
		n, err = counting{t.source}.Read(p)
	}
	t.since += int64(n)
	return n, err
}

func (t *text) ended() { t.since = 0 }

// seek goes to a position of a file that is not compressed.
func (t *text) seek(to int64) error {
	_, err := t.source.file.Seek(to, io.SeekStart)
	t.source.read.Store(to)
	return err
}

var mark = []byte("\xef\xbb\xbf") // which some programs put before UTF-8

// begin returns a reader at the beginning of the text, behind a byte order mark, and its position.
func (t *text) begin() (*bufio.Reader, int64, error) {
	r := bufio.NewReaderSize(t, readSize)
	first, err := r.Peek(len(mark))
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if !bytes.Equal(first, mark) {
		return r, 0, nil
	}
	_, err = r.Discard(len(mark))
	return r, int64(len(mark)), err
}

const readSize = 64 << 10

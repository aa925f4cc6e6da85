package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// rejects is the file of the rows that were not loaded: an object a line. There is none while there are no rows.
type rejects struct {
	name string
	file *os.File
	size int64
}

// openRejects opens the file as it was after so many bytes: what came later belongs to rows that are read again.
func openRejects(name string, kept int64) (*rejects, error) {
	r := &rejects{name: name, size: kept}
	if kept == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("load: rejected rows: %w", err)
		}
		return r, nil
	}
	if err := os.Truncate(name, kept); err != nil {
		return nil, fmt.Errorf("load: rejected rows: %w", err)
	}
	return r, nil
}

// write appends rows.
func (r *rejects) write(rows []reject) error {
	for i := range rows {
		line, err := json.Marshal(&rows[i])
		if err != nil { // a line that is no JSON is kept as text, and a document is JSON
			return fmt.Errorf("load: rejected row %d: %w", rows[i].Row, err)
		}
		if err := r.open(); err != nil {
			return err
		}
		n, err := r.file.Write(append(line, '\n'))
		r.size += int64(n)
		if err != nil {
			return fmt.Errorf("load: rejected rows: %w", err)
		}
	}
	return nil
}

func (r *rejects) open() (err error) {
	if r.file != nil {
		return nil
	}
	if r.file, err = os.OpenFile(r.name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return fmt.Errorf("load: rejected rows: %w", err)
	}
	return nil
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// journal is how far the load of a file has come. It lies beside the file until everything is loaded.
type journal struct {
	Source   string    // the file's whole name when the load began: the ids are made of it
	Size     int64     // of the file
	Changed  time.Time // the file
	Table    string
	Target   string // the table's id
	Done     place  // every row before it is settled
	Created  int64
	Already  int64
	Rejected int64
	Kept     int64 // bytes of the file of rejected rows that belong to Done

	name string
}

// ErrFileChanged says that a file is not what it was when its load was interrupted.
var ErrFileChanged = errors.New("load: the file has changed since its load was interrupted")

// journalName and rejectsName are the files beside a loaded one.
func journalName(file, table string) string { return file + "." + url.PathEscape(table) + ".journal" }
func rejectsName(file, table string) string {
	return file + "." + url.PathEscape(table) + ".rejected.ndjson"
}

// openJournal returns the journal of an interrupted load of the file into this very table, or a new one.
func openJournal(file string, t *target) (*journal, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	fresh := &journal{Source: whole, Size: info.Size(), Changed: info.ModTime(), Table: t.name, Target: t.id, name: journalName(file, t.name)}
	text, err := os.ReadFile(fresh.name)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	old := &journal{name: fresh.name}
	if err := errors.Join(err, json.Unmarshal(text, old)); err != nil {
		return nil, fmt.Errorf("load: journal %s: %w; without it the load begins anew, and no row is doubled", fresh.name, err)
	}
	if old.Target != t.id {
		return fresh, nil // the table is another one than then
	}
	if old.Size != fresh.Size || !old.Changed.Equal(fresh.Changed) {
		return nil, fmt.Errorf("%w; delete %s to load it from its beginning", ErrFileChanged, fresh.name)
	}
	return old, nil
}

// save writes the journal so that there is a whole one at any time.
func (j *journal) save() error {
	text, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("load: journal: %w", err)
	}
	next := j.name + ".next"
	if err := os.WriteFile(next, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("load: journal: %w", err)
	}
	return os.Rename(next, j.name)
}

// remove ends the journal of a load that is complete.
func (j *journal) remove() error {
	if err := os.Remove(j.name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

package sqlapi

import (
	"errors"
	"fmt"
	"strings"
)

// ErrRollbackUnsupported is what Rollback returns after a write: the write stays. Transactions protect nothing with
// tx=noop, and are refused without it.
var ErrRollbackUnsupported = errors.New("sqlapi: rolling back is not supported: what the transaction has written stays")

// DuplicateKeyError is an INSERT of a row whose primary key another row has. It is returned by pointer.
type DuplicateKeyError struct {
	Table string
	Key   string // the document's id: the primary key's value as text
}

// Error names the table and the key. By PostgreSQL's words, "violates unique constraint", programs know a duplicate that
// look at nothing but the text, such as ent's IsConstraintError.
func (e *DuplicateKeyError) Error() string {
	return fmt.Sprintf("sqlapi: primary key %q violates unique constraint: table %s has such a row", e.Key, e.Table)
}

// Is reports whether the target is ErrDuplicateKey.
func (e *DuplicateKeyError) Is(target error) bool { return isState(target, stateDuplicate) }

// SQLState returns 23505, unique violation.
func (e *DuplicateKeyError) SQLState() string { return stateDuplicate }

// ConflictError is a row that others kept changing while the statement tried to, until it gave up. It is returned by
// pointer.
type ConflictError struct {
	Table string
	Key   string
	Tries int
}

// Error names the row and how often it was tried.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("sqlapi: row %q of table %s was changed by others %d times while it was to be written", e.Key, e.Table, e.Tries)
}

// Is reports whether the target is ErrConflict.
func (e *ConflictError) Is(target error) bool { return isState(target, stateConflict) }

// SQLState returns 40001, serialization failure.
func (e *ConflictError) SQLState() string { return stateConflict }

// ColumnError is a statement that names a column that the table has not, or gives a column a value that it does not
// take. Nothing was sent for the row. It is returned by pointer.
type ColumnError struct {
	Table        string
	Name         string // of the column
	Line, Column int    // where the statement names it, or gives the value, from 1; 0 when it does neither
	State        string // SQLSTATE
	Msg          string // what is wrong
}

// Error names the column, its table, the place and what is wrong.
func (e *ColumnError) Error() string {
	text := fmt.Sprintf("sqlapi: column %s of table %s: %s", e.Name, e.Table, e.Msg)
	if e.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	return text
}

// Is reports whether the target is the sentinel of the error's SQLSTATE.
func (e *ColumnError) Is(target error) bool { return isState(target, e.State) }

// SQLState returns the SQLSTATE: 42S22 for an unknown column, 23502 for NULL where there must be a value, 22018 and
// 22003 for a value that does not fit.
func (e *ColumnError) SQLState() string { return e.State }

// maxFailures is how many failures a PartialWriteError keeps; of a thousand rows that the mapping refuses the first
// tell it all.
const maxFailures = 20

// PartialWriteError is a write that has failed after it had changed something, or when that is not known. The numbers
// say how far it came; what they count stays written. It is returned by pointer.
type PartialWriteError struct {
	Statement string // INSERT, UPDATE and so on
	Table     string
	Matched   int64 // rows that WHERE has chosen; 0 for INSERT
	Inserted  int64 // rows that are written, those among Updated left out
	Updated   int64 // rows that are changed, also by ON CONFLICT DO UPDATE
	Deleted   int64
	Conflicts int64   // rows left as they are because others had changed them meanwhile
	Unknown   int64   // rows that were sent, and no answer tells whether they are written
	Failed    int64   // rows that were refused
	Failures  []error // why they were, of the first 20
	Err       error   // what ended the statement; nil when only single rows failed
}

// Error says how far the statement came and why it went no further.
func (e *PartialWriteError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sqlapi: %s of %s is partly done:", e.Statement, e.Table)
	for _, n := range []struct {
		count int64
		what  string
	}{
		{e.Matched, "matched"}, {e.Inserted, "inserted"}, {e.Updated, "updated"}, {e.Deleted, "deleted"},
		{e.Conflicts, "in conflict"}, {e.Failed, "refused"}, {e.Unknown, "not known"},
	} {
		if n.count > 0 {
			fmt.Fprintf(&b, " %d %s,", n.count, n.what)
		}
	}
	text := strings.TrimRight(b.String(), ",:")
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if len(e.Failures) > 0 {
		text += "; first failure: " + e.Failures[0].Error()
	}
	return text
}

// Unwrap returns what ended the statement and the failures of single rows.
func (e *PartialWriteError) Unwrap() []error {
	if e.Err == nil {
		return e.Failures
	}
	return append([]error{e.Err}, e.Failures...)
}

// SafeToRetry returns false: something was sent.
func (e *PartialWriteError) SafeToRetry() bool { return false }

package sqlapi

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a server's answer that a statement failed. It is returned by pointer.
type Error struct {
	Status    int    // HTTP status; OpenSearch's own status where it sends an error with HTTP 200
	Type      string // the server's word, such as "parsing_exception" or "SemanticCheckException"; may be empty
	Reason    string // the server's text; OpenSearch's reason and details
	RootType  string // type of the first root cause, empty where the server names none
	Node      string // host:port of the node that answered
	RequestID string // the X-Opaque-Id that the request carried, empty when it carried none
	SQLState  string // five characters of ISO 9075 for the failure; "HY000" when none fits better
}

// Error gives status, type, reason and node in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "esdriver: %d", e.Status)
	if e.Type != "" {
		fmt.Fprintf(&b, " %s", e.Type)
	}
	if e.Reason != "" {
		fmt.Fprintf(&b, ": %s", e.Reason)
	}
	if e.Node != "" {
		fmt.Fprintf(&b, " (node %s)", e.Node)
	}
	return b.String()
}

// Is reports whether the target is the sentinel of the error's SQLSTATE.
func (e *Error) Is(target error) bool { return isState(target, e.SQLState) }

// Timeout reports whether the server gave the statement up because its time had run out.
func (e *Error) Timeout() bool {
	return e.SQLState == stateCancelled && strings.Contains(e.Type+e.RootType, "timeout")
}

// stateError is a sentinel that stands for every error of one SQLSTATE.
type stateError struct{ state, text string }

func (e *stateError) Error() string { return "esdriver: " + e.text }

func isState(target error, state string) bool {
	sentinel, ok := target.(*stateError)
	return ok && sentinel.state == state
}

// The sentinels: errors.Is tells by them what went wrong on either product.
var (
	ErrSyntax       error = &stateError{stateSyntax, "syntax error or access rule violation"}
	ErrNoTable      error = &stateError{stateNoTable, "unknown index"}
	ErrNoColumn     error = &stateError{stateNoColumn, "unknown column"}
	ErrDuplicateKey error = &stateError{stateDuplicate, "duplicate key"}
	ErrConflict     error = &stateError{stateConflict, "changed by someone else meanwhile"}
	ErrCancelled    error = &stateError{stateCancelled, "cancelled, or out of time on the server"}
	ErrAuth         error = &stateError{stateAuth, "not authenticated"}
	ErrPermission   error = &stateError{statePermission, "not permitted"}
	ErrUnsupported  error = &stateError{stateUnsupported, "not supported"}
	ErrOverloaded   error = &stateError{stateOverload, "server overloaded"}
	ErrCursorLost   error = &stateError{stateCursor, "the server no longer has the cursor"}
	ErrArray        error = &stateError{stateArray, "several values where SQL has room for one"}
)

// ErrRowsClosed is what Next returns after Close, and when Close is called while Next waits.
var ErrRowsClosed = errors.New("sqlapi: rows are closed")

// UnsupportedError names a construct that this driver, or the product it speaks to, does not have.
type UnsupportedError struct {
	Construct string // as its user knows it: "INSERT", "a query filter"
	Why       string // what to do about it, or empty
}

// Error names the construct.
func (e *UnsupportedError) Error() string {
	text := "sqlapi: " + e.Construct + " is not supported"
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// Is reports whether the target is ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return isState(target, stateUnsupported) }

// SQLState returns 0A000, feature not supported.
func (e *UnsupportedError) SQLState() string { return stateUnsupported }

// ArrayError is a field that holds several values where a single one was asked for. Elasticsearch refuses such a
// row itself, with an [Error] that names the field.
type ArrayError struct{ Column string }

// Error names the column and the two ways to read it.
func (e *ArrayError) Error() string {
	return fmt.Sprintf("sqlapi: column %s holds several values; arrays=first or arrays=json reads them", e.Column)
}

// Is reports whether the target is ErrArray.
func (e *ArrayError) Is(target error) bool { return isState(target, stateArray) }

// SQLState returns 22000, data exception.
func (e *ArrayError) SQLState() string { return stateArray }

// AnswerError is an answer that is not what the protocol promises: cut short, not JSON, rows that do not fit
// their columns.
type AnswerError struct {
	Node string
	Msg  string
	Err  error // the cause, or nil
}

// Error says what was wrong with the answer.
func (e *AnswerError) Error() string {
	text := "sqlapi: answer of node " + e.Node + ": " + e.Msg
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *AnswerError) Unwrap() error { return e.Err }

// SQLState returns 08P01, protocol violation.
func (e *AnswerError) SQLState() string { return "08P01" }

// LimitError is a result that has exactly as many rows as OpenSearch gives at most for such a statement. It is
// reported, after the last row, with strict limits on.
type LimitError struct{ Rows int64 }

// Error says at how many rows the result was probably cut.
func (e *LimitError) Error() string {
	return fmt.Sprintf("sqlapi: the result has %d rows, which is the most the server gives: rows may be missing", e.Rows)
}

// SQLState returns 01004, data right truncation.
func (e *LimitError) SQLState() string { return "01004" }

package sqlapi

import (
	"errors"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// StatementError is a statement, or an argument, that was found wrong before anything was sent.
type StatementError struct {
	State string // SQLSTATE
	Err   error  // a *sqlparse.SyntaxError, ArgError, LiteralError, OffsetError or UnsupportedError
}

// Error is the cause's text.
func (e *StatementError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *StatementError) Unwrap() error { return e.Err }

// Is reports whether the target is the sentinel of the error's SQLSTATE.
func (e *StatementError) Is(target error) bool { return isState(target, e.State) }

// SQLState returns the SQLSTATE.
func (e *StatementError) SQLState() string { return e.State }

// SafeToRetry returns true: nothing was sent.
func (e *StatementError) SafeToRetry() bool { return true }

// statementError gives an error of package sqlparse its SQLSTATE. Other errors, and nil, stay as they are.
func statementError(err error) error {
	state := ""
	switch {
	case err == nil:
		return nil
	case is[*sqlparse.SyntaxError](err):
		state = stateSyntax
	case is[*sqlparse.ArgError](err):
		state = stateArgs
	case is[*sqlparse.LiteralError](err):
		state = stateArgValue
	case is[*sqlparse.OffsetError](err), is[*sqlparse.UnsupportedError](err):
		state = stateUnsupported
	default:
		return err
	}
	return &StatementError{State: state, Err: err}
}

func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

package esdriver

import (
	"errors"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/sqlapi"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

// The sentinels; errors.Is finds them in every error of this package that they apply to.
var (
	// ErrClosed says that the cluster or the connector was closed.
	ErrClosed = cluster.ErrClosed
	// ErrNoNode says that no node was left to try. Nodes that are thought dead are tried when there are no others,
	// so the list was empty or all of it was tried.
	ErrNoNode = cluster.ErrNoNode
	// ErrAllFiltered says that every node that answers belongs to another cluster than the expected one.
	ErrAllFiltered = cluster.ErrAllFiltered
	// ErrPoolTimeout says that no connection came free within PoolWait; [pool.TimeoutError] has the figures. It is a
	// limit of ours and says nothing of the node.
	ErrPoolTimeout = pool.ErrTimeout
	// ErrRetryBudget says that another attempt would have been safe, but too many requests had needed one.
	ErrRetryBudget = cluster.ErrRetryBudget
	// ErrMaybeExecuted says that a request that must not be sent twice was sent and not answered: the server may have
	// carried it out. A context that knows better says so; see the package's text.
	ErrMaybeExecuted = cluster.ErrMaybeExecuted
	// ErrDuplicateKey says that a document with that primary key exists.
	ErrDuplicateKey = sqlapi.ErrDuplicateKey
	// ErrRollbackUnsupported says that a transaction has written, or tried to, before it was rolled back: what it wrote
	// stays. It comes with tx=noop only.
	ErrRollbackUnsupported = sqlapi.ErrRollbackUnsupported
	// ErrConflict says that somebody else has changed a document meanwhile.
	ErrConflict = sqlapi.ErrConflict
	// ErrSyntax says that the statement is wrong, found out here or by the server.
	ErrSyntax = sqlapi.ErrSyntax
	// ErrNoTable says that the server knows no index of that name, or has lost all nodes that hold it.
	ErrNoTable = sqlapi.ErrNoTable
	// ErrNoColumn says that the index has no such field.
	ErrNoColumn = sqlapi.ErrNoColumn
	// ErrArray says that a field holds several values where SQL has room for one; the Config's Arrays has a say.
	ErrArray = sqlapi.ErrArray
	// ErrUnsupported says that the server, or this driver, cannot do what the statement asks for.
	ErrUnsupported = sqlapi.ErrUnsupported
	// ErrCancelled says that the server gave the statement up, cancelled by somebody or out of its own time.
	ErrCancelled = sqlapi.ErrCancelled
	// ErrOverloaded says that the server had too much to do.
	ErrOverloaded = sqlapi.ErrOverloaded
	// ErrCursorLost says that the server no longer has the rest of a result: its time was over, or its node is gone.
	ErrCursorLost = sqlapi.ErrCursorLost
	// ErrAuth and ErrPermission say that the server does not know the user, or does not allow the user that.
	ErrAuth       = sqlapi.ErrAuth
	ErrPermission = sqlapi.ErrPermission
)

// Error is a server's answer that a statement failed. It is always returned by pointer.
type Error = sqlapi.Error

// StatementError is a statement or an argument that was found wrong before anything was sent; it wraps the cause,
// which names line and column, or the argument.
type StatementError = sqlapi.StatementError

// UnsupportedError names what this driver, or the product it speaks to, cannot do.
type UnsupportedError = sqlapi.UnsupportedError

// AnswerError is an answer that is not what the protocol promises: cut short, not JSON, or with rows that do not fit
// their columns.
type AnswerError = sqlapi.AnswerError

// LimitError is a result that the server has probably cut; see Config.StrictLimits.
type LimitError = sqlapi.LimitError

// PartialWriteError is a write that has failed after it had changed something, or when that is not known; it says how
// far it came.
type PartialWriteError = sqlapi.PartialWriteError

// DuplicateKeyError names the primary key that a row had already.
type DuplicateKeyError = sqlapi.DuplicateKeyError

// ConflictError names a row that others kept changing while it was to be written.
type ConflictError = sqlapi.ConflictError

// ColumnError names a column that a table has not, or that does not take the value it was given.
type ColumnError = sqlapi.ColumnError

// AttemptError is one failed attempt of a request on one node.
type AttemptError = plugins.AttemptError

// SafeToRetry reports whether the error is certain to have come up before anything was sent, so that the same call may
// be made again without a risk of doing its work twice. False means only that this is not known.
func SafeToRetry(err error) bool {
	var knows interface{ SafeToRetry() bool }
	if errors.As(err, &knows) {
		return knows.SafeToRetry()
	}
	return errors.Is(err, ErrClosed) || errors.Is(err, ErrNoNode) || errors.Is(err, ErrPoolTimeout)
}

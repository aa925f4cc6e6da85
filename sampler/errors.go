package sampler

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Errors that a [Failure] may wrap.
var (
	// ErrUnauthorized tells that a node answered 401 or 403: it is alive, but the credentials do not do.
	ErrUnauthorized = errors.New("sampler: not authorized")
	// ErrEmpty tells that a node answered with a list of no nodes, which no cluster is.
	ErrEmpty = errors.New("sampler: answer lists no nodes")
	// ErrNoAddress tells that a node is in the cluster but has no HTTP address that could be dialed.
	ErrNoAddress = errors.New("sampler: no usable http address")
	// ErrMinority tells that a node not known before was listed by a minority of the answers only.
	ErrMinority = errors.New("sampler: listed by a minority of the answers")
	// ErrTaken tells that a node publishes the address of another node of the same answer.
	ErrTaken = errors.New("sampler: address belongs to another node")
)

// AnswerError is an answer that is not what a node would say: another status, not JSON, or JSON of something else.
type AnswerError struct {
	Path    string // what was asked for
	Status  int    // the HTTP status
	Snippet string // the beginning of the body, at most 200 bytes
	Err     error  // why the answer is of no use; ErrUnauthorized for 401 and 403
}

// Error names the path, status, reason and the beginning of the body.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("sampler: GET %s: status %d: %v: %q", e.Path, e.Status, e.Err, e.Snippet)
}

// Unwrap returns the reason.
func (e *AnswerError) Unwrap() error { return e.Err }

const maxSnippet = 200

func newAnswerError(path string, status int, body []byte, err error) *AnswerError {
	text := body[:min(len(body), maxSnippet)]
	for len(text) > 0 && len(text) < len(body) && !utf8.RuneStart(body[len(text)]) {
		text = text[:len(text)-1]
	}
	return &AnswerError{Path: path, Status: status, Snippet: string(text), Err: err}
}

// NoMatchError tells that the cluster has nodes and the filter refused every one of them. The seeds are not
// used instead: they would serve requests that the filter keeps off them.
type NoMatchError struct {
	Filter   string  // the filter in words
	Seeds    []*Node // the configured addresses
	Rejected []*Node // the members that were found; Addr and URL may be empty
}

// Error names the filter, the members that it refused, with their roles and attributes, and the seeds.
func (e *NoMatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sampler: no node matches %s; rejected:", e.Filter)
	for _, n := range e.Rejected {
		fmt.Fprintf(&b, " %s (%s roles=%v attributes=%v)", n.Name, n.Addr, n.Roles, n.Attrs)
	}
	b.WriteString("; seeds, not used:")
	for _, n := range e.Seeds {
		b.WriteString(" " + n.Addr)
	}
	return b.String()
}

// noAnswer joins the failures of a sample that learnt nothing. The cause, when not nil, is why it ended early.
func noAnswer(failures []Failure, cause error) error {
	errs := make([]error, 0, len(failures)+1)
	for _, f := range failures {
		errs = append(errs, fmt.Errorf("address %q: %w", f.Addr, f.Err))
	}
	errs = append(errs, cause)
	return fmt.Errorf("sampler: nothing learnt: %w", errors.Join(errs...))
}

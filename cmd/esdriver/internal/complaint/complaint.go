// Package complaint is what a person is told when a command fails: what went wrong and what to do, in a line, without
// the names of the packages that an error has come through.
package complaint

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strings"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

// Complainer is an error that has its own text for a person.
type Complainer interface {
	error
	Complaint() string
}

// Of returns the text for an error.
func Of(err error) string {
	if own, ok := errors.AsType[Complainer](err); ok {
		return own.Complaint()
	}
	if errors.Is(err, esdriver.ErrNoNode) {
		return silence(err)
	}
	text := bare(err.Error())
	if missing, ok := errors.AsType[*fs.PathError](err); ok { // which says the file's name once more
		text = strings.Replace(text, missing.Path+": "+missing.Error(), missing.Path+": "+missing.Err.Error(), 1)
	}
	if unknown(err) {
		text += `; user and password, or api_key, stand in the DSN`
	}
	return text
}

// silence is the text where no node answers.
func silence(err error) string {
	text := "the cluster does not answer"
	if nodes := failures(err); len(nodes) > 0 {
		text += " (" + strings.Join(nodes, "; ") + ")"
	}
	return text + `: does it run, and is the DSN its address? "esdriver doctor DSN" looks closer`
}

// mostNodes are as many as are worth a person's reading.
const mostNodes = 3

// failures tells, of the nodes that were tried, why each failed.
func failures(err error) (nodes []string) {
	for _, attempt := range attempts(err) {
		if len(nodes) == mostNodes {
			return append(nodes, "and so on")
		}
		nodes = append(nodes, attempt.Node+": "+Cause(attempt))
	}
	return nodes
}

// attempts collects what an error wraps.
func attempts(err error) (all []*esdriver.AttemptError) {
	switch e := err.(type) {
	case *esdriver.AttemptError:
		return []*esdriver.AttemptError{e}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, attempts(inner)...)
		}
	case interface{ Unwrap() error }:
		return attempts(e.Unwrap())
	}
	return all
}

// Cause is the innermost reason of an error, in a line. Of several attempts it is the last one's.
func Cause(err error) string {
	for inner := err; inner != nil; {
		err = inner
		if lookup, ok := err.(*net.DNSError); ok {
			return fmt.Sprintf("%s: %s", lookup.Name, lookup.Err) // without the name server
		}
		if list, ok := err.(interface{ Unwrap() []error }); ok && len(list.Unwrap()) > 0 {
			inner = list.Unwrap()[len(list.Unwrap())-1]
			continue
		}
		inner = errors.Unwrap(err)
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// unknown reports whether a server does not know the user.
func unknown(err error) bool {
	refused, ok := errors.AsType[*link.StatusError](err)
	return errors.Is(err, esdriver.ErrAuth) || ok && refused.Status == http.StatusUnauthorized
}

// The names of packages, as errors begin with them. A command's own stands at the beginning only, where it is kept.
var (
	first = regexp.MustCompile(`(^|\n)(?:(?:esdriver|cluster|httpconn|link|pool|sampler|shell|sqlapi|sqlparse): )+`)
	later = regexp.MustCompile(`: (?:(?:esdriver|cluster|httpconn|link|pool|sampler|shell|sqlapi|sqlparse|dump|load|nodes): )+`)
)

func bare(text string) string {
	return later.ReplaceAllString(first.ReplaceAllString(text, "$1"), ": ")
}

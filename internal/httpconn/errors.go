package httpconn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// The errors that an [Error] may wrap beside those of the network, the codec and the caller's context.
var (
	// ErrDialTimeout says that a connection was not ready within DialTimeout. The caller's context was not over.
	ErrDialTimeout = errors.New("not connected in time")
	// ErrAttemptTimeout says that HeaderTimeout or StallTimeout ran out. The caller's context was not over.
	ErrAttemptTimeout = errors.New("no answer in time")
	// ErrHeaderTooLarge says that an answer's header did not end within MaxHeaderBytes.
	ErrHeaderTooLarge = errors.New("header of the answer too large")
	// ErrFingerprint says that no certificate that the node presented has the configured fingerprint, or that
	// the one that has it did not sign the node's own.
	ErrFingerprint = errors.New("certificate does not match tls.fingerprint")
	// ErrProtocol says that the answer broke a rule of HTTP/1.1 that makes the connection useless.
	ErrProtocol = errors.New("protocol violated by the node")
	// ErrBodyClosed is what a read of a body gives after Close.
	ErrBodyClosed = errors.New("httpconn: read of a closed body")
)

// Op is the step in which an [Error] happened.
type Op string

// The steps, in their order.
const (
	OpDial  Op = "dial"  // name resolution and TCP
	OpProxy Op = "proxy" // finding the proxy, reaching it, CONNECT
	OpTLS   Op = "tls"   // handshake and checks of certificates
	OpWrite Op = "write" // sending the request, reading its body from the caller included
	OpRead  Op = "read"  // waiting for and parsing the header of the answer
	OpBody  Op = "body"  // reading the body of the answer
)

// Error tells where on one connection a request, or the connecting, failed. It holds no secret.
type Error struct {
	Op   Op
	Addr string // host:port of the node, as in its URL
	// Wrote is whether the socket accepted at least one byte of the request: the node may have acted on it.
	// Under TLS the bytes of the records are counted. Always true for OpBody.
	Wrote bool
	// Stale is whether an earlier request had used the connection and the peer had closed it in the meantime:
	// nothing could be written, or no byte of an answer came and the close was seen at once. With Wrote the
	// second is an observation and no proof: a node that dies on the request at once looks the same.
	Stale bool
	Err   error
}

// Error names the step, the node and the cause, and the setting that helps where there is one.
func (e *Error) Error() string {
	return fmt.Sprintf("httpconn: %s %s: %v%s", e.Op, e.Addr, e.Err, e.advice())
}

func (e *Error) advice() string {
	_, plain := errors.AsType[tls.RecordHeaderError](e.Err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](e.Err)
	_, misnamed := errors.AsType[x509.HostnameError](e.Err)
	switch {
	case plain:
		return " (the port may speak plain HTTP: tls=false)"
	case unknown:
		return " (set tls.ca or tls.fingerprint)"
	case misnamed:
		return " (set tls.servername)"
	case errors.Is(e.Err, ErrDialTimeout):
		return " (raise dial_timeout if the node is merely slow)"
	case errors.Is(e.Err, ErrAttemptTimeout):
		return " (raise attempt_timeout if the request may take longer)"
	}
	return ""
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether time ran out: ours, the caller's or the network's.
func (e *Error) Timeout() bool {
	if errors.Is(e.Err, ErrDialTimeout) || errors.Is(e.Err, ErrAttemptTimeout) || errors.Is(e.Err, context.DeadlineExceeded) {
		return true
	}
	return isTimeout(e.Err)
}

// Ours reports whether the request itself or a Read of its body failed: the node has nothing to do with it, and
// has got no whole request.
func (e *Error) Ours() bool { return isOurs(e.Err) }

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// isClosed reports whether the error is the peer's end of the connection.
func isClosed(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// timedOut is the error of a deadline of ours.
func timedOut(after time.Duration) error {
	return fmt.Errorf("%w: waited %s", ErrAttemptTimeout, after.Round(time.Millisecond))
}

// contextError is the error of a context that is over: it matches context.Canceled or context.DeadlineExceeded,
// and the cause that the caller gave, if any.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(cause, err) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

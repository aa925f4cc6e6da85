package complaint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/complaint"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

func TestComplaintsAreWithoutTheNamesOfPackages(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "a.csv", Err: fs.ErrNotExist}
	for want, err := range map[string]error{
		"dsn: want SCHEME":                        errors.New("esdriver: dsn: want SCHEME"),
		"load: a.csv: file does not exist":        fmt.Errorf("load: %s: %w", missing.Path, missing),
		"script: open a.csv: file does not exist": fmt.Errorf("shell: script: %w", missing),
		"load: /tmp: the ending tells nothing":    errors.New("load: /tmp: load: the ending tells nothing"),
		"-c:1: a transaction is not supported":    errors.New("-c:1: sqlapi: a transaction is not supported"),
		"one\ntwo":                                errors.Join(errors.New("link: one"), errors.New("pool: two")),
		"load: table pool: it is full":            errors.New("load: table pool: it is full"),
	} {
		assert.Equal(t, want, complaint.Of(err))
	}
}

func TestClusterThatDoesNotAnswerIsAClearLine(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(2))
	c.Close()
	l, err := link.Open(c.DSN(), nil)
	require.NoError(t, err)
	_, err = l.Product(t.Context())
	require.NoError(t, l.Close())
	require.ErrorIs(t, err, esdriver.ErrNoNode)
	const refused = `127\.0\.0\.1:\d+: connection refused`
	assert.Regexp(t, `^the cluster does not answer \(`+refused+"(; "+refused+`)*\): does it run, and is the DSN its address\? `+
		`"esdriver doctor DSN" looks closer$`, complaint.Of(err))
}

func TestUserWhoIsNotKnownIsToldWhereCredentialsStand(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1), fakecluster.Credentials("joe", "hush"))
	l, err := link.Open("http://"+c.Node(0).Addr(), nil)
	require.NoError(t, err)
	_, err = l.Product(t.Context())
	require.NoError(t, l.Close())
	assert.Regexp(t, `^GET /: status 401: security_exception: .*; user and password, or api_key, stand in the DSN$`, complaint.Of(err))
}

func TestCauseIsTheInnermostReason(t *testing.T) {
	for want, err := range map[string]error{
		"connection refused": fmt.Errorf("pool: %w", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errors.New("connection refused"))}),
		"h1: no such host":   fmt.Errorf("pool: %w", &net.DNSError{Name: "h1", Err: "no such host", Server: "10.0.0.1:53"}),
		"b":                  errors.Join(errors.New("a"), errors.New("b")),
		"a; b":               errors.New("a\nb"),
	} {
		assert.Equal(t, want, complaint.Cause(err))
	}
}

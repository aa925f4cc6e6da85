package enginetest_test

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// engineVariable names the program that started the cluster of addrsVariable.
const engineVariable = "ESDRIVER_TEST_ENGINE"

// harness is the run.sh of a real cluster: it can do harm to a node, by the node's place in the list of addresses.
type harness struct{ program string }

func newHarness(t *testing.T) harness {
	t.Helper()
	program := os.Getenv(engineVariable)
	if program == "" {
		t.Skipf("%s is empty: set it to the run.sh that started the cluster of %s to have its nodes killed and frozen.",
			engineVariable, addrsVariable)
	}
	return harness{program}
}

// do runs one command, such as kill 1. It returns when the command has, which for up is before the node answers.
func (h harness) do(t *testing.T, command string, args ...any) {
	t.Helper()
	var said bytes.Buffer
	command = fmt.Sprintf(command, args...)
	cmd := exec.Command(h.program, strings.Fields(command)...)
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second // a node that inherited the pipe does not hold us up
	require.NoError(t, cmd.Run(), "%s %s: %s", h.program, command, &said)
}

// whole waits until every node is back and every copy of the index is there.
func (l *load) whole(t *testing.T) {
	t.Helper()
	path := fmt.Sprintf("/_cluster/health/%s?wait_for_nodes=%d&wait_for_status=green&timeout=20s", l.index, l.nodes)
	var a answer
	for range 5 {
		if a = send(t, l.patient, "GET", path, ""); a.status == 200 {
			return
		}
	}
	require.Fail(t, "the cluster is not whole again", a.text)
}

// answers waits until the node at a place answers by itself, and returns when that was, since the load began.
func (l *load) answers(t *testing.T, place int) time.Duration {
	t.Helper()
	alone := *l.engine
	alone.addrs = []*url.URL{l.engine.address(t, place)}
	c := openCluster(t, alone.DSN(), "sampler=static", "retry=false", "attempt_timeout=1s", "sampler.timeout=1s")
	for range 1200 {
		if a, err := roundTrip(t.Context(), c, "GET", "/", ""); err == nil && a.status == 200 {
			return time.Since(l.began)
		}
		<-time.NewTimer(100 * time.Millisecond).C
	}
	require.Fail(t, "the node does not come back", "node %d", place)
	return 0
}

// address is that of the node at a place; one that was added has the next port after the last.
func (e *realEngine) address(t *testing.T, place int) *url.URL {
	t.Helper()
	if place < len(e.addrs) {
		return e.addrs[place]
	}
	last := *e.addrs[len(e.addrs)-1]
	port, err := strconv.Atoi(last.Port())
	require.NoError(t, err)
	last.Host = net.JoinHostPort(last.Hostname(), strconv.Itoa(port+1+place-len(e.addrs)))
	return &last
}

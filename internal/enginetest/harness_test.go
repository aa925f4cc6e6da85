package enginetest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
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
func (h harness) do(t *testing.T, command string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), h.program, strings.Fields(command)...)
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second // a node that inherited the pipe does not hold us up
	require.NoError(t, cmd.Run(), "%s %s: %s", h.program, command, &said)
}

// whole waits until every node is back and every copy of the index is there.
func (l *load) whole(t *testing.T) {
	t.Helper()
	path := fmt.Sprintf("/_cluster/health/%s?wait_for_nodes=%d&wait_for_status=green&timeout=20s", l.index, l.engine.facts.nodes)
	var a answer
	for range 5 {
		if a = send(t, l.patient, "GET", path, ""); a.status == 200 {
			return
		}
	}
	require.Fail(t, "the cluster is not whole again", a.text)
}

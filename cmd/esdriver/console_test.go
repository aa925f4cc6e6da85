//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// mainVariable makes the test binary the command itself, in a process that has a terminal of its own.
const mainVariable = "ESDRIVER_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// What keys send.
const (
	enter = "\r"
	tab   = "\t"
	up    = "\x1b[A"
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// patience is how long a text may take to appear.
const patience = 20 * time.Second

// console is a person's, in which the command runs.
type console struct {
	t       *testing.T
	cmd     *exec.Cmd
	ours    *os.File // what the person types and sees
	theirs  *os.File // the process's standard input and output
	before  *term.State
	written chan string
	seen    string // written and not expected yet
}

// typeInto starts a command line in a terminal. Its home is a folder of the test's.
func typeInto(t *testing.T, home string, args ...string) *console {
	t.Helper()
	ours, theirs, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(ours, &pty.Winsize{Rows: 40, Cols: 120}))
	before, err := term.GetState(int(theirs.Fd()))
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), mainVariable+"=1", "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = session()
	require.NoError(t, cmd.Start())
	co := &console{t: t, cmd: cmd, ours: ours, theirs: theirs, before: before, written: make(chan string, 1000)}
	go co.read()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = theirs.Close()
		_ = ours.Close() // which ends read
	})
	return co
}

func (co *console) read() {
	defer close(co.written)
	for buf := make([]byte, 4096); ; {
		n, err := co.ours.Read(buf)
		if err != nil {
			return
		}
		co.written <- string(buf[:n])
	}
}

// press sends keys.
func (co *console) press(keys string) {
	co.t.Helper()
	_, err := co.ours.WriteString(keys)
	require.NoError(co.t, err)
}

// expect waits until a text appears, behind what was expected before.
func (co *console) expect(text string) {
	co.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		if at := strings.Index(co.seen, text); at >= 0 {
			co.seen = co.seen[at+len(text):]
			return
		}
		select {
		case more := <-co.written:
			co.seen += more
		case <-late.C:
			require.FailNow(co.t, "it does not appear", "%q in %q", text, co.seen)
		}
	}
}

// ended waits for the end of the command and returns its status. The terminal must be as it was.
func (co *console) ended() (status int) {
	co.t.Helper()
	_ = co.cmd.Wait() // the status tells
	after, err := term.GetState(int(co.theirs.Fd()))
	require.NoError(co.t, err)
	require.Equal(co.t, co.before, after, "the terminal is left as it was")
	return co.cmd.ProcessState.ExitCode()
}

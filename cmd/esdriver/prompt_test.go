//go:build unix

package main

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// session gives a process its terminal.
func session() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, Setctty: true} }

const (
	fresh     = "sql> "
	continued = "  -> "
)

// books is a cluster with a table of two rows.
func books(t *testing.T) *fakecluster.Cluster {
	t.Helper()
	leaktest.Check(t)
	c := userCluster(t, fakecluster.Nodes(1))
	require.NoError(t, c.Put("books", "1", map[string]any{"id": 1, "title": "Solaris"}))
	require.NoError(t, c.Put("books", "2", map[string]any{"id": 2, "title": "Dune"}))
	return c
}

// atPrompt is a shell that waits for its first line.
func atPrompt(t *testing.T, c *fakecluster.Cluster, home string) *console {
	t.Helper()
	co := typeInto(t, home, "sql", c.DSN())
	co.expect("Statements end with a semicolon")
	co.expect(fresh)
	return co
}

func TestPersonRunsStatementsOfSeveralLinesAndCommands(t *testing.T) {
	c := books(t)
	c.Inject(fakecluster.Fault{Path: "/_sql/translate", Action: fakecluster.Status(200, `{"size":1000}`, nil)})
	co := atPrompt(t, c, t.TempDir())
	co.press("SELECT title" + enter)
	co.expect(continued)
	co.press("FROM books WHERE id = 2;" + enter)
	co.expect("Dune\r\n(1 row)\r\n" + fresh)
	for command, want := range map[string]string{
		`\d`: "books        3", `\d books`: "id             long", `\explain SELECT id FROM books;`: `"size": 1000`, `\?`: `\q`,
	} {
		co.press(command + enter)
		co.expect(want)
		co.expect(fresh)
	}
	co.press(`\timing` + enter)
	co.expect("Timing: on.")
	co.press("SELECT id FROM books WHERE id = 1;" + enter)
	co.expect("(1 row, ")
	co.expect(" ms)\r\n" + fresh)
	co.press("SELECT nope FROM books;" + enter)
	co.expect("error: 400 verification_exception: Found 1 problem")
	co.expect(fresh)
	co.press(ctrlD)
	assert.Equal(t, statusOK, co.ended())
}

func TestTabCompletesTablesColumnsAndCommands(t *testing.T) {
	co := atPrompt(t, books(t), t.TempDir())
	co.press("SELECT ti" + tab)
	co.expect("SELECT title")
	co.press(" FROM bo" + tab)
	co.expect("FROM books")
	co.press(" WHERE id = 1;" + enter)
	co.expect("Solaris\r\n(1 row)\r\n" + fresh)
	co.press(`\ti` + tab)
	co.expect(`\timing`)
	co.press(enter)
	co.expect("Timing: on.\r\n" + fresh)
	co.press(`\q` + enter)
	assert.Equal(t, statusOK, co.ended())
}

func TestHistoryIsKeptForItsOwnerAndTheNextShell(t *testing.T) {
	c, home := books(t), t.TempDir()
	co := atPrompt(t, c, home)
	co.press("SELECT title FROM books WHERE id = 2;" + enter)
	co.expect("(1 row)")
	co.expect(fresh)
	co.press(ctrlD)
	require.Equal(t, statusOK, co.ended())

	name := filepath.Join(home, ".config", "esdriver", "history")
	if _, err := os.Stat(name); err != nil { // where macOS has such files
		name = filepath.Join(home, "Library", "Application Support", "esdriver", "history")
	}
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())
	require.NoError(t, os.Chmod(name, 0o644))

	co = atPrompt(t, c, home)
	co.press(up + enter)
	co.expect("Dune\r\n(1 row)\r\n" + fresh)
	co.press(ctrlD)
	require.Equal(t, statusOK, co.ended())
	info, err = os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode(), "also where it was there with another mode")
}

func TestInterruptDropsWhatIsTyped(t *testing.T) {
	c := books(t)
	co := atPrompt(t, c, t.TempDir())
	co.press("DROP TABLE" + enter)
	co.expect(continued)
	co.press("books")
	co.expect("books") // as keys are read one by one: before that Ctrl-C is a signal
	co.press(ctrlC)
	co.expect("^C")
	co.expect(fresh)
	co.press("SELECT id FROM books WHERE id = 1;" + enter)
	co.expect("(1 row)")
	assert.Len(t, c.Docs("books"), 2)
	co.expect(fresh)
	co.press(ctrlD)
	assert.Equal(t, statusOK, co.ended())
}

// hanging makes statements hang, and returns a channel that tells of each that does.
func hanging(c *fakecluster.Cluster) <-chan struct{} {
	come := make(chan struct{}, 100)
	c.Inject(fakecluster.Fault{Path: "/_sql", Action: fakecluster.Hang, Match: func(*http.Request) bool {
		come <- struct{}{}
		return true
	}})
	return come
}

func TestInterruptsEndTheStatementsThatRunAndNotTheShell(t *testing.T) {
	c := books(t)
	co := atPrompt(t, c, t.TempDir())
	come := hanging(c)
	for range 3 { // the process's own way with interrupts is to end at the second
		co.press("SELECT id FROM books;" + enter)
		<-come
		co.press(ctrlC)
		require.NoError(t, co.cmd.Process.Signal(os.Interrupt)) // no second key: a terminal drops output with it
		co.expect("error: interrupted\r\n" + fresh)
	}
	c.ClearFaults()
	require.NoError(t, co.cmd.Process.Signal(os.Interrupt), "while nothing runs")
	co.press("SELECT id FROM books WHERE id = 1;" + enter)
	co.expect("(1 row)")
	co.expect(fresh)
	co.press(ctrlD)
	assert.Equal(t, statusOK, co.ended())
}

func TestTerminationEndsTheShellAndLeavesItsTerminalAsItWas(t *testing.T) {
	c, home := books(t), t.TempDir()
	co := atPrompt(t, c, home)
	co.press("SELECT id FROM books WHERE id = 1;" + enter)
	co.expect("(1 row)")
	co.expect(fresh)
	co.press("SELECT")
	co.expect("SELECT")
	require.NoError(t, co.cmd.Process.Signal(syscall.SIGTERM))
	co.expect("\r\nesdriver: terminated\r\n")
	assert.Equal(t, statusTerminated, co.ended())

	co = atPrompt(t, c, home) // the history is there
	come := hanging(c)
	co.press(up + enter)
	<-come
	require.NoError(t, co.cmd.Process.Signal(syscall.SIGTERM))
	co.expect("esdriver: terminated\r\n")
	assert.Equal(t, statusTerminated, co.ended(), "also while a statement runs")
}

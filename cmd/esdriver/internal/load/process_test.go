package load_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/load"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/fakecluster"
)

// The test binary is also each process that is killed, or whose cost must not be taken for the load's. Which one it is
// stands in its environment.
const roleVariable = "ESDRIVER_LOAD_TEST_ROLE"

// nodes is how many of them the servers of the benchmarks have.
const nodes = 3

// roles are what the processes do with their arguments.
var roles = map[string]func(args []string) error{
	"load":    func(args []string) error { return loading(os.Stdout, args) },
	"weighed": weighed,
	"canned":  func([]string) error { return serving(startCanned(nodes)) },
	"fake":    func([]string) error { return serving(startFake()) },
}

func TestMain(m *testing.M) {
	role := roles[os.Getenv(roleVariable)]
	if role == nil {
		os.Exit(m.Run())
	}
	if err := role(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// loading loads a file: its arguments are the DSN and the file.
func loading(shown io.Writer, args []string) error {
	return load.Run(context.Background(), load.Config{
		DSN: args[0], Files: args[1:], Table: "rows", Screen: screen.New(shown, false),
	})
}

// weighed loads a file and prints how many bytes of memory it has had from the system for that, which never goes down.
func weighed(args []string) error {
	err := loading(io.Discard, args)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.Sys)
	return err
}

func startFake() (string, error) {
	c, err := fakecluster.Start(fakecluster.Nodes(nodes), fakecluster.KeepRequests(0))
	if err != nil {
		return "", err
	}
	return c.DSN(), nil // it ends with the process
}

// serving prints a server's DSN and ends when its input does.
func serving(dsn string, err error) error {
	if err != nil {
		return err
	}
	fmt.Println(dsn)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// process is this binary in another role. It has not begun.
func process(tb testing.TB, role string, args ...string) *exec.Cmd {
	tb.Helper()
	self, err := os.Executable()
	require.NoError(tb, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// serve starts a server of a role and returns its DSN. It ends with the test.
func serve(tb testing.TB, role string) string {
	tb.Helper()
	cmd := process(tb, role)
	in, err := cmd.StdinPipe()
	require.NoError(tb, err)
	out, err := cmd.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it has nothing left to say
	})
	dsn, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(tb, err)
	return strings.TrimSpace(dsn)
}

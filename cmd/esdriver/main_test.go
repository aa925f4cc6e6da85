package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

const index = "esdriver_demo_elements"

// command runs a command line and returns its status, and what it has written to both outputs.
func command(t *testing.T, args ...string) (status int, out, problems string) {
	t.Helper()
	var o, p bytes.Buffer
	status = run(t.Context(), args, nil, &o, &p)
	return status, o.String(), p.String()
}

// userCluster is a cluster that the demo did not start.
func userCluster(t *testing.T, opts ...fakecluster.Option) *fakecluster.Cluster {
	t.Helper()
	return fakecluster.Run(t, append(opts, fakecluster.SQL(sqlite.New()))...)
}

// watcher calls do when the text is written.
type watcher struct {
	written bytes.Buffer // not embedded: its WriteString would go past Write
	text    string
	do      func()
	once    sync.Once
}

func (w *watcher) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.once.Do(w.do)
	}
	return w.written.Write(p)
}

func (w *watcher) String() string { return w.written.String() }

const liveTitle = "Nodes come and go"

func indexExists(t *testing.T, c *fakecluster.Cluster) bool {
	t.Helper()
	resp, err := http.Head(c.URLs()[0] + "/" + index)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	return resp.StatusCode == http.StatusOK
}

func TestDemoLosesNoQueryWhileNodesComeAndGo(t *testing.T) {
	leaktest.Check(t)
	status, out, problems := command(t, "demo", "--duration", "3s")
	require.Equal(t, statusOK, status, "%s%s", out, problems)
	assert.Empty(t, problems)
	for _, text := range []string{
		"118 chemical elements", "class bulk", "118 rows in 5 requests",
		"kills node-1", "node-1: alive ->", "starts node-1 again", "adds a node, node-3", "node-3 joins the list",
		", 0 failed, ",
	} {
		assert.Contains(t, out, text)
	}
	last := out[strings.LastIndex(out, "requests  reg"):]
	for _, node := range []string{"node-0", "node-1", "node-2", "node-3"} {
		assert.Regexp(t, node+`  alive +[1-9]\d*  `, last, "each node is alive at the end and has served")
	}
}

func TestOutputIsPlainAndNarrowWhereThereIsNoTerminal(t *testing.T) {
	leaktest.Check(t)
	status, out, _ := command(t, "demo", "--duration", "1s")
	require.Equal(t, statusOK, status)
	assert.NotContains(t, out, "\x1b")
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 80, "%q", line)
		assert.Equal(t, strings.TrimRight(line, " "), line)
	}
}

func TestDemoLeavesAUsersClusterAsItWas(t *testing.T) {
	leaktest.Check(t)
	for _, product := range []fakecluster.Flavor{fakecluster.Elasticsearch, fakecluster.OpenSearch} {
		t.Run(string(product), func(t *testing.T) {
			leaktest.Check(t)
			c := userCluster(t, fakecluster.Product(product))
			require.NoError(t, c.Put("theirs", "1", map[string]any{"a": 1}))
			status, out, problems := command(t, "demo", "--duration", "1s", "--dsn", c.DSN())
			require.Equal(t, statusOK, status, "%s%s", out, problems)
			assert.Contains(t, out, "No node is killed")
			assert.Contains(t, out, ", 0 failed, ")
			assert.False(t, indexExists(t, c), "the demo's index is dropped")
			assert.Len(t, c.Docs("theirs"), 1)
			for _, n := range c.Nodes() {
				assert.True(t, n.Running())
			}
		})
	}
}

func TestDemoDoesNotTouchAnIndexOfItsNameThatItDidNotMake(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	require.NoError(t, c.Put(index, "1", map[string]any{"number": 1}))
	status, _, problems := command(t, "demo", "--dsn", c.DSN())
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems, "was not made by the demo")
	assert.Len(t, c.Docs(index), 1)
}

func TestDemoReplacesWhatAnInterruptedDemoHasLeft(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	body := `{"mappings":{"_meta":{"made_by":"esdriver demo"},"properties":{"number":{"type":"keyword"}}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, c.URLs()[0]+"/"+index, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)

	status, out, problems := command(t, "demo", "--duration", "1s", "--dsn", c.DSN())
	assert.Equal(t, statusOK, status, "%s%s", out, problems)
	assert.False(t, indexExists(t, c))
}

func TestFailedQueriesGiveStatusOne(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	var broken atomic.Bool
	c.Inject(fakecluster.Fault{
		Path: "/_sql", Times: 3, Match: func(*http.Request) bool { return broken.Load() },
		Action: fakecluster.Status(400, `{"error":{"type":"verification_exception","reason":"on purpose"},"status":400}`, nil),
	})
	out := &watcher{text: liveTitle, do: func() { broken.Store(true) }}
	var problems bytes.Buffer
	status := run(t.Context(), []string{"demo", "--duration", "1s", "--dsn", c.DSN()}, nil, out, &problems)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, out.String(), ", 3 failed, ")
	assert.Regexp(t, `3 of \d+ queries failed, the first with: .*on purpose`, problems.String())
	assert.False(t, indexExists(t, c))
}

func TestWrongAnswersGiveStatusOne(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	out := &watcher{text: liveTitle, do: func() {
		assert.NoError(t, c.Put(index, "119", map[string]any{"number": 119, "symbol": "Uue", "name": "Ununennium", "period": 7}))
	}}
	var problems bytes.Buffer
	status := run(t.Context(), []string{"demo", "--duration", "1s", "--dsn", c.DSN()}, nil, out, &problems)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems.String(), "got 33 instead of 32")
}

func TestInterruptEndsTheDemoAndDropsItsIndex(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out := &watcher{text: liveTitle, do: interrupt}
	var problems bytes.Buffer
	status := run(ctx, []string{"demo", "--dsn", c.DSN()}, nil, out, &problems)
	assert.Equal(t, statusInterrupted, status)
	assert.Equal(t, "esdriver: interrupted\n", problems.String())
	assert.Contains(t, out.String(), " 0 failed", "it still sums up")
	assert.False(t, indexExists(t, c))
}

func TestClusterThatIsNotThereGivesStatusOneAndShowsNoSecret(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	c.Close() // its addresses refuse connections now
	dsn := strings.Replace(c.DSN(), "://", "://user:hush@", 1) + "?sampler.timeout=200ms"
	status, out, problems := command(t, "demo", "--dsn", dsn)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems, "does not answer")
	assert.NotContains(t, out+problems, "hush")
}

func TestWrongCommandLinesGiveStatusTwo(t *testing.T) {
	for _, line := range []string{
		"nonsense", "demo more", "demo --nonsense", "demo --duration never", "demo --duration 0s", "demo --duration -1s",
		"sql a b", "sql --format xml", "sql -c x -f y", "load", "load http://h1", "dump http://h1", "nodes", "top", "doctor",
		"top http://h1 --every 1ms", "top http://h1 --count -1", "fake more",
	} {
		status, out, problems := command(t, strings.Fields(line)...)
		assert.Equal(t, statusUsage, status, "%s", line)
		assert.Empty(t, out, "%s", line)
		assert.Regexp(t, regexp.MustCompile(`^esdriver: .+\n.+help`), problems, "%s", line)
	}
}

func TestWrongDSNIsExplained(t *testing.T) {
	status, _, problems := command(t, "demo", "--dsn", "elasticsearch://h1?time_out=1s")
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems, "did you mean timeout?")
}

func TestHelpIsNoError(t *testing.T) {
	for _, line := range []string{"", "help", "--help", "demo --help", "help load"} {
		status, out, problems := command(t, strings.Fields(line)...)
		assert.Equal(t, statusOK, status, "%s", line)
		assert.Contains(t, out, "Usage:", "%s", line)
		assert.Empty(t, problems, "%s", line)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOutputThatCannotBeWrittenGivesStatusOne(t *testing.T) {
	leaktest.Check(t)
	var problems bytes.Buffer
	status := run(t.Context(), []string{"demo", "--duration", "1s"}, nil, fullDisk{}, &problems)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems.String(), errFull.Error())
}

package nodes_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/nodes"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

func requireNarrow(t *testing.T, text string) {
	t.Helper()
	assert.NotContains(t, text, "\x1b")
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, "%q", line)
	}
}

func TestListShowsNodesClassesAndLatencies(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(2), fakecluster.ForNode(1, fakecluster.Name(strings.Repeat("long-", 9)), fakecluster.Roles("data_hot", "ingest")))
	var out bytes.Buffer
	require.NoError(t, nodes.List(t.Context(), nodes.Config{DSN: c.DSN() + "?sampler=sniff", Screen: screen.New(&out, true)}))
	text := out.String()
	requireNarrow(t, text)
	assert.Contains(t, text, `Cluster fake, 2 nodes`)
	assert.Regexp(t, `node-0 +`+c.Node(0).Addr()+` +alive +8\.19\.7 +cdfhilmrstw?`, text)
	assert.Regexp(t, `long-long-long-~ +`+c.Node(1).Addr()+` +alive +8\.19\.7 +hi\n`, text)
	assert.Regexp(t, `node-0( +\d+/\d+/\d+){5} +0 +[\d.]+ms +[\d.]+ms\n`, text)
}

func TestListWithADeadNodeSaysWhyAndIsNoError(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(2))
	c.Node(1).Kill()
	var out bytes.Buffer
	require.NoError(t, nodes.List(t.Context(), nodes.Config{DSN: c.DSN(), Screen: screen.New(&out, true)}))
	assert.Contains(t, out.String(), "is dead: connection refused")
}

func TestListWithoutANodeThatAnswersIsAnError(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	c.Node(0).Kill()
	var out bytes.Buffer
	err := nodes.List(t.Context(), nodes.Config{DSN: c.DSN(), Screen: screen.New(&out, true)})
	assert.ErrorIs(t, err, esdriver.ErrNoNode)
}

func TestTopShowsAsManyPicturesAsAreWanted(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(2))
	var out bytes.Buffer
	require.NoError(t, nodes.Top(t.Context(), nodes.Config{DSN: c.DSN(), Screen: screen.New(&out, true), Every: 20 * time.Millisecond, Pictures: 3}))
	requireNarrow(t, out.String())
	assert.Equal(t, 3, strings.Count(out.String(), "retry budget"))
	assert.Contains(t, out.String(), "requests 6, failed 0")
}

func TestInterruptEndsTopWithoutAnError(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out bytes.Buffer
	assert.NoError(t, nodes.Top(ctx, nodes.Config{DSN: c.DSN(), Screen: screen.New(&out, true), Every: time.Hour}))
}

func TestTopGoesOnAndSaysWhatIsWrongWhenNoNodeAnswers(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	c.Node(0).Kill()
	var out bytes.Buffer
	require.NoError(t, nodes.Top(t.Context(), nodes.Config{DSN: c.DSN(), Screen: screen.New(&out, true), Every: 20 * time.Millisecond, Pictures: 2}))
	assert.Contains(t, out.String(), "last trouble: ")
	assert.NotContains(t, out.String(), "last trouble: none")
	requireNarrow(t, out.String())
}

package dump_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/dump"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// scrolling is a product that is read by a scroll.
func scrolling() fakecluster.Option { return fakecluster.Product(fakecluster.OpenSearch) }

func TestPageThatComesAgainEndsADump(t *testing.T) {
	const (
		pit    = `{"hits":{"hits":[{"_source":{},"sort":[1]},{"_source":{},"sort":[2]}]}}`
		scroll = `{"_scroll_id":"x","hits":{"total":{"value":3},"hits":[{"_source":{},"sort":[1]},{"_source":{},"sort":[2]}]}}`
		number = `{"_scroll_id":"x","hits":{"total":3,"hits":[{"_source":{}},{"_source":{}}]}}`
		none   = `{"hits":{"hits":[{"_source":{}}]}}`
	)
	for name, test := range map[string]struct {
		page string
		opts []fakecluster.Option
	}{
		"point in time":                   {pit, nil},
		"point in time without positions": {none, nil},
		"scroll":                          {scroll, []fakecluster.Option{scrolling()}},
		"scroll of old versions":          {number, []fakecluster.Option{scrolling()}},
	} {
		t.Run(name, func(t *testing.T) {
			leaktest.Check(t)
			c := fakecluster.Run(t, test.opts...)
			require.NoError(t, c.Put("rows", "1", map[string]any{"n": 1}))
			c.Inject(fakecluster.Fault{Path: "/*/_search", Action: fakecluster.Status(200, test.page, nil)})
			c.Inject(fakecluster.Fault{Method: http.MethodPost, Path: "/_search", Action: fakecluster.Status(200, test.page, nil)})
			err := dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: io.Discard, Problems: io.Discard})
			assert.ErrorIs(t, err, dump.ErrRepeated)
			assert.Less(t, len(c.Requests().Path("/_search")), 5)
		})
	}
}

func TestPagesThatComeByTurnsEndADump(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	require.NoError(t, c.Put("rows", "1", map[string]any{"n": 1}))
	for turn, position := range []int{1, 2, 1, 2} {
		page := fmt.Sprintf(`{"hits":{"hits":[{"_source":{},"sort":[%d]}]}}`, position)
		var asked atomic.Int64
		c.Inject(fakecluster.Fault{Path: "/_search", Action: fakecluster.Status(200, page, nil), Match: func(*http.Request) bool {
			return asked.Add(1) == int64(turn+1)
		}})
	}
	err := dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: io.Discard, Problems: io.Discard})
	assert.ErrorIs(t, err, dump.ErrRepeated)
	assert.Len(t, c.Requests().Path("/_search"), 3)
}

func TestScrollThatEndsTooEarlyIsAnError(t *testing.T) {
	c := full(t, scrolling())
	const empty = `{"_scroll_id":"x","hits":{"total":{"value":4500},"hits":[]}}`
	c.Inject(fakecluster.Fault{Method: http.MethodPost, Path: "/_search/scroll", Action: fakecluster.Status(200, empty, nil)})
	err := dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: io.Discard, Problems: io.Discard})
	assert.ErrorContains(t, err, "2000 rows have come of 4500: a page is missing; try again")
}

// atPage calls do when the n-th page is asked for.
func atPage(c *fakecluster.Cluster, n int64, do func(*http.Request)) {
	var pages atomic.Int64
	c.Inject(fakecluster.Fault{Method: http.MethodPost, Match: func(r *http.Request) bool {
		if strings.Contains(r.URL.Path, "_search") && pages.Add(1) == n {
			do(r)
		}
		return false
	}})
}

// kill kills the node that a request has come to. It does not wait, since the request is one that Kill waits for.
func kill(c *fakecluster.Cluster, r *http.Request, killed chan<- struct{}) {
	for _, n := range c.Nodes() {
		if n.Addr() == r.Host {
			go func() {
				n.Kill()
				close(killed)
			}()
		}
	}
}

func TestKilledNodeDoesNotEndADumpOfElasticsearch(t *testing.T) {
	c := full(t, fakecluster.Nodes(3))
	killed := make(chan struct{})
	atPage(c, 2, func(r *http.Request) { kill(c, r, killed) })
	var out bytes.Buffer
	require.NoError(t, dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", Out: &out, Problems: io.Discard}))
	<-killed
	requireAll(t, out.String())
}

func TestNodeKilledInAScrollEndsADumpWithoutAFile(t *testing.T) {
	c := full(t, fakecluster.Nodes(1), scrolling())
	killed := make(chan struct{})
	atPage(c, 2, func(r *http.Request) { kill(c, r, killed) })
	name := filepath.Join(t.TempDir(), "rows.ndjson")
	require.Error(t, dump.Run(t.Context(), dump.Config{DSN: c.DSN(), Table: "rows", File: name, Problems: io.Discard}))
	<-killed
	assert.NoFileExists(t, name)
	assert.NoFileExists(t, name+".part")
}

func TestInterruptedDumpLeavesWhatWasThereAndGivesBackWhatTheServerKeeps(t *testing.T) {
	for name, opts := range map[string][]fakecluster.Option{"point in time": nil, "scroll": {scrolling()}} {
		t.Run(name, func(t *testing.T) {
			c := full(t, opts...)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			atPage(c, 2, func(*http.Request) { interrupt() })
			file := filepath.Join(t.TempDir(), "rows.ndjson")
			require.NoError(t, os.WriteFile(file, []byte("of before"), 0o600))
			err := dump.Run(ctx, dump.Config{DSN: c.DSN(), Table: "rows", File: file, Problems: io.Discard})
			assert.ErrorIs(t, err, context.Canceled)
			assert.NoFileExists(t, file+".part")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, "of before", string(text))
			assert.Zero(t, c.OpenContexts())
		})
	}
}

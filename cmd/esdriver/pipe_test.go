//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
)

func TestOutputThatNobodyReadsEndsACommandQuietly(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	for i := range 100 {
		require.NoError(t, c.Put("rows", fmt.Sprint(i), map[string]any{"n": i}))
	}
	for _, line := range [][]string{{"dump", c.DSN(), "rows"}, {"sql", "-c", "SELECT * FROM rows", c.DSN()}} {
		in, out, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, in.Close())
		var problems bytes.Buffer
		assert.Equal(t, statusUnread, run(t.Context(), line, nil, out, &problems), line[0])
		assert.Empty(t, problems.String(), line[0])
		assert.Zero(t, c.OpenContexts()+c.OpenCursors(), "what the server has kept is given back")
		require.NoError(t, out.Close())
	}
}

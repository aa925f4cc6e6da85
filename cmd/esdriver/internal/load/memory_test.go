package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// memory is what a process has had from the system, at most, for a load.
func memory(t *testing.T, dsn string, rows int) (bytes int) {
	t.Helper()
	file := write(t, "rows.csv", "id,name\n"+strings.Repeat("1,"+strings.Repeat("a", 150)+"\n", rows))
	out, err := process(t, "weighed", dsn, file).Output()
	require.NoError(t, err)
	_, err = fmt.Sscan(string(out), &bytes)
	require.NoError(t, err)
	return bytes
}

func TestMemoryOfALoadDoesNotGrowWithTheFile(t *testing.T) {
	dsn := serve(t, "canned")
	short, long := memory(t, dsn, 80_000), memory(t, dsn, 240_000)
	assert.Less(t, float64(long), 1.3*float64(short), "%d and %d bytes", short, long)
}

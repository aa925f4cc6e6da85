package screen_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

func TestWhatIsNoTerminalGetsPlainText(t *testing.T) {
	var out bytes.Buffer
	s := screen.New(&out, true)
	s.Printf("%s %s\n", s.Bold("bold"), s.Red("red"))
	s.Lines("  ", []string{"one", ""})
	assert.False(t, s.Fits(1))
	assert.Equal(t, "bold red\n  one\n\n", out.String())
	assert.NoError(t, s.Err())
}

func TestSecondBlockReplacesTheFirst(t *testing.T) {
	var out bytes.Buffer
	s := screen.New(&out, true)
	s.Redraw([]string{"a", "b"})
	assert.NotContains(t, out.String(), "A", "nothing to go up over yet")
	out.Reset()
	s.Redraw([]string{"c"})
	assert.Equal(t, "\x1b[2Ac\x1b[K\n\x1b[J", out.String())
}

func TestBlockAfterOtherTextReplacesNothing(t *testing.T) {
	var out bytes.Buffer
	s := screen.New(&out, true)
	s.Redraw([]string{"a"})
	s.Println("text")
	out.Reset()
	s.Redraw([]string{"b"})
	assert.Equal(t, "b\x1b[K\n\x1b[J", out.String())
}

type full struct{ writes int }

var errFull = errors.New("disk full")

func (f *full) Write([]byte) (int, error) {
	f.writes++
	return 0, errFull
}

func TestFirstFailureOfAWriteIsKept(t *testing.T) {
	w := &full{}
	s := screen.New(w, true)
	s.Println("one")
	s.Println("two")
	require.ErrorIs(t, s.Err(), errFull)
	assert.Equal(t, 1, w.writes)
}

// Package screen is where commands write for people: in colour and in place on a terminal, plainly elsewhere.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Width is how many columns every command keeps to.
const Width = 80

// Screen writes lines. The first error of a write is kept, and what comes after it is dropped. A Screen is for one
// goroutine at a time.
type Screen struct {
	w      io.Writer
	term   *os.File // nil when w is no terminal, or one that cannot move its cursor
	colour bool
	drawn  int // lines of the block that Redraw replaces
	err    error
}

// New returns a screen on w. It is plain unless w is a terminal, and for TERM=dumb. It has colours unless plain or the
// environment sets NO_COLOR (https://no-color.org).
func New(w io.Writer, colour bool) *Screen {
	s := &Screen{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.term = f
	}
	s.colour = colour && s.term != nil && os.Getenv("NO_COLOR") == ""
	return s
}

// Err returns the first error of a write.
func (s *Screen) Err() error { return s.err }

// Println writes a line.
func (s *Screen) Println(a ...any) { s.write(fmt.Sprintln(a...)) }

// Printf writes formatted text.
func (s *Screen) Printf(format string, a ...any) { s.write(fmt.Sprintf(format, a...)) }

// Lines writes lines behind an indent.
func (s *Screen) Lines(indent string, lines []string) {
	for _, line := range lines {
		s.Println(strings.TrimRight(indent+line, " "))
	}
}

func (s *Screen) write(text string) {
	s.drawn = 0
	s.send(text)
}

func (s *Screen) send(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

// Fits reports whether Redraw can show a block of so many lines: there is a terminal, and it is large enough now.
func (s *Screen) Fits(lines int) bool {
	if s.term == nil {
		return false
	}
	width, height, err := term.GetSize(int(s.term.Fd()))
	return err == nil && width >= Width && height > lines
}

// Redraw writes a block of lines, over the one before it if nothing was written since. The caller has asked Fits, and
// no line is wider than Width.
func (s *Screen) Redraw(lines []string) {
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn)
	}
	for _, line := range lines {
		b.WriteString(line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	s.send(b.String())
	s.drawn = len(lines)
}

// Bold, Dim, Red, Green, Yellow and Cyan return the text in that look, or as it is on a screen without colours.
func (s *Screen) Bold(text string) string   { return s.paint("1", text) }
func (s *Screen) Dim(text string) string    { return s.paint("2", text) }
func (s *Screen) Red(text string) string    { return s.paint("31", text) }
func (s *Screen) Green(text string) string  { return s.paint("32", text) }
func (s *Screen) Yellow(text string) string { return s.paint("33", text) }
func (s *Screen) Cyan(text string) string   { return s.paint("36", text) }

func (s *Screen) paint(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

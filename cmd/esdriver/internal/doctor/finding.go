package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

// finding is the result of one look.
type finding struct {
	grade  grade
	about  string
	what   string
	advice string // what helps; empty where nothing is needed
}

type grade uint8

const (
	ok grade = iota
	fair
	wrong
)

func good(about, what string) finding         { return finding{ok, about, what, ""} }
func note(about, what, advice string) finding { return finding{fair, about, what, advice} }
func bad(about, what, advice string) finding  { return finding{wrong, about, what, advice} }

// adviceIndent is where advice stands, below what was found.
const adviceIndent = "                    "

// report shows a finding, and counts it if it is bad.
func (d *doctor) report(f finding) {
	mark := map[grade]string{ok: d.Green("ok   "), fair: d.Yellow("note "), wrong: d.Red("WRONG")}[f.grade]
	lines := wrap(f.what, screen.Width-len(adviceIndent))
	d.Printf("  %s  %-10s %s\n", mark, f.about, lines[0])
	d.Lines(adviceIndent, append(lines[1:], wrap(f.advice, screen.Width-len(adviceIndent))...))
	if f.grade == wrong {
		d.wrong++
	}
}

// wrap breaks a text into lines of a width. It breaks at spaces alone.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// cause is the innermost reason of an error.
func cause(err error) string {
	for {
		if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) > 0 {
			err = joined.Unwrap()[0]
			continue
		}
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprint(err)
		}
		err = inner
	}
}

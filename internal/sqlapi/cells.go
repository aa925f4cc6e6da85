package sqlapi

import (
	"bytes"
	"database/sql/driver"
	"sync"
)

// cellLists holds lists of cells of pages that were read. A list in it has no values any more.
var cellLists = sync.Pool{New: func() any { return new([]driver.Value) }}

func newCells() *[]driver.Value { return cellLists.Get().(*[]driver.Value) }

// freeCells gives a list back that nobody looks at any more.
func freeCells(list *[]driver.Value) {
	clear((*list)[:cap(*list)])
	*list = (*list)[:0]
	cellLists.Put(list)
}

// pastSpace returns the first place from at on that is not space, or the text's length.
func pastSpace(text []byte, at int) int {
	for at < len(text) && text[at] <= ' ' {
		at++
	}
	return at
}

// valueEnd returns the length of the JSON value that text, which is not empty, begins with. It returns 0 when the
// value may go on after the text; a number and a word do so until something else is seen.
func valueEnd(text []byte) int {
	switch text[0] {
	case '"':
		return stringEnd(text)
	case '[', '{':
		return nestedEnd(text)
	}
	for end := 1; end < len(text); end++ {
		switch c := text[end]; {
		case c <= ' ', c == ',', c == ']', c == '}', c == ':':
			return end
		}
	}
	return 0
}

// stringEnd returns the length of the JSON string that text begins with, its quotes included, or 0.
func stringEnd(text []byte) int {
	for end := 1; ; {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			return 0
		}
		end += quote + 1
		slashes := 0
		for text[end-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
	}
}

// nestedEnd returns the length of the JSON array or object that text begins with, or 0.
func nestedEnd(text []byte) int {
	depth := 0
	for end := 0; end < len(text); {
		switch text[end] {
		case '"':
			n := stringEnd(text[end:])
			if n == 0 {
				return 0
			}
			end += n
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		end++
		if depth == 0 {
			return end
		}
	}
	return 0
}

package sqlparse

import (
	"fmt"
	"slices"
	"strconv"
)

// placeholderStyle is how a statement writes its placeholders.
type placeholderStyle uint8

const (
	styleNone     placeholderStyle = iota
	styleQuestion                  // ?
	styleDollar                    // $1
	styleNamed                     // :name, @name
	styleServer                    // ES|QL: the server reads them
)

// maxPlaceholder is the highest number of a $n; PostgreSQL's is the same.
const maxPlaceholder = 65535

// param is one placeholder in the text.
type param struct {
	at      int    // offset in the text
	ordinal int    // of the argument, from 1; 0 for a named one
	name    string // of a named one
	// soft marks an @name on OpenSearch, where it is also an identifier: it is a placeholder only if an argument
	// of that name is given.
	soft bool
	// digits marks a placeholder of LIMIT, OFFSET or TOP, which no server takes as a parameter.
	digits bool
}

// placeholderScan finds the placeholders of one statement.
type placeholderScan struct {
	s    *Statement
	ts   tokens
	mark byte            // : or @ of the first named placeholder that is no column; 0 when there is none
	seen map[string]bool // the names in s.names
}

// findPlaceholders fills params, names and style.
func (s *Statement) findPlaceholders(ts tokens) error {
	scan := placeholderScan{s: s, ts: ts, seen: make(map[string]bool)}
	for i, t := range ts.list {
		if t.kind != tokParam {
			continue
		}
		if err := scan.add(i); err != nil {
			return err
		}
	}
	s.dropSoftNames(ts)
	return nil
}

// add reads the placeholder that is token i.
func (c *placeholderScan) add(i int) error {
	text := c.ts.str(i)
	p := param{at: c.ts.list[i].start, digits: countsRows(c.ts, i)}
	style := styleNamed
	switch text[0] {
	case '?':
		style, p.ordinal = styleQuestion, len(c.s.params)+1
	case '$':
		n, err := strconv.Atoi(text[1:])
		if err != nil || n < 1 || n > maxPlaceholder {
			return c.ts.fail(i, "placeholders are $1 to $65535")
		}
		style, p.ordinal = styleDollar, n
	default:
		p.name = text[1:]
		p.soft = text[0] == '@' && c.s.flavor == OpenSearch && !c.s.kind.Writes()
		c.addName(p.name)
	}
	c.s.params = append(c.s.params, p)
	return c.checkStyle(i, style, p.soft)
}

func (c *placeholderScan) addName(name string) {
	if !c.seen[name] {
		c.seen[name] = true
		c.s.names = append(c.s.names, name)
	}
}

// checkStyle refuses a second style. A soft @name does not choose the style: it may be a column.
func (c *placeholderScan) checkStyle(i int, style placeholderStyle, soft bool) error {
	if soft {
		return nil
	}
	mark := byte(0)
	if style == styleNamed {
		mark = c.ts.str(i)[0]
	}
	if c.s.style == styleNone {
		c.s.style, c.mark = style, mark
	}
	if c.s.style != style || c.mark != mark {
		return c.ts.fail(i, "placeholders of two styles in one statement")
	}
	return nil
}

// dropSoftNames settles what the soft names are. Without placeholders of another style the arguments decide; with
// positional ones, a name is a column.
func (s *Statement) dropSoftNames(ts tokens) {
	switch s.style {
	case styleNone:
		if len(s.params) > 0 {
			s.style = styleNamed
		}
	case styleQuestion, styleDollar:
		s.params = slices.DeleteFunc(s.params, func(p param) bool { return p.soft })
		s.names = nil
		for i, t := range ts.list {
			if t.kind == tokParam && ts.str(i)[0] == '@' {
				ts.list[i].kind = tokWord
			}
		}
		s.renumber()
	}
}

// renumber counts the ? anew.
func (s *Statement) renumber() {
	if s.style != styleQuestion {
		return
	}
	for i := range s.params {
		s.params[i].ordinal = i + 1
	}
}

// countsRows reports whether the placeholder i stands for a number of rows: after LIMIT, OFFSET or TOP, or after
// the comma of LIMIT m, n.
func countsRows(ts tokens, i int) bool {
	switch ts.word(i - 1) {
	case "LIMIT", "OFFSET", "TOP":
		return true
	}
	return ts.isOp(i-1, ",") && ts.isWord(i-3, "LIMIT")
}

func countHard(params []param) int {
	n := 0
	for _, p := range params {
		if !p.soft {
			n++
		}
	}
	return n
}

func maxOrdinal(params []param) int {
	n := 0
	for _, p := range params {
		n = max(n, p.ordinal)
	}
	return n
}

// bound is the value of one placeholder. given is false for an @name that turns out to be a column.
type bound struct {
	value any
	given bool
}

// Bind returns the values of the placeholders in the order in which they stand in the text, one for each, repeated
// ones repeated. [Param.Index] is an index into it. Arguments that do not fit are an [*ArgError].
func (s *Statement) Bind(args []Arg) ([]any, error) {
	bounds, err := s.bind(args)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(bounds))
	for i, b := range bounds {
		values[i] = b.value
	}
	return values, nil
}

func (s *Statement) bind(args []Arg) ([]bound, error) {
	if s.style == styleNamed {
		return s.bindNamed(args)
	}
	return s.bindPositional(args)
}

func (s *Statement) bindPositional(args []Arg) ([]bound, error) {
	want := s.NumInput()
	for _, a := range args {
		if a.Name != "" {
			return nil, &ArgError{Want: want, Got: len(args), Name: a.Name, Msg: "the statement has no named placeholder"}
		}
	}
	if len(args) != want {
		return nil, &ArgError{Want: want, Got: len(args), Msg: manyOrFew(len(args) > want)}
	}
	bounds := make([]bound, len(s.params))
	for i, p := range s.params {
		bounds[i] = bound{args[p.ordinal-1].Value, true}
	}
	return bounds, nil
}

func manyOrFew(many bool) string {
	if many {
		return "too many arguments"
	}
	return "too few arguments"
}

func (s *Statement) bindNamed(args []Arg) ([]bound, error) {
	byName, err := s.argsByName(args)
	if err != nil {
		return nil, err
	}
	bounds := make([]bound, len(s.params))
	for i, p := range s.params {
		value, ok := byName[p.name]
		if !ok && !p.soft {
			return nil, &ArgError{Want: len(s.names), Got: len(args), Name: p.name, Msg: "missing"}
		}
		bounds[i] = bound{value, ok}
	}
	return bounds, nil
}

// argsByName refuses an argument that is positional, unknown or given twice.
func (s *Statement) argsByName(args []Arg) (map[string]any, error) {
	known := make(map[string]bool, len(s.names))
	for _, name := range s.names {
		known[name] = true
	}
	byName := make(map[string]any, len(args))
	for i, a := range args {
		e := &ArgError{Want: len(s.names), Got: len(args), Name: a.Name}
		_, twice := byName[a.Name]
		switch {
		case a.Name == "":
			e.Ordinal, e.Msg = i+1, fmt.Sprintf("the placeholders are named: %v", s.names)
		case !known[a.Name]:
			e.Msg = fmt.Sprintf("no placeholder has that name; there are %v", s.names)
		case twice:
			e.Msg = "given twice"
		default:
			byName[a.Name] = a.Value
			continue
		}
		return nil, e
	}
	return byName, nil
}

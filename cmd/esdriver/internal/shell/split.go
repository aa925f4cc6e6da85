package shell

import "strings"

// statement is a text with its place in the input. A text that begins with a backslash is a command of the shell's.
type statement struct {
	text         string
	line, column int // of its first character, from 1
}

// splitter cuts lines into statements, at semicolons that are in no string, name or comment. A backslash where a
// statement may begin makes the rest of its line a command.
type splitter struct {
	escapes bool // whether a backslash takes the next character with it inside quotes, as in OpenSearch
	text    strings.Builder
	open    rune // the quote that is open, '*' in a comment of several lines, 0 outside
	solid   bool // whether there is more than comments
	line    int  // lines fed
	first   statement
}

// pending reports whether a statement has begun and not ended.
func (s *splitter) pending() bool { return s.solid || s.open != 0 }

// feed takes a line, without its end, and returns the statements that end in it.
func (s *splitter) feed(line string) []statement {
	s.line++
	var done []statement
	rs := []rune(line)
	for i := 0; i < len(rs); {
		switch {
		case s.open == 0 && rs[i] == ';':
			done = append(done, s.end()...)
			i++
			continue
		case !s.pending() && rs[i] == '\\':
			s.clear()
			return append(done, statement{text: strings.TrimSpace(string(rs[i:])), line: s.line, column: i + 1})
		}
		n, comment := s.step(rs[i:])
		s.put(rs[i:i+n], i+1, comment)
		i += n
	}
	s.text.WriteByte('\n')
	return done
}

// put adds characters. The first that is no space is where the statement begins, be it a comment's: there are prefixes
// that are comments.
func (s *splitter) put(rs []rune, column int, comment bool) {
	space := strings.TrimSpace(string(rs)) == ""
	if s.first.line == 0 {
		if space {
			return
		}
		s.text.Reset()
		s.first = statement{line: s.line, column: column}
	}
	s.solid = s.solid || !comment && !space
	s.text.WriteString(string(rs))
}

// step returns how many of the next characters belong together and whether they are a comment's, and keeps account of
// what is open.
func (s *splitter) step(rs []rune) (n int, comment bool) {
	next := rune(0)
	if len(rs) > 1 {
		next = rs[1]
	}
	switch {
	case s.open == '*':
		if rs[0] == '*' && next == '/' {
			s.open = 0
			return 2, true
		}
		return 1, true
	case s.open != 0:
		return s.quoted(rs[0], next), false
	case rs[0] == '-' && next == '-':
		return len(rs), true
	case rs[0] == '/' && next == '*':
		s.open = '*'
		return 2, true
	case rs[0] == '\'' || rs[0] == '"' || rs[0] == '`':
		s.open = rs[0]
	}
	return 1, false
}

// quoted is step inside quotes. A doubled quote closes and opens again.
func (s *splitter) quoted(r, next rune) int {
	if s.escapes && r == '\\' && next != 0 {
		return 2
	}
	if r == s.open {
		s.open = 0
	}
	return 1
}

// end closes the statement that is pending and returns it, or nothing if there was none.
func (s *splitter) end() []statement {
	defer s.clear()
	if !s.pending() {
		return nil
	}
	s.first.text = strings.TrimSpace(s.text.String())
	return []statement{s.first}
}

// clear forgets what is pending.
func (s *splitter) clear() {
	s.text.Reset()
	s.first, s.open, s.solid = statement{}, 0, false
}

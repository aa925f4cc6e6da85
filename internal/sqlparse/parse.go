package sqlparse

import (
	"strings"
	"unicode/utf8"
)

// MaxText is the longest statement that is read, in bytes.
const MaxText = 64 << 20

// Parse reads one statement by the flavour's rules. A text that cannot be read is a [*SyntaxError], a write that
// uses a construct which is known and not supported an [*UnsupportedError].
func Parse(flavor Flavor, text string) (*Statement, error) {
	if len(text) > MaxText {
		return nil, syntaxError(text, 0, text, "the statement is longer than 64 MiB")
	}
	if i := invalidUTF8(text); i >= 0 {
		return nil, syntaxError(text, i, "", "the statement is not UTF-8")
	}
	if kind, rest, ok := cutPrefix(text); ok {
		return parseForeign(flavor, text, kind, rest), nil
	}
	all, err := lex(flavor, text)
	if err != nil {
		return nil, err
	}
	return parseSQL(flavor, text, all)
}

// parseForeign makes a statement of a text in another language, which the server alone reads.
func parseForeign(flavor Flavor, text string, kind Kind, rest string) *Statement {
	s := &Statement{flavor: flavor, text: text, kind: kind, parts: []part{{text: rest}}}
	if kind == ESQL {
		s.style = styleServer
	}
	return s
}

func parseSQL(flavor Flavor, text string, all []token) (*Statement, error) {
	body := bodyEnd(text, all)
	ts := significant(text, all[:body])
	if err := checkSingle(ts); err != nil {
		return nil, err
	}
	s := &Statement{flavor: flavor, text: text, kind: classify(ts)}
	if err := s.findPlaceholders(ts); err != nil {
		return nil, err
	}
	if s.kind.Writes() || s.kind >= Begin {
		return s.parseWrite(ts)
	}
	s.shape = describe(s.flavor, s.kind, ts)
	if s.shape.constant != "" {
		s.kind = Constant
	}
	s.limit = findLimit(ts, s.kind)
	if err := s.plan(all[:body], ts); err != nil {
		return nil, err
	}
	s.tail = tail(flavor, text, all[body:])
	s.sel = s.parseSelect(ts)
	return s, nil
}

// bodyEnd returns how many tokens there are before the trailing semicolons, spaces and comments.
func bodyEnd(text string, all []token) int {
	for n := len(all); n > 0; n-- {
		t := all[n-1]
		if !t.skipped() && text[t.start:t.end] != ";" {
			return n
		}
	}
	return 0
}

// checkSingle refuses an empty text and a text of several statements.
func checkSingle(ts tokens) error {
	if ts.len() == 0 {
		return ts.fail(0, "empty statement")
	}
	for i := range ts.list {
		if ts.isOp(i, ";") {
			return ts.fail(i, "one statement at a time")
		}
	}
	return nil
}

// cutPrefix finds the prefix of a statement that is not SQL and returns what follows it.
func cutPrefix(text string) (kind Kind, rest string, ok bool) {
	text = strings.TrimSpace(text)
	word, rest := "", ""
	if after, found := strings.CutPrefix(text, "/*"); found {
		word, rest, _ = strings.Cut(after, "*/")
		word = strings.TrimSpace(word)
	} else if n := strings.IndexFunc(text, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) }); n > 0 {
		word, rest = text[:n], text[n:]
	}
	rest = strings.TrimSpace(rest)
	switch {
	case rest == "":
		return Other, "", false
	case strings.EqualFold(word, "esql"):
		return ESQL, rest, true
	case strings.EqualFold(word, "ppl"):
		return PPL, rest, true
	}
	return Other, "", false
}

func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if _, size := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
			return i
		}
	}
	return -1
}

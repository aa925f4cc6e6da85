package sqlparse

import "strings"

// lexer splits a text into tokens by one flavour's rules. It never looks at a token again, so that its time is
// linear in the text.
type lexer struct {
	flavor Flavor
	text   string
	pos    int
	last   token // the token before this one, of any kind
	tokens []token
}

// lex splits the text.
func lex(flavor Flavor, text string) ([]token, error) {
	l := lexer{flavor: flavor, text: text, tokens: make([]token, 0, len(text)/4+8)}
	for l.pos < len(text) {
		start := l.pos
		kind, err := l.next()
		if err != nil {
			return nil, err
		}
		l.last = token{kind: kind, start: start, end: l.pos}
		l.tokens = append(l.tokens, l.last)
	}
	return l.tokens, nil
}

// next moves past one token.
func (l *lexer) next() (tokenKind, error) {
	c := l.text[l.pos]
	switch {
	case isSpace(c):
		l.skipWhile(isSpace)
		return tokSpace, nil
	case c == '\'':
		return tokString, l.between(c, l.flavor == OpenSearch, "unterminated string")
	case c == '"' || c == '`':
		return tokQuoted, l.between(c, l.flavor == OpenSearch, "unterminated identifier")
	case (c == 'N' || c == 'n') && l.at(1) == '\'':
		l.pos++
		return tokNational, l.between('\'', false, "unterminated string")
	case isWordStart(c):
		l.skipWhile(isWordPart)
		return tokWord, nil
	case isDigit(c) || c == '.' && isDigit(l.at(1)) && !l.touchesWord():
		return l.number(), nil
	}
	return l.symbol(c)
}

// symbol moves past a token that starts with neither a letter, a digit nor a quote.
func (l *lexer) symbol(c byte) (tokenKind, error) {
	switch c {
	case '-':
		if l.at(1) == '-' {
			return l.dashes()
		}
	case '#':
		if l.flavor == OpenSearch {
			l.skipLine()
			return tokComment, nil
		}
	case '/':
		if l.at(1) == '*' {
			return l.block()
		}
	case '?', '$', ':', '@':
		return l.placeholder(c)
	}
	return l.operator(), nil
}

// at returns the byte n places on, and 0 past the end.
func (l *lexer) at(n int) byte {
	if l.pos+n >= len(l.text) {
		return 0
	}
	return l.text[l.pos+n]
}

func (l *lexer) skipWhile(in func(byte) bool) {
	for l.pos < len(l.text) && in(l.text[l.pos]) {
		l.pos++
	}
}

func (l *lexer) skipLine() {
	if n := strings.IndexAny(l.text[l.pos:], "\r\n"); n >= 0 {
		l.pos += n
	} else {
		l.pos = len(l.text)
	}
}

// between moves past a token in quotes q, in which a doubled quote is one. With pairs a backslash takes the next
// character with it, as between all three quotes in OpenSearch's lexer of every version (OpenSearchSQLLexer.g4).
func (l *lexer) between(q byte, pairs bool, unterminated string) error {
	for i := l.pos + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\' && pairs:
			i++
		case c != q:
		case i+1 < len(l.text) && l.text[i+1] == q:
			i++
		default:
			l.pos = i + 1
			return nil
		}
	}
	return syntaxError(l.text, l.pos, l.text[l.pos:], unterminated)
}

// dashes moves past a comment from -- to the end of the line. OpenSearch needs a space after the dashes; without
// one, 5--1 is a comment to one of its engines and 6 to the other, so it is refused.
func (l *lexer) dashes() (tokenKind, error) {
	after := l.at(2)
	if l.flavor == OpenSearch && after != 0 && !isSpace(after) {
		return 0, syntaxError(l.text, l.pos, "--", "on OpenSearch a comment is -- and a space; write - -1 for the other meaning")
	}
	l.skipLine()
	return tokComment, nil
}

// block moves past /* … */, which does not nest.
func (l *lexer) block() (tokenKind, error) {
	n := strings.Index(l.text[l.pos+2:], "*/")
	if n < 0 {
		return 0, syntaxError(l.text, l.pos, l.text[l.pos:], "unterminated comment")
	}
	l.pos += n + 4
	return tokComment, nil
}

// number moves past a number, or past a word that starts with digits.
func (l *lexer) number() tokenKind {
	l.skipWhile(isDigit)
	if l.at(0) == '.' && isDigit(l.at(1)) {
		l.pos++
		l.skipWhile(isDigit)
	}
	if n := l.exponent(); n > 0 {
		l.pos += n
		l.skipWhile(isDigit)
	}
	if l.pos < len(l.text) && isWordPart(l.text[l.pos]) {
		l.skipWhile(isWordPart)
		return tokWord
	}
	return tokNumber
}

// exponent returns the length of what leads an exponent's digits, and 0 when there is no exponent.
func (l *lexer) exponent() int {
	if c := l.at(0); c != 'e' && c != 'E' {
		return 0
	}
	if c := l.at(1); (c == '+' || c == '-') && isDigit(l.at(2)) {
		return 2
	}
	if isDigit(l.at(1)) {
		return 1
	}
	return 0
}

// placeholder moves past ?, $1, :name or @name, or past the operator that only looks like one.
func (l *lexer) placeholder(c byte) (tokenKind, error) {
	switch {
	case c == '?':
		return l.question()
	case c == '$' && isDigit(l.at(1)):
		l.pos++
		l.skipWhile(isDigit)
		return tokParam, nil
	case c == '$' || !isWordStart(l.at(1)) || l.touchesWord():
		return l.operator(), nil
	}
	l.pos++
	l.skipWhile(isWordPart)
	if c == '@' && l.flavor == OpenSearch && l.last.kind == tokOp && l.text[l.last.start] == '.' {
		return tokWord, nil // t.@timestamp
	}
	return tokParam, nil
}

func (l *lexer) question() (tokenKind, error) {
	if isDigit(l.at(1)) {
		return 0, syntaxError(l.text, l.pos, l.text[l.pos:l.pos+2], "a numbered placeholder is written $1")
	}
	l.pos++
	return tokParam, nil
}

// touchesWord reports whether the token before ends here and is part of a name or a number, as in cluster:index,
// 12:30 and t.1.
func (l *lexer) touchesWord() bool {
	if l.pos == 0 {
		return false
	}
	switch l.last.kind {
	case tokWord, tokQuoted, tokNumber, tokParam:
		return true
	case tokOp:
		return l.text[l.last.start] == ':' || l.text[l.last.start] == '@'
	}
	return false
}

var longOps = [...]string{"<=>", "::", "||", "<=", ">=", "<>", "!=", ":=", "@@"}

// operator moves past the longest operator, or past one character.
func (l *lexer) operator() tokenKind {
	rest := l.text[l.pos:]
	for _, op := range longOps {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			return tokOp
		}
	}
	l.pos++
	return tokOp
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordStart reports whether a bare word may start with c; every byte of a character beyond ASCII may.
func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWordPart(c byte) bool { return isWordStart(c) || isDigit(c) || c == '$' || c == '@' }

package sqlite

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/esdriver/esdriver/fakecluster"
)

// kind is the kind of a token.
type kind uint8

const (
	name   kind = iota // identifier, quoted or not, with its dots: a.b
	text               // string literal
	number             // numeric literal
	param              // ?
	symbol             // operator or punctuation
)

// token is a piece of a statement.
type token struct {
	kind   kind
	raw    string // as written
	value  string // of a name or text, without quotes
	quoted bool   // a name in quotes, which is no keyword
	at     int    // where it begins
	end    int
}

// word is the token in upper case if it can be a keyword, else "".
func (t token) word() string {
	if t.kind == name && !t.quoted {
		return strings.ToUpper(t.value)
	}
	return ""
}

func (t token) is(s string) bool { return t.kind == symbol && t.raw == s }

// lexer splits a statement by the flavor's rules for quotes.
type lexer struct {
	text    string
	at      int
	flavor  fakecluster.Flavor
	unslash bool // backslash escapes in literals are undone: OpenSearch from 3.0
}

func lex(q fakecluster.SQLQuery) ([]token, error) {
	l := &lexer{text: q.Text, flavor: q.Flavor, unslash: q.Flavor == fakecluster.OpenSearch && !strings.HasPrefix(q.Version, "2.") && !strings.HasPrefix(q.Version, "1.")}
	var tokens []token
	for {
		l.skipBlank()
		if l.at >= len(l.text) {
			return tokens, nil
		}
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
	}
}

// skipBlank skips space and comments.
func (l *lexer) skipBlank() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			l.at += size
		case strings.HasPrefix(rest, "--"):
			l.skipPast("\n")
		case strings.HasPrefix(rest, "/*"):
			l.skipPast("*/")
		default:
			return
		}
	}
}

func (l *lexer) skipPast(end string) {
	i := strings.Index(l.text[l.at:], end)
	if i < 0 {
		l.at = len(l.text)
		return
	}
	l.at += i + len(end)
}

func (l *lexer) next() (token, error) {
	start := l.at
	c := l.text[l.at]
	switch {
	case c == '\'', c == '"', c == '`':
		return l.quoted(c)
	case c >= '0' && c <= '9', c == '.' && l.digitAt(1):
		l.number()
		return l.made(token{kind: number, at: start}), nil
	case c == '?':
		l.at++
		return l.made(token{kind: param, at: start}), nil
	}
	if r, _ := utf8.DecodeRuneInString(l.text[l.at:]); unicode.IsLetter(r) || r == '_' || r == '@' {
		return l.name(), nil
	}
	return l.symbol(), nil
}

// made completes a token that ends where the lexer stands.
func (l *lexer) made(t token) token {
	t.end, t.raw = l.at, l.text[t.at:l.at]
	return t
}

func (l *lexer) digitAt(ahead int) bool {
	i := l.at + ahead
	return i < len(l.text) && l.text[i] >= '0' && l.text[i] <= '9'
}

func (l *lexer) number() {
	for l.at < len(l.text) {
		c := l.text[l.at]
		sign := (c == '+' || c == '-') && strings.ContainsAny(l.text[l.at-1:l.at], "eE")
		exponent := (c == 'e' || c == 'E') && (l.digitAt(1) || l.digitAt(2))
		if !(c >= '0' && c <= '9' || c == '.' || sign || exponent) {
			return
		}
		l.at++
	}
}

// name reads an identifier with dots; parts may be quoted: "t"."c".
func (l *lexer) name() token {
	t := token{kind: name, at: l.at}
	for l.at < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@", r) {
			break
		}
		l.at += size
	}
	t.value = l.text[t.at:l.at]
	return l.dotted(t)
}

// dotted joins what follows a dot to the name.
func (l *lexer) dotted(t token) token {
	if l.at+1 < len(l.text) && l.text[l.at] == '.' {
		save := l.at
		l.at++
		next, err := l.next()
		if err == nil && next.kind == name {
			t.value += "." + next.value
			t.quoted = true // a dotted name is no keyword
			return l.made(t)
		}
		if err == nil && next.is("*") {
			t.value += ".*"
			return l.made(t)
		}
		l.at = save
	}
	return l.made(t)
}

// quoted reads a literal or a quoted identifier: double quotes are identifiers on Elasticsearch and
// literals on OpenSearch, backquotes are identifiers on OpenSearch only.
func (l *lexer) quoted(q byte) (token, error) {
	t := token{kind: text, at: l.at, quoted: true}
	if q == '`' || q == '"' && l.flavor == fakecluster.Elasticsearch {
		t.kind = name
	}
	if q == '`' && l.flavor == fakecluster.Elasticsearch {
		return t, parseError(l.flavor, l.text, l.at, "backquoted identifiers not supported; please use double quotes instead")
	}
	var b strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		switch {
		case c == '\\' && t.kind == text && l.flavor == fakecluster.OpenSearch && l.at+1 < len(l.text):
			l.backslash(&b)
		case c == q && l.at+1 < len(l.text) && l.text[l.at+1] == q:
			b.WriteByte(q)
			l.at++
		case c == q:
			l.at++
			t.value = b.String()
			if t.kind == name {
				return l.dotted(t), nil
			}
			return l.made(t), nil
		default:
			b.WriteByte(c)
		}
	}
	return t, parseError(l.flavor, l.text, t.at, "unclosed quote")
}

// backslash reads an escape pair: 2.x keeps both characters, 3.x undoes \\ \' and \".
func (l *lexer) backslash(b *strings.Builder) {
	next := l.text[l.at+1]
	if !l.unslash || !strings.ContainsRune(`\'"`, rune(next)) {
		b.WriteByte('\\')
	}
	b.WriteByte(next)
	l.at++
}

func (l *lexer) symbol() token {
	t := token{kind: symbol, at: l.at}
	for _, s := range []string{"<=>", "<>", "<=", ">=", "!=", "||", "::"} {
		if strings.HasPrefix(l.text[l.at:], s) {
			l.at += len(s)
			return l.made(t)
		}
	}
	_, size := utf8.DecodeRuneInString(l.text[l.at:])
	l.at += size
	return l.made(t)
}

package sqlparse

import "strings"

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokSpace    tokenKind = iota // space, tab, newlines
	tokComment                   // to the end of the line, or /* … */
	tokWord                      // a bare identifier or keyword
	tokQuoted                    // "x" or `x`
	tokString                    // '…'
	tokNational                  // N'…'
	tokNumber                    // 1, 1.5, .5, 1e3
	tokParam                     // ?, $1, :name, @name
	tokOp                        // anything else, one operator or one character
)

// token is a piece of the text. The tokens of a text, in order, make up the text.
type token struct {
	kind       tokenKind
	start, end int
}

// skipped reports whether the token means nothing to the grammar.
func (t token) skipped() bool { return t.kind <= tokComment }

// tokens are the significant tokens of a text.
type tokens struct {
	text string
	list []token
}

// significant leaves out spaces and comments.
func significant(text string, all []token) tokens {
	list := make([]token, 0, len(all)/2+1)
	for _, t := range all {
		if !t.skipped() {
			list = append(list, t)
		}
	}
	return tokens{text: text, list: list}
}

func (ts tokens) len() int { return len(ts.list) }

// str returns the text of token i, and nothing when there is no such token.
func (ts tokens) str(i int) string {
	if i < 0 || i >= len(ts.list) {
		return ""
	}
	return ts.text[ts.list[i].start:ts.list[i].end]
}

// kind returns the kind of token i, and tokSpace, which no significant token has, when there is none.
func (ts tokens) kind(i int) tokenKind {
	if i < 0 || i >= len(ts.list) {
		return tokSpace
	}
	return ts.list[i].kind
}

// word returns token i in upper case if it is a bare word, else nothing.
func (ts tokens) word(i int) string {
	if ts.kind(i) != tokWord {
		return ""
	}
	return strings.ToUpper(ts.str(i))
}

// isWord reports whether token i is the bare word, which is given in upper case.
func (ts tokens) isWord(i int, word string) bool {
	return ts.kind(i) == tokWord && strings.EqualFold(ts.str(i), word)
}

// isOp reports whether token i is the operator.
func (ts tokens) isOp(i int, op string) bool {
	return ts.kind(i) == tokOp && ts.str(i) == op
}

// adjacent reports whether nothing stands between tokens i and i+1.
func (ts tokens) adjacent(i int) bool {
	return i >= 0 && i+1 < len(ts.list) && ts.list[i].end == ts.list[i+1].start
}

// fail is a syntax error at token i, or at the end of the text when there is no such token.
func (ts tokens) fail(i int, msg string) *SyntaxError {
	if i >= len(ts.list) {
		return syntaxError(ts.text, len(ts.text), "", msg)
	}
	return syntaxError(ts.text, ts.list[i].start, ts.str(i), msg)
}

// unquote returns what a quoted token holds: the outer quotes go, a doubled quote becomes one.
func unquote(token string) string {
	quote := token[len(token)-1:]
	inner := token[1 : len(token)-1]
	if !strings.Contains(inner, quote) {
		return inner
	}
	return strings.ReplaceAll(inner, quote+quote, quote)
}

// unquoteNational returns what N'…' holds.
func unquoteNational(token string) string { return unquote(token[1:]) }

// quote puts s between two quotes q and doubles every q in it.
func quote(s string, q byte) string {
	mark := string(q)
	return mark + strings.ReplaceAll(s, mark, mark+mark) + mark
}

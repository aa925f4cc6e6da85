package sqlparse

import (
	"slices"
	"strings"
	"time"
)

// partKind says what a part of the plan becomes.
type partKind uint8

const (
	partText   partKind = iota
	partParam           // a placeholder
	partString          // N'…', whose value is text
	partTime            // TIMESTAMP '…' with a zone, whose value is at
	partLimit           // the LIMIT clause; sub are its parts as they stand in the text
)

// part is a piece of the text to send. The plan is made once, at Parse; writing a query walks over it.
type part struct {
	kind  partKind
	text  string
	param int // index into Statement.params
	at    time.Time
	sub   []part
}

// planner makes the plan of one statement.
type planner struct {
	s      *Statement
	ts     tokens
	noFrom bool         // a SELECT without FROM
	names  map[int]bool // significant tokens that are reserved words standing for a name
	param  int          // the next placeholder
	parts  []part
	text   strings.Builder // what follows the last part
}

// plan fills s.parts.
func (s *Statement) plan(all []token, ts tokens) error {
	p := planner{s: s, ts: ts, noFrom: s.kind == Select && !hasWord(ts, "FROM")}
	if s.flavor == OpenSearch && (s.kind == Select || s.kind == Explain) {
		p.names = reservedNames(ts)
	}
	sig, limitStart := 0, 0
	for _, t := range all {
		if t.skipped() {
			p.addSkipped(t)
			continue
		}
		if s.limit.present() && sig == s.limit.from {
			p.flush()
			limitStart = len(p.parts)
		}
		if err := p.add(t, sig); err != nil {
			return err
		}
		if sig++; s.limit.present() && sig == s.limit.to {
			p.foldLimit(limitStart)
		}
	}
	p.flush()
	s.parts = p.parts
	return nil
}

func hasWord(ts tokens, word string) bool {
	for i := range ts.list {
		if ts.isWord(i, word) {
			return true
		}
	}
	return false
}

// foldLimit puts the parts from the place on into one part for the LIMIT clause.
func (p *planner) foldLimit(start int) {
	p.flush()
	sub := slices.Clone(p.parts[start:])
	p.parts = append(p.parts[:start], part{kind: partLimit, sub: sub})
}

// addSkipped appends a space or a comment.
func (p *planner) addSkipped(t token) {
	p.text.WriteString(skippedText(p.s.flavor, p.s.text, t))
}

// skippedText returns what becomes of a space or a comment.
func skippedText(flavor Flavor, text string, t token) string {
	if t.kind == tokComment && !endsThere(flavor, text[t.start:t.end], text[t.end:]) {
		return " "
	}
	return text[t.start:t.end]
}

// tail returns the comments that follow the statement, without its semicolons.
func tail(flavor Flavor, text string, list []token) string {
	var b strings.Builder
	for _, t := range list {
		if t.skipped() {
			b.WriteString(skippedText(flavor, text, t))
		}
	}
	return strings.TrimRight(b.String(), spaces)
}

// spaces are the characters that separate tokens.
const spaces = " \t\r\n\f\v"

// endsThere reports whether the server too sees the comment end before the rest. Elasticsearch nests /* (SqlBase.g4,
// BRACKETED_COMMENT); OpenSearch wants a space or the line's end after the dashes, and ends no line with a lone
// carriage return (OpenSearchSQLLexer.g4, LINE_COMMENT).
func endsThere(flavor Flavor, comment, rest string) bool {
	if strings.HasPrefix(comment, "/*") {
		return !strings.Contains(comment[2:], "/*")
	}
	if flavor == Elasticsearch {
		return true
	}
	loneReturn := strings.HasPrefix(rest, "\r") && !strings.HasPrefix(rest, "\r\n")
	return !loneReturn && (comment[0] == '#' || len(comment) == 2 || comment[2] == ' ')
}

// add appends what becomes of one token; sig is its place among the significant ones.
func (p *planner) add(t token, sig int) error {
	text := p.s.text[t.start:t.end]
	if at, ok := p.instant(text, sig); ok {
		p.addPart(part{kind: partTime, at: at})
		return nil
	}
	switch t.kind {
	case tokQuoted:
		return p.addIdentifier(t, text, sig)
	case tokNational:
		p.addPart(part{kind: partString, text: unquoteNational(text)})
	case tokParam:
		p.addParam(t, text)
	default:
		if p.names[sig] {
			text = quote(text, '`')
		}
		p.text.WriteString(text)
	}
	return nil
}

// instant reads the string of TIMESTAMP '2026-01-02T03:04:05Z' and takes the word back. Elasticsearch has no such
// literal, and OpenSearch's knows no zone, so the instant is written as an argument would be.
func (p *planner) instant(text string, sig int) (time.Time, bool) {
	k := p.ts.kind(sig)
	if k != tokString && k != tokNational || !p.ts.isWord(sig-1, "TIMESTAMP") {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, unquote(strings.TrimLeft(text, "Nn")))
	before := strings.TrimRight(p.text.String(), spaces)
	if err != nil || !strings.EqualFold(before[max(len(before)-len("TIMESTAMP"), 0):], "TIMESTAMP") {
		return time.Time{}, false
	}
	p.text.Reset()
	p.text.WriteString(before[:len(before)-len("TIMESTAMP")])
	return at, true
}

func (p *planner) addPart(next part) {
	p.flush()
	p.parts = append(p.parts, next)
}

// flush makes a part of the text that has gathered.
func (p *planner) flush() {
	if p.text.Len() > 0 {
		p.parts = append(p.parts, part{text: p.text.String()})
		p.text.Reset()
	}
}

// addParam appends a placeholder, or the column that an @name on OpenSearch turned out to be.
func (p *planner) addParam(t token, text string) {
	params := p.s.params
	if p.param == len(params) || params[p.param].at != t.start {
		p.text.WriteString(text)
		return
	}
	p.addPart(part{kind: partParam, param: p.param})
	p.param++
}

// addIdentifier appends a quoted identifier in the flavour's quotes, or a "…" that is a string to OpenSearch as it is.
func (p *planner) addIdentifier(t token, text string, sig int) error {
	if p.s.flavor == OpenSearch && text[0] == '"' && p.strings(sig) {
		p.text.WriteString(text)
		return nil
	}
	want := byte('"')
	if p.s.flavor == OpenSearch {
		if strings.Contains(text, `\`) {
			return syntaxError(p.s.text, t.start, text, "OpenSearch reads no backslash in an identifier exactly")
		}
		want = '`'
	}
	if text[0] != want {
		text = quote(unquote(text), want)
	}
	p.text.WriteString(text)
	return nil
}

// strings reports whether "…" as token sig can only be a string on OpenSearch: the pattern of SHOW or DESCRIBE, and
// all but the aliases of a SELECT that reads no index.
func (p *planner) strings(sig int) bool {
	if p.s.kind == Show || p.s.kind == Describe {
		return true
	}
	return p.noFrom && !p.ts.isWord(sig-1, "AS") && !endsOperand(p.ts, sig-1)
}

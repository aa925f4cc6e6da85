package sqlapi

import (
	"strings"
	"unicode/utf8"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// likePattern is the pattern of LIKE, taken apart: a rune, or one of the two marks.
type likePattern struct {
	parts []likePart
	fold  bool // ILIKE: the letters A to Z match either case, as in a wildcard query with case_insensitive
}

// likePart is a character, any one character, or any number of them.
type likePart struct {
	any, many bool
	char      rune
}

// pattern reads the pattern and the escape of a LIKE; null is true when one of them is NULL. They cannot depend on a
// row. As in the standard there is no escape character unless ESCAPE names one.
func (s *scope) pattern(e *sqlparse.Like) (p likePattern, null bool, err error) {
	text, null, err := s.constantText(e.Pattern, "the pattern of LIKE")
	if err != nil || null {
		return p, null, err
	}
	escape := rune(-1)
	if e.Escape != nil {
		mark, null, err := s.constantText(e.Escape, "the escape character of LIKE")
		if err != nil || null {
			return p, null, err
		}
		if utf8.RuneCountInString(mark) != 1 {
			return p, false, s.failed(e, "22019", "an escape character is one character")
		}
		escape, _ = utf8.DecodeRuneInString(mark)
	}
	p.fold = e.Fold
	if !p.read(text, escape) {
		return p, false, s.failed(e, "22025", "after the escape character stands %, _ or itself")
	}
	return p, false, nil
}

// constantText is the value of an expression that is text and has no column.
func (s *scope) constantText(e sqlparse.Expr, what string) (text string, null bool, err error) {
	if !isConstant(e) {
		return "", false, s.unsupported(e, what+" that is not constant")
	}
	v, err := s.compute(e, nil)
	if err != nil || v == nil {
		return "", v == nil, err
	}
	text, ok := v.(string)
	if !ok || !utf8.ValidString(text) {
		return "", false, s.unsupported(e, what+" that is no text")
	}
	return text, false, nil
}

// read takes the pattern apart, and reports false for an escape character in front of nothing to escape.
func (p *likePattern) read(text string, escape rune) bool {
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			if r != '%' && r != '_' && r != escape {
				return false
			}
			p.parts = append(p.parts, likePart{char: r})
			escaped = false
		case r == escape:
			escaped = true
		default:
			p.parts = append(p.parts, likePart{any: r == '_', many: r == '%', char: r})
		}
	}
	return !escaped
}

// plain is the text that the pattern stands for if it has no marks.
func (p *likePattern) plain() (string, bool) {
	var b strings.Builder
	for _, part := range p.parts {
		if part.any || part.many {
			return "", false
		}
		b.WriteRune(part.char)
	}
	return b.String(), true
}

// wildcard is the pattern as a wildcard query has it.
func (p *likePattern) wildcard() string {
	var b strings.Builder
	for _, part := range p.parts {
		switch {
		case part.any:
			b.WriteByte('?')
		case part.many:
			b.WriteByte('*')
		default:
			if strings.ContainsRune(`*?\`, part.char) {
				b.WriteByte('\\')
			}
			b.WriteRune(part.char)
		}
	}
	return b.String()
}

// matches reports whether the text fits. When it fails it goes back to the last % and lets that take one more
// character, so the time is bounded by the product of both lengths.
func (p *likePattern) matches(text string) bool {
	chars := []rune(text)
	part, back, from := 0, -1, 0
	for at := 0; at < len(chars); {
		switch {
		case part < len(p.parts) && p.parts[part].many:
			back, from = part, at
			part++
		case part < len(p.parts) && p.fits(p.parts[part], chars[at]):
			part++
			at++
		case back >= 0:
			from++
			part, at = back+1, from
		default:
			return false
		}
	}
	for part < len(p.parts) && p.parts[part].many {
		part++
	}
	return part == len(p.parts)
}

func (p *likePattern) fits(part likePart, r rune) bool {
	return part.any || part.char == r || p.fold && lower(part.char) == lower(r)
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

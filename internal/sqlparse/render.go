package sqlparse

import (
	"math"
	"strconv"
	"strings"
)

// DefaultMaxOffset is the highest OFFSET that is emulated when the options do not say otherwise.
const DefaultMaxOffset = 10_000

// maxServerLimit is the highest LIMIT that both servers read: a 32-bit integer. Beyond it the clause is left out.
const maxServerLimit = math.MaxInt32

// writer writes the text of one query.
type writer struct {
	s         *Statement
	bounds    []bound
	text      strings.Builder
	query     Query
	literal   func(any) (string, error) // how a value stands in the text; nil when values go to Params
	str       func(string) (string, error)
	param     func(any) (any, error) // how a value stands in Params
	maxOffset int64
	tieBreak  bool
}

// Elastic writes what Elasticsearch is sent for the statement with these arguments. Errors: [*ArgError],
// [*LiteralError], [*OffsetError], and [*UnsupportedError] for a write or a statement of the other flavour.
func (s *Statement) Elastic(args []Arg, o ElasticOptions) (Query, error) {
	if err := s.checkRead(Elasticsearch); err != nil {
		return Query{}, err
	}
	if s.kind == ESQL {
		return s.esql(args)
	}
	w := writer{s: s, param: elasticParam, str: ElasticString, maxOffset: o.MaxOffset}
	return w.write(args)
}

// OpenSearch writes what OpenSearch is sent for the statement with these arguments. Errors as in [Statement.Elastic].
func (s *Statement) OpenSearch(args []Arg, o OpenSearchOptions) (Query, error) {
	if err := s.checkRead(OpenSearch); err != nil {
		return Query{}, err
	}
	str := func(v string) (string, error) { return s.openSearchString(v, o.Version) }
	literal := func(v any) (string, error) { return openSearchLiteral(v, str) }
	w := writer{s: s, literal: literal, str: str, maxOffset: o.MaxOffset, tieBreak: o.TieBreak}
	return w.write(args)
}

// checkRead refuses what no server of the flavour is sent.
func (s *Statement) checkRead(flavor Flavor) error {
	switch {
	case !s.kind.Reads():
		return &UnsupportedError{Construct: "sending " + s.kind.String() + " to a server"}
	case s.flavor != flavor:
		return &UnsupportedError{Construct: "sending a statement parsed for " + s.flavor.String() + " to " + flavor.String()}
	case s.kind == ESQL && flavor != Elasticsearch, s.kind == PPL && flavor != OpenSearch:
		return &UnsupportedError{Construct: s.kind.String() + " on " + flavor.String()}
	}
	return nil
}

// esql passes the text and leaves the placeholders to the server.
func (s *Statement) esql(args []Arg) (Query, error) {
	q := Query{Text: s.parts[0].text, Limit: -1}
	for _, a := range args {
		v, err := elasticParam(a.Value)
		if err != nil {
			return Query{}, err
		}
		if a.Name != "" {
			v = map[string]any{a.Name: v}
		}
		q.Params = append(q.Params, v)
	}
	return q, nil
}

func (w *writer) write(args []Arg) (Query, error) {
	bounds, err := w.s.bind(args)
	if err != nil {
		return Query{}, err
	}
	w.bounds = bounds
	w.query = Query{Limit: -1, Plain: w.s.shape.plain}
	w.text.Grow(len(w.s.text) + len(bounds)) // enough for most: placeholders become ? or literals
	for _, p := range w.s.parts {
		if err := w.part(p); err != nil {
			return Query{}, err
		}
	}
	w.query.Text = strings.Trim(w.text.String(), spaces)
	if w.tieBreak && w.query.Plain {
		w.query.Text += w.s.shape.tieBreak
	}
	w.query.Text += w.s.tail
	return w.query, nil
}

func (w *writer) part(p part) error {
	switch p.kind {
	case partParam:
		return w.placeholder(p.param)
	case partString:
		text, err := w.str(p.text)
		w.add(text)
		return err
	case partTime:
		return w.value(p.at)
	case partLimit:
		return w.limit(p)
	}
	w.add(p.text)
	return nil
}

// add appends a piece of text and keeps it apart from what stands before: 'a”b' would be one string, - and -1 a
// comment, and ?? or AND5 one word.
func (w *writer) add(text string) {
	if n := w.text.Len(); n > 0 && text != "" && merges(w.text.String()[n-1], text[0]) {
		w.text.WriteByte(' ')
	}
	w.text.WriteString(text)
}

// merges reports whether two characters that stand side by side could belong to one token.
func merges(a, b byte) bool {
	wordish := func(c byte) bool { return isWordPart(c) || c == '?' || c == '.' }
	return a == b && strings.IndexByte("'\"`-", a) >= 0 || wordish(a) && wordish(b) || isWordPart(a) && b == '\''
}

// placeholder writes one placeholder: digits in LIMIT, else a literal or a param.
func (w *writer) placeholder(i int) error {
	p, b := w.s.params[i], w.bounds[i]
	switch {
	case !b.given:
		w.add("@" + p.name)
		return nil
	case p.digits:
		n, err := w.count(i)
		w.add(strconv.FormatInt(n, 10))
		return err
	}
	return w.value(b.value)
}

// value writes a value as a literal, or puts it into Params.
func (w *writer) value(value any) error {
	if w.literal != nil {
		text, err := w.literal(value)
		w.add(text)
		return err
	}
	v, err := w.param(value)
	w.query.Params = append(w.query.Params, v)
	w.add("?")
	return err
}

// count returns the value of a placeholder that stands for a number of rows.
func (w *writer) count(i int) (int64, error) {
	p := w.s.params[i]
	switch v := w.bounds[i].value.(type) {
	case int64:
		if v >= 0 {
			return v, nil
		}
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v), nil
		}
	}
	return 0, &ArgError{Want: len(w.bounds), Got: len(w.bounds), Name: p.name, Ordinal: p.ordinal,
		Msg: "LIMIT and OFFSET take an integer that is not negative"}
}

// limit writes the LIMIT clause as far as the server has it, and leaves the rest to the caller.
func (w *writer) limit(p part) error {
	l := &w.s.limit
	limit, err := w.rows(l.limit)
	if err != nil {
		return err
	}
	offset, err := w.rows(l.offset)
	if err != nil {
		return err
	}
	if w.isNative(limit) {
		w.query.Plain = false
		return w.parts(p.sub)
	}
	if !l.offset.Set {
		return w.serverLimit(limit)
	}
	if w.s.flavor == OpenSearch && limit >= 0 && limit <= maxServerLimit {
		w.query.Plain = false
		w.add("LIMIT " + strconv.FormatInt(limit, 10) + " OFFSET " + strconv.FormatInt(offset, 10))
		return nil
	}
	return w.emulate(limit, offset)
}

// isNative reports whether the server reads the clause as it stands in the text.
func (w *writer) isNative(limit int64) bool {
	l := &w.s.limit
	if w.s.flavor == Elasticsearch {
		return !l.offset.Set && limit <= maxServerLimit
	}
	return l.native && limit <= maxServerLimit
}

func (w *writer) parts(parts []part) error {
	for _, p := range parts {
		if err := w.part(p); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the number of a bound, -1 when there is none.
func (w *writer) rows(b Bound) (int64, error) {
	switch {
	case !b.Set || b.All:
		return -1, nil
	case b.Param > 0:
		return w.count(b.Param - 1)
	case b.Value < 0:
		return 0, &UnsupportedError{Construct: "a LIMIT or OFFSET that is not an integer"}
	}
	return b.Value, nil
}

// serverLimit writes LIMIT n, or nothing where n is more than a server can be asked for.
func (w *writer) serverLimit(n int64) error {
	if n >= 0 && n <= maxServerLimit {
		w.query.Plain = false
		w.add("LIMIT " + strconv.FormatInt(n, 10))
	}
	return nil
}

// emulate asks for offset+limit rows and tells the caller to drop the first ones.
func (w *writer) emulate(limit, offset int64) error {
	most := w.maxOffset
	if most == 0 {
		most = DefaultMaxOffset
	}
	if most > 0 && offset > most {
		return &OffsetError{Offset: offset, Max: most}
	}
	w.query.Offset, w.query.Limit = offset, limit
	if limit < 0 || limit > maxServerLimit {
		return nil
	}
	return w.serverLimit(limit + offset)
}

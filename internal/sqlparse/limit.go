package sqlparse

import "strconv"

// limitClause is the LIMIT and OFFSET of the outermost SELECT.
type limitClause struct {
	limit, offset Bound
	from, to      int  // its significant tokens, [from, to)
	native        bool // LIMIT n, LIMIT n OFFSET m or LIMIT m, n: OpenSearch reads it as it is
}

func (l *limitClause) present() bool { return l.to > l.from }

// findLimit finds the clause. It may be followed by syntax that is not known here.
func findLimit(ts tokens, kind Kind) limitClause {
	var l limitClause
	if kind != Select && kind != Explain {
		return l
	}
	topLevel(ts, func(i int) bool {
		if startsLimit(ts, i) {
			l.read(ts, i)
		}
		return !l.present()
	})
	return l
}

// startsLimit reports whether token i is the LIMIT or OFFSET of a clause: it follows an operand or a direction, and a
// number follows it. Else it is a name.
func startsLimit(ts tokens, i int) bool {
	if !ts.isWord(i, "LIMIT") && !ts.isWord(i, "OFFSET") || !isBound(ts, i+1) {
		return false
	}
	if ts.kind(i-1) == tokOp {
		return ts.isOp(i-1, ")") || ts.isOp(i-1, "*") || ts.isOp(i-1, "}") || ts.isOp(i-1, "]")
	}
	return i > 0 && !operandAfter[ts.word(i-1)]
}

func isBound(ts tokens, i int) bool {
	return ts.kind(i) == tokNumber || ts.kind(i) == tokParam || ts.isWord(i, "ALL")
}

// read reads the clause that starts at token i.
func (l *limitClause) read(ts tokens, i int) {
	l.from, l.to = i, i
	for l.to < ts.len() {
		switch {
		case !l.limit.Set && ts.isWord(l.to, "LIMIT") && isBound(ts, l.to+1):
			l.readLimit(ts)
		case !l.offset.Set && ts.isWord(l.to, "OFFSET") && isBound(ts, l.to+1):
			l.readOffset(ts)
		default:
			return
		}
	}
}

func (l *limitClause) readLimit(ts tokens) {
	l.native = !l.offset.Set
	l.limit = readBound(ts, l.to+1)
	l.to += 2
	if !l.offset.Set && ts.isOp(l.to, ",") && isBound(ts, l.to+1) {
		l.offset, l.limit = l.limit, readBound(ts, l.to+1)
		l.to += 2
	}
	l.native = l.native && !l.limit.All
}

func (l *limitClause) readOffset(ts tokens) {
	l.offset = readBound(ts, l.to+1)
	l.to += 2
	if ts.isWord(l.to, "ROW") || ts.isWord(l.to, "ROWS") {
		l.to++
		l.native = false
	}
}

// readBound reads a number or a placeholder. A number that is no count, such as 1.5, is left to be refused when the
// text is written.
func readBound(ts tokens, i int) Bound {
	b := Bound{Set: true}
	switch ts.kind(i) {
	case tokWord:
		b.All = true
	case tokParam:
		b.Param = paramIndex(ts, i) + 1
	default:
		n, err := strconv.ParseInt(ts.str(i), 10, 64)
		if err != nil {
			n = -1
		}
		b.Value = n
	}
	return b
}

// paramIndex returns how many placeholders stand before token i.
func paramIndex(ts tokens, i int) int {
	n := 0
	for _, t := range ts.list[:i] {
		if t.kind == tokParam {
			n++
		}
	}
	return n
}

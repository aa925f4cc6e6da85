package sqlparse

import "strings"

// maxDepth bounds how deep an expression nests, and maxChain how many operators of one precedence follow each other;
// AND and OR, which are lists, are not bounded.
const (
	maxDepth = 200
	maxChain = 1000
)

// parser reads the tokens of one write by recursive descent. After the first error it stands at the end, so that
// every loop ends and every function may go on as if nothing had happened.
type parser struct {
	s     *Statement
	ts    tokens
	i     int // the next token
	param int // the next placeholder
	depth int
	err   error
}

// parseWrite reads the tree of a write.
func (s *Statement) parseWrite(ts tokens) (*Statement, error) {
	p := parser{s: s, ts: ts}
	s.tree = p.statement()
	if p.err == nil && p.i < ts.len() {
		p.fail("not expected here")
	}
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

func (p *parser) statement() Node {
	switch {
	case p.word("WITH"):
		p.unsupported("WITH … " + p.s.kind.String())
	case p.s.kind == Insert, p.s.kind == Replace:
		return p.insert()
	case p.s.kind == Update:
		return p.update()
	case p.s.kind == Delete:
		return p.delete()
	case p.s.kind >= Begin:
		return p.transaction()
	}
	return p.definition()
}

func (p *parser) definition() Node {
	switch p.s.kind {
	case Truncate:
		return p.truncate()
	case RefreshTable:
		return p.refresh()
	case CreateTable:
		return p.createTable()
	case AlterTable:
		return p.alterTable()
	case DropTable:
		return p.dropTable()
	case CreateIndex:
		return p.createIndex()
	case DropIndex:
		return p.dropIndex()
	}
	return nil
}

// here returns the place of the next token.
func (p *parser) here() At {
	if p.i < p.ts.len() {
		return At(p.ts.list[p.i].start)
	}
	return At(len(p.s.text))
}

// fail keeps the first error and moves to the end.
func (p *parser) fail(msg string) {
	if p.err == nil {
		p.err = p.ts.fail(p.i, msg)
	}
	p.i = p.ts.len()
}

// unsupported is fail for a construct that is understood.
func (p *parser) unsupported(construct string) {
	if p.err == nil {
		line, column := position(p.s.text, p.here().Pos())
		p.err = &UnsupportedError{Construct: construct, Line: line, Column: column}
	}
	p.i = p.ts.len()
}

// word reports whether the next token is the bare word.
func (p *parser) word(word string) bool { return p.ts.isWord(p.i, word) }

// accept moves past the words if they come next, all of them.
func (p *parser) accept(words ...string) bool {
	for n, word := range words {
		if !p.ts.isWord(p.i+n, word) {
			return false
		}
	}
	p.i += len(words)
	return true
}

// expect moves past the words or fails.
func (p *parser) expect(words ...string) {
	if !p.accept(words...) {
		p.fail("expected " + strings.Join(words, " "))
	}
}

func (p *parser) acceptOp(op string) bool {
	if !p.ts.isOp(p.i, op) {
		return false
	}
	p.i++
	return true
}

func (p *parser) expectOp(op string) {
	if !p.acceptOp(op) {
		p.fail("expected " + op)
	}
}

// list reads one item after the other, with commas between.
func (p *parser) list(item func()) {
	for item(); p.acceptOp(","); {
		item()
	}
}

// parens reads items in parentheses.
func (p *parser) parens(item func()) {
	p.expectOp("(")
	p.list(item)
	p.expectOp(")")
}

// identifier reads one bare or quoted name.
func (p *parser) identifier() string {
	switch p.ts.kind(p.i) {
	case tokWord:
		if notNames[p.ts.word(p.i)] {
			break
		}
		p.i++
		return p.ts.str(p.i - 1)
	case tokQuoted:
		return p.quotedName()
	}
	p.fail("expected a name")
	return ""
}

func (p *parser) quotedName() string {
	token := p.ts.str(p.i)
	if p.s.flavor == OpenSearch && strings.Contains(token, `\`) {
		p.fail("OpenSearch reads no backslash in an identifier exactly")
		return ""
	}
	p.i++
	if len(token) == 2 {
		p.i--
		p.fail("an empty name")
	}
	return unquote(token)
}

// notNames are words that are no name unless they are quoted: reading one as a column would hide a mistake.
var notNames = wordSet(`SELECT FROM WHERE SET VALUES AND OR NOT IN IS LIKE ILIKE BETWEEN NULL TRUE FALSE CASE WHEN THEN ELSE
	ON RETURNING ORDER GROUP LIMIT INTO EXISTS UNION JOIN USING AS CREATE TABLE PRIMARY FOREIGN CONSTRAINT CHECK`)

// name reads a dotted name.
func (p *parser) name() Name {
	n := Name{At: p.here(), Parts: []string{p.identifier()}}
	for p.acceptOp(".") {
		n.Parts = append(n.Parts, p.identifier())
	}
	return n
}

// tableName reads the name of a table. A bare name may hold - and parts that start with a digit, as indices'
// names do (logs-2026.11.29); it is then one part.
func (p *parser) tableName() Name {
	end, bare := p.i+1, false
	for p.ts.adjacent(end-1) && isIndexPart(p.ts, end) {
		bare = bare || p.ts.isOp(end, "-") || p.ts.kind(end) == tokNumber
		end++
	}
	if !bare || p.ts.kind(p.i) != tokWord {
		return p.name()
	}
	n := Name{At: p.here(), Parts: []string{p.s.text[p.ts.list[p.i].start:p.ts.list[end-1].end]}}
	p.i = end
	return n
}

// isIndexPart reports whether token i can go on with the bare name of an index.
func isIndexPart(ts tokens, i int) bool {
	switch ts.kind(i) {
	case tokWord, tokNumber:
		return true
	}
	return ts.isOp(i, "-") || ts.isOp(i, ".")
}

// table reads a table and its alias.
func (p *parser) table() Table {
	t := Table{Name: p.tableName()}
	if p.accept("AS") {
		t.Alias = p.identifier()
		return t
	}
	if k := p.ts.kind(p.i); k == tokQuoted || k == tokWord && !notNames[p.ts.word(p.i)] && !p.endsTable() {
		t.Alias = p.identifier()
	}
	return t
}

// endsTable reports whether the next word goes on with the statement, so that it is no alias.
func (p *parser) endsTable() bool {
	switch p.ts.word(p.i) {
	case "DEFAULT", "LEFT", "RIGHT", "INNER", "CROSS", "NATURAL":
		return true
	}
	return false
}

// names reads names in parentheses.
func (p *parser) names() []Name {
	var list []Name
	p.parens(func() { list = append(list, p.name()) })
	return list
}

// columnNames reads the columns of a key, whose direction and prefix length mean nothing here.
func (p *parser) columnNames() []string {
	var list []string
	p.parens(func() {
		list = append(list, p.identifier())
		if p.ts.isOp(p.i, "(") {
			p.skipParens()
		}
		if !p.accept("ASC") {
			p.accept("DESC")
		}
	})
	return list
}

// skipParens moves past a parenthesis and all that is in it.
func (p *parser) skipParens() {
	for depth := 0; p.i < p.ts.len(); p.i++ {
		if p.ts.isOp(p.i, "(") {
			depth++
		} else if p.ts.isOp(p.i, ")") {
			if depth--; depth == 0 {
				p.i++
				return
			}
		}
	}
	p.fail("expected )")
}

// tableList reads names with commas between.
func (p *parser) tableList() []Name {
	var names []Name
	p.list(func() { names = append(names, p.tableName()) })
	return names
}

package sqlparse

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// The levels of precedence, from the weakest: OR, AND, NOT, predicates, + - ||, * / %, signs, ::.

func (p *parser) expr() Expr {
	if p.alone() {
		return p.primary()
	}
	if p.depth++; p.depth > maxDepth {
		p.fail("the expression is nested too deep")
	}
	defer func() { p.depth-- }()
	at := p.here()
	terms := p.chain("OR", p.conjunction)
	if len(terms) == 1 {
		return terms[0]
	}
	return &Or{at, terms}
}

// alone reports whether the next token is the whole expression, as most values of an INSERT are.
func (p *parser) alone() bool {
	switch p.ts.kind(p.i) {
	case tokParam, tokNumber, tokString, tokNational:
		return p.ts.isOp(p.i+1, ",") || p.ts.isOp(p.i+1, ")")
	}
	return false
}

func (p *parser) conjunction() Expr {
	at := p.here()
	terms := p.chain("AND", p.negation)
	if len(terms) == 1 {
		return terms[0]
	}
	return &And{at, terms}
}

// chain reads terms with the word between.
func (p *parser) chain(word string, term func() Expr) []Expr {
	terms := []Expr{term()}
	for p.accept(word) {
		terms = append(terms, term())
	}
	return terms
}

func (p *parser) negation() Expr {
	at := p.here()
	if !p.accept("NOT") {
		return p.predicate()
	}
	if p.depth++; p.depth > maxDepth {
		p.fail("the expression is nested too deep")
	}
	defer func() { p.depth-- }()
	return &Not{at, p.negation()}
}

// comparisons are the operators of Compare, by their spelling.
var comparisons = map[string]string{
	"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}

// predicate reads one comparison, or a plain value. Comparisons do not chain: a = b = c means something else in
// every product.
func (p *parser) predicate() Expr {
	at := p.here()
	x := p.sum()
	if op := comparisons[p.ts.str(p.i)]; op != "" && p.ts.kind(p.i) == tokOp {
		p.i++
		return &Compare{at, op, x, p.sum()}
	}
	if p.accept("IS") {
		return p.is(at, x)
	}
	not := p.accept("NOT")
	switch {
	case p.accept("IN"):
		return p.in(at, x, not)
	case p.accept("BETWEEN"):
		low := p.sum()
		p.expect("AND")
		return &Between{at, x, low, p.sum(), not}
	case p.accept("LIKE"):
		return p.like(&Like{At: at, X: x, Not: not})
	case p.accept("ILIKE"):
		return p.like(&Like{At: at, X: x, Not: not, Fold: true})
	case not:
		p.fail("expected IN, BETWEEN or LIKE after NOT")
	}
	return x
}

func (p *parser) is(at At, x Expr) Expr {
	not := p.accept("NOT")
	if !p.accept("NULL") {
		p.unsupported("IS " + p.ts.str(p.i))
	}
	return &IsNull{at, x, not}
}

func (p *parser) in(at At, x Expr, not bool) Expr {
	n := &In{At: at, X: x, Not: not}
	if p.ts.isWord(p.i+1, "SELECT") {
		p.unsupported("IN (SELECT …)")
	}
	p.parens(func() { n.List = append(n.List, p.expr()) })
	return n
}

func (p *parser) like(n *Like) Expr {
	n.Pattern = p.sum()
	if p.accept("ESCAPE") {
		n.Escape = p.sum()
	}
	return n
}

func (p *parser) sum() Expr { return p.leftToRight(p.product, "+", "-", "||") }

func (p *parser) product() Expr { return p.leftToRight(p.sign, "*", "/", "%") }

// leftToRight reads operands with the operators between, the leftmost to be applied first.
func (p *parser) leftToRight(operand func() Expr, ops ...string) Expr {
	at := p.here()
	x := operand()
	for n := 0; ; n++ {
		op := p.acceptAny(ops)
		if op == "" {
			return x
		}
		if n == maxChain {
			p.fail("too many operators in a row")
		}
		x = &Arithmetic{at, op, x, operand()}
	}
}

func (p *parser) acceptAny(ops []string) string {
	for _, op := range ops {
		if p.acceptOp(op) {
			return op
		}
	}
	return ""
}

// sign reads the signs before a value. A minus belongs to the number that follows it, so that the lowest int64 can be
// written.
func (p *parser) sign() Expr {
	at := p.here()
	switch {
	case p.ts.isOp(p.i, "-") && p.ts.kind(p.i+1) == tokNumber:
		p.i++
		return p.casts(p.number(at, "-"))
	case p.ts.isOp(p.i, "-"), p.ts.isOp(p.i, "+"):
		return p.signed(at)
	}
	return p.casts(p.primary())
}

func (p *parser) signed(at At) Expr {
	if p.depth++; p.depth > maxDepth {
		p.fail("the expression is nested too deep")
	}
	defer func() { p.depth-- }()
	minus := p.acceptOp("-")
	if !minus {
		p.acceptOp("+")
	}
	x := p.sign()
	if minus {
		return &Negate{at, x}
	}
	return x
}

// casts reads the ::type that follow a value.
func (p *parser) casts(x Expr) Expr {
	for n := 0; p.acceptOp("::"); n++ {
		if n == maxChain {
			p.fail("too many operators in a row")
		}
		x = &Cast{At(x.Pos()), x, p.typeName()}
	}
	return x
}

func (p *parser) primary() Expr {
	at := p.here()
	switch p.ts.kind(p.i) {
	case tokNumber:
		return p.number(at, "")
	case tokString, tokNational:
		return &Literal{At: at, Value: p.string()}
	case tokParam:
		return p.placeholder(at)
	case tokQuoted:
		return p.columnOrCall(at)
	case tokWord:
		return p.fromWord(at)
	}
	if !p.ts.isOp(p.i, "(") {
		p.fail("expected a value")
		return &Literal{At: at}
	}
	return p.group()
}

// group reads an expression in parentheses.
func (p *parser) group() Expr {
	p.i++
	if p.word("SELECT") || p.word("WITH") {
		p.unsupported("a sub-query")
	}
	x := p.expr()
	if p.ts.isOp(p.i, ",") {
		p.unsupported("a row value")
	}
	p.expectOp(")")
	return x
}

// placeholder reads a placeholder and finds its index.
func (p *parser) placeholder(at At) Expr {
	params := p.s.params
	for p.param < len(params) && params[p.param].at < int(at) {
		p.param++
	}
	p.i++
	return &Param{at, p.param}
}

// number reads a number. An integer that no 64 bits hold is refused, as it would arrive altered.
func (p *parser) number(at At, sign string) Expr {
	text := sign + p.ts.str(p.i)
	n := &Literal{At: at, Text: text, Value: parseNumber(text)}
	if n.Value == nil {
		p.fail("a number beyond 64 bits")
	}
	p.i++
	return n
}

// parseNumber returns int64, uint64 beyond it, or float64; nil for a number that none of them holds.
func parseNumber(text string) any {
	if strings.ContainsAny(text, ".eE") {
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) {
			return f
		}
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	return nil
}

// string reads a string. In a write a backslash is an ordinary character; where OpenSearch's lexer sees it otherwise
// the string could end elsewhere than its writer thought, so it is refused.
func (p *parser) string() string {
	token := p.ts.str(p.i)
	if p.ts.kind(p.i) == tokNational {
		p.i++
		return unquoteNational(token)
	}
	if p.s.flavor == OpenSearch && pairsQuote(token) {
		p.fail(`a quote after a backslash is ambiguous: pass the value as an argument or write N'…'`)
		return ""
	}
	p.i++
	return unquote(token)
}

// bytes reads X'…', bytes in hexadecimal.
func (p *parser) bytes(at At) Expr {
	p.i++
	raw, err := hex.DecodeString(unquote(p.ts.str(p.i)))
	if err != nil {
		p.fail("expected an even number of hexadecimal digits")
	}
	p.i++
	return &Literal{At: at, Value: raw}
}

// pairsQuote reports whether a backslash in the token takes a quote with it.
func pairsQuote(token string) bool {
	for i := 1; i < len(token)-1; i++ {
		if token[i] == '\\' {
			if i++; token[i] == '\'' {
				return true
			}
		}
	}
	return false
}

// fromWord reads what starts with a bare word: a constant, a typed literal, a call or a column.
func (p *parser) fromWord(at At) Expr {
	switch word := p.ts.word(p.i); word {
	case "NULL":
		p.i++
		return &Literal{At: at}
	case "TRUE", "FALSE":
		p.i++
		return &Literal{At: at, Value: word == "TRUE"}
	case "DATE", "TIME", "TIMESTAMP":
		if k := p.ts.kind(p.i + 1); k == tokString || k == tokNational {
			p.i++
			return &Literal{At: at, Type: word, Value: p.string()}
		}
	case "X":
		if p.ts.kind(p.i+1) == tokString && p.ts.adjacent(p.i) {
			return p.bytes(at)
		}
	case "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP":
		if !p.ts.isOp(p.i+1, "(") {
			p.i++
			return &Call{At: at, Function: word}
		}
	case "CAST":
		if p.ts.isOp(p.i+1, "(") {
			return p.cast(at)
		}
	case "SELECT":
		p.unsupported("a sub-query")
	case "CASE", "EXISTS", "INTERVAL":
		if k := p.ts.kind(p.i + 1); k != tokOp && k != tokSpace || p.ts.isOp(p.i+1, "(") {
			p.unsupported(word)
		}
	}
	return p.columnOrCall(at)
}

func (p *parser) cast(at At) Expr {
	p.i++
	p.expectOp("(")
	x := p.expr()
	p.expect("AS")
	n := &Cast{at, x, p.typeName()}
	p.expectOp(")")
	return n
}

func (p *parser) columnOrCall(at At) Expr {
	if p.ts.isOp(p.i+1, "(") && p.ts.kind(p.i) == tokWord {
		return p.call(at)
	}
	n := p.name()
	if p.ts.isOp(p.i, "(") {
		p.fail("not a function")
	}
	return &Column{n}
}

func (p *parser) call(at At) Expr {
	c := &Call{At: at, Function: p.ts.word(p.i)}
	p.i += 2
	if p.acceptOp(")") {
		return c
	}
	if p.word("SELECT") {
		p.unsupported("a sub-query")
	}
	if c.Star = p.acceptOp("*"); !c.Star {
		c.Distinct = p.accept("DISTINCT")
		p.list(func() { c.Args = append(c.Args, p.expr()) })
	}
	p.expectOp(")")
	return c
}

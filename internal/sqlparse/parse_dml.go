package sqlparse

import (
	"fmt"
	"strings"
)

// insert reads INSERT and REPLACE.
func (p *parser) insert() Node {
	n := &InsertStatement{At: p.here()}
	p.i++
	n.Ignore = p.accept("IGNORE")
	if p.word("OR") {
		p.unsupported("INSERT OR …")
	}
	p.accept("INTO")
	n.Table = p.table()
	if p.ts.isOp(p.i, "(") && !p.ts.isWord(p.i+1, "SELECT") {
		n.Columns = p.names()
	}
	p.values(n)
	n.Conflict = p.conflict()
	n.Returning = p.returning()
	return n
}

// values reads what an INSERT inserts.
func (p *parser) values(n *InsertStatement) {
	switch {
	case p.accept("DEFAULT", "VALUES"):
		n.Defaults = true
	case p.accept("VALUES"), p.accept("VALUE"):
		p.list(func() { n.Rows = append(n.Rows, p.row(len(n.Columns), n.Columns != nil)) })
	case p.word("SELECT"), p.word("WITH"), p.word("TABLE"), p.ts.isOp(p.i, "("):
		p.unsupported(p.s.kind.String() + " … SELECT")
	case p.word("SET"):
		p.unsupported(p.s.kind.String() + " … SET")
	default:
		p.fail("expected VALUES")
	}
}

// row reads the values of one row; with columns named, as many as those.
func (p *parser) row(columns int, named bool) []Expr {
	row := make([]Expr, 0, columns)
	p.accept("ROW")
	p.expectOp("(")
	if p.acceptOp(")") { // MySQL's row of defaults
		p.checkRow(0, columns, named)
		return row
	}
	p.list(func() { row = append(row, p.value()) })
	p.checkRow(len(row), columns, named)
	p.expectOp(")")
	return row
}

func (p *parser) checkRow(values, columns int, named bool) {
	if p.err == nil && named && values != columns {
		p.fail(fmt.Sprintf("%d values for %d columns", values, columns))
	}
}

// value reads an expression or DEFAULT.
func (p *parser) value() Expr {
	at := p.here()
	if p.accept("DEFAULT") {
		return &Default{at}
	}
	return p.expr()
}

// conflict reads ON CONFLICT and ON DUPLICATE KEY UPDATE.
func (p *parser) conflict() *Conflict {
	c := &Conflict{At: p.here()}
	switch {
	case p.accept("ON", "DUPLICATE", "KEY", "UPDATE"):
		c.Set = p.excludedSet()
		return c
	case !p.accept("ON", "CONFLICT"):
		return nil
	case p.ts.isOp(p.i, "("):
		c.Target = p.names()
	}
	if p.word("ON") || p.word("WHERE") {
		p.unsupported("ON CONFLICT with a constraint or a predicate")
	}
	p.expect("DO")
	if c.Nothing = p.accept("NOTHING"); c.Nothing {
		return c
	}
	p.expect("UPDATE")
	p.accept("SET") // bun 1.3 leaves it out in its MySQL shape
	c.Set = p.excludedSet()
	if p.word("WHERE") {
		p.unsupported("ON CONFLICT … DO UPDATE … WHERE")
	}
	return c
}

// excludedSet reads assignments in which excluded.c and VALUES(c) stand for the row that was proposed.
func (p *parser) excludedSet() []Assignment {
	set := p.assignments()
	for i := range set {
		set[i].Value = excluded(set[i].Value)
	}
	return set
}

// excluded replaces excluded.c and VALUES(c), also inside arithmetic and calls.
func excluded(e Expr) Expr {
	switch x := e.(type) {
	case *Column:
		if len(x.Parts) == 2 && strings.EqualFold(x.Parts[0], "excluded") {
			return &Excluded{At: x.At, Column: x.Parts[1]}
		}
	case *Call:
		if column, ok := valuesColumn(x); ok {
			return &Excluded{At: x.At, Column: column}
		}
		for i := range x.Args {
			x.Args[i] = excluded(x.Args[i])
		}
	case *Arithmetic:
		x.X, x.Y = excluded(x.X), excluded(x.Y)
	case *Negate:
		x.X = excluded(x.X)
	case *Cast:
		x.X = excluded(x.X)
	}
	return e
}

// valuesColumn returns the column of VALUES(c).
func valuesColumn(c *Call) (string, bool) {
	if c.Function != "VALUES" || len(c.Args) != 1 {
		return "", false
	}
	column, ok := c.Args[0].(*Column)
	if !ok {
		return "", false
	}
	return column.Last(), true
}

// assignments reads column = value, …
func (p *parser) assignments() []Assignment {
	var set []Assignment
	p.list(func() {
		if p.ts.isOp(p.i, "(") {
			p.unsupported("SET (…) = (…)")
		}
		a := Assignment{Column: p.name()}
		p.expectOp("=")
		a.Value = p.value()
		set = append(set, a)
	})
	return set
}

// returning reads RETURNING.
func (p *parser) returning() []Output {
	if !p.accept("RETURNING") {
		return nil
	}
	var list []Output
	p.list(func() { list = append(list, p.output()) })
	return list
}

func (p *parser) output() Output {
	o := Output{At: p.here()}
	if o.Star = p.acceptOp("*"); o.Star {
		return o
	}
	o.Column = p.name()
	if p.ts.isOp(p.i, "(") || p.ts.kind(p.i) == tokOp && !p.ts.isOp(p.i, ",") {
		p.unsupported("an expression in RETURNING")
	}
	o.Alias = o.Column.Last()
	if p.accept("AS") || p.ts.kind(p.i) == tokQuoted {
		o.Alias = p.identifier()
	}
	return o
}

// update reads UPDATE.
func (p *parser) update() Node {
	n := &UpdateStatement{At: p.here()}
	p.i++
	if p.accept("ONLY"); p.word("IGNORE") || p.word("OR") {
		p.unsupported("UPDATE IGNORE")
	}
	n.Table = p.table()
	p.singleTable("UPDATE")
	p.expect("SET")
	n.Set = p.assignments()
	if p.word("FROM") {
		p.unsupported("UPDATE … FROM")
	}
	n.Where = p.where()
	p.noOrder("UPDATE")
	n.Returning = p.returning()
	return n
}

// delete reads DELETE.
func (p *parser) delete() Node {
	n := &DeleteStatement{At: p.here()}
	p.i++
	p.expect("FROM")
	p.accept("ONLY")
	n.Table = p.table()
	p.singleTable("DELETE")
	n.Where = p.where()
	p.noOrder("DELETE")
	n.Returning = p.returning()
	return n
}

// singleTable refuses the statements that change one table by another.
func (p *parser) singleTable(statement string) {
	switch p.ts.word(p.i) {
	case "JOIN", "INNER", "LEFT", "RIGHT", "CROSS", "USING":
		p.unsupported(statement + " of several tables")
	}
	if p.ts.isOp(p.i, ",") {
		p.unsupported(statement + " of several tables")
	}
}

// noOrder refuses MySQL's ORDER BY and LIMIT: which rows they choose cannot be told from a search.
func (p *parser) noOrder(statement string) {
	if p.word("ORDER") || p.word("LIMIT") {
		p.unsupported(statement + " … " + p.ts.word(p.i))
	}
}

// where reads WHERE; nil when there is none.
func (p *parser) where() Expr {
	if !p.accept("WHERE") {
		return nil
	}
	return p.expr()
}

// truncate reads TRUNCATE.
func (p *parser) truncate() Node {
	n := &TruncateStatement{At: p.here()}
	p.i++
	p.accept("TABLE")
	n.Tables = p.tableList()
	if !p.accept("RESTART", "IDENTITY") {
		p.accept("CONTINUE", "IDENTITY")
	}
	p.acceptCascade()
	return n
}

// refresh reads REFRESH TABLE.
func (p *parser) refresh() Node {
	n := &RefreshStatement{At: p.here()}
	p.i += 2
	n.Tables = p.tableList()
	return n
}

// acceptCascade moves past CASCADE and RESTRICT.
func (p *parser) acceptCascade() {
	if !p.accept("CASCADE") {
		p.accept("RESTRICT")
	}
}

// transaction reads the BEGIN family and SET.
func (p *parser) transaction() Node {
	at := p.here()
	p.i++
	switch p.s.kind {
	case Set:
		return &SetStatement{At: at, Text: p.rest()}
	case Begin:
		return p.begin(at)
	case Savepoint:
		p.accept("SAVEPOINT")
		return &TxStatement{At: at, Savepoint: p.identifier()}
	}
	n := &TxStatement{At: at}
	p.acceptWork()
	if p.s.kind == Rollback && p.accept("TO") {
		p.accept("SAVEPOINT")
		n.Savepoint = p.identifier()
	}
	return n
}

// rest moves to the end and returns the text up to it.
func (p *parser) rest() string {
	if p.i == p.ts.len() {
		p.fail("expected more")
		return ""
	}
	start, end := p.ts.list[p.i].start, p.ts.list[p.ts.len()-1].end
	p.i = p.ts.len()
	return p.s.text[start:end]
}

func (p *parser) begin(at At) Node {
	n := &TxStatement{At: at}
	p.acceptWork()
	for p.ts.kind(p.i) == tokWord || p.ts.isOp(p.i, ",") {
		if n.Modes != "" && p.ts.kind(p.i) == tokWord {
			n.Modes += " "
		}
		n.Modes += strings.ToUpper(p.ts.str(p.i))
		p.i++
	}
	return n
}

// acceptWork moves past WORK and TRANSACTION.
func (p *parser) acceptWork() {
	if !p.accept("WORK") {
		p.accept("TRANSACTION")
	}
}

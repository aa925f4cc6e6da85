package sqlparse

import (
	"strconv"
	"strings"
)

// createTable reads CREATE TABLE.
func (p *parser) createTable() Node {
	n := &CreateTableStatement{At: p.here()}
	p.i += 2
	n.IfNotExists = p.accept("IF", "NOT", "EXISTS")
	n.Name = p.tableName()
	if p.word("AS") || p.word("LIKE") || p.ts.isWord(p.i+1, "SELECT") {
		p.unsupported("CREATE TABLE AS")
	}
	p.parens(func() { p.element(n) })
	n.Options = p.options()
	return n
}

// element reads a column or a constraint.
func (p *parser) element(n *CreateTableStatement) {
	if p.startsConstraint() {
		n.Constraints = append(n.Constraints, p.constraint())
		return
	}
	column, constraints := p.columnDef()
	n.Columns = append(n.Columns, column)
	n.Constraints = append(n.Constraints, constraints...)
}

// startsConstraint reports whether a constraint comes next. KEY and INDEX are also names of columns.
func (p *parser) startsConstraint() bool {
	switch p.ts.word(p.i) {
	case "CONSTRAINT", "PRIMARY", "FOREIGN", "CHECK":
		return true
	case "UNIQUE":
		return p.ts.isOp(p.i+1, "(") || p.ts.isWord(p.i+1, "KEY") || p.ts.isWord(p.i+1, "INDEX")
	case "KEY", "INDEX":
		return p.ts.isOp(p.i+1, "(") || p.ts.isOp(p.i+2, "(") && p.ts.kind(p.i+3) != tokNumber
	}
	return false
}

// constraint reads a constraint of the table.
func (p *parser) constraint() Constraint {
	c := Constraint{At: p.here()}
	if p.accept("CONSTRAINT") {
		c.Name = p.identifier()
	}
	switch {
	case p.accept("PRIMARY", "KEY"):
		c.Kind = PrimaryKey
	case p.accept("UNIQUE"):
		c.Kind = Unique
		if !p.accept("KEY") {
			p.accept("INDEX")
		}
	case p.accept("FOREIGN", "KEY"):
		c.Kind = ForeignKey
	case p.accept("CHECK"):
		c.Kind = Check
		p.skipParens()
		return c
	case p.accept("KEY"), p.accept("INDEX"):
		c.Kind = Index
	default:
		p.fail("expected a constraint")
	}
	return p.keyColumns(c)
}

// keyColumns reads the columns of a key, and what a foreign one refers to.
func (p *parser) keyColumns(c Constraint) Constraint {
	if c.Name == "" && !p.ts.isOp(p.i, "(") {
		c.Name = p.identifier()
	}
	c.Columns = p.columnNames()
	if c.Kind == ForeignKey {
		c.References = p.references()
	}
	return c
}

// references reads REFERENCES and its actions.
func (p *parser) references() Name {
	p.expect("REFERENCES")
	n := p.tableName()
	if p.ts.isOp(p.i, "(") {
		p.columnNames()
	}
	for p.accept("ON", "DELETE") || p.accept("ON", "UPDATE") {
		if !p.accept("SET", "NULL") && !p.accept("SET", "DEFAULT") && !p.accept("NO", "ACTION") {
			p.identifier() // CASCADE, RESTRICT
		}
	}
	return n
}

// columnDef reads a column, its type and its options. A constraint among the options is returned beside it.
func (p *parser) columnDef() (ColumnDef, []Constraint) {
	c := ColumnDef{At: p.here(), Name: p.identifier()}
	c.Type = p.typeName()
	var constraints []Constraint
	for p.columnOption(&c, &constraints) {
	}
	return c, constraints
}

// columnOption reads one option of a column and reports whether there was one.
func (p *parser) columnOption(c *ColumnDef, constraints *[]Constraint) bool {
	switch {
	case p.accept("NOT", "NULL"):
		c.NotNull = true
	case p.accept("NULL"):
	case p.accept("DEFAULT"):
		c.Default = p.sum()
	case p.accept("AUTO_INCREMENT"), p.accept("AUTOINCREMENT"):
		c.Auto = true
	case p.accept("GENERATED"):
		p.generated(c)
	case p.accept("ON", "UPDATE"):
		p.unsupported("ON UPDATE of a column")
	case p.accept("COMMENT"):
		c.Comment = p.stringValue()
	case p.accept("COLLATE"), p.accept("CHARSET"), p.accept("CHARACTER", "SET"):
		p.identifier()
	default:
		return p.columnConstraint(c, constraints)
	}
	return true
}

// generated reads GENERATED … AS IDENTITY.
func (p *parser) generated(c *ColumnDef) {
	if !p.accept("ALWAYS") {
		p.expect("BY", "DEFAULT")
	}
	if p.expect("AS"); !p.accept("IDENTITY") {
		p.unsupported("a computed column")
	}
	if c.Auto = true; p.ts.isOp(p.i, "(") {
		p.skipParens()
	}
}

// columnConstraint reads a constraint that is written behind a column.
func (p *parser) columnConstraint(c *ColumnDef, constraints *[]Constraint) bool {
	k := Constraint{At: p.here(), Columns: []string{c.Name}}
	if p.accept("CONSTRAINT") {
		k.Name = p.identifier()
	}
	switch {
	case p.accept("PRIMARY", "KEY"), p.accept("KEY"):
		k.Kind = PrimaryKey
	case p.accept("UNIQUE"):
		k.Kind = Unique
		p.accept("KEY")
	case p.accept("CHECK"):
		k.Kind = Check
		p.skipParens()
	case p.word("REFERENCES"):
		k.Kind = ForeignKey
		k.References = p.references()
	default:
		return false
	}
	*constraints = append(*constraints, k)
	return true
}

func (p *parser) stringValue() string {
	if k := p.ts.kind(p.i); k != tokString && k != tokNational {
		p.fail("expected a string")
		return ""
	}
	return p.string()
}

// typeTails are the words that go on with the name of a type.
var typeTails = wordSet(`PRECISION VARYING UNSIGNED SIGNED ZEROFILL`)

// typeName reads a type: BIGINT(20) UNSIGNED, TIMESTAMP(3) WITH TIME ZONE, INT[].
func (p *parser) typeName() Type {
	t := Type{At: p.here(), Name: strings.ToUpper(p.identifier())}
	for {
		switch {
		case typeTails[p.ts.word(p.i)]:
			t.Name += " " + p.ts.word(p.i)
			p.i++
		case p.accept("WITH", "TIME", "ZONE"):
			t.Name += " WITH TIME ZONE"
		case p.accept("WITHOUT", "TIME", "ZONE"):
			t.Name += " WITHOUT TIME ZONE"
		case t.Args == nil && p.ts.isOp(p.i, "("):
			t.Args = p.typeArgs()
		case p.ts.isOp(p.i, "[") && p.ts.isOp(p.i+1, "]"):
			t.Array = true
			p.i += 2
		default:
			return t
		}
	}
}

func (p *parser) typeArgs() []int64 {
	var args []int64
	p.parens(func() {
		n, err := strconv.ParseInt(p.ts.str(p.i), 10, 64)
		if err != nil {
			p.fail("expected a length")
			return
		}
		args = append(args, n)
		p.i++
	})
	return args
}

// options reads WITH (name = value, …) and MySQL's name=value after CREATE TABLE (…).
func (p *parser) options() []Option {
	var list []Option
	if p.accept("WITH") {
		p.parens(func() { list = append(list, p.option()) })
		return list
	}
	for p.ts.kind(p.i) == tokWord && p.err == nil {
		p.accept("DEFAULT")
		list = append(list, p.option())
		p.acceptOp(",")
	}
	return list
}

// option reads one option. Its name may be dotted, or a string: index.number_of_shards, 'refresh_interval'.
func (p *parser) option() Option {
	o := Option{At: p.here()}
	if p.ts.kind(p.i) == tokString {
		o.Name = p.string()
	} else if o.Name = p.name().String(); p.accept("SET") {
		o.Name += " set"
	}
	o.Name = strings.ToLower(o.Name)
	p.acceptOp("=")
	switch p.ts.kind(p.i) {
	case tokWord, tokQuoted:
		o.Value = p.optionWord()
	default:
		if n, ok := p.sign().(*Literal); ok {
			o.Value = n.Value
		} else {
			p.fail("expected a constant")
		}
	}
	return o
}

func (p *parser) optionWord() any {
	switch {
	case p.accept("TRUE"):
		return true
	case p.accept("FALSE"):
		return false
	case p.accept("NULL"):
		return nil
	}
	return p.identifier()
}

// alterTable reads ALTER TABLE.
func (p *parser) alterTable() Node {
	n := &AlterTableStatement{At: p.here()}
	p.i += 2
	n.IfExists = p.accept("IF", "EXISTS")
	p.accept("ONLY")
	n.Name = p.tableName()
	p.list(func() { n.Actions = append(n.Actions, p.alterAction()) })
	return n
}

func (p *parser) alterAction() AlterAction {
	a := AlterAction{At: p.here()}
	switch {
	case p.accept("ADD"):
		p.alterAdd(&a)
	case p.accept("DROP"):
		p.alterDrop(&a)
	case p.accept("RENAME"):
		p.alterRename(&a)
	case p.accept("ALTER"), p.accept("MODIFY"), p.accept("CHANGE"):
		a.Kind = ChangeColumn
		p.accept("COLUMN")
		a.Name = p.identifier()
		p.skipAction()
	default:
		p.fail("expected ADD, DROP, ALTER or RENAME")
	}
	return a
}

func (p *parser) alterAdd(a *AlterAction) {
	if p.startsConstraint() {
		a.Kind = AddConstraint
		a.Constraints = []Constraint{p.constraint()}
		return
	}
	a.Kind = AddColumn
	p.accept("COLUMN")
	a.IfNotExists = p.accept("IF", "NOT", "EXISTS")
	column, constraints := p.columnDef()
	a.Column, a.Constraints, a.Name = &column, constraints, column.Name
}

func (p *parser) alterDrop(a *AlterAction) {
	a.Kind = DropColumn
	if p.accept("CONSTRAINT") || p.accept("INDEX") || p.accept("FOREIGN", "KEY") {
		a.Kind = DropConstraint
	} else {
		p.accept("COLUMN")
	}
	a.IfExists = p.accept("IF", "EXISTS")
	a.Name = p.identifier()
	p.acceptCascade()
}

func (p *parser) alterRename(a *AlterAction) {
	a.Kind = RenameTable
	if !p.accept("TO") {
		a.Kind = RenameColumn
		p.accept("COLUMN")
		a.Name = p.identifier()
		p.expect("TO")
	}
	a.NewName = p.identifier()
}

// skipAction moves to the next action: what ALTER COLUMN asks for cannot be done, whatever it is.
func (p *parser) skipAction() {
	for p.i < p.ts.len() && !p.ts.isOp(p.i, ",") {
		if p.ts.isOp(p.i, "(") {
			p.skipParens()
			continue
		}
		p.i++
	}
}

// dropTable reads DROP TABLE.
func (p *parser) dropTable() Node {
	n := &DropTableStatement{At: p.here()}
	p.i += 2
	n.IfExists = p.accept("IF", "EXISTS")
	n.Names = p.tableList()
	p.acceptCascade()
	return n
}

// createIndex reads CREATE [UNIQUE] INDEX.
func (p *parser) createIndex() Node {
	n := &CreateIndexStatement{At: p.here()}
	p.i++
	n.Unique = p.accept("UNIQUE")
	p.expect("INDEX")
	p.accept("CONCURRENTLY")
	n.IfNotExists = p.accept("IF", "NOT", "EXISTS")
	if !p.word("ON") {
		n.Name = p.identifier()
	}
	p.expect("ON")
	n.Table = p.tableName()
	if p.accept("USING") {
		p.identifier()
	}
	n.Columns = p.columnNames()
	if p.word("WHERE") {
		p.unsupported("a partial index")
	}
	return n
}

// dropIndex reads DROP INDEX.
func (p *parser) dropIndex() Node {
	n := &DropIndexStatement{At: p.here()}
	p.i += 2
	p.accept("CONCURRENTLY")
	n.IfExists = p.accept("IF", "EXISTS")
	n.Names = p.tableList()
	if p.accept("ON") {
		n.Table = p.tableName()
	}
	p.acceptCascade()
	return n
}

package sqlparse

import "strings"

// Node is a node of the tree of a write: one of the statements below, or a part of one.
type Node interface {
	// Pos returns the byte offset in the text at which the node starts; see [Statement.Position].
	Pos() int
}

// At is the place of a node: a byte offset in the text.
type At int

// Pos returns the offset.
func (a At) Pos() int { return int(a) }

// Position returns the line and column, both from 1, of a node's offset in the statement.
func (s *Statement) Position(n Node) (line, column int) { return position(s.text, n.Pos()) }

// Name is a dotted name without its quotes, such as users.id. Bare names keep their case.
type Name struct {
	At
	Parts []string
}

// String joins the parts with dots.
func (n Name) String() string { return strings.Join(n.Parts, ".") }

// Last returns the last part: the column of alias.column.
func (n Name) Last() string { return n.Parts[len(n.Parts)-1] }

// Table is a table with its alias, which is empty when there is none.
type Table struct {
	Name
	Alias string
}

// InsertStatement is INSERT and REPLACE. Statement.Kind tells which.
type InsertStatement struct {
	At
	Table     Table
	Columns   []Name   // nil when the statement names none
	Rows      [][]Expr // as long as Columns, each, if Columns is not nil; a value may be Default
	Defaults  bool     // DEFAULT VALUES: one row without a value; Rows is empty
	Ignore    bool     // INSERT IGNORE
	Conflict  *Conflict
	Returning []Output
}

// Conflict is ON CONFLICT and ON DUPLICATE KEY UPDATE.
type Conflict struct {
	At
	Target  []Name // the columns of ON CONFLICT (…); nil when it names none
	Nothing bool   // DO NOTHING; Set is empty
	Set     []Assignment
}

// Assignment is column = value. In a Conflict, Excluded stands for excluded.c and VALUES(c).
type Assignment struct {
	Column Name
	Value  Expr // may be Default
}

// Pos returns where the column starts.
func (a Assignment) Pos() int { return a.Column.Pos() }

// Output is one item of RETURNING.
type Output struct {
	At
	Star   bool // *
	Column Name // when it is not Star
	Alias  string
}

// UpdateStatement is UPDATE of one table. Where is nil when there is none.
type UpdateStatement struct {
	At
	Table     Table
	Set       []Assignment
	Where     Expr
	Returning []Output
}

// DeleteStatement is DELETE from one table. Where is nil when there is none.
type DeleteStatement struct {
	At
	Table     Table
	Where     Expr
	Returning []Output
}

// TruncateStatement is TRUNCATE. RESTART IDENTITY, CASCADE and the like are read and have no meaning here.
type TruncateStatement struct {
	At
	Tables []Name
}

// RefreshStatement is REFRESH TABLE.
type RefreshStatement struct {
	At
	Tables []Name
}

// CreateTableStatement is CREATE TABLE.
type CreateTableStatement struct {
	At
	Name        Name
	IfNotExists bool
	Columns     []ColumnDef
	Constraints []Constraint // PRIMARY KEY of the table or of a column among them
	Options     []Option     // WITH (…) and MySQL's options after the parenthesis
}

// ColumnDef is the definition of one column.
type ColumnDef struct {
	At
	Name    string
	Type    Type
	NotNull bool
	Auto    bool // AUTO_INCREMENT, SERIAL by its options, GENERATED … AS IDENTITY
	Default Expr // nil when there is none
	Comment string
}

// Type is the name of a type.
type Type struct {
	At
	Name  string  // in upper case, words joined by one space: DOUBLE PRECISION, TIMESTAMP WITH TIME ZONE
	Args  []int64 // of VARCHAR(20), DECIMAL(10, 2)
	Array bool    // INT[]
}

// ConstraintKind says what a constraint demands.
type ConstraintKind uint8

// The kinds of constraints.
const (
	PrimaryKey ConstraintKind = iota
	Unique
	ForeignKey
	Check
	Index // MySQL's KEY and INDEX inside CREATE TABLE
)

// Constraint is a constraint of a table or of one column.
type Constraint struct {
	At
	Kind       ConstraintKind
	Name       string // empty when it has none
	Columns    []string
	References Name // of a foreign key
}

// Option is an option of a table. Value is int64, float64, string, bool or nil.
type Option struct {
	At
	Name  string // in lower case
	Value any
}

// AlterTableStatement is ALTER TABLE.
type AlterTableStatement struct {
	At
	Name     Name
	IfExists bool
	Actions  []AlterAction
}

// AlterKind says what an action of ALTER TABLE does.
type AlterKind uint8

// The kinds of actions.
const (
	AddColumn AlterKind = iota
	AddConstraint
	DropColumn
	DropConstraint
	ChangeColumn // ALTER COLUMN, MODIFY, CHANGE
	RenameColumn
	RenameTable
)

// AlterAction is one action of ALTER TABLE.
type AlterAction struct {
	At
	Kind        AlterKind
	IfNotExists bool       // ADD COLUMN IF NOT EXISTS
	IfExists    bool       // DROP … IF EXISTS
	Column      *ColumnDef // of AddColumn
	Constraints []Constraint
	Name        string // of what is dropped, changed or renamed
	NewName     string // of RenameColumn and RenameTable
}

// DropTableStatement is DROP TABLE.
type DropTableStatement struct {
	At
	Names    []Name
	IfExists bool
}

// CreateIndexStatement is CREATE [UNIQUE] INDEX.
type CreateIndexStatement struct {
	At
	Name        string
	Table       Name
	Columns     []string
	Unique      bool
	IfNotExists bool
}

// DropIndexStatement is DROP INDEX. Table is empty unless ON names one.
type DropIndexStatement struct {
	At
	Names    []Name
	Table    Name
	IfExists bool
}

// TxStatement is a statement of the BEGIN family; Statement.Kind tells which.
type TxStatement struct {
	At
	Savepoint string // of SAVEPOINT, RELEASE and ROLLBACK TO
	Modes     string // what follows BEGIN or START TRANSACTION, in upper case: ISOLATION LEVEL SERIALIZABLE, READ ONLY
}

// SetStatement is SET. Text is what follows the word.
type SetStatement struct {
	At
	Text string
}

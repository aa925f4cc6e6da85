package sqlparse

// Expr is an expression: one of the types below.
type Expr interface {
	Node
	expr()
}

// Literal is a constant.
type Literal struct {
	At
	// Value is nil, bool, int64, uint64 beyond it, float64, string, or []byte of X'00ff'.
	Value any
	// Type is DATE, TIME or TIMESTAMP when the literal is written so, as in DATE '2026-01-02'; else empty.
	Type string
	// Text is the number as it is written, for those who need more digits than a float64 has.
	Text string
}

// Param is a placeholder. Index is an index into what [Statement.Bind] returns.
type Param struct {
	At
	Index int
}

// Column is a column, with a table or an alias before it or not; or a dotted path into an object.
type Column struct{ Name }

// Excluded is a column of the row that an INSERT proposed: excluded.c and VALUES(c).
type Excluded struct {
	At
	Column string
}

// Default is the word DEFAULT in the place of a value.
type Default struct{ At }

// And is a conjunction of two or more terms.
type And struct {
	At
	Terms []Expr
}

// Or is a disjunction of two or more terms.
type Or struct {
	At
	Terms []Expr
}

// Not is NOT x.
type Not struct {
	At
	X Expr
}

// Compare is x op y, with op one of = <> < <= > >=. The spelling != becomes <>.
type Compare struct {
	At
	Op   string
	X, Y Expr
}

// In is x [NOT] IN (list).
type In struct {
	At
	X    Expr
	List []Expr
	Not  bool
}

// Between is x [NOT] BETWEEN low AND high.
type Between struct {
	At
	X, Low, High Expr
	Not          bool
}

// Like is x [NOT] LIKE pattern [ESCAPE escape]; Fold for ILIKE. Escape is nil when there is none.
type Like struct {
	At
	X, Pattern, Escape Expr
	Not, Fold          bool
}

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	At
	X   Expr
	Not bool
}

// Arithmetic is x op y, with op one of + - * / % ||.
type Arithmetic struct {
	At
	Op   string
	X, Y Expr
}

// Negate is -x. A minus before a number is part of the Literal.
type Negate struct {
	At
	X Expr
}

// Cast is CAST(x AS type) and x::type.
type Cast struct {
	At
	X    Expr
	Type Type
}

// Call is a call of a function. CURRENT_TIMESTAMP and its like are calls without arguments.
type Call struct {
	At
	Function string // in upper case
	Args     []Expr
	Star     bool // COUNT(*)
	Distinct bool
}

func (*Literal) expr()    {}
func (*Param) expr()      {}
func (*Column) expr()     {}
func (*Excluded) expr()   {}
func (*Default) expr()    {}
func (*And) expr()        {}
func (*Or) expr()         {}
func (*Not) expr()        {}
func (*Compare) expr()    {}
func (*In) expr()         {}
func (*Between) expr()    {}
func (*Like) expr()       {}
func (*IsNull) expr()     {}
func (*Arithmetic) expr() {}
func (*Negate) expr()     {}
func (*Cast) expr()       {}
func (*Call) expr()       {}

package sqlparse

import "fmt"

// Kind says what a statement does.
type Kind uint8

// The kinds. Those from Insert to DropIndex are writes; none of them is sent to a server as SQL.
const (
	Other    Kind = iota // not known here; the server decides
	Select               // also (SELECT …) and WITH … SELECT
	Show                 // SHOW …
	Describe             // DESCRIBE, DESC
	Explain              // EXPLAIN, DEBUG
	Sys                  // SYS …
	ESQL                 // ES|QL, by its prefix
	PPL                  // PPL, by its prefix
	Constant             // SELECT version() and the like, which the client answers; see [Statement.Constant]

	Insert
	Replace
	Update
	Delete
	Truncate
	RefreshTable
	CreateTable
	AlterTable
	DropTable
	CreateIndex
	DropIndex

	Begin     // BEGIN, START TRANSACTION
	Commit    // COMMIT, END
	Rollback  // ROLLBACK, ABORT, ROLLBACK TO
	Savepoint // SAVEPOINT, RELEASE SAVEPOINT
	Set       // SET …
)

var kindNames = [...]string{
	Other: "statement", Select: "SELECT", Show: "SHOW", Describe: "DESCRIBE", Explain: "EXPLAIN", Sys: "SYS",
	ESQL: "ES|QL", PPL: "PPL", Constant: "constant SELECT", Insert: "INSERT", Replace: "REPLACE", Update: "UPDATE",
	Delete: "DELETE", Truncate: "TRUNCATE", RefreshTable: "REFRESH TABLE", CreateTable: "CREATE TABLE",
	AlterTable: "ALTER TABLE", DropTable: "DROP TABLE", CreateIndex: "CREATE INDEX", DropIndex: "DROP INDEX",
	Begin: "BEGIN", Commit: "COMMIT", Rollback: "ROLLBACK", Savepoint: "SAVEPOINT", Set: "SET",
}

// String returns the words that start such a statement.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Reads reports whether the statement is one that a server answers with rows.
func (k Kind) Reads() bool { return k < Constant }

// Writes reports whether the statement changes documents or indices.
func (k Kind) Writes() bool { return k >= Insert && k <= DropIndex }

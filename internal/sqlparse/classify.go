package sqlparse

// firstWords are the statements that one word tells.
var firstWords = map[string]Kind{
	"SELECT": Select, "SHOW": Show, "DESCRIBE": Describe, "DESC": Describe, "EXPLAIN": Explain, "DEBUG": Explain,
	"SYS": Sys, "INSERT": Insert, "REPLACE": Replace, "UPDATE": Update, "DELETE": Delete, "TRUNCATE": Truncate,
	"BEGIN": Begin, "COMMIT": Commit, "END": Commit, "ROLLBACK": Rollback, "ABORT": Rollback,
	"SAVEPOINT": Savepoint, "RELEASE": Savepoint, "SET": Set,
}

// firstTwoWords are the statements that two words tell.
var firstTwoWords = map[[2]string]Kind{
	{"REFRESH", "TABLE"}: RefreshTable, {"CREATE", "TABLE"}: CreateTable, {"ALTER", "TABLE"}: AlterTable,
	{"DROP", "TABLE"}: DropTable, {"CREATE", "INDEX"}: CreateIndex, {"CREATE", "UNIQUE"}: CreateIndex,
	{"DROP", "INDEX"}: DropIndex, {"START", "TRANSACTION"}: Begin,
}

// classify returns the kind of a statement.
func classify(ts tokens) Kind {
	first := 0
	for ts.isOp(first, "(") {
		first++
	}
	word := ts.word(first)
	if first > 0 && word != "SELECT" {
		return Other
	}
	if word == "WITH" {
		return classifyWith(ts)
	}
	if kind, ok := firstWords[word]; ok {
		return kind
	}
	return firstTwoWords[[2]string{word, ts.word(1)}]
}

// classifyWith finds the statement behind the common table expressions.
func classifyWith(ts tokens) Kind {
	depth := 0
	for i := range ts.list {
		switch {
		case ts.isOp(i, "("):
			depth++
		case ts.isOp(i, ")"):
			depth--
		case depth == 0:
			switch kind := firstWords[ts.word(i)]; kind {
			case Select, Insert, Replace, Update, Delete:
				return kind
			}
		}
	}
	return Other
}

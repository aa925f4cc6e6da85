package sqlite

import "github.com/esdriver/esdriver/fakecluster"

// checkSubSelect refuses the SELECT at i where the flavor does: anywhere but in FROM, and on OpenSearch behind IN. What
// comes before it says what its user knows it as.
func (st *statement) checkSubSelect(i int) error {
	before := i - 1
	for before > 0 && st.tokens[before].is("(") {
		before--
	}
	switch st.tokens[before].word() {
	case "FROM", "JOIN":
		return nil
	case "EXISTS":
		return st.refuseExists(before)
	case "IN":
		if st.elastic() {
			return st.visitorError(before-1, "IN query not supported yet")
		}
		return nil
	}
	return st.refuseScalar(i)
}

// refuseExists answers as recorded: OpenSearch's legacy engine, to which EXISTS falls, stumbles over a SELECT without
// FROM, and knows EXISTS over nested fields only.
func (st *statement) refuseExists(i int) error {
	switch {
	case st.elastic():
		return problem(st.query, st.tokens[i].at, "EXISTS is not yet supported")
	case i == 1:
		return &fakecluster.SQLError{Status: 400, Type: "NullPointerException", Reason: noFrom}
	}
	return &fakecluster.SQLError{Status: 500, Type: "IllegalStateException", Reason: "Unsupported subquery"}
}

const noFrom = `Cannot invoke "com.alibaba.druid.sql.ast.statement.SQLTableSource.getAlias()" because the return value of ` +
	`"com.alibaba.druid.sql.dialect.mysql.ast.statement.MySqlSelectQueryBlock.getFrom()" is null`

// refuseScalar refuses a SELECT for a value. Neither product has it; the words are not recorded.
func (st *statement) refuseScalar(i int) error {
	if st.elastic() {
		return problem(st.query, st.tokens[i].at, "a scalar sub-query is not yet supported")
	}
	return &fakecluster.SQLError{Status: 400, Type: "SqlParseException", Reason: "Failed to parse SqlExpression of type class " +
		"com.alibaba.druid.sql.ast.expr.SQLQueryExpr. expression value: " + st.tokens[i].raw}
}

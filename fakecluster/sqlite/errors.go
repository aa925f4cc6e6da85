package sqlite

import (
	"fmt"
	"strings"

	"github.com/esdriver/esdriver/fakecluster"
)

// position is line:column of a place in the statement, both from 1.
func position(text string, at int) string {
	before := text[:at]
	return fmt.Sprintf("%d:%d", 1+strings.Count(before, "\n"), at-strings.LastIndex(before, "\n"))
}

func parseError(f fakecluster.Flavor, text string, at int, why string) error {
	if f == fakecluster.OpenSearch {
		return &fakecluster.SQLError{Status: 400, Type: "SyntaxCheckException", Reason: why}
	}
	return &fakecluster.SQLError{Status: 400, Type: "parsing_exception", Reason: "line " + position(text, at) + ": " + why}
}

// problem is an error that the analyser finds, in the flavor's words.
func problem(q fakecluster.SQLQuery, at int, why string) error {
	if q.Flavor == fakecluster.OpenSearch {
		return &fakecluster.SQLError{Status: 400, Type: "SemanticCheckException", Reason: why}
	}
	head := "Found 1 problem"
	if strings.HasPrefix(q.Version, "7.") {
		head += "(s)"
	}
	return &fakecluster.SQLError{Status: 400, Type: "verification_exception", Reason: head + "\nline " + position(q.Text, at) + ": " + why}
}

func unknownColumn(q fakecluster.SQLQuery, t token) error {
	if q.Flavor == fakecluster.OpenSearch {
		return problem(q, t.at, "can't resolve Symbol(namespace=FIELD_NAME, name="+t.value+") in type env")
	}
	return problem(q, t.at, "Unknown column ["+t.value+"]")
}

func unknownIndex(q fakecluster.SQLQuery, t token) error {
	if q.Flavor == fakecluster.OpenSearch {
		return &fakecluster.SQLError{Status: 404, Type: "IndexNotFoundException", Reason: "no such index [" + t.value + "]"}
	}
	return problem(q, t.at, "Unknown index ["+t.value+"]")
}

func unknownFunction(q fakecluster.SQLQuery, t token) error {
	if q.Flavor == fakecluster.OpenSearch {
		return &fakecluster.SQLError{Status: 500, HTTPStatus: 200, Type: "UnsupportedOperationException",
			Reason: "The following method is not supported in Schema: " + t.value}
	}
	return problem(q, t.at, "Unknown function ["+t.value+"]")
}

// refused is the error for a statement that is no query.
func refused(q fakecluster.SQLQuery, t token) error {
	if q.Flavor == fakecluster.OpenSearch {
		return &fakecluster.SQLError{Status: 400, Type: "SQLFeatureNotSupportedException",
			Reason: "Query must start with SELECT, DELETE, SHOW or DESCRIBE: " + q.Text}
	}
	return parseError(q.Flavor, q.Text, t.at, "mismatched input '"+t.raw+
		"' expecting {'DEBUG', 'DESC', 'DESCRIBE', 'EXPLAIN', 'SELECT', 'SHOW', 'SYS', 'WITH', '('}")
}

// fromSQLite turns what SQLite refused into the flavor's error.
func fromSQLite(q fakecluster.SQLQuery, err error) error {
	why := err.Error()
	_, missing, ok := strings.Cut(why, "no such function: ")
	if ok {
		missing, _, _ = strings.Cut(missing, " ")
		at := max(0, strings.Index(strings.ToUpper(q.Text), strings.ToUpper(missing)))
		return unknownFunction(q, token{value: missing, at: at})
	}
	switch {
	case strings.Contains(why, "cannot cast ["):
		return badValue(q, "sql_illegal_argument_exception", "NumberFormatException", why[strings.Index(why, "cannot cast ["):])
	case strings.Contains(why, "failed to parse date field"):
		return badValue(q, "parse_exception", "SemanticCheckException", why[strings.Index(why, "failed to parse"):])
	case strings.Contains(why, "missing argument") && q.Flavor == fakecluster.OpenSearch:
		return &fakecluster.SQLError{Status: 500, Type: "IllegalStateException", Reason: "Placeholder count is greater than parameter number"}
	case strings.Contains(why, "missing argument"):
		return parseError(q.Flavor, q.Text, 0, "Not enough actual parameters")
	case strings.Contains(why, "syntax error"):
		return parseError(q.Flavor, q.Text, 0, "mismatched input: "+why)
	}
	return problem(q, 0, "fakecluster/sqlite: "+why)
}

// badValue is an error about a value that only running the statement finds. Elasticsearch 7 answers 500.
func badValue(q fakecluster.SQLQuery, elastic, open, why string) error {
	switch {
	case q.Flavor == fakecluster.OpenSearch:
		return &fakecluster.SQLError{Status: 400, Type: open, Reason: why}
	case strings.HasPrefix(q.Version, "7.") && elastic != "parse_exception":
		return &fakecluster.SQLError{Status: 500, Type: elastic, Reason: why}
	}
	return &fakecluster.SQLError{Status: 400, Type: elastic, Reason: why}
}

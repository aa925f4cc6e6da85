package sqlparse

// reserved are the words that OpenSearch's SQL lexer keeps for itself and its parser takes for no name, and that are
// not needed where a column, a table or an alias stands. Source: OpenSearchSQLLexer.g4 and the rules ident,
// keywordsCanBeId and scalarFunctionName of OpenSearchSQLParser.g4, 2.x and 3.x: the names of its scalar functions
// (day, length, …) are names to it, and quoting those would change the labels that it makes of expressions. d, t and
// ts are in the rule and do not work for all that (recorded).
var reserved = wordSet(`BOOLEAN DOUBLE FLOAT INT INTEGER LONG STRING ZONE D T TS
	COLUMNS CREATE CROSS DELETE DESCRIBE DIV END EXTERNAL FORMAT INNER INTERVAL JOIN LOCATION MATCH MATERIALIZED MISSING
	MINUS NATURAL NULLS OFFSET OUTER OVER PARTITION REGEXP SERDE SHOW STORED TABLE TABLES UNION USING VIEW
	VAR_POP VAR_SAMP VARIANCE STD STDDEV STDDEV_POP STDDEV_SAMP PERCENTILE PERCENTILE_APPROX DENSE_RANK RANK ROW_NUMBER
	SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND
	DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH EXTRACT GET_FORMAT POSITION TIMESTAMPADD TIMESTAMPDIFF
	DATE_HISTOGRAM EXCLUDE EXTENDED_STATS FILTER GEO_BOUNDING_BOX GEO_CELL GEO_DISTANCE GEO_DISTANCE_RANGE
	GEO_INTERSECTS GEO_POLYGON HISTOGRAM INCLUDE IN_TERMS MATCHPHRASE MATCH_PHRASE MATCHPHRASEQUERY
	SIMPLE_QUERY_STRING QUERY_STRING MATCH_PHRASE_PREFIX MATCHQUERY MATCH_QUERY MATCH_BOOL_PREFIX MULTIMATCH
	MULTI_MATCH MULTIMATCHQUERY PERCENTILES PERCENTILE_RANK REGEXP_QUERY REVERSE_NESTED QUERY RANGE SCORE SCOREQUERY
	SCORE_QUERY STATS TERM TERMS TOPHITS WILDCARDQUERY WILDCARD_QUERY HIGHLIGHT
	ALLOW_LEADING_WILDCARD ANALYZER ANALYZE_WILDCARD AUTO_GENERATE_SYNONYMS_PHRASE_QUERY BOOST CASE_INSENSITIVE
	CUTOFF_FREQUENCY DEFAULT_FIELD DEFAULT_OPERATOR ESCAPE ENABLE_POSITION_INCREMENTS FIELDS FLAGS FUZZINESS
	FUZZY_MAX_EXPANSIONS FUZZY_PREFIX_LENGTH FUZZY_REWRITE FUZZY_TRANSPOSITIONS LENIENT LOW_FREQ_OPERATOR
	MAX_DETERMINIZED_STATES MAX_EXPANSIONS MINIMUM_SHOULD_MATCH OPERATOR PHRASE_SLOP PREFIX_LENGTH QUOTE_ANALYZER
	QUOTE_FIELD_SUFFIX REWRITE SLOP TIE_BREAKER TIME_ZONE ZERO_TERMS_QUERY PRE_TAGS POST_TAGS`)

// operandAfter are the words after which a column, a table or an alias may stand.
var operandAfter = wordSet(`SELECT DISTINCT ALL WHERE AND OR XOR NOT BY HAVING ON WHEN THEN ELSE CASE LIKE BETWEEN REGEXP
	RLIKE FROM JOIN AS DIV MOD`)

// operandOps are the operators after which a column may stand.
var operandOps = map[string]bool{
	",": true, "(": true, ".": true, "=": true, "<": true, ">": true, "<=": true, ">=": true, "<>": true, "!=": true,
	"+": true, "-": true, "*": true, "/": true, "%": true, "!": true, "[": true,
}

// notAlias are reserved words that have a meaning after an operand.
var notAlias = wordSet(`CROSS INNER OUTER NATURAL JOIN UNION MINUS OVER REGEXP DIV END OFFSET ESCAPE USING NULLS PARTITION
	MISSING FILTER SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE
	DAY_MICROSECOND DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH`)

// aliasBefore are the words that may follow an alias.
var aliasBefore = wordSet(`FROM WHERE ORDER GROUP HAVING LIMIT OFFSET ON JOIN LEFT RIGHT INNER CROSS`)

// structural words end no operand.
var structural = wordSet(`SELECT DISTINCT ALL WHERE AND OR XOR NOT BY HAVING ON WHEN THEN ELSE CASE LIKE BETWEEN REGEXP RLIKE
	FROM JOIN AS IN IS GROUP ORDER LIMIT OFFSET ASC DESC NULLS LEFT RIGHT INNER CROSS OUTER INTERVAL`)

// unitFunctions take a unit or a type as their first argument.
var unitFunctions = wordSet(`EXTRACT TIMESTAMPADD TIMESTAMPDIFF GET_FORMAT`)

// namedArguments are the functions whose arguments are written name=value.
var namedArguments = wordSet(`MATCH MATCH_PHRASE MATCHPHRASE MATCHPHRASEQUERY MATCH_BOOL_PREFIX MATCH_PHRASE_PREFIX MULTI_MATCH
	MULTIMATCH MULTIMATCHQUERY SIMPLE_QUERY_STRING QUERY_STRING QUERY MATCH_QUERY MATCHQUERY WILDCARD_QUERY
	WILDCARDQUERY HIGHLIGHT DATE_HISTOGRAM HISTOGRAM RANGE TERMS PERCENTILES STATS TOPHITS NESTED REVERSE_NESTED`)

// reservedNames returns which significant tokens are reserved words that stand for a name.
func reservedNames(ts tokens) map[int]bool {
	names := make(map[int]bool)
	var open []string // the function before each open parenthesis
	for i := range ts.list {
		switch {
		case ts.isOp(i, "("):
			open = append(open, ts.word(i-1))
		case ts.isOp(i, ")") && len(open) > 0:
			open = open[:len(open)-1]
		case ts.kind(i) == tokWord && reserved[ts.word(i)] && isName(ts, i, innermost(open), names):
			names[i] = true
		}
	}
	return names
}

func innermost(open []string) string {
	if len(open) == 0 {
		return ""
	}
	return open[len(open)-1]
}

// isName reports whether the reserved word i stands for a name, within the parentheses of the function. names are those
// before it.
func isName(ts tokens, i int, function string, names map[int]bool) bool {
	switch {
	case ts.isOp(i+1, "("), leadsLiteral(ts, i), ts.isOp(i-1, "{"):
		return false
	case ts.isWord(i-1, "AS"):
		return function != "CAST" && function != "CONVERT"
	case unitFunctions[function] && ts.isOp(i-1, "("):
		return false
	case namedArguments[function] && ts.isOp(i+1, "="):
		return false
	case ts.isWord(i, "PARTITION") && ts.isWord(i+1, "BY"):
		return false
	}
	return operandAfter[ts.word(i-1)] || ts.kind(i-1) == tokOp && operandOps[ts.str(i-1)] || isAlias(ts, i, names)
}

// leadsLiteral reports whether the word is the INTERVAL of INTERVAL 1 DAY or INTERVAL -x DAY.
func leadsLiteral(ts tokens, i int) bool {
	if !ts.isWord(i, "INTERVAL") {
		return false
	}
	switch ts.kind(i + 1) {
	case tokString, tokNational, tokNumber, tokParam, tokQuoted:
		return true
	case tokWord:
		return !aliasBefore[ts.word(i+1)] && !structural[ts.word(i+1)]
	}
	return ts.isOp(i+1, "-") || ts.isOp(i+1, "+")
}

// isAlias reports whether the reserved word i names the operand before it.
func isAlias(ts tokens, i int, names map[int]bool) bool {
	if notAlias[ts.word(i)] || !names[i-1] && !endsOperand(ts, i-1) {
		return false
	}
	return i+1 == ts.len() || ts.isOp(i+1, ",") || ts.isOp(i+1, ")") || aliasBefore[ts.word(i+1)]
}

func endsOperand(ts tokens, i int) bool {
	switch ts.kind(i) {
	case tokWord:
		return !structural[ts.word(i)]
	case tokQuoted, tokString, tokNational, tokNumber, tokParam:
		return true
	}
	return ts.isOp(i, ")") || ts.isOp(i, "*")
}

// Package sqlparse reads SQL text and writes the text that a server is sent. It is pure text: no network, no
// state besides a [Cache].
//
// [Parse] lexes one statement by the rules of a [Flavor], says its [Kind], finds its placeholders and checks that
// it is one statement. Writes (INSERT to BEGIN) are also parsed to a tree: see [Statement.Tree]. Reads are not
// parsed but rewritten token by token, so that each server's own syntax survives: MATCH, QUERY, PIVOT, RLIKE,
// nested(), SHOW, SYS, DESCRIBE and EXPLAIN pass as they are.
//
//	s, err := sqlparse.Parse(sqlparse.Elasticsearch, `SELECT * FROM users WHERE age > $1 LIMIT $2 OFFSET 20`)
//	q, err := s.Elastic([]sqlparse.Arg{{Value: int64(30)}, {Value: int64(10)}}, sqlparse.ElasticOptions{})
//	// q.Text   SELECT * FROM users WHERE age > ? LIMIT 30
//	// q.Params [30], q.Offset 20, q.Limit 10: read the rows, drop 20, give at most 10
//
// # What is rewritten
//
//   - Placeholders: ?, $n, :name and @name, one style a statement. They become params on Elasticsearch and
//     literals on OpenSearch, except those of LIMIT, OFFSET and TOP, which become digits on both.
//     Nothing inside a string, a comment or a quoted identifier is a placeholder. On OpenSearch @timestamp is
//     also an ordinary identifier: there @name is a placeholder only if an argument of that name is given.
//   - Identifiers: "x" and `x` become the flavour's quotes. A string is written '…' on both. On OpenSearch "…" is
//     left to be a string where it can be no name: in SHOW and DESCRIBE, and in a SELECT without FROM.
//   - Bare words that OpenSearch reserves (score, d, match, …) are quoted where they stand for a column, a table
//     or an alias: unquoted, the server answers from its legacy engine, with other types.
//   - N'…' becomes the flavour's literal. A trailing ; goes, and a comment that the server would see end elsewhere.
//   - OFFSET on Elasticsearch, which has none, is left to the caller: see [Query].
//
// # Strings
//
// A string '…' in the text of a read is the server's and passes as it is: on Elasticsearch only the doubled quote is
// special; on OpenSearch a backslash and the character after it belong together. The standard's national literal
// N'…' is portable: only the doubled quote is special, and it is written for the flavour and version as an argument
// would be. Programs that write values into the text themselves should use it.
//
// In writes, which no server reads as SQL, a backslash is an ordinary character. Where that reading and
// OpenSearch's differ (a quote after an odd number of backslashes) the statement is refused.
//
// # Prefixes
//
// A statement that starts with /* esql */ or the word ESQL is ES|QL, one with /* ppl */ or PPL is PPL; the rest of
// the text is sent as it is.
package sqlparse

package sqlite

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/fakecluster"
)

// showStatement answers SHOW TABLES and SHOW COLUMNS.
func showStatement(q fakecluster.SQLQuery, ts []token) (fakecluster.SQLResult, error) {
	elastic := q.Flavor == fakecluster.Elasticsearch
	switch {
	case len(ts) > 1 && ts[1].word() == "TABLES" && (elastic || len(ts) > 3 && ts[2].word() == "LIKE"):
		return showTables(q, ts)
	case len(ts) == 4 && ts[1].word() == "COLUMNS" && elastic:
		return describeElastic(q, ts[3])
	case !elastic:
		return fakecluster.SQLResult{}, &fakecluster.SQLError{Status: 400, Type: "IllegalArgumentException",
			Reason: "Expected syntax example: 'SHOW TABLES LIKE <table pattern>'"}
	}
	return fakecluster.SQLResult{}, parseError(q.Flavor, q.Text, ts[0].at, "no viable alternative at input '"+q.Text+"'")
}

func describe(q fakecluster.SQLQuery, ts []token) (fakecluster.SQLResult, error) {
	switch {
	case q.Flavor == fakecluster.Elasticsearch && len(ts) == 2:
		return describeElastic(q, ts[1])
	case q.Flavor == fakecluster.Elasticsearch:
		return fakecluster.SQLResult{}, parseError(q.Flavor, q.Text, ts[len(ts)-1].at, "mismatched input '"+ts[len(ts)-1].raw+"' expecting <EOF>")
	case ts[0].word() == "DESC":
		return fakecluster.SQLResult{}, refused(q, ts[0])
	case len(ts) >= 4 && ts[1].word() == "TABLES" && ts[2].word() == "LIKE":
		return describeOpen(q, ts[3])
	}
	return fakecluster.SQLResult{}, &fakecluster.SQLError{Status: 400, Type: "IllegalArgumentException",
		Reason: "Expected syntax example: 'DESCRIBE TABLES LIKE <table pattern> [COLUMNS LIKE <column pattern>]'"}
}

// like is a pattern with % and _ as a regular expression.
func like(p string) *regexp.Regexp {
	p = regexp.QuoteMeta(p)
	return regexp.MustCompile("^" + strings.NewReplacer("%", ".*", "_", ".", `\*`, ".*").Replace(p) + "$")
}

func keywordColumns(names ...string) []fakecluster.SQLColumn {
	var out []fakecluster.SQLColumn
	for _, n := range names {
		out = append(out, fakecluster.SQLColumn{Name: n, Type: "keyword"})
	}
	return out
}

func showTables(q fakecluster.SQLQuery, ts []token) (fakecluster.SQLResult, error) {
	pattern := like("%")
	if last := ts[len(ts)-1]; len(ts) > 2 {
		p := last.value
		if last.kind == symbol {
			p = last.raw
		}
		pattern = like(p)
	}
	r := fakecluster.SQLResult{Columns: tableColumns(q), Rows: [][]any{}, Unpaged: true}
	all := q.Names()
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if pattern.MatchString(n) {
			r.Rows = append(r.Rows, tableRow(q, n, all[n]))
		}
	}
	return r, nil
}

func tableColumns(q fakecluster.SQLQuery) []fakecluster.SQLColumn {
	switch {
	case q.Flavor == fakecluster.OpenSearch:
		return keywordColumns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS", "TYPE_CAT", "TYPE_SCHEM",
			"TYPE_NAME", "SELF_REFERENCING_COL_NAME", "REF_GENERATION")
	case strings.HasPrefix(q.Version, "7."):
		return keywordColumns("name", "type", "kind")
	}
	return keywordColumns("catalog", "name", "type", "kind")
}

func tableRow(q fakecluster.SQLQuery, n string, alias bool) []any {
	kind := map[bool]string{false: "INDEX", true: "ALIAS"}[alias]
	switch {
	case q.Flavor == fakecluster.OpenSearch:
		return []any{q.Cluster, nil, n, "BASE TABLE", nil, nil, nil, nil, nil, nil}
	case strings.HasPrefix(q.Version, "7."):
		return []any{n, map[bool]string{false: "BASE TABLE", true: "VIEW"}[alias], kind}
	}
	return []any{q.Cluster, n, map[bool]string{false: "TABLE", true: "VIEW"}[alias], kind}
}

// sqlNames are the SQL types that DESCRIBE shows.
var sqlNames = map[string]string{
	"long": "BIGINT", "integer": "INTEGER", "short": "SMALLINT", "byte": "TINYINT", "unsigned_long": "NUMERIC", "double": "DOUBLE",
	"float": "REAL", "half_float": "FLOAT", "scaled_float": "DOUBLE", "boolean": "BOOLEAN", "datetime": "TIMESTAMP",
	"binary": "VARBINARY", "geo_point": "GEOMETRY", "geo_shape": "GEOMETRY", "shape": "GEOMETRY",
}

func describeElastic(q fakecluster.SQLQuery, t token) (fakecluster.SQLResult, error) {
	table, ok := q.Tables(t.value)
	if !ok {
		return fakecluster.SQLResult{}, unknownIndex(q, t)
	}
	r := fakecluster.SQLResult{Columns: keywordColumns("column", "type", "mapping"), Rows: [][]any{}}
	for _, f := range table.Fields {
		wire := wireType(q.Flavor, f)
		sqlName, ok := sqlNames[wire]
		switch {
		case wire == "":
			wire, sqlName = "unsupported", "OTHER"
		case !ok:
			sqlName = "VARCHAR"
		}
		r.Rows = append(r.Rows, []any{f.Name, sqlName, wire})
	}
	return r, nil
}

func describeOpen(q fakecluster.SQLQuery, t token) (fakecluster.SQLResult, error) {
	r := fakecluster.SQLResult{Columns: keywordColumns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE",
		"TYPE_NAME", "COLUMN_SIZE", "BUFFER_LENGTH", "DECIMAL_DIGITS", "NUM_PREC_RADIX", "NULLABLE", "REMARKS", "COLUMN_DEF",
		"SQL_DATA_TYPE", "SQL_DATETIME_SUB", "CHAR_OCTET_LENGTH", "ORDINAL_POSITION", "IS_NULLABLE", "SCOPE_CATALOG",
		"SCOPE_SCHEMA", "SCOPE_TABLE", "SOURCE_DATA_TYPE", "IS_AUTOINCREMENT", "IS_GENERATEDCOLUMN"), Rows: [][]any{}, Unpaged: true}
	table, ok := q.Tables(strings.ReplaceAll(t.value, "%", "*"))
	if !ok {
		return r, unknownIndex(q, t)
	}
	for i, f := range table.Fields {
		row := make([]any, len(r.Columns))
		row[0], row[2], row[3], row[5] = q.Cluster, table.Name, f.Name, wireType(q.Flavor, f)
		row[9], row[10], row[16], row[17], row[22] = int64(10), int64(2), int64(i), "", "NO"
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

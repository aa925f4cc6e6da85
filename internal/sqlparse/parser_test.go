package sqlparse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

func tree[T sqlparse.Node](t testing.TB, text string) T {
	t.Helper()
	node, ok := parse(t, sqlparse.Elasticsearch, text).Tree().(T)
	require.True(t, ok, text)
	return node
}

// show writes an expression with every grouping in parentheses.
func show(e sqlparse.Expr) string {
	switch x := e.(type) {
	case nil:
		return "-"
	case *sqlparse.Literal:
		return strings.TrimSpace(fmt.Sprintf("%s %#v", x.Type, x.Value))
	case *sqlparse.Param:
		return fmt.Sprintf("?%d", x.Index)
	case *sqlparse.Column:
		return x.String()
	case *sqlparse.Excluded:
		return "new." + x.Column
	case *sqlparse.Default:
		return "DEFAULT"
	case *sqlparse.And:
		return "(" + showAll(x.Terms, " AND ") + ")"
	case *sqlparse.Or:
		return "(" + showAll(x.Terms, " OR ") + ")"
	case *sqlparse.Not:
		return "NOT(" + show(x.X) + ")"
	case *sqlparse.Compare:
		return "(" + show(x.X) + x.Op + show(x.Y) + ")"
	case *sqlparse.Arithmetic:
		return "(" + show(x.X) + x.Op + show(x.Y) + ")"
	}
	return showPredicate(e)
}

func showPredicate(e sqlparse.Expr) string {
	switch x := e.(type) {
	case *sqlparse.In:
		return fmt.Sprintf("in%t(%s: %s)", !x.Not, show(x.X), showAll(x.List, ", "))
	case *sqlparse.Between:
		return fmt.Sprintf("between%t(%s: %s, %s)", !x.Not, show(x.X), show(x.Low), show(x.High))
	case *sqlparse.Like:
		return fmt.Sprintf("like%t%t(%s: %s, %s)", !x.Not, x.Fold, show(x.X), show(x.Pattern), show(x.Escape))
	case *sqlparse.IsNull:
		return fmt.Sprintf("null%t(%s)", !x.Not, show(x.X))
	case *sqlparse.Negate:
		return "-(" + show(x.X) + ")"
	case *sqlparse.Cast:
		return "cast(" + show(x.X) + " " + x.Type.Name + ")"
	case *sqlparse.Call:
		return fmt.Sprintf("%s(%t%t %s)", x.Function, x.Star, x.Distinct, showAll(x.Args, ", "))
	}
	return fmt.Sprintf("%T", e)
}

func showAll(list []sqlparse.Expr, between string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = show(e)
	}
	return strings.Join(texts, between)
}

func TestExpressionsGroupByPrecedence(t *testing.T) {
	for text, want := range map[string]string{
		`a = 1 OR b <> 2 AND NOT c != 'x'`:                                    `((a=1) OR ((b<>2) AND NOT((c<>"x"))))`,
		`a OR b OR (c OR d) AND e`:                                            `(a OR b OR ((c OR d) AND e))`,
		`a + 1 * -b - 2 >= c % 3 || d`:                                        `(((a+(1*-(b)))-2)>=((c%3)||d))`,
		`a IN (1, ?, 'x') AND b NOT IN (NULL)`:                                `(intrue(a: 1, ?0, "x") AND infalse(b: <nil>))`,
		`a BETWEEN 1 AND 2 AND b NOT BETWEEN ? AND ?`:                         `(betweentrue(a: 1, 2) AND betweenfalse(b: ?0, ?1))`,
		`a LIKE 'x%' OR b NOT ILIKE ? ESCAPE '|'`:                             `(liketruefalse(a: "x%", -) OR likefalsetrue(b: ?0, "|"))`,
		`a IS NULL AND "u"."b" IS NOT NULL`:                                   `(nulltrue(a) AND nullfalse(u.b))`,
		"`o`.`p`.q = TRUE AND (FALSE)":                                        `((o.p.q=true) AND false)`,
		`COALESCE("users"."age", 0) + $1 > COUNT(*)`:                          `((COALESCE(falsefalse users.age, 0)+?0)>COUNT(truefalse ))`,
		`a::VARCHAR = CAST(b AS DOUBLE PRECISION)`:                            `(cast(a VARCHAR)=cast(b DOUBLE PRECISION))`,
		`d > DATE '2026-01-02' AND date = TIMESTAMP`:                          `((d>DATE "2026-01-02") AND (date=TIMESTAMP))`,
		`a < CURRENT_TIMESTAMP AND NOW() > a`:                                 `((a<CURRENT_TIMESTAMP(falsefalse )) AND (NOW(falsefalse )>a))`,
		`a = -9223372036854775808 AND b = 18446744073709551615 AND c = 1.5e3`: `((a=-9223372036854775808) AND (b=0xffffffffffffffff) AND (c=1500))`,
		`a = N'it''s\' AND b = - 5 AND c = -(5)`:                              `((a="it's\\") AND (b=-5) AND (c=-(5)))`,
		`:x = a AND :y = b AND :x = c`:                                        `((?0=a) AND (?1=b) AND (?2=c))`,
		`NOT NOT a`:                                                           `NOT(NOT(a))`,
		`interval = 1`:                                                        `(interval=1)`,
	} {
		assert.Equal(t, want, show(tree[*sqlparse.DeleteStatement](t, "DELETE FROM t WHERE "+text).Where), text)
	}
}

func TestInsertHoldsRowsConflictAndReturning(t *testing.T) {
	n := tree[*sqlparse.InsertStatement](t, `INSERT INTO "users" AS u ("id", name) VALUES (?, DEFAULT), (1, 'x' || ?)
		ON CONFLICT ("id") DO UPDATE SET "name" = "excluded"."name", n = COALESCE(VALUES(n), 0) + u.n RETURNING "id" AS k, *`)
	assert.Equal(t, "users", n.Table.String())
	assert.Equal(t, "u", n.Table.Alias)
	assert.Equal(t, "id", n.Columns[0].Last())
	require.Len(t, n.Rows, 2)
	assert.Equal(t, "?0, DEFAULT", showAll(n.Rows[0], ", "))
	assert.Equal(t, `1, ("x"||?1)`, showAll(n.Rows[1], ", "))
	assert.Equal(t, "id", n.Conflict.Target[0].Last())
	assert.Equal(t, "new.name", show(n.Conflict.Set[0].Value))
	assert.Equal(t, "(COALESCE(falsefalse new.n, 0)+u.n)", show(n.Conflict.Set[1].Value))
	assert.Equal(t, "k", n.Returning[0].Alias)
	assert.True(t, n.Returning[1].Star)
}

func TestInsertReadsTheUnionOfDialects(t *testing.T) {
	assert.True(t, tree[*sqlparse.InsertStatement](t, "INSERT IGNORE INTO t VALUES (1)").Ignore)
	assert.Nil(t, tree[*sqlparse.InsertStatement](t, "INSERT t VALUES (1)").Columns)
	assert.True(t, tree[*sqlparse.InsertStatement](t, "INSERT INTO t DEFAULT VALUES RETURNING id").Defaults)
	assert.Len(t, tree[*sqlparse.InsertStatement](t, "INSERT INTO t (a) VALUES ROW(1), ROW(2)").Rows, 2)
	assert.True(t, tree[*sqlparse.InsertStatement](t, "INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING").Conflict.Nothing)
	set := tree[*sqlparse.InsertStatement](t, "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE `a` = VALUES(`a`), b = `t`.`b`").Conflict.Set
	assert.Equal(t, "new.a t.b", show(set[0].Value)+" "+show(set[1].Value))
	s := parse(t, sqlparse.OpenSearch, "REPLACE INTO logs-2026.11.29 (a) VALUES (1)")
	assert.Equal(t, sqlparse.Replace, s.Kind())
	assert.Equal(t, []string{"logs-2026.11.29"}, s.Tree().(*sqlparse.InsertStatement).Table.Parts)
}

func TestUpdateAndDeleteHoldTheirParts(t *testing.T) {
	u := tree[*sqlparse.UpdateStatement](t, `UPDATE "users" AS "u" SET "u"."age" = age + 1, b = DEFAULT WHERE ("u"."id" = 3) RETURNING *`)
	assert.Equal(t, "u", u.Table.Alias)
	assert.Equal(t, "age (age+1)", u.Set[0].Column.Last()+" "+show(u.Set[0].Value))
	assert.Equal(t, "DEFAULT", show(u.Set[1].Value))
	assert.Equal(t, "(u.id=3)", show(u.Where))
	assert.Len(t, u.Returning, 1)
	d := tree[*sqlparse.DeleteStatement](t, "DELETE FROM t x")
	assert.Nil(t, d.Where)
	assert.Equal(t, "x", d.Table.Alias)
}

func TestDefinitionsHoldColumnsAndConstraints(t *testing.T) {
	n := tree[*sqlparse.CreateTableStatement](t, "CREATE TABLE IF NOT EXISTS `users` (`id` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"+
		"`name` VARCHAR(255) NULL DEFAULT 'x' COMMENT 'who' UNIQUE, at TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT current_timestamp,"+
		"tags TEXT[], price DECIMAL(10, 2) CHECK (price > (1)), cid keyword REFERENCES c (id) ON DELETE SET NULL, gen BIGINT GENERATED BY DEFAULT AS IDENTITY,"+
		"key keyword, CONSTRAINT fk FOREIGN KEY (cid) REFERENCES c(id) ON UPDATE CASCADE, UNIQUE KEY u (name(10) DESC, at), INDEX i (at), CHECK (1 = 1))"+
		` WITH ("number_of_shards" = 3, refresh_interval = '1s', 'codec' = best, x.y = -1.5, z = TRUE)`)
	assert.True(t, n.IfNotExists)
	require.Len(t, n.Columns, 8)
	id, name, at := n.Columns[0], n.Columns[1], n.Columns[2]
	assert.True(t, id.NotNull && id.Auto && n.Columns[6].Auto)
	assert.Equal(t, "BIGINT UNSIGNED", id.Type.Name)
	assert.Equal(t, []int64{255}, name.Type.Args)
	assert.Equal(t, `"x" who`, show(name.Default)+" "+name.Comment)
	assert.Equal(t, "TIMESTAMP WITH TIME ZONE", at.Type.Name)
	assert.Equal(t, "CURRENT_TIMESTAMP(falsefalse )", show(at.Default))
	assert.True(t, n.Columns[3].Type.Array)
	assert.Equal(t, []int64{10, 2}, n.Columns[4].Type.Args)
	kinds := map[sqlparse.ConstraintKind]int{}
	for _, c := range n.Constraints {
		kinds[c.Kind]++
	}
	assert.Equal(t, map[sqlparse.ConstraintKind]int{sqlparse.PrimaryKey: 1, sqlparse.Unique: 2, sqlparse.Check: 2,
		sqlparse.ForeignKey: 2, sqlparse.Index: 1}, kinds)
	var options []string
	for _, o := range n.Options {
		options = append(options, fmt.Sprintf("%s=%v", o.Name, o.Value))
	}
	assert.Equal(t, []string{"number_of_shards=3", "refresh_interval=1s", "codec=best", "x.y=-1.5", "z=true"}, options)
	assert.Len(t, tree[*sqlparse.CreateTableStatement](t, "CREATE TABLE t (a INT) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4").Options, 2)
}

func TestOtherDefinitionsAreRead(t *testing.T) {
	a := tree[*sqlparse.AlterTableStatement](t, "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT NOT NULL, DROP b, ALTER COLUMN c TYPE TEXT USING (c, 1),"+
		" RENAME COLUMN d TO e, RENAME TO f, ADD CONSTRAINT u UNIQUE (a), DROP CONSTRAINT IF EXISTS v CASCADE")
	kinds := make([]sqlparse.AlterKind, len(a.Actions))
	for i, action := range a.Actions {
		kinds[i] = action.Kind
	}
	assert.Equal(t, []sqlparse.AlterKind{sqlparse.AddColumn, sqlparse.DropColumn, sqlparse.ChangeColumn, sqlparse.RenameColumn,
		sqlparse.RenameTable, sqlparse.AddConstraint, sqlparse.DropConstraint}, kinds)
	assert.True(t, a.Actions[0].IfNotExists && a.Actions[0].Column.NotNull && a.Actions[6].IfExists)
	drop := tree[*sqlparse.DropTableStatement](t, "DROP TABLE IF EXISTS a, `b-c` CASCADE")
	assert.True(t, drop.IfExists)
	assert.Equal(t, "b-c", drop.Names[1].String())
	index := tree[*sqlparse.CreateIndexStatement](t, `CREATE UNIQUE INDEX IF NOT EXISTS "i" ON "t" USING btree ("a" DESC, b)`)
	assert.True(t, index.Unique && index.IfNotExists)
	assert.Equal(t, []string{"a", "b"}, index.Columns)
	assert.Equal(t, "t", tree[*sqlparse.DropIndexStatement](t, "DROP INDEX i ON t").Table.String())
	assert.Len(t, tree[*sqlparse.TruncateStatement](t, "TRUNCATE a, b RESTART IDENTITY CASCADE").Tables, 2)
	assert.Len(t, tree[*sqlparse.RefreshStatement](t, "REFRESH TABLE a, b").Tables, 2)
}

func TestTransactionsAreRead(t *testing.T) {
	assert.Equal(t, "ISOLATION LEVEL SERIALIZABLE, READ ONLY",
		tree[*sqlparse.TxStatement](t, "START TRANSACTION isolation level serializable, READ ONLY").Modes)
	assert.Equal(t, "sp1", tree[*sqlparse.TxStatement](t, "ROLLBACK TO SAVEPOINT sp1").Savepoint)
	assert.Equal(t, "sp1", tree[*sqlparse.TxStatement](t, "RELEASE sp1").Savepoint)
	assert.Equal(t, "x = 'y'", tree[*sqlparse.SetStatement](t, "SET x = 'y';").Text)
	tree[*sqlparse.TxStatement](t, "COMMIT WORK")
}

func TestWhatIsKnownAndNotSupportedIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT INTO t SELECT * FROM u":                                       "column 15: INSERT … SELECT",
		"INSERT INTO t (a) (SELECT 1)":                                        "column 19: INSERT … SELECT",
		"INSERT INTO t SET a = 1":                                             "INSERT … SET",
		"INSERT INTO t (a) VALUES (SELECT b FROM u)":                          "column 27: a sub-query",
		"UPDATE t SET a = 1 FROM u":                                           "UPDATE … FROM",
		"UPDATE t, u SET a = 1":                                               "UPDATE of several tables",
		"UPDATE t LEFT JOIN u ON t.a = u.a SET a = 1":                         "UPDATE of several tables",
		"UPDATE t SET (a, b) = (1, 2)":                                        "SET (…) = (…)",
		"DELETE FROM t USING u":                                               "DELETE of several tables",
		"DELETE FROM t ORDER BY a LIMIT 1":                                    "DELETE … ORDER",
		"DELETE FROM t WHERE a IN (SELECT 1)":                                 "IN (SELECT …)",
		"DELETE FROM t WHERE a > (SELECT 1)":                                  "a sub-query",
		"DELETE FROM t WHERE EXISTS (SELECT 1)":                               "EXISTS",
		"DELETE FROM t WHERE (a, b) IN ((1, 2))":                              "a row value",
		"DELETE FROM t WHERE CASE WHEN a THEN b END = 1":                      "CASE",
		"DELETE FROM t WHERE a > b - INTERVAL '1' DAY":                        "INTERVAL",
		"DELETE FROM t WHERE a IS TRUE":                                       "IS TRUE",
		"DELETE FROM t RETURNING a + 1":                                       "an expression in RETURNING",
		"INSERT INTO t (a) VALUES (1) ON CONFLICT ON CONSTRAINT c DO NOTHING": "ON CONFLICT with a constraint",
		"CREATE TABLE t AS SELECT 1":                                          "CREATE TABLE AS",
		"CREATE INDEX i ON t (a) WHERE a > 1":                                 "a partial index",
		"CREATE TABLE t (a INT GENERATED ALWAYS AS (b + 1))":                  "a computed column",
		"WITH x AS (SELECT 1) DELETE FROM t":                                  "WITH … DELETE",
	} {
		_, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
		var unsupported *sqlparse.UnsupportedError
		require.ErrorAs(t, err, &unsupported, text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestMistakesInWritesTellTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT INTO t (a, b) VALUES (1, 2), (3)":     "line 1, column 39: 1 values for 2 columns, at )",
		"INSERT INTO t (a)\nVALUES (1":                "line 2, column 10: expected ), at the end of the statement",
		"UPDATE t SET a = WHERE b = 1":                "column 18: expected a name, at WHERE",
		"UPDATE t SET a 1":                            "column 16: expected =, at 1",
		"DELETE FROM t WHERE a = b = c":               "column 27: not expected here, at =",
		"DELETE FROM t WHERE a NOT 5":                 "column 27: expected IN, BETWEEN or LIKE after NOT, at 5",
		"DELETE FROM t WHERE":                         "column 20: expected a value, at the end of the statement",
		"DELETE t":                                    "column 8: expected FROM, at t",
		"INSERT INTO t VALUES (18446744073709551616)": "a number beyond 64 bits, at 18446744073709551616",
		"INSERT INTO t VALUES (1e999)":                "a number beyond 64 bits",
		"DROP TABLE":                                  "column 11: expected a name, at the end",
		`UPDATE t SET "" = 1`:                         "an empty name",
		"CREATE TABLE t (a VARCHAR(x))":               "expected a length, at x",
		"DELETE FROM t WHERE a = (1":                  "expected )",
		"DELETE FROM t WHERE f(":                      "expected a value",
		"SET":                                         "expected more",
	} {
		_, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestAmbiguousStringsInWritesAreRefusedOnOpenSearch(t *testing.T) {
	for _, text := range []string{`INSERT INTO t VALUES ('C:\', 'x')`, `DELETE FROM t WHERE a = '\'' OR 1=1 -- '`, `DELETE FROM t WHERE a = 'it\'s'`} {
		_, err := sqlparse.Parse(sqlparse.OpenSearch, text)
		assert.Error(t, err, text)
	}
	value := func(flavor sqlparse.Flavor, literal string) any {
		s := parse(t, flavor, "INSERT INTO t VALUES ("+literal+")")
		return s.Tree().(*sqlparse.InsertStatement).Rows[0][0].(*sqlparse.Literal).Value
	}
	assert.Equal(t, `a\\b\n`, value(sqlparse.OpenSearch, `'a\\b\n'`), "a backslash is itself")
	assert.Equal(t, `C:\`, value(sqlparse.OpenSearch, `N'C:\'`))
	assert.Equal(t, `C:\`, value(sqlparse.Elasticsearch, `'C:\'`))
}

func TestDepthIsBoundedAndLengthIsNot(t *testing.T) {
	for _, text := range []string{strings.Repeat("(", 2e4) + "1", strings.Repeat("NOT ", 2e4) + "1", strings.Repeat("- ", 2e4) + "a",
		strings.Repeat("f(", 2e4), "1" + strings.Repeat("+1", 2e4), "1" + strings.Repeat("::INT", 2e4)} {
		_, err := sqlparse.Parse(sqlparse.Elasticsearch, "DELETE FROM t WHERE a = 1 AND "+text)
		assert.Error(t, err, text[:4])
	}
	long := "DELETE FROM t WHERE a = 1" + strings.Repeat(" OR a = 1 AND b = 2", 2e4)
	assert.Len(t, tree[*sqlparse.DeleteStatement](t, long).Where.(*sqlparse.Or).Terms, 2e4+1)
	rows := "INSERT INTO t (a, b) VALUES (?, ?)" + strings.Repeat(", (?, ?)", 30_000)
	n := tree[*sqlparse.InsertStatement](t, rows)
	assert.Equal(t, 60_001, n.Rows[30_000][1].(*sqlparse.Param).Index)
}

func TestPlainSelectsOfColumnsAreParsed(t *testing.T) {
	n := parse(t, sqlparse.OpenSearch, `SELECT "u"."id" AS k, name FROM "users" AS "u" WHERE ("u"."id" = ?) AND b IS NULL ORDER BY id LIMIT 2`).Select()
	require.NotNil(t, n)
	assert.Equal(t, "users u", n.Table.String()+" "+n.Table.Alias)
	assert.Equal(t, []string{"k", "name"}, []string{n.Outputs[0].Alias, n.Outputs[1].Alias})
	assert.Equal(t, "((u.id=?0) AND nulltrue(b))", show(n.Where))
	assert.True(t, parse(t, sqlparse.Elasticsearch, "SELECT * FROM x").Select().Outputs[0].Star)
	for _, text := range []string{"SELECT LENGTH(a) FROM x", "SELECT COUNT(*) FROM x", "SELECT a FROM x WHERE b = CASE WHEN c THEN d END", "SELECT 1",
		"SELECT a FROM x GROUP BY a", `SELECT a FROM x WHERE b = 'c\\d'`, "SELECT a FROM x WHERE @b = 1", "SELECT a FROM x FOR UPDATE"} {
		assert.Nil(t, parse(t, sqlparse.OpenSearch, text).Select(), text)
	}
}

func TestNodesKnowTheirPlace(t *testing.T) {
	s := parse(t, sqlparse.Elasticsearch, "DELETE FROM t\nWHERE a = 1 AND\n  b LIKE 'x'")
	terms := s.Tree().(*sqlparse.DeleteStatement).Where.(*sqlparse.And).Terms
	line, column := s.Position(terms[1])
	assert.Equal(t, []int{3, 3}, []int{line, column})
}

// FuzzParser: nothing panics, and what parses says where each node is.
func FuzzParser(f *testing.F) {
	for _, seed := range []string{"INSERT INTO t (a) VALUES (1), (DEFAULT) ON CONFLICT DO UPDATE SET a = excluded.a RETURNING *",
		"UPDATE t SET a = -b::INT WHERE c IN (1, ?) AND d LIKE 'x' ESCAPE '|'", "CREATE TABLE t (a INT(5) NOT NULL DEFAULT f(1), KEY k (a)) WITH (x = 1)",
		"ALTER TABLE t ADD a INT, RENAME TO b", "SET x", "BEGIN", "DROP TABLE IF EXISTS a, b", "CREATE INDEX ON t (a)", "TRUNCATE t", "SAVEPOINT x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, flavor := range []sqlparse.Flavor{sqlparse.Elasticsearch, sqlparse.OpenSearch} {
			s, err := sqlparse.Parse(flavor, text)
			if err == nil && s.Tree() != nil {
				require.Less(t, s.Tree().Pos(), len(text))
			}
		}
	})
}

package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
)

// of is the word of the server's product.
func (s *suite) of(elastic, open string) string {
	if s.elastic() {
		return elastic
	}
	return open
}

func types(s *suite) {
	t := s.create("types", `(id INT PRIMARY KEY, l BIGINT, d DOUBLE, f FLOAT, ok BOOLEAN, k VARCHAR, x TEXT, at TIMESTAMP, fine TIMESTAMP(9), ip INET, raw BYTEA)`)
	at, fine := time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC), time.Date(2026, 2, 3, 4, 5, 6, 123456789, time.UTC)
	s.exec(`INSERT INTO `+t+` VALUES (1, ?, 2.5, ?, ?, 'key', 'some text', ?, ?, '10.1.2.3', ?)`,
		int64(9007199254740993), 0.1, true, at, fine, []byte{0, 1, 254, 255})
	rows, err := s.db.QueryContext(s.Context(), `SELECT id, l, d, f, ok, k, x, at, fine, ip, raw FROM `+t+` ORDER BY id`)
	require.NoError(s.T, err)
	defer rows.Close()
	require.True(s.T, rows.Next(), "%v", rows.Err())
	var (
		id, l       int64
		d, f        float64
		ok          bool
		k, x, ip    string
		when, exact time.Time
		raw         []byte
	)
	require.NoError(s.T, rows.Scan(&id, &l, &d, &f, &ok, &k, &x, &when, &exact, &ip, &raw))
	s.Equal([]any{int64(1), int64(9007199254740993), 2.5, 0.1, true, "key", "some text", "10.1.2.3", []byte{0, 1, 254, 255}},
		[]any{id, l, d, f, ok, k, x, ip, raw})
	s.True(at.Equal(when), "%s", when)
	s.True(fine.Equal(exact), "%s", exact)
	s.Equal(strings.Fields("INTEGER LONG DOUBLE FLOAT BOOLEAN KEYWORD TEXT "+strings.Repeat(s.of("DATETIME ", "TIMESTAMP "), 2)+"IP BINARY"), typeNames(s, rows))
	s.False(rows.Next())
}

func typeNames(s *suite, rows *sql.Rows) []string {
	columns, err := rows.ColumnTypes()
	require.NoError(s.T, err)
	var names []string
	for _, c := range columns {
		names = append(names, c.DatabaseTypeName())
		s.NotNil(c.ScanType(), c.Name())
	}
	return names
}

func nulls(s *suite) {
	t := s.create("nulls", `(id INT PRIMARY KEY, n INT, k VARCHAR, ok BOOLEAN, at TIMESTAMP, d DOUBLE)`)
	s.exec(`INSERT INTO ` + t + ` VALUES (1, NULL, NULL, NULL, NULL, NULL), (2, 0, '', FALSE, '1970-01-01', 0)`)
	s.exec(`INSERT INTO ` + t + ` (id) VALUES (3)`)
	got := s.rows(s.Context(), s.db, `SELECT id, n, k, ok, at, d FROM `+t+` ORDER BY id`)
	require.Len(s.T, got, 3)
	s.Equal([]any{int64(1), nil, nil, nil, nil, nil}, got[0])
	s.Equal([]any{int64(2), int64(0), "", false, 0.0}, slices.Delete(got[1], 4, 5), "what is zero is not NULL")
	s.Equal([]any{int64(3), nil, nil, nil, nil, nil}, got[2], "what was left out is NULL")
	s.Equal([]any{int64(1), int64(3)}, s.column(`SELECT id FROM `+t+` WHERE n IS NULL ORDER BY id`))
	s.Equal([]any{int64(2)}, s.column(`SELECT id FROM `+t+` WHERE n IS NOT NULL ORDER BY id`))
	var n sql.Null[int64]
	require.NoError(s.T, s.db.QueryRowContext(s.Context(), `SELECT n, id FROM `+t+` ORDER BY id`).Scan(&n, new(int)))
	s.False(n.Valid)
}

// numbered makes a table of n rows; g groups them, three a group.
func (s *suite) numbered(name string, n int) string {
	s.Helper()
	t := s.create(name, `(id INT PRIMARY KEY, g INT, name VARCHAR, at TIMESTAMP) WITH (number_of_shards = 3)`)
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf(`(%d, %d, 'row %d', '2026-01-01T00:00:%02dZ')`, i, i/3, i, i))
	}
	s.exec(`INSERT INTO ` + t + ` VALUES ` + strings.Join(rows, ", "))
	return t
}

func placeholders(s *suite) {
	t := s.numbered("placeholders", 10)
	at := time.Date(2026, 1, 1, 0, 0, 7, 0, time.UTC)
	for _, c := range []struct {
		where string
		args  []any
		want  []any
	}{
		{`id = ?`, []any{4}, []any{4}},
		{`id = $2 AND name = $1`, []any{"row 5", 5}, []any{5}},
		{`id >= :low AND id <= :high`, []any{sql.Named("low", 2), sql.Named("high", 3)}, []any{2, 3}},
		{`id IN (?, ?, ?)`, []any{1, 9, 99}, []any{1, 9}},
		{`id BETWEEN ? AND ?`, []any{6, 7}, []any{6, 7}},
		{`name LIKE ?`, []any{"row 1%"}, []any{1}},
		{`at > ?`, []any{at}, []any{8, 9}},
		{`name = '?' OR id = ? /* and what is this? */`, []any{0}, []any{0}},
		{`id = ? AND name = ?`, []any{1, "row 2"}, nil},
	} {
		var got []any
		for _, id := range s.column(`SELECT id FROM `+t+` WHERE `+c.where+` ORDER BY id`, c.args...) {
			got = append(got, int(id.(int64)))
		}
		s.Equal(c.want, got, c.where)
	}
	_, err := query(s.Context(), s.db, `SELECT id FROM `+t+` WHERE g = ? ORDER BY id`)
	s.Error(err, "an argument is missing")
	_, err = query(s.Context(), s.db, `SELECT id FROM `+t+` WHERE g = ? ORDER BY id`, 1, 2)
	s.Error(err, "an argument is too many")
}

func constants(s *suite) {
	for _, v := range []any{int64(1), int64(-1), 1.5, true, false, "a"} {
		s.Equal([]any{v}, s.column(`SELECT ? AS v`, v), "%T", v)
	}
}

// awkward are texts that a literal must be written with care for. OpenSearch before 3 has no literal for some.
var awkward = []struct {
	text      string
	unwritten bool
}{
	{text: ""}, {text: "it's"}, {text: "''"}, {text: `"`}, {text: `say "no"`}, {text: "`a`"}, {text: "line\nline\ttab"}, {text: "100%_?"},
	{text: ":name $1 @x"}, {text: "-- no comment /* nor this */"}, {text: "; DROP TABLE t"}, {text: "é 你好 🎉"}, {text: `' OR 1=1 -- `},
	{text: `C:\\dir`}, {text: `a\b`}, {text: `\' OR 1=1 -- `}, {text: `\" OR 1=1 -- `}, {text: `\\`}, {text: `"\'`}, {text: `\'\"`},
	{`\`, true}, {`'\`, true},
}

// texts are read as they were sent, or refused before anything is sent.
func texts(s *suite) {
	t := s.create("texts", `(id INT PRIMARY KEY, k VARCHAR)`)
	for i, a := range awkward {
		s.exec(`INSERT INTO `+t+` VALUES (?, ?)`, i, a.text)
	}
	for i, a := range awkward {
		byText := `SELECT k, id FROM ` + t + ` WHERE k = ? ORDER BY id`
		if a.unwritten && !s.elastic() && !s.atLeast(3, 0) {
			_, err := query(s.Context(), s.db, byText, a.text)
			s.ErrorContains(err, "cannot be written exactly", "%q", a.text)
			continue
		}
		s.Equal([][]any{{a.text, int64(i)}}, s.rows(s.Context(), s.db, byText, a.text), "%q", a.text)
		s.Equal([]any{a.text}, s.column(`SELECT ? AS v`, a.text), "%q", a.text)
	}
}

func pages(s *suite) {
	const n = 23
	t := s.numbered("pages", n)
	for size := 1; size <= n+1; size++ {
		ctx := esdriver.WithFetchSize(s.Context(), size)
		got := s.rows(ctx, s.db, `SELECT id, name FROM `+t+` ORDER BY id`)
		require.Len(s.T, got, n, "fetch size %d", size)
		for i, row := range got {
			require.Equal(s.T, []any{int64(i), fmt.Sprint("row ", i)}, row, "fetch size %d", size)
		}
		require.Len(s.T, distinct(s.rows(ctx, s.db, `SELECT id, name FROM `+t)), n, "without an order, fetch size %d", size)
	}
}

// distinct are the different first columns of rows.
func distinct(rows [][]any) map[any]bool {
	all := map[any]bool{}
	for _, row := range rows {
		all[row[0]] = true
	}
	return all
}

func ties(s *suite) {
	const n = 20
	t := s.numbered("ties", n)
	for _, size := range []int{1, 2, 3, 4, 7, n} {
		got := s.rows(esdriver.WithFetchSize(s.Context(), size), s.db, `SELECT id, g FROM `+t+` ORDER BY g DESC`)
		s.Len(got, n, "fetch size %d", size)
		s.Len(distinct(got), n, "each row comes once, fetch size %d", size)
		s.True(slices.IsSortedFunc(got, func(a, b []any) int { return int(b[1].(int64) - a[1].(int64)) }), "fetch size %d", size)
	}
}

func windows(s *suite) {
	const n = 20
	t := s.numbered("windows", n)
	for _, w := range []struct{ limit, offset int }{{5, 0}, {5, 3}, {1, 19}, {100, 0}, {100, 15}, {5, 20}, {5, 100}, {20, 0}} {
		for _, size := range []int{2, 5, 100} {
			got := s.rows(esdriver.WithFetchSize(s.Context(), size), s.db, `SELECT id FROM `+t+` ORDER BY id LIMIT ? OFFSET ?`, w.limit, w.offset)
			var want [][]any
			for id := w.offset; id < min(n, w.offset+w.limit); id++ {
				want = append(want, []any{int64(id)})
			}
			s.Equal(want, got, "%v, fetch size %d", w, size)
		}
	}
	s.Len(s.column(`SELECT id FROM `+t+` ORDER BY id LIMIT 7`), 7)
}

func groups(s *suite) {
	t := s.numbered("groups", 20) // six groups of three rows, and one of two
	for _, size := range []int{1, 3, 100} {
		got := s.rows(esdriver.WithFetchSize(s.Context(), size), s.db, `SELECT g, COUNT(*) AS c, SUM(id) AS total FROM `+t+` GROUP BY g ORDER BY g`)
		require.Len(s.T, got, 7, "fetch size %d", size)
		for g, row := range got {
			count, total := 3, 9*g+3
			if g == 6 {
				count, total = 2, 37
			}
			s.Equal(fmt.Sprint(g, count, total), fmt.Sprint(row...), "fetch size %d", size)
		}
	}
	s.Equal("[6]", fmt.Sprint(s.column(`SELECT g FROM `+t+` GROUP BY g HAVING COUNT(*) < ?`, 3)))
	s.Equal("[20]", fmt.Sprint(s.column(`SELECT COUNT(*) FROM `+t)))
	s.Equal("[17 2]", fmt.Sprint(s.rows(s.Context(), s.db, `SELECT MAX(id) AS most, MIN(id) AS least FROM `+t+` WHERE id > ? AND id < ?`, 1, 18)[0]))
}

func arrays(s *suite) {
	t := s.create("arrays", `(id INT PRIMARY KEY, tags VARCHAR[])`)
	status, body := request(s.T, s.cluster, http.MethodPut, "/"+strings.Trim(t, `"`)+"/_doc/1?refresh=true", `{"id":1,"tags":["a","b"]}`)
	require.Equal(s.T, http.StatusCreated, status, "%s", body)
	if !s.elastic() && !s.atLeast(2, 19) {
		return // it gives one value, and no sign of the others
	}
	for _, where := range []string{"ORDER BY id", "WHERE id = 1"} { // the server's SQL, and the document itself
		text := `SELECT tags FROM ` + t + ` ` + where
		_, err := query(s.Context(), s.open("arrays=error"), text)
		s.ErrorIs(err, esdriver.ErrArray, where)
		s.Equal([][]any{{"a"}}, s.rows(s.Context(), s.open("arrays=first"), text), where)
		got, err := query(s.Context(), s.open("arrays=json"), text)
		if s.elastic() { // its SQL never gives more than one value
			s.ErrorIs(err, esdriver.ErrArray, where)
			continue
		}
		s.NoError(err, where)
		s.Equal(`[[["a","b"]]]`, fmt.Sprintf("%s", got), where)
	}
}

func unknownNames(s *suite) {
	t := s.numbered("unknown", 1)
	for _, c := range []struct {
		text, state string
		err         error
	}{
		{`SELECT id FROM "` + s.prefix + `nobody" ORDER BY id`, "42S02", esdriver.ErrNoTable},
		{`SELECT nothing FROM ` + t + ` ORDER BY id`, "42S22", esdriver.ErrNoColumn},
		{`SELECT id FROM ` + t + ` WHERE nothing = 1 ORDER BY id`, "42S22", esdriver.ErrNoColumn},
		{`SELECT id FROM ` + t + ` WHERE ORDER BY`, "42000", esdriver.ErrSyntax},
	} {
		_, err := query(esdriver.WithRequestID(s.Context(), "suite"), s.db, c.text)
		var failed *esdriver.Error
		if s.ErrorAs(err, &failed, c.text) {
			s.ErrorIs(err, c.err, c.text)
			s.Equal(c.state, failed.SQLState, "%s: %v", c.text, err)
			s.NotEmpty(failed.Node)
			s.Equal("suite", failed.RequestID)
		}
	}
}

func cancelledRows(s *suite) {
	t := s.numbered("cancelled", 20)
	ctx, cancel := context.WithCancel(esdriver.WithFetchSize(s.Context(), 2))
	defer cancel()
	rows, err := s.db.QueryContext(ctx, `SELECT id, name FROM `+t+` ORDER BY id`)
	require.NoError(s.T, err)
	for range 5 {
		require.True(s.T, rows.Next(), "%v", rows.Err())
	}
	cancel()
	for rows.Next() { // what was decoded may still come
	}
	require.ErrorIs(s.T, rows.Err(), context.Canceled)
	require.NoError(s.T, rows.Close())
	s.noCursors(t)
	s.Len(s.column(`SELECT id FROM `+t+` ORDER BY id`), 20, "the database works on")
}

func closedCursors(s *suite) {
	t := s.numbered("cursors", 20)
	for taken := range 20 {
		rows, err := s.db.QueryContext(esdriver.WithFetchSize(s.Context(), 3), `SELECT id, name FROM `+t+` ORDER BY id`)
		require.NoError(s.T, err)
		for range taken {
			require.True(s.T, rows.Next(), "%v", rows.Err())
		}
		require.NoError(s.T, rows.Close())
		s.noCursors(t)
	}
}

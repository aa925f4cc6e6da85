package sqlite_test

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
)

// changes are what SELECT sees after each statement that writes, by primary key and by query.
func changes(s *suite) {
	t := s.create("changes", `(id INT PRIMARY KEY, name VARCHAR, n INT)`)
	seen := func() string {
		return fmt.Sprint(s.rows(s.Context(), s.db, `SELECT id, name, n FROM `+t+` ORDER BY id`))
	}
	s.EqualValues(3, s.exec(`INSERT INTO `+t+` VALUES (1, 'a', 10), (2, 'b', 20), (?, ?, ?)`, 3, "it's", nil))
	s.Equal("[[1 a 10] [2 b 20] [3 it's <nil>]]", seen())
	s.EqualValues(1, s.exec(`UPDATE `+t+` SET n = n + 1, name = ? WHERE id = ?`, `\`, 1))
	s.Equal(`[[1 \ 11] [2 b 20] [3 it's <nil>]]`, seen())
	s.EqualValues(2, s.exec(`UPDATE `+t+` SET n = n * 2 WHERE n >= ?`, 11))
	s.Equal(`[[1 \ 22] [2 b 40] [3 it's <nil>]]`, seen())
	s.EqualValues(1, s.exec(`DELETE FROM `+t+` WHERE id = 1`))
	s.EqualValues(1, s.exec(`DELETE FROM `+t+` WHERE name = ?`, "it's"))
	s.Equal("[[2 b 40]]", seen())
	_, err := s.db.ExecContext(s.Context(), `INSERT INTO `+t+` VALUES (2, 'again', 1)`)
	s.ErrorIs(err, esdriver.ErrDuplicateKey)
	s.EqualValues(1, s.exec(`INSERT INTO `+t+` VALUES (2, 'c', 1) ON CONFLICT (id) DO UPDATE SET name = excluded.name`))
	s.Equal("[[2 c 40]]", seen())
}

// visibility is that of writes which wait to be seen, and of those that do not until the table is refreshed.
func visibility(s *suite) {
	t := s.create("visibility", `(id INT PRIMARY KEY, n INT) WITH (refresh_interval = '100ms')`)
	_, err := s.open("refresh=wait_for").ExecContext(s.Context(), `INSERT INTO `+t+` VALUES (1, 1)`)
	require.NoError(s.T, err)
	s.Equal("[1]", fmt.Sprint(s.column(`SELECT n FROM `+t+` ORDER BY id`)))
	_, err = s.open("refresh=false").ExecContext(s.Context(), `UPDATE `+t+` SET n = 2 WHERE id = 1`)
	require.NoError(s.T, err)
	s.exec(`REFRESH TABLE ` + t)
	s.Equal("[2]", fmt.Sprint(s.column(`SELECT n FROM `+t+` ORDER BY id`)))
}

// realtime reads rows by primary key which no search sees.
func realtime(s *suite) {
	t := s.create("realtime", `(id INT PRIMARY KEY, name VARCHAR, at TIMESTAMP, gone BOOLEAN) WITH (refresh_interval = '-1')`)
	db, searching := s.open("refresh=false"), s.open("realtime_get=false")
	_, err := db.ExecContext(s.Context(), `INSERT INTO `+t+` VALUES (1, 'a', '2026-01-01', NULL)`)
	require.NoError(s.T, err)
	byKey := `SELECT name, at FROM ` + t + ` WHERE id = ? AND gone IS NULL`
	early := s.rows(s.Context(), db, byKey, 1)
	require.Len(s.T, early, 1)
	s.Empty(s.rows(s.Context(), searching, byKey, 1), "a search does not see it yet")
	s.exec(`REFRESH TABLE ` + t)
	s.Equal(fmt.Sprint(s.rows(s.Context(), searching, byKey, 1)), fmt.Sprint(early), "a search gives the same values")
	_, err = db.ExecContext(s.Context(), `DELETE FROM `+t+` WHERE id = 1`)
	require.NoError(s.T, err)
	s.Empty(s.rows(s.Context(), db, byKey, 1))
}

// catalog is read by the names of its columns, whose places differ between versions.
func catalog(s *suite) {
	t := s.create("catalog", `(id INT PRIMARY KEY, name VARCHAR, at TIMESTAMP)`)
	s.Equal([]any{s.tables[0]}, s.named(s.of("name", "TABLE_NAME"), `SHOW TABLES LIKE '`+s.prefix+`cat%'`))
	describe := s.of(`DESCRIBE `+t, `DESCRIBE TABLES LIKE '`+s.tables[0]+`'`)
	s.ElementsMatch([]any{"at", "id", "name"}, s.named(s.of("column", "COLUMN_NAME"), describe))
	s.ElementsMatch([]any{s.of("datetime", "timestamp"), "integer", "keyword"}, s.named(s.of("mapping", "TYPE_NAME"), describe))
}

// named is the column of a name.
func (s *suite) named(name, text string) []any {
	s.Helper()
	rows, err := s.db.QueryContext(s.Context(), text)
	require.NoError(s.T, err, text)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(s.T, err)
	require.Contains(s.T, columns, name)
	var all []any
	for rows.Next() {
		dests := make([]any, len(columns))
		var value any
		for i, column := range columns {
			dests[i] = new(any)
			if column == name {
				dests[i] = &value
			}
		}
		require.NoError(s.T, rows.Scan(dests...))
		all = append(all, value)
	}
	require.NoError(s.T, rows.Err())
	return all
}

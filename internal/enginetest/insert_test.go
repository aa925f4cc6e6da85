package enginetest_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
)

func conflictClauses(w *writing) {
	t := w.table("conflicts")
	w.exec(`CREATE TABLE ` + t + ` (id BIGINT PRIMARY KEY, name VARCHAR, n INT, raw BYTEA, "home.city" VARCHAR)`)
	w.EqualValues(1, w.exec(`INSERT INTO `+t+` VALUES (1, 'old', 40, ?, 'Rome')`, []byte{0, 255}))
	w.EqualValues(1, w.exec(`INSERT INTO `+t+` (id, name) VALUES (1, 'x'), (2, 'two') ON CONFLICT DO NOTHING`))
	w.EqualValues(0, w.exec(`INSERT IGNORE INTO `+t+` (id, name) VALUES (1, 'x')`))
	w.EqualValues(2, w.exec(`INSERT INTO `+t+` (id, n) VALUES (1, 1), (3, 3) ON CONFLICT (id) DO UPDATE SET n = excluded.n`))
	w.EqualValues(2, w.exec(`INSERT INTO `+t+` (id, n) VALUES (1, 10), (4, 4) ON CONFLICT (id) DO UPDATE SET n = n + excluded.n`))
	w.EqualValues(1, w.exec(`UPDATE `+t+` SET home.city = 'Oslo' WHERE id = 1 AND name = 'old'`))
	w.EqualValues(1, w.exec(`REPLACE INTO `+t+` (id, name) VALUES (2, 'replaced')`))
	w.Equal(map[string]map[string]any{
		"1": {"id": 1.0, "name": "old", "n": 11.0, "raw": "AP8=", "home": map[string]any{"city": "Oslo"}},
		"2": {"id": 2.0, "name": "replaced"}, "3": {"id": 3.0, "n": 3.0}, "4": {"id": 4.0, "n": 4.0},
	}, w.sources(t))
	_, err := w.db.Exec(`INSERT INTO ` + t + ` (id, name) VALUES (5, 'five'), (1, 'x')`)
	var some *esdriver.PartialWriteError
	require.ErrorAs(w.T, err, &some)
	w.EqualValues(1, some.Inserted)
	w.ErrorIs(err, esdriver.ErrDuplicateKey)
}

func returningRows(w *writing) {
	t := w.table("returning")
	w.exec(`CREATE TABLE ` + t + ` (id BIGSERIAL PRIMARY KEY, name VARCHAR, n INT DEFAULT 7)`)
	var id, n int64
	require.NoError(w.T, w.db.QueryRow(`INSERT INTO `+t+` (name) VALUES ('a') RETURNING id, n`).Scan(&id, &n))
	w.EqualValues(7, n)
	w.Contains(w.sources(t), fmt.Sprint(id))
	require.NoError(w.T, w.db.QueryRow(`UPDATE `+t+` SET n = n * 2 WHERE id = ? RETURNING n`, id).Scan(&n))
	w.EqualValues(14, n)
	require.NoError(w.T, w.db.QueryRow(`SELECT n FROM `+t+` WHERE id = ?`, id).Scan(&n))
	w.EqualValues(14, n)
	require.NoError(w.T, w.db.QueryRow(`DELETE FROM `+t+` WHERE id = ? RETURNING n`, id).Scan(&n))
	w.EqualValues(14, n)
	w.Empty(w.sources(t))
}

// optimistic lets two writers try for the same row, of whom one wins each time, and several count together.
func optimistic(w *writing) {
	t := w.table("optimistic")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, version INT, n INT)`)
	w.exec(`INSERT INTO ` + t + ` VALUES (1, 0, 0)`)
	for version := range 50 {
		var wins atomic.Int64
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				result, err := w.db.Exec(`UPDATE `+t+` SET version = version + 1 WHERE id = 1 AND version = ?`, version)
				if w.NoError(err) {
					n, _ := result.RowsAffected()
					wins.Add(n)
				}
			})
		}
		both.Wait()
		require.EqualValues(w.T, 1, wins.Load())
	}
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			for range 10 {
				_, err := w.db.Exec(`UPDATE ` + t + ` SET n = n + 1 WHERE id = 1`)
				w.NoError(err)
			}
		})
	}
	all.Wait()
	w.Equal(map[string]map[string]any{"1": {"id": 1.0, "version": 50.0, "n": 50.0}}, w.sources(t))
}

func texts(w *writing) {
	t := w.table("texts")
	w.exec(`CREATE TABLE ` + t + ` (id INT PRIMARY KEY, a TEXT, raw BYTEA)`)
	for i, text := range []string{
		"", "it's", `C:\dir\`, `\' OR 1=1 -- `, "\"a\" `b`", "a\nb\r\n\tc", "nul\x00byte", "你好 🎉 é", "\u2028\ufeff", strings.Repeat("1 MB äöü\n", 1<<17),
	} {
		w.exec(`INSERT INTO `+t+` VALUES (?, ?, ?)`, i, text, []byte(text))
		var a string
		var raw []byte
		require.NoError(w.T, w.db.QueryRow(`SELECT a, raw FROM `+t+` WHERE id = ?`, i).Scan(&a, &raw))
		w.True(text == a, "%.20q", text)
		w.True(text == string(raw), "%.20q", text)
	}
}

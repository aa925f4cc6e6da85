package sqlapi_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// faults are what becomes of one _bulk request; done says whether the server has carried it out.
var bulkFaults = []struct {
	name   string
	action fakecluster.Action
}{
	{"reset before", fakecluster.ResetBeforeExecute},
	{"reset after", fakecluster.ResetAfterExecute},
	{"closed after", fakecluster.CloseAfterExecute},
	{"cut short", fakecluster.CutBody(10)},
	{"garbage", fakecluster.Garbage},
	{"a page of a proxy", fakecluster.HTML},
	{"unavailable", fakecluster.Status(503, `{"error":{"type":"unavailable_shards_exception","reason":"no"},"status":503}`, nil)},
	{"gateway timeout", fakecluster.Status(504, "gateway", nil)},
	{"too many requests", fakecluster.RetryAfter(0)},
}

func TestWriteWithoutAnAnswerIsDoneOnce(t *testing.T) {
	leaktest.Check(t)
	for i, fault := range bulkFaults {
		for j, c := range []struct {
			name, text string
			affected   int64
			check      func(t *testing.T, fake *fakecluster.Cluster)
		}{
			{"insert with keys", `INSERT INTO users (id, name) VALUES (2, 'b'), (3, 'c')`, 2, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Len(t, fake.Docs("users"), 3)
			}},
			{"insert with numbers made", `INSERT INTO users (name) VALUES ('b'), ('c')`, 2, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Len(t, fake.Docs("users"), 3)
			}},
			{"insert without a key", `INSERT INTO notes (text) VALUES ('b'), ('b')`, 2, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Len(t, fake.Docs("notes"), 2)
			}},
			{"insert that skips", `INSERT INTO users (id, name) VALUES (1, 'other'), (2, 'b') ON CONFLICT DO NOTHING`, 1, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Len(t, fake.Docs("users"), 2)
			}},
			{"upsert", `INSERT INTO users (id, name, age) VALUES (1, 'x', 1), (2, 'b', 1) ON CONFLICT (id) DO UPDATE SET age = users.age + excluded.age`, 2, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Equal(t, 2.0, sources(t, fake, "users")["1"]["age"])
				assert.Equal(t, 1.0, sources(t, fake, "users")["2"]["age"])
			}},
			{"increment", `UPDATE users SET age = age + 1 WHERE id = 1`, 1, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Equal(t, 2.0, sources(t, fake, "users")["1"]["age"])
			}},
			{"optimistic update", `UPDATE users SET age = age + 1, version = version + 1 WHERE id = 1 AND version = 1`, 1, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Equal(t, 2.0, sources(t, fake, "users")["1"]["version"])
			}},
			{"delete", `DELETE FROM users WHERE id = 1`, 1, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Empty(t, fake.Docs("users"))
			}},
			{"delete with a predicate", `DELETE FROM users WHERE id = 1 AND age = 1`, 1, func(t *testing.T, fake *fakecluster.Cluster) {
				assert.Empty(t, fake.Docs("users"))
			}},
		} {
			t.Run(fault.name+"/"+c.name, func(t *testing.T) {
				t.Parallel() // most of it is waiting for the next try
				products[(i+j)%len(products)].fresh(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
					exec(t, db, `INSERT INTO users (id, name, age) VALUES (1, 'a', 1)`)
					fake.Inject(fakecluster.Fault{Method: http.MethodPost, Path: "/*/_bulk", Times: 1, Action: fault.action})
					assert.Equal(t, c.affected, affected(t, exec(t, db, c.text)))
					c.check(t, fake)
				})
			})
		}
	}
}

func TestWithoutRetriesALostAnswerIsToldAsNotKnown(t *testing.T) {
	writes(t, "?retry=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO notes (text) VALUES ('known')`)
		fake.ResetRequests()
		fake.Inject(fakecluster.Fault{Path: "/notes/_bulk", Action: fakecluster.ResetAfterExecute})
		_, err := db.Exec(`INSERT INTO notes (text) VALUES ('a'), ('b')`)
		var some *esdriver.PartialWriteError
		require.ErrorAs(t, err, &some)
		assert.Equal(t, int64(2), some.Unknown)
		require.ErrorIs(t, err, esdriver.ErrMaybeExecuted)
		assert.False(t, esdriver.SafeToRetry(err))
		assert.Len(t, fake.Requests().Path("/notes/_bulk"), 1)
	})
}

func TestDuplicateIsFoundOutAfterALostAnswer(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO users (id, name) VALUES (1, 'a')`)
		fake.Inject(fakecluster.Fault{Path: "/users/_bulk", Times: 1, Action: fakecluster.ResetAfterExecute})
		_, err := db.Exec(`INSERT INTO users (id, name) VALUES (1, 'b'), (2, 'b')`)
		var some *esdriver.PartialWriteError
		require.ErrorAs(t, err, &some)
		assert.Equal(t, int64(1), some.Inserted, "the second row is ours")
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
		assert.Equal(t, "a", sources(t, fake, "users")["1"]["name"])
	})
}

func TestItemsThatWereRejectedAreSentAgainAlone(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO notes (text) VALUES ('known')`)
		fake.ResetRequests()
		fake.Inject(fakecluster.Fault{Path: "/notes/_bulk", Times: 1, Action: fakecluster.Status(200, `{"errors":true,"items":[
			{"create":{"status":201,"result":"created"}},
			{"create":{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"full"}}},
			{"create":{"status":400,"error":{"type":"mapper_parsing_exception","reason":"no"}}}]}`, nil)})
		_, err := db.Exec(`INSERT INTO notes (text) VALUES ('a'), ('b'), ('c')`)
		var some *esdriver.PartialWriteError
		require.ErrorAs(t, err, &some)
		assert.Equal(t, int64(2), some.Inserted)
		assert.Equal(t, int64(1), some.Failed)
		sent := fake.Requests().Path("/notes/_bulk")
		require.Len(t, sent, 2)
		assert.Len(t, fake.Docs("notes"), 2, "known and b: a and c were only said to be judged")
	})
}

func TestCancelledInsertTellsHowFarItCame(t *testing.T) {
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, `INSERT INTO notes (text) VALUES ('known')`)
		ctx, cancel := context.WithCancel(t.Context())
		var bulks atomic.Int64
		fake.Inject(fakecluster.Fault{Path: "/notes/_bulk", Action: fakecluster.Hang, Match: func(*http.Request) bool {
			third := bulks.Add(1) == 3
			if third {
				cancel()
			}
			return third
		}})
		_, err := db.ExecContext(ctx, manyRows("notes (n)", 0, 3500))
		require.ErrorIs(t, err, context.Canceled)
		var some *esdriver.PartialWriteError
		require.ErrorAs(t, err, &some)
		written := int64(len(fake.Docs("notes")) - 1)
		assert.Less(t, written, int64(3500))
		assert.GreaterOrEqual(t, some.Inserted, int64(1000))
		assert.LessOrEqual(t, some.Inserted, written, "what is said to be written is")
		assert.GreaterOrEqual(t, some.Inserted+some.Unknown, written, "and nothing else is, but what is said not to be known")
	})
}

// manyRows is an INSERT of the numbers from the first on.
func manyRows(into string, first, count int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + into + " VALUES ")
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "(%d)", first+i)
	}
	return b.String()
}

func TestRowsArriveOnceEachWhileANodeIsKilled(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		const writers, batches, size = 4, 15, 100
		fake.Inject(fakecluster.Fault{Path: "/notes/_bulk", Chance: 0.1, Action: fakecluster.ResetAfterExecute})
		fake.Inject(fakecluster.Fault{Path: "/notes/_bulk", Chance: 0.1, Action: fakecluster.ResetBeforeExecute})
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for b := range batches {
					result, err := db.Exec(manyRows("notes (n)", (w*batches+b)*size, size))
					if assert.NoError(t, err) {
						n, _ := result.RowsAffected()
						assert.Equal(t, int64(size), n)
					}
					if w == 0 && b == batches/3 {
						fake.Node(1).Kill()
					}
				}
			})
		}
		all.Wait()
		seen := map[float64]int{}
		for _, source := range sources(t, fake, "notes") {
			seen[source["n"].(float64)]++
		}
		require.Len(t, seen, writers*batches*size)
		for n, times := range seen {
			require.Equal(t, 1, times, "%v", n)
		}
	})
}

func TestChunksAreBoundedByCountAndBytes(t *testing.T) {
	writes(t, "?refresh=false", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		exec(t, db, manyRows("notes (n)", 0, 2500))
		assert.Len(t, fake.Requests().Path("/notes/_bulk"), 3)
		fake.ResetRequests()
		large := strings.Repeat("x", 1<<20)
		exec(t, db, `INSERT INTO notes (text) VALUES (?), (?), (?), (?), (?), (?), (?), (?)`, large, large, large, large, large, large, large, large)
		assert.Len(t, fake.Requests().Path("/notes/_bulk"), 2)
		assert.Len(t, fake.Docs("notes"), 2508)
	})
}

func TestTextsArriveAsTheyAre(t *testing.T) {
	texts := []string{
		"", "it's", `C:\dir\`, `\' OR 1=1 -- `, "\"double\"", "`back`", "a\nb\r\n\tc", "nul\x00byte", "你好 🎉 é é", "\u2028\u2029\ufeff",
		"{\"json\":[1,2]}", "%_*?", strings.Repeat("1 MB of text äöü\n", 1<<16), "\x7f\x01",
	}
	writes(t, "", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		insert, err := db.Prepare(`INSERT INTO users (id, name, raw) VALUES (?, ?, ?)`)
		require.NoError(t, err)
		defer insert.Close()
		for i, text := range texts {
			_, err := insert.Exec(i+1, text, []byte(text))
			require.NoError(t, err)
			var name string
			var raw []byte
			require.NoError(t, db.QueryRow(`SELECT name, raw FROM users WHERE id = ?`, i+1).Scan(&name, &raw))
			require.True(t, text == name, "%.20q", text)
			require.True(t, text == string(raw), "%.20q", text)
			require.NoError(t, db.QueryRow(`UPDATE users SET name = name || ? WHERE id = ? RETURNING name`, text, i+1).Scan(&name))
			require.True(t, text+text == name, "%.20q", text)
		}
		_, err = db.Exec(`INSERT INTO users (id, name) VALUES (99, ?)`, "\xff")
		require.Error(t, err, "what is not UTF-8 would arrive altered")
	})
}

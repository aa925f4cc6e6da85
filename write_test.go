package esdriver_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// passer forwards a request to the fake; between answers itself or returns false.
type passer func() *httptest.ResponseRecorder

// direct keeps no connection for another request.
var direct = &http.Transport{DisableKeepAlives: true}

// between is a proxy in front of a fake of one node; h may answer itself.
func between(t *testing.T, params string, h func(w http.ResponseWriter, r *http.Request, pass passer) bool) (*fakecluster.Cluster, *sql.DB) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	var one sync.Mutex
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		body, _ := io.ReadAll(r.Body)
		pass := func() *httptest.ResponseRecorder {
			req, _ := http.NewRequest(r.Method, fake.Node(0).URL()+r.URL.RequestURI(), bytes.NewReader(body))
			req.Header.Set("Content-Type", r.Header.Get("Content-Type"))
			rec := httptest.NewRecorder()
			if resp, err := direct.RoundTrip(req); assert.NoError(t, err) {
				defer resp.Body.Close()
				rec.Code = resp.StatusCode
				rec.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
				rec.Header().Set("X-Elastic-Product", "Elasticsearch")
				_, _ = io.Copy(rec.Body, resp.Body)
			}
			return rec
		}
		if h == nil || !h(w, r, pass) {
			replay(w, pass())
		}
	}))
	t.Cleanup(srv.Close)
	db, err := sql.Open("esdriver", srv.URL+"?"+params)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return fake, db
}

func replay(w http.ResponseWriter, rec *httptest.ResponseRecorder) {
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

func reply(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

func execOn(t *testing.T, db *sql.DB, q string) int64 {
	t.Helper()
	r, err := db.Exec(q)
	require.NoError(t, err, q)
	n, _ := r.RowsAffected()
	return n
}

func callFake(t *testing.T, fake *fakecluster.Cluster, method, path, body string) {
	t.Helper()
	req, _ := http.NewRequest(method, fake.Node(0).URL()+path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	resp, err := direct.RoundTrip(req)
	require.NoError(t, err)
	resp.Body.Close()
	require.Less(t, resp.StatusCode, 300)
}

// lagging has the first _bulk of a statement carried out and its answer lost. The first _mget after it is answered by a
// copy that does not have the write yet.
func lagging(on *bool, none string) func(http.ResponseWriter, *http.Request, passer) bool {
	var before *httptest.ResponseRecorder
	bulks, lagged := 0, false
	return func(w http.ResponseWriter, r *http.Request, pass passer) bool {
		switch {
		case !*on:
		case strings.HasSuffix(r.URL.Path, "/_bulk"):
			if bulks++; bulks == 1 {
				pass()
				panic(http.ErrAbortHandler)
			}
		case strings.HasSuffix(r.URL.Path, "/_mget") && bulks == 0:
			before = pass()
			replay(w, before)
			return true
		case strings.HasSuffix(r.URL.Path, "/_mget") && !lagged:
			lagged = true
			if before == nil {
				return reply(w, 200, none)
			}
			replay(w, before)
			return true
		}
		return false
	}
}

func TestByQueryAnswerOfAGatewayIsNoSuccess(t *testing.T) {
	for _, body := range []string{`{"message":"Endpoint request timed out"}`, `{"error":"gateway timeout"}`} {
		t.Run(body, func(t *testing.T) {
			on := false
			_, db := between(t, "", func(w http.ResponseWriter, r *http.Request, pass passer) bool {
				if !on || !strings.HasSuffix(r.URL.Path, "_update_by_query") {
					return false
				}
				pass() // the server carries it out
				return reply(w, 504, body)
			})
			execOn(t, db, "CREATE TABLE t (id BIGINT PRIMARY KEY, a INT, b INT)")
			execOn(t, db, "INSERT INTO t VALUES (1, 1, 0), (2, 1, 0)")
			on = true
			_, err := db.Exec("UPDATE t SET b = b + 5 WHERE a = 1")
			var partial *esdriver.PartialWriteError
			require.ErrorAs(t, err, &partial)
			assert.EqualValues(t, 2, partial.Unknown)
		})
	}
}

func TestIncrementIsDoneOnceThoughTheCopyReadLags(t *testing.T) {
	on := false
	_, db := between(t, "", lagging(&on, ""))
	execOn(t, db, "CREATE TABLE t (id BIGINT PRIMARY KEY, n INT)")
	execOn(t, db, "INSERT INTO t VALUES (1, 0)")
	on = true
	_, err := db.Exec("UPDATE t SET n = n + 1 WHERE id = 1")
	on = false
	var n int
	require.NoError(t, db.QueryRow("SELECT n FROM t WHERE id = 1").Scan(&n))
	assert.Equal(t, 1, n, "error %v", err)
}

func TestInsertIsNoDuplicateOfItselfThoughTheCopyReadLags(t *testing.T) {
	on := false
	_, db := between(t, "", lagging(&on, `{"docs":[{"_index":"t","_id":"7","found":false}]}`))
	execOn(t, db, "CREATE TABLE t (id BIGINT PRIMARY KEY, n INT)")
	on = true
	_, err := db.Exec("INSERT INTO t VALUES (7, 0)")
	assert.NotErrorIs(t, err, esdriver.ErrDuplicateKey)
	assert.ErrorIs(t, err, esdriver.ErrMaybeExecuted)
}

func TestRowOfAMadeNumberIsInsertedOnceThoughTheCopyReadLags(t *testing.T) {
	on := false
	fake, db := between(t, "", lagging(&on, `{"docs":[{"_index":"t","_id":"7","found":false}]}`))
	execOn(t, db, "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT)")
	on = true
	_, err := db.Exec("INSERT INTO t (n) VALUES (5)")
	assert.Len(t, fake.Docs("t"), 1, "error %v", err)
}

func TestWriteFollowsAnAliasThatHasMoved(t *testing.T) {
	fake, db := between(t, "", nil)
	for _, index := range []string{"/v1", "/v2"} {
		callFake(t, fake, "PUT", index, `{"mappings":{"properties":{"a":{"type":"integer"}}}}`)
	}
	callFake(t, fake, "POST", "/_aliases", `{"actions":[{"add":{"index":"v1","alias":"books"}}]}`)
	execOn(t, db, "INSERT INTO books (_id, a) VALUES ('1', 1)")
	callFake(t, fake, "POST", "/_aliases", `{"actions":[{"remove":{"index":"v1","alias":"books"}},{"add":{"index":"v2","alias":"books"}}]}`)
	execOn(t, db, "INSERT INTO books (_id, a) VALUES ('2', 2)")
	assert.Len(t, fake.Docs("v2"), 1)
}

func TestFilterOfAnAliasHoldsForStatementsByKey(t *testing.T) {
	fake, db := between(t, "", nil)
	execOn(t, db, "CREATE TABLE v1 (id BIGINT PRIMARY KEY, tenant KEYWORD, a INT)")
	callFake(t, fake, "POST", "/_aliases", `{"actions":[{"add":{"index":"v1","alias":"mine","filter":{"term":{"tenant":"me"}}}}]}`)
	execOn(t, db, "INSERT INTO v1 VALUES (1, 'you', 1)")
	var a int
	assert.Error(t, db.QueryRow("SELECT a FROM mine WHERE id = 1").Scan(&a))
	assert.Zero(t, execOn(t, db, "UPDATE mine SET a = 2 WHERE id = 1"))
	assert.Zero(t, execOn(t, db, "UPDATE mine SET a = 2 WHERE id <= 1"))
}

func TestUpdateInsideOfAListOfObjectsLosesNothing(t *testing.T) {
	fake, db := between(t, "", nil)
	callFake(t, fake, "PUT", "/b", `{"mappings":{"properties":{"authors":{"properties":{"name":{"type":"keyword"},"born":{"type":"integer"}}}}}}`)
	callFake(t, fake, "PUT", "/b/_doc/1", `{"authors":[{"name":"Gosling","born":1955},{"name":"Joy","born":1954}]}`)
	_, err := db.Exec("UPDATE b SET authors.name = 'Steele' WHERE _id = '1'")
	assert.ErrorIs(t, err, esdriver.ErrArray)
	assert.Contains(t, string(fake.Docs("b")[0].Source), "1954")
}

func TestSelectByKeyIsNotAnsweredByASearchWhenTheNodeIsBusy(t *testing.T) {
	fake := fakecluster.Run(t, fakecluster.Nodes(1))
	db, err := sql.Open("esdriver", fake.DSN())
	require.NoError(t, err)
	defer db.Close()
	execOn(t, db, "CREATE TABLE t (id BIGINT PRIMARY KEY, n INT)")
	execOn(t, db, "INSERT INTO t VALUES (1, 5)")
	fake.Inject(fakecluster.Fault{Path: "/t/_mget", Action: fakecluster.RetryAfter(0)})
	var n int
	err = db.QueryRow("SELECT n FROM t WHERE id = 1").Scan(&n)
	assert.True(t, errors.Is(err, esdriver.ErrOverloaded), "%v", err)
	assert.Empty(t, fake.Requests().Path("/_sql"))
}

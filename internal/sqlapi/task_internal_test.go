package sqlapi

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// tasker is a server whose calls by query run as long as it is told to.
type tasker struct {
	answers map[string]func() (int, string) // by method and path
	mu      sync.Mutex                      // guards sent
	sent    []string
}

func (s *tasker) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	name := r.Method + " " + r.URL.Path
	s.mu.Lock()
	s.sent = append(s.sent, name)
	s.mu.Unlock()
	answer := s.answers[name]
	if answer == nil {
		answer = standard[name]
	}
	status, body := answer()
	return &http.Response{StatusCode: status, Request: r, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func (s *tasker) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, sent := range s.sent {
		if sent == name {
			n++
		}
	}
	return n
}

func always(body string) func() (int, string) { return func() (int, string) { return 200, body } }

// standard are the answers about a table t with 5000 rows, and of a task that runs on.
var standard = map[string]func() (int, string){
	"GET /t/_mapping":             always(`{"t":{"mappings":{"properties":{"n":{"type":"long"}}}}}`),
	"POST /t/_refresh":            always(`{"_shards":{"failed":0}}`),
	"POST /t/_count":              always(`{"count":5000}`),
	"POST /t/_update_by_query":    always(`{"task":"node:7"}`),
	"POST /t/_delete_by_query":    always(`{"task":"node:7"}`),
	"GET /_tasks/node:7":          always(`{"completed":false,"task":{"status":{"total":5000,"updated":1000}}}`),
	"POST /_tasks/node:7/_cancel": always(`{"nodes":{}}`),
}

func execOn(ctx context.Context, t *testing.T, s *tasker, text string) (*Result, error) {
	t.Helper()
	c, err := NewClient(Config{Doer: s, Product: Elasticsearch})
	require.NoError(t, err)
	defer c.Close()
	statement, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
	require.NoError(t, err)
	return c.Exec(ctx, statement, nil)
}

// after answers with the first body a few times, and then with the second.
func after(times int, first, second string) func() (int, string) {
	return func() (int, string) {
		if times--; times >= 0 {
			return 200, first
		}
		return 200, second
	}
}

func TestTaskIsAskedForUntilItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tasker{answers: map[string]func() (int, string){"GET /_tasks/node:7": after(5, `{"completed":false,"task":{}}`,
			`{"completed":true,"task":{},"response":{"total":5000,"updated":4990,"noops":10,"version_conflicts":0,"failures":[]}}`)}}
		result, err := execOn(t.Context(), t, s, "UPDATE t SET n = n + 1 WHERE n > 0")
		require.NoError(t, err)
		n, err := result.RowsAffected()
		require.NoError(t, err)
		assert.EqualValues(t, 5000, n, "a row that is as it was has been chosen, too")
		assert.Equal(t, 6, s.count("GET /_tasks/node:7"))
		assert.Equal(t, 1, s.count("POST /t/_update_by_query"))
	})
}

func TestCancelledStatementCancelsItsTaskAndTellsHowFarItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		polls, cancelled := 0, false
		s := &tasker{}
		s.answers = map[string]func() (int, string){
			"GET /_tasks/node:7": func() (int, string) {
				if cancelled {
					return 200, `{"completed":true,"task":{},"response":{"total":5000,"updated":2000,"canceled":"by user request","failures":[]}}`
				}
				if polls++; polls == 3 {
					cancel()
				}
				return 200, `{"completed":false,"task":{}}`
			},
			"POST /_tasks/node:7/_cancel": func() (int, string) { cancelled = true; return 200, `{"nodes":{}}` },
		}
		_, err := execOn(ctx, t, s, "UPDATE t SET n = n + 1 WHERE n > 0")
		require.ErrorIs(t, err, context.Canceled)
		var partial *PartialWriteError
		require.ErrorAs(t, err, &partial)
		assert.EqualValues(t, 5000, partial.Matched)
		assert.EqualValues(t, 2000, partial.Updated)
		assert.EqualValues(t, 0, partial.Unknown)
		assert.True(t, cancelled)
	})
}

func TestTaskThatNobodyKnowsAnyMoreIsAnUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := func() (int, string) {
			return 404, `{"error":{"type":"resource_not_found_exception","reason":"task [node:7] isn't running and hasn't stored its results"},"status":404}`
		}
		s := &tasker{answers: map[string]func() (int, string){"GET /_tasks/node:7": gone, "POST /_tasks/node:7/_cancel": gone}}
		_, err := execOn(t.Context(), t, s, "DELETE FROM t WHERE n > 0")
		var partial *PartialWriteError
		require.ErrorAs(t, err, &partial)
		assert.EqualValues(t, 5000, partial.Unknown)
	})
}

func TestTaskIsAskedForAgainWhenANodeDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failures := 3
		s := &tasker{answers: map[string]func() (int, string){"GET /_tasks/node:7": func() (int, string) {
			if failures--; failures >= 0 {
				return 503, `{"error":{"type":"master_not_discovered_exception","reason":"x"},"status":503}`
			}
			return 200, `{"completed":true,"task":{},"response":{"total":5000,"deleted":5000,"failures":[]}}`
		}}}
		_, err := execOn(t.Context(), t, s, "DELETE FROM t WHERE n > 0")
		require.NoError(t, err)
	})
}

func TestFailedTaskTellsWhatItHasDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tasker{answers: map[string]func() (int, string){"GET /_tasks/node:7": always(`{"completed":true,
			"task":{"status":{"total":5000,"updated":3000}},
			"error":{"type":"script_exception","reason":"runtime error","caused_by":{"type":"illegal_argument_exception","reason":"a division by zero"}}}`)}}
		_, err := execOn(t.Context(), t, s, "UPDATE t SET n = 1 / n WHERE n < 9")
		var partial *PartialWriteError
		require.ErrorAs(t, err, &partial)
		assert.EqualValues(t, 3000, partial.Updated)
		assert.Contains(t, err.Error(), "a division by zero")
	})
}

func TestConflictEndsTheCallAndIsReported(t *testing.T) {
	s := &tasker{answers: map[string]func() (int, string){
		"POST /t/_count": always(`{"count":10}`),
		"POST /t/_update_by_query": func() (int, string) {
			return 409, `{"total":10,"updated":7,"deleted":0,"noops":0,"version_conflicts":2,"timed_out":false,"failures":[
				{"index":"t","id":"1","cause":{"type":"version_conflict_engine_exception","reason":"[1]: version conflict"},"status":409},
				{"index":"t","id":"2","cause":{"type":"version_conflict_engine_exception","reason":"[2]: version conflict"},"status":409}]}`
		},
	}}
	_, err := execOn(t.Context(), t, s, "UPDATE t SET n = 1 WHERE n < 9")
	require.ErrorIs(t, err, ErrConflict)
	var partial *PartialWriteError
	require.ErrorAs(t, err, &partial)
	assert.EqualValues(t, 10, partial.Matched)
	assert.EqualValues(t, 7, partial.Updated)
	assert.EqualValues(t, 2, partial.Conflicts)
	assert.Len(t, partial.Failures, 2)
}

func TestFailedScriptOfOneBatchHasChangedNothing(t *testing.T) {
	s := &tasker{answers: map[string]func() (int, string){
		"POST /t/_count": always(`{"count":10}`),
		"POST /t/_update_by_query": func() (int, string) {
			return 400, `{"error":{"type":"script_exception","reason":"runtime error","caused_by":{"type":"x","reason":"a division by zero"}},"status":400}`
		},
	}}
	_, err := execOn(t.Context(), t, s, "UPDATE t SET n = 1 / n WHERE n < 9")
	var refused *Error
	require.ErrorAs(t, err, &refused)
	var partial *PartialWriteError
	assert.NotErrorAs(t, err, &partial)
}

func TestShortDeadlineMakesATaskPointless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), taskDeadline/2)
		defer cancel()
		s := &tasker{answers: map[string]func() (int, string){
			"POST /t/_delete_by_query": always(`{"total":5000,"deleted":5000,"failures":[]}`),
		}}
		_, err := execOn(ctx, t, s, "DELETE FROM t WHERE n < 9")
		require.NoError(t, err)
		assert.Zero(t, s.count("GET /_tasks/node:7"))
	})
}

func TestUserWhoMayNotRefreshGoesWithout(t *testing.T) {
	s := &tasker{answers: map[string]func() (int, string){
		"POST /t/_count": always(`{"count":1}`),
		"POST /t/_refresh": func() (int, string) {
			return 403, `{"error":{"type":"security_exception","reason":"no"},"status":403}`
		},
		"POST /t/_delete_by_query": always(`{"total":1,"deleted":1,"failures":[]}`),
	}}
	_, err := execOn(t.Context(), t, s, "DELETE FROM t WHERE n < 9")
	require.NoError(t, err)
}

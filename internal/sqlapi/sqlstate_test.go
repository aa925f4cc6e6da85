package sqlapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// elasticError is Elasticsearch's form of an error.
func elasticError(status int, typ, root, reason string) string {
	raw, _ := json.Marshal(map[string]any{"status": status, "error": map[string]any{
		"type": typ, "reason": reason, "root_cause": []any{map[string]any{"type": root, "reason": reason}},
	}})
	return string(raw)
}

// openSearchError is the form of OpenSearch's SQL plugin.
func openSearchError(status int, typ, reason, details string) string {
	raw, _ := json.Marshal(map[string]any{"status": status, "error": map[string]any{"type": typ, "reason": reason, "details": details}})
	return string(raw)
}

func TestErrorsOfBothServersHaveTheirSQLState(t *testing.T) {
	for _, c := range []struct {
		status   int
		body     string
		state    string
		sentinel error
	}{
		{400, elasticError(400, "parsing_exception", "parsing_exception", "line 1:1: mismatched input 'SELEC'"), "42000", sqlapi.ErrSyntax},
		{400, elasticError(400, "verification_exception", "verification_exception", "Found 1 problem\nline 1:15: Unknown index [x]"), "42S02", sqlapi.ErrNoTable},
		{400, elasticError(400, "verification_exception", "verification_exception", "Found 1 problem(s)\nline 1:8: Unknown column [x], did you mean [y]?"), "42S22", sqlapi.ErrNoColumn},
		{404, elasticError(404, "index_not_found_exception", "index_not_found_exception", "no such index [x]"), "42S02", sqlapi.ErrNoTable},
		{409, elasticError(409, "version_conflict_engine_exception", "version_conflict_engine_exception", "[1]: version conflict"), "40001", sqlapi.ErrConflict},
		{400, elasticError(400, "search_phase_execution_exception", "task_cancelled_exception", "task cancelled [by user request]"), "57014", sqlapi.ErrCancelled},
		{429, elasticError(429, "search_timeout_exception", "search_timeout_exception", "Time exceeded"), "57014", sqlapi.ErrCancelled},
		{504, elasticError(504, "search_timeout_exception", "search_timeout_exception", "Time exceeded"), "57014", sqlapi.ErrCancelled},
		{429, elasticError(429, "circuit_breaking_exception", "circuit_breaking_exception", "[parent] Data too large"), "53300", sqlapi.ErrOverloaded},
		{429, elasticError(429, "search_phase_execution_exception", "es_rejected_execution_exception", "all shards failed"), "53300", sqlapi.ErrOverloaded},
		{503, elasticError(503, "rejected_execution_exception", "rejected_execution_exception", "queue is full"), "53300", sqlapi.ErrOverloaded},
		{429, elasticError(429, "x", "x", "x"), "53300", sqlapi.ErrOverloaded},
		{401, elasticError(401, "security_exception", "security_exception", "unable to authenticate"), "28000", sqlapi.ErrAuth},
		{403, elasticError(403, "security_exception", "security_exception", "action [x] is unauthorized"), "42501", sqlapi.ErrPermission},
		{503, elasticError(503, "search_phase_execution_exception", "", "all shards failed"), "08006", nil},
		{502, `<html>proxy</html>`, "08006", nil},
		{404, elasticError(404, "search_phase_execution_exception", "search_context_missing_exception", "No search context found for id [7]"), "24000", sqlapi.ErrCursorLost},
		{404, elasticError(404, "resource_not_found_exception", "resource_not_found_exception", "FmdrWnZl"), "24000", sqlapi.ErrCursorLost},
		{400, elasticError(400, "invalid_argument_exception", "invalid_argument_exception", "Arrays (returned by [i]) are not supported"), "22000", sqlapi.ErrArray},
		{500, elasticError(500, "sql_illegal_argument_exception", "sql_illegal_argument_exception", "Arrays (returned by [i]) are not supported"), "22000", sqlapi.ErrArray},
		{500, elasticError(500, "arithmetic_exception", "arithmetic_exception", "/ by zero"), "22012", nil},
		{500, elasticError(500, "arithmetic_exception", "arithmetic_exception", "unsigned_long overflow"), "22003", nil},
		{500, elasticError(500, "sql_illegal_argument_exception", "sql_illegal_argument_exception", "cannot cast [ann] to [integer]"), "22018", nil},
		{400, elasticError(400, "parsing_exception", "parsing_exception", "line 1:28: Queries with JOIN are not yet supported"), "0A000", sqlapi.ErrUnsupported},
		{400, elasticError(400, "parsing_exception", "parsing_exception", "line 1:30: IN query not supported yet"), "0A000", sqlapi.ErrUnsupported},
		{404, elasticError(404, "no_such_remote_cluster_exception", "no_such_remote_cluster_exception", "no such remote cluster: [x]"), "3D000", nil},
		{500, elasticError(500, "null_pointer_exception", "null_pointer_exception", "x"), "HY000", nil},
		{400, openSearchError(400, "SyntaxCheckException", "Invalid SQL query", "x"), "42000", sqlapi.ErrSyntax},
		{404, openSearchError(404, "IndexNotFoundException", "Error occurred in OpenSearch engine: no such index [x]", "[x] IndexNotFoundException[no such index [x]]"), "42S02", sqlapi.ErrNoTable},
		{400, openSearchError(400, "SemanticCheckException", "Invalid SQL query", "can't resolve Symbol(namespace=FIELD_NAME, name=x) in type env"), "42S22", sqlapi.ErrNoColumn},
		{400, openSearchError(400, "SemanticCheckException", "Invalid SQL query", "unsupported function name: x"), "42000", sqlapi.ErrSyntax},
		{200, openSearchError(500, "UnsupportedOperationException", "There was internal problem at backend", "x"), "0A000", sqlapi.ErrUnsupported},
		{200, openSearchError(403, "OpenSearchSecurityException", "There was internal problem at backend", "no permissions for [indices:data/read/search]"), "42501", sqlapi.ErrPermission},
		{200, openSearchError(500, "NullPointerException", "There was internal problem at backend", "x"), "HY000", nil},
		{404, openSearchError(404, "SearchPhaseExecutionException", "Error occurred in OpenSearch engine: all shards failed", "Shard[0]: SearchContextMissingException[No search context found for id [40]]"), "24000", sqlapi.ErrCursorLost},
		{429, openSearchError(429, "SearchPhaseExecutionException", "Error occurred in OpenSearch engine: all shards failed", "Shard[0]: CircuitBreakingException[[parent] Data too large]"), "53300", sqlapi.ErrOverloaded},
		{503, openSearchError(503, "CircuitBreakingException", "Error occurred in OpenSearch engine", "[parent] Data too large"), "53300", sqlapi.ErrOverloaded},
		{503, openSearchError(503, "OpenSearchRejectedExecutionException", "x", "rejected execution of x"), "53300", sqlapi.ErrOverloaded},
		{500, openSearchError(500, "SearchPhaseExecutionException", "all shards failed", "Shard[0]: TaskCancelledException[cancelled task]"), "57014", sqlapi.ErrCancelled},
		{400, openSearchError(400, "NumberFormatException", "Invalid SQL query", `For input string: "x"`), "22018", nil},
		{401, "Unauthorized", "28000", sqlapi.ErrAuth},
		{400, `{"error":"no handler found for uri [/_plugins/_sql] and method [POST]"}`, "42000", sqlapi.ErrSyntax},
	} {
		doer := doerFunc(func(r *http.Request) (*http.Response, error) { return reply(r, c.status, c.body) })
		client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})
		ctx := sqlapi.WithCall(context.Background(), sqlapi.Call{RequestID: "r7"})
		_, _, err := readAll(ctx, client, "SELECT a FROM t", nil)
		var failed *sqlapi.Error
		require.ErrorAs(t, err, &failed, c.body)
		assert.Equal(t, c.state, failed.SQLState, c.body)
		assert.Equal(t, "r7", failed.RequestID)
		assert.Equal(t, "127.0.0.1:9200", failed.Node)
		assert.NotEmpty(t, failed.Reason)
		if c.sentinel != nil {
			require.ErrorIs(t, err, c.sentinel, c.body)
		}
	}
}

func TestErrorTellsItsRootCauseAndWhetherTimeRanOut(t *testing.T) {
	for body, timeout := range map[string]bool{
		elasticError(429, "search_timeout_exception", "search_timeout_exception", "Time exceeded"):             true,
		elasticError(429, "search_phase_execution_exception", "task_cancelled_exception", "task cancelled"):    false,
		elasticError(429, "search_phase_execution_exception", "es_rejected_execution_exception", "rejected"):   false,
		elasticError(429, "search_phase_execution_exception", "search_timeout_exception", "all shards failed"): true,
	} {
		doer := doerFunc(func(r *http.Request) (*http.Response, error) { return reply(r, 429, body) })
		client := newClient(t, sqlapi.Config{Doer: doer, Product: sqlapi.Elasticsearch})
		_, _, err := readAll(context.Background(), client, "SELECT a FROM t", nil)
		var failed *sqlapi.Error
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, timeout, failed.Timeout(), body)
		assert.Contains(t, body, `"root_cause":[{"reason":`)
		assert.Contains(t, body, failed.RootType)
		assert.NotEmpty(t, failed.RootType)
	}
}

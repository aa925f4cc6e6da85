package sqlapi

import (
	"net/http"
	"strings"
)

// The SQLSTATEs in use: ISO 9075 where it has one, else PostgreSQL's.
const (
	stateSyntax      = "42000"
	stateNoTable     = "42S02"
	stateNoColumn    = "42S22"
	stateTableExists = "42S01"
	stateDuplicate   = "23505"
	stateConflict    = "40001"
	stateCancelled   = "57014"
	stateAuth        = "28000"
	statePermission  = "42501"
	stateConnection  = "08006"
	stateUnsupported = "0A000"
	stateOverload    = "53300"
	stateCursor      = "24000"
	stateArray       = "22000"
	stateNumeric     = "22003"
	stateDivision    = "22012"
	stateCast        = "22018"
	stateArgs        = "07001"
	stateArgValue    = "22023"
	stateCatalog     = "3D000"
	stateGeneral     = "HY000"
)

// rule gives errors of a type whose reason contains a text their SQLSTATE. An empty text fits any reason; without a type
// the text may be the type's as well, since OpenSearch names the type of a shard's failure in the reason.
type rule struct{ typ, reason, state string }

// rules are tried from the first to the last. The words are those of recorded answers of Elasticsearch 7.3 to
// 9.5 and OpenSearch 2.19 to 3.9. An unknown index is no proof that there is none: Elasticsearch 7.3 answers so
// too while the nodes that hold the index are away.
var rules = []rule{
	{"", "Arrays (returned by", stateArray},
	{"", "SearchContextMissingException", stateCursor},
	{"search_context_missing_exception", "", stateCursor},
	{"resource_not_found_exception", "", stateCursor},
	{"", "TaskCancelledException", stateCancelled},
	{"", "CircuitBreakingException", stateOverload},
	{"", "RejectedExecutionException", stateOverload},
	{"search_timeout_exception", "", stateCancelled},
	{"receive_timeout_transport_exception", "", stateCancelled},
	{"task_cancelled_exception", "", stateCancelled},
	{"es_rejected_execution_exception", "", stateOverload},
	{"rejected_execution_exception", "", stateOverload}, // OpenSearch 3
	{"circuit_breaking_exception", "", stateOverload},
	{"index_not_found_exception", "", stateNoTable},
	{"IndexNotFoundException", "", stateNoTable},
	{"resource_already_exists_exception", "", stateTableExists},
	{"no_such_remote_cluster_exception", "", stateCatalog},
	{"", "not yet supported", stateUnsupported},
	{"", "not supported yet", stateUnsupported},
	{"", "unsupported type", stateUnsupported},
	{"parsing_exception", "", stateSyntax},
	{"verification_exception", "Unknown index [", stateNoTable},
	{"verification_exception", "Unknown column [", stateNoColumn},
	{"verification_exception", "", stateSyntax},
	{"arithmetic_exception", "by zero", stateDivision},
	{"arithmetic_exception", "", stateNumeric},
	{"SemanticCheckException", "namespace=FIELD_NAME", stateNoColumn},
	{"SemanticCheckException", "", stateSyntax},
	{"SyntaxCheckException", "", stateSyntax},
	{"SqlParseException", "", stateSyntax},
	{"EOFParserException", "", stateSyntax},
	{"ParserException", "", stateSyntax},
	{"ExpressionEvaluationException", "", stateSyntax},
	{"NumberFormatException", "", stateCast},
	{"SQLFeatureNotSupportedException", "", stateUnsupported},
	{"SQLFeatureDisabledException", "", stateUnsupported},
	{"UnsupportedOperationException", "", stateUnsupported},
	{"NullPointerException", "getFrom()", stateUnsupported}, // OpenSearch: a SELECT without FROM that falls to its legacy engine
	{"", "Unsupported", stateUnsupported},
	{"", "(currently) supported", stateUnsupported},
	{"sql_illegal_argument_exception", "know how to translate", stateUnsupported},
	{"node_disconnected_exception", "", stateConnection},
	{"illegal_state_exception", "is not available", stateConnection},
	{"version_conflict_engine_exception", "", stateConflict},
	{"", "Cannot cast", stateCast},
	{"", "cannot cast", stateCast},
}

// stateOf chooses the SQLSTATE of a server's error: by who may ask, then by type and reason, then by status.
func stateOf(e *Error) string {
	switch e.Status {
	case http.StatusUnauthorized:
		return stateAuth
	case http.StatusForbidden:
		return statePermission
	}
	for _, r := range rules {
		if r.fits(e) {
			return r.state
		}
	}
	return stateOfStatus(e.Status)
}

func (r rule) fits(e *Error) bool {
	if r.typ == "" {
		return strings.Contains(e.Type+" "+e.Reason, r.reason)
	}
	return (r.typ == e.Type || r.typ == e.RootType) && strings.Contains(e.Reason, r.reason)
}

func stateOfStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return stateSyntax // whatever it was, the statement was at fault
	case http.StatusTooManyRequests:
		return stateOverload
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return stateConnection
	}
	return stateGeneral
}

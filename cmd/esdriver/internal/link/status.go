package link

import (
	"encoding/json"
	"fmt"
)

// StatusError is an answer that says no.
type StatusError struct {
	Method, Path string
	Status       int
	Body         []byte
}

// Error names the request, the status and the server's reason.
func (e *StatusError) Error() string {
	return fmt.Sprintf("link: %s %s: status %d: %s", e.Method, e.Path, e.Status, e.Reason())
}

const maxReason = 300

// Reason is what the server says for itself: type and reason of its error, or the beginning of the body.
func (e *StatusError) Reason() string {
	if reason := ReasonOf(e.Body); reason != "" {
		return reason
	}
	return string(e.Body[:min(len(e.Body), maxReason)])
}

// ReasonOf returns type and reason of an answer that holds the servers' "error", and "" of any other. OpenSearch's SQL
// puts what matters into "details".
func ReasonOf(answer []byte) string {
	var failed struct {
		Error struct {
			Type, Reason, Details string
		}
	}
	if json.Unmarshal(answer, &failed) != nil || failed.Error.Type == "" {
		return ""
	}
	reason := failed.Error.Reason
	if failed.Error.Details != "" {
		reason = failed.Error.Details
	}
	return failed.Error.Type + ": " + reason
}

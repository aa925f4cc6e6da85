package sqlapi

import (
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxErrorBody = 1 << 20 // of a failed answer this much is read
	maxErrorText = 300     // of an answer that is not JSON this much is shown
)

// errorBody is the shape of both products' errors: an object, or (no handler, wrong method) a string.
type errorBody struct {
	Error  jsontext.Value `json:"error"`
	Status int            `json:"status"`
}

type errorObject struct {
	Type      string      `json:"type"`
	Reason    string      `json:"reason"`
	Details   string      `json:"details"` // OpenSearch only
	RootCause []rootCause `json:"root_cause"`
	CausedBy  rootCause   `json:"caused_by"`
}

type rootCause struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// statusError reads the error out of an answer that has not status 200, and closes its body.
func statusError(resp *http.Response) error {
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && len(raw) == 0 {
		return &AnswerError{Node: nodeOf(resp), Msg: "cannot be read", Err: err}
	}
	var body errorBody
	if json.Unmarshal(raw, &body, decodeOptions...) != nil || body.Error == nil {
		return newError(resp, resp.StatusCode, errorObject{Reason: shown(raw)})
	}
	return bodyError(resp, body.Error, resp.StatusCode)
}

// bodyError turns the value of an answer's "error" member into an Error.
func bodyError(resp *http.Response, raw jsontext.Value, status int) error {
	var object errorObject
	if raw.Kind() == '"' {
		_ = json.Unmarshal(raw, &object.Reason, decodeOptions...)
	} else if json.Unmarshal(raw, &object, decodeOptions...) != nil {
		object.Reason = shown(raw)
	}
	return newError(resp, status, object)
}

func newError(resp *http.Response, status int, object errorObject) *Error {
	e := &Error{
		Status: status, Type: object.Type, Reason: object.text(), RootType: object.rootType(),
		Node: nodeOf(resp), RequestID: requestID(resp),
	}
	e.SQLState = stateOf(e)
	return e
}

// text joins OpenSearch's reason, which says little ("Invalid SQL query"), with its details. An Elasticsearch
// error without a reason of its own is told by its cause.
func (o *errorObject) text() string {
	switch {
	case o.Details != "" && o.Reason != "":
		return o.Reason + ": " + o.Details
	case o.Details != "":
		return o.Details
	case o.Reason == "":
		return o.CausedBy.Reason
	case o.Type == "script_exception" && o.CausedBy.Reason != "":
		return o.Reason + ": " + o.CausedBy.Reason
	case len(o.RootCause) > 0 && o.RootCause[0].Reason != "" && o.RootCause[0].Reason != o.Reason:
		return o.Reason + ": " + o.RootCause[0].Reason
	}
	return o.Reason
}

func (o *errorObject) rootType() string {
	if len(o.RootCause) > 0 {
		return o.RootCause[0].Type
	}
	return o.CausedBy.Type
}

// shown is the beginning of an answer that is not JSON (a proxy's page, a plain "Unauthorized"), in one line.
func shown(raw []byte) string {
	text := strings.Join(strings.Fields(string(raw)), " ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

// nodeOf is the address of the node that answered, which the transport leaves in the answer's request.
func nodeOf(resp *http.Response) string {
	if resp.Request == nil || resp.Request.URL == nil {
		return ""
	}
	return resp.Request.URL.Host
}

func requestID(resp *http.Response) string {
	if resp.Request == nil {
		return ""
	}
	return resp.Request.Header.Get(headerRequestID)
}

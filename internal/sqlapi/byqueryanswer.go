package sqlapi

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// byQueryAnswer is the answer to a call by query, and what a task has as its response and, while it runs, its status.
type byQueryAnswer struct {
	Total     int64            `json:"total"`
	Updated   int64            `json:"updated"`
	Deleted   int64            `json:"deleted"`
	Noops     int64            `json:"noops"`
	Conflicts int64            `json:"version_conflicts"`
	TimedOut  bool             `json:"timed_out"`
	Canceled  string           `json:"canceled"`
	Failures  []byQueryFailure `json:"failures"`
	Error     jsontext.Value   `json:"error"`
}

// byQueryFailure is one document that could not be changed, or one shard that could not be searched.
type byQueryFailure struct {
	Cause  *errorObject `json:"cause"`
	Reason *errorObject `json:"reason"`
	Status int          `json:"status"`
}

// took counts what an answer says, and returns why the call ended before its end, if it did.
func (b *byQuery) took(resp *http.Response, answer *byQueryAnswer) error {
	b.counted(answer)
	for _, f := range answer.Failures {
		b.write.done.fail(f.err(resp))
	}
	switch {
	case answer.TimedOut:
		return &AnswerError{Node: nodeOf(resp), Msg: "the search of " + b.api + " has run out of time"}
	case answer.Canceled != "":
		return &Error{
			Status: http.StatusBadRequest, Type: "task_cancelled_exception", Reason: answer.Canceled, Node: nodeOf(resp),
			RequestID: requestID(resp), SQLState: stateCancelled,
		}
	}
	return nil
}

// counted takes the numbers. A row that is as it was counts as updated: WHERE has chosen it.
func (b *byQuery) counted(answer *byQueryAnswer) {
	done := &b.write.done
	done.updated, done.deleted = answer.Updated+answer.Noops, answer.Deleted
	done.conflicts = answer.Conflicts
	done.matched = max(answer.Total, done.updated+done.deleted+done.conflicts)
}

func (f *byQueryFailure) err(resp *http.Response) error {
	object := f.Cause
	if object == nil {
		object = f.Reason
	}
	if object == nil {
		object = &errorObject{Reason: "a failure without a cause"}
	}
	return newError(resp, f.Status, *object)
}

// call sends a request and reads its answer of status 200.
func (c *Client) call(ctx context.Context, r request, answer any) error {
	resp, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	return readAnswer(resp, answer)
}

// readAnswer reads an answer to its end, whatever its status.
func readAnswer(resp *http.Response, answer any) error {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return &AnswerError{Node: nodeOf(resp), Msg: "cannot be read", Err: err}
	}
	if err := json.Unmarshal(text, answer, decodeOptions...); err != nil {
		return &AnswerError{Node: nodeOf(resp), Msg: "is not as expected: " + shown(text), Err: err}
	}
	return nil
}

// asError finds a server's error.
func asError(err error, target **Error) bool { return errors.As(err, target) }

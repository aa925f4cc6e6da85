package sqlapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// cancelTimeout bounds the cancelling of a task whose statement has ended, and the asking how far it came.
	cancelTimeout = 3 * time.Second
	// maxLostPolls is how often in a row a task's state may be asked for in vain before it is given up.
	maxLostPolls = 8
)

// task is work that a server does on its own.
type task struct {
	client *Client
	id     string // node:number
	opaque string // X-Opaque-Id
}

// taskAnswer is the state of a task.
type taskAnswer struct {
	Completed bool `json:"completed"`
	Task      struct {
		Status byQueryAnswer `json:"status"`
	} `json:"task"`
	Response *byQueryAnswer `json:"response"`
	Error    jsontext.Value `json:"error"`
}

// runTask changes the rows in a task, waits for it, and cancels it when ctx ends first.
func (b *byQuery) runTask(ctx context.Context) error {
	var started struct {
		Task string `json:"task"`
	}
	err := b.write.client.call(recovery(ctx), b.change("wait_for_completion=false"), &started)
	if err == nil && started.Task == "" {
		err = &AnswerError{Msg: "names no task"}
	}
	if err != nil {
		return b.lost(err)
	}
	t := &task{client: b.write.client, id: started.Task, opaque: b.write.call.RequestID}
	resp, state, err := t.wait(ctx)
	if err != nil {
		return b.abandon(ctx, t, err)
	}
	return b.ended(resp, state)
}

// ended counts what a task that is over has done.
func (b *byQuery) ended(resp *http.Response, state *taskAnswer) error {
	switch {
	case state.Response != nil:
		return b.took(resp, state.Response)
	case state.Error != nil:
		b.counted(&state.Task.Status)
		return bodyError(resp, state.Error, http.StatusInternalServerError)
	}
	b.counted(&state.Task.Status)
	b.write.done.unknown = b.write.done.matched - b.write.done.updated - b.write.done.deleted
	return &AnswerError{Node: nodeOf(resp), Msg: "tells of a task that is over and not what has come of it"}
}

// abandon cancels a task that is waited for no longer, and asks how far it came.
func (b *byQuery) abandon(ctx context.Context, t *task, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	if err := t.cancel(ctx); err != nil {
		b.write.done.unknown = b.write.done.matched
		return errors.Join(cause, err)
	}
	resp, state, err := t.wait(ctx)
	if err != nil {
		b.write.done.unknown = b.write.done.matched
		return errors.Join(cause, err)
	}
	if err := b.ended(resp, state); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

// wait asks for the task's state until it is over, with growing pauses. A state that cannot be had is asked for again:
// the task goes on all the same, and its result is kept.
func (t *task) wait(ctx context.Context) (*http.Response, *taskAnswer, error) {
	waits := taskWaits()
	for lost := 0; ; {
		resp, state, err := t.state(ctx)
		switch {
		case err == nil && state.Completed:
			return resp, state, nil
		case err == nil:
			lost = 0
		case ctx.Err() != nil:
			return nil, nil, causeOf(ctx, err)
		case !passing(err) || lost == maxLostPolls:
			return nil, nil, err
		default:
			lost++
		}
		if err := pause(ctx, waits.NextBackOff()); err != nil {
			return nil, nil, err
		}
	}
}

// passing reports whether a failed question may be answered later: it got no answer, or was put to a node that had
// none to give. A task that nobody knows is lost for good.
func passing(err error) bool {
	var refused *Error
	if !errors.As(err, &refused) {
		return true
	}
	return refused.Status == http.StatusTooManyRequests || refused.Status >= http.StatusInternalServerError
}

// taskWaits are the pauses between two questions: 20 ms, then half as long again each time up to 2 s.
func taskWaits() backoff.BackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMultiplier(1.5), backoff.WithRandomizationFactor(0.2),
		backoff.WithMaxInterval(2*time.Second), backoff.WithMaxElapsedTime(0),
	)
}

func (t *task) state(ctx context.Context) (*http.Response, *taskAnswer, error) {
	resp, err := t.client.send(ctx, request{method: http.MethodGet, path: "/_tasks/" + t.id, id: t.opaque, repeat: repeatYes})
	if err != nil {
		return nil, nil, err
	}
	var state taskAnswer
	return resp, &state, readAnswer(resp, &state)
}

// cancel asks the server to stop. What is done stays done.
func (t *task) cancel(ctx context.Context) error {
	resp, err := t.client.send(ctx, request{
		method: http.MethodPost, path: "/_tasks/" + t.id + "/_cancel", id: t.opaque, repeat: repeatYes,
	})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// escaped is a text within a URL's query.
func escaped(text string) string { return url.QueryEscape(text) }

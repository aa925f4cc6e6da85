package sqlapi

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

const (
	// asyncKeepAlive is how long the server keeps an async search that nobody asks for.
	asyncKeepAlive = "10m"
	asyncPath      = "/_sql/async/"
)

// awaitAsync asks for an async search until it has ended, each time waiting on the server. It returns the page with
// the result, and deletes the search there.
func (p *plan) awaitAsync(ctx context.Context, first *page) (*page, error) {
	id, current := first.asyncID, first
	for current.running {
		next, err := p.fetch(ctx, p.asyncRequest(id), nil)
		if err != nil {
			p.abortAsync(id)
			return nil, err
		}
		current = next
	}
	if id != "" {
		p.abortAsync(id)
	}
	current.asyncID = ""
	return current, nil
}

func (p *plan) asyncRequest(id string) request {
	return request{
		method: http.MethodGet, path: asyncPath + id, id: p.call.RequestID, repeat: repeatYes,
		query: "wait_for_completion_timeout=" + milliseconds(p.call.Async),
	}
}

// abortAsync deletes the search, which cancels one that still runs.
func (p *plan) abortAsync(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	p.dropAsync(ctx, id)
}

// dropAsync deletes an async search. The server does it by itself after asyncKeepAlive, so a failure is no loss.
func (p *plan) dropAsync(ctx context.Context, id string) {
	resp, err := p.client.send(ctx, request{method: http.MethodDelete, path: asyncPath + "delete/" + id, repeat: repeatYes})
	if err == nil {
		_ = resp.Body.Close()
	}
}

// milliseconds writes a duration as the servers read it, at least 1ms.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10) + "ms"
}

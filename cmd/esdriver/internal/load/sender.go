package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

// A batch that fails is sent again after a pause that doubles from firstPause to longestPause, until patience is over
// without any of it having been taken. The driver itself has tried other nodes before.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 10 * time.Second
	patience     = 5 * time.Minute
)

// sender sends batches; there is one for each that is under way.
type sender struct {
	link   *link.Link
	path   string
	body   bytes.Buffer // of what is sent again
	sent   []int        // places of the items under way
	answer bytes.Buffer
	pause  time.Duration
}

// send sends a batch until each of its items is settled. It fails when patience is over, or when the server refuses
// everything.
func (s *sender) send(ctx context.Context, b *batch) error {
	s.sent, s.pause = s.sent[:0], firstPause
	for i := range b.items {
		s.sent = append(s.sent, i)
	}
	for giveUp := time.Now().Add(patience); len(s.sent) > 0; {
		before := len(s.sent)
		err := s.try(ctx, b)
		if hopeless(ctx, err) || err != nil && time.Now().After(giveUp) {
			return err
		}
		if len(s.sent) < before {
			giveUp, s.pause = time.Now().Add(patience), firstPause
		}
		if len(s.sent) == 0 {
			return nil
		}
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// errBusy is what some items of a batch were answered.
var errBusy = errors.New("load: the servers are too busy to take rows")

// try sends what is not settled, once.
func (s *sender) try(ctx context.Context, b *batch) error {
	req, err := link.Request(esdriver.WithIdempotent(ctx, true), http.MethodPost, s.path, s.content(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := s.link.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 8<<10))
		return errors.Join(&link.StatusError{Method: req.Method, Path: s.path, Status: resp.StatusCode, Body: text}, err)
	}
	a, err := s.read(resp.Body)
	if err != nil {
		return fmt.Errorf("load: answer to %s: %w", s.path, err)
	}
	if s.sent, err = b.settle(a, s.sent); err == nil && len(s.sent) > 0 {
		return errBusy
	}
	return err
}

// untroubled begins the answer to a request whose items were all taken: filter_path leaves nothing before it. The items
// behind it say nothing more, and to read them is a quarter of what a load costs.
var untroubled = []byte(`{"errors":false,`)

func (s *sender) read(body io.Reader) (*answer, error) {
	s.answer.Reset()
	if _, err := s.answer.ReadFrom(body); err != nil {
		return nil, err
	}
	a := &answer{}
	if bytes.HasPrefix(s.answer.Bytes(), untroubled) {
		return a, nil
	}
	return a, json.Unmarshal(s.answer.Bytes(), a)
}

// content is the body of what is not settled.
func (s *sender) content(b *batch) []byte {
	if len(s.sent) == len(b.items) {
		return b.body
	}
	s.body.Reset()
	for _, place := range s.sent {
		it := b.items[place]
		s.body.Write(b.body[it.from:it.to])
	}
	return s.body.Bytes()
}

// hopeless reports whether sending again makes no sense: the caller is gone, or the server has refused the whole
// request for what it is.
func hopeless(ctx context.Context, err error) bool {
	if err == nil {
		return false
	}
	refused, ok := errors.AsType[*link.StatusError](err)
	return ctx.Err() != nil || errors.Is(err, esdriver.ErrAllFiltered) ||
		ok && refused.Status < 500 && refused.Status != http.StatusTooManyRequests
}

// wait lets a pause pass, of half to all of its length so that batches do not come back together.
func (s *sender) wait(ctx context.Context) error {
	timer := time.NewTimer(s.pause/2 + rand.N(s.pause/2))
	defer timer.Stop()
	s.pause = min(2*s.pause, longestPause)
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package dump

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

const (
	pageRows  = 2000
	keepAlive = "5m" // how long the server keeps the state of the table for the next page
	// closeWithin bounds the giving back of that state, which goes by itself if it is not done.
	closeWithin = 5 * time.Second
)

// hit is a document.
type hit struct {
	Source json.RawMessage `json:"_source"`
	Sort   []int64         `json:"sort"` // the place in the shard
}

// total is how many rows a search has found: a number before Elasticsearch 7.0, an object since.
type total int64

// UnmarshalJSON reads both.
func (t *total) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*int64)(t)) == nil {
		return nil
	}
	var object struct{ Value int64 }
	err := json.Unmarshal(text, &object)
	*t = total(object.Value)
	return err
}

// page is an answer to a search.
type page struct {
	Scroll   string `json:"_scroll_id"`
	PIT      string `json:"pit_id"`
	TimedOut bool   `json:"timed_out"`
	Shards   struct {
		Failed   int
		Failures []struct{ Reason struct{ Type, Reason string } }
	} `json:"_shards"`
	Hits struct {
		Total total
		Hits  []hit
	}
}

// whole returns an error for a page that lacks rows.
func (p *page) whole() error {
	switch {
	case p.TimedOut:
		return fmt.Errorf("dump: the search has run out of time on the server, and rows are missing")
	case p.Shards.Failed > 0:
		reason := ""
		if len(p.Shards.Failures) > 0 {
			reason = ": " + p.Shards.Failures[0].Reason.Type + ": " + p.Shards.Failures[0].Reason.Reason
		}
		return fmt.Errorf("dump: %d shards did not answer, and rows are missing%s", p.Shards.Failed, reason)
	}
	return nil
}

// ErrRepeated says that rows have come a second time, from which a dump would never end.
var ErrRepeated = errors.New("dump: the server repeats rows that it has sent before")

// reader reads the pages of a table. An empty page is the end.
type reader interface {
	next(ctx context.Context) ([]hit, error)
	close(ctx context.Context) error
}

// open reads by a point in time where its sort key _shard_doc exists, since such a page can be asked for again when a
// node fails: Elasticsearch from 7.12 on. Elsewhere it is a scroll, of which a page that is lost is lost for good.
func open(ctx context.Context, l *link.Link, table string) (reader, error) {
	product, err := l.Product(ctx)
	if err != nil {
		return nil, err
	}
	path := "/" + url.PathEscape(table)
	if product.OpenSearch() || !product.AtLeast(7, 12) {
		return &scroll{link: l, path: path + "/_search?scroll=" + keepAlive}, nil
	}
	p := &pointInTime{link: l}
	var opened struct{ ID string }
	if err := l.Ask(ctx, http.MethodPost, path+"/_pit?keep_alive="+keepAlive, nil, &opened); err != nil {
		return nil, err
	}
	p.id = opened.ID
	return p, nil
}

// pointInTime reads by search_after.
type pointInTime struct {
	link  *link.Link
	id    string
	after []int64
}

func (p *pointInTime) next(ctx context.Context) ([]hit, error) {
	question := map[string]any{
		"size": pageRows, "track_total_hits": false, "sort": []any{map[string]string{"_shard_doc": "asc"}},
		"pit": map[string]string{"id": p.id, "keep_alive": keepAlive},
	}
	if p.after != nil {
		question["search_after"] = p.after
	}
	answer, err := p.ask(ctx, question)
	if err != nil {
		return nil, err
	}
	hits := answer.Hits.Hits
	if answer.PIT != "" {
		p.id = answer.PIT
	}
	if err := answer.whole(); err != nil || len(hits) == 0 {
		return nil, err
	}
	last := hits[len(hits)-1].Sort
	if slices.Compare(last, p.after) <= 0 {
		return nil, ErrRepeated
	}
	p.after = last
	return hits, nil
}

// A page is asked for pageTries times, with a pause between that grows from firstPause, twofold each time.
const (
	pageTries  = 5
	firstPause = 100 * time.Millisecond
)

// ask asks for a page until it comes whole: the driver sends a request to another node, but an answer that is cut in its
// middle is the caller's.
func (p *pointInTime) ask(ctx context.Context, question any) (answer page, err error) {
	pause := firstPause
	for try := 1; ; try++ {
		answer = page{}
		err = p.link.Ask(ctx, http.MethodPost, "/_search", question, &answer)
		if _, refused := errors.AsType[*link.StatusError](err); err == nil || refused || try == pageTries {
			return answer, err
		}
		timer := time.NewTimer(pause)
		pause *= 2
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return answer, err
		}
	}
}

func (p *pointInTime) close(ctx context.Context) error {
	return release(ctx, p.link, "/_pit", map[string]string{"id": p.id})
}

// scroll reads by a scroll. Its pages do not tell where they stand, but how many rows there are in all of them.
type scroll struct {
	link *link.Link
	path string // of the first page
	id   string
	rows int64 // so far
}

func (s *scroll) next(ctx context.Context) ([]hit, error) {
	path, question := s.path, map[string]any{"size": pageRows, "sort": []string{"_doc"}, "track_total_hits": true}
	if s.id != "" {
		path, question = "/_search/scroll", map[string]any{"scroll": keepAlive, "scroll_id": s.id}
	}
	var answer page
	if err := s.link.Ask(ctx, http.MethodPost, path, question, &answer); err != nil {
		return nil, err
	}
	s.id = answer.Scroll
	s.rows += int64(len(answer.Hits.Hits))
	return answer.Hits.Hits, errors.Join(answer.whole(), s.counted(&answer))
}

// counted returns an error when more rows have come than there are, or fewer at the end.
func (s *scroll) counted(p *page) error {
	switch all := int64(p.Hits.Total); {
	case s.rows > all:
		return ErrRepeated
	case len(p.Hits.Hits) == 0 && s.rows < all:
		return fmt.Errorf("dump: %d rows have come of %d: a page is missing; try again", s.rows, all)
	}
	return nil
}

func (s *scroll) close(ctx context.Context) error {
	if s.id == "" {
		return nil
	}
	return release(ctx, s.link, "/_search/scroll", map[string]any{"scroll_id": strings.Fields(s.id)})
}

// release gives back what the server keeps, be the context over or not.
func release(ctx context.Context, l *link.Link, path string, body any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	return l.Ask(ctx, http.MethodDelete, path, body, nil)
}

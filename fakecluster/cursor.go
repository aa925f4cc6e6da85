package fakecluster

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"
)

// cursors are the open SQL cursors of a cluster.
type cursors struct {
	mu     sync.Mutex // guards the fields below
	open   map[int]*cursor
	opened int
}

// cursor is the rest of a statement's result. What its text (the token) says depends on the server.
type cursor struct {
	number  int
	result  SQLResult
	fetch   int
	at      int // where the next page begins, if the token does not say
	loc     *time.Location
	lenient bool
	expires time.Time
}

func newCursors() *cursors { return &cursors{open: map[int]*cursor{}} }

// cursorLife is how long a cursor lives after its last use: OpenSearch's default keep-alive is a minute,
// Elasticsearch's page_timeout 45 seconds.
const cursorLife = time.Minute

// OpenCursors returns how many SQL cursors are open and not expired.
func (c *Cluster) OpenCursors() int {
	c.cursors.mu.Lock()
	defer c.cursors.mu.Unlock()
	c.cursors.expire(c.now())
	return len(c.cursors.open)
}

func (s *cursors) expire(now time.Time) {
	for n, cur := range s.open {
		if cur.expires.Before(now) {
			delete(s.open, n)
		}
	}
}

func (s *cursors) add(cur *cursor, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	cur.number, cur.expires = s.opened, now.Add(cursorLife)
	s.open[cur.number] = cur
}

func (s *cursors) get(number int, now time.Time) *cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	cur := s.open[number]
	if cur != nil {
		cur.expires = now.Add(cursorLife)
	}
	return cur
}

// place is where the cursor's next page begins; another request may move it on at any time.
func (s *cursors) place(cur *cursor) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cur.at
}

// take moves the cursor on from at to next; it is false if another request was there first.
func (s *cursors) take(cur *cursor, at, next int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cur.at != at {
		return false
	}
	cur.at = next
	return true
}

func (s *cursors) close(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, was := s.open[number]
	delete(s.open, number)
	return was
}

// page returns the rows from at, and where the next page begins; -1 if there is none. As on the servers, a
// full page is followed by another even if that is empty.
func (cur *cursor) page(at int) (rows [][]any, next int) {
	at = min(at, len(cur.result.Rows))
	end := min(at+cur.fetch, len(cur.result.Rows))
	if end-at < cur.fetch {
		return cur.result.Rows[at:end], -1
	}
	return cur.result.Rows[at:end], end
}

// token is the cursor's text; it carries the place it stands for.
func (c *Cluster) token(number, at int) string {
	plain := fmt.Appendf(nil, "fake cursor %d %d", number, at)
	if c.cfg.flavor == OpenSearch {
		return "n:" + hex.EncodeToString(plain)
	}
	return base64.StdEncoding.EncodeToString(plain)
}

// readToken is the reverse of token; false if the text is not one of ours.
func (c *Cluster) readToken(text string) (number, at int, ok bool) {
	plain, err := base64.StdEncoding.DecodeString(text)
	if c.cfg.flavor == OpenSearch {
		plain, err = hex.DecodeString(strings.TrimPrefix(text, "n:"))
	}
	if err != nil {
		return 0, 0, false
	}
	n, err := fmt.Sscanf(string(plain), "fake cursor %d %d", &number, &at)
	return number, at, err == nil && n == 2
}

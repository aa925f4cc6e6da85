package fakecluster

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// loggedBody is how many bytes of a request's body the log keeps.
const loggedBody = 64 << 10

// Request is one request as a node saw it.
type Request struct {
	Node   string // name of the node
	Time   time.Time
	Method string
	Path   string // as on the wire, escapes included
	Query  url.Values
	Header http.Header
	Body   []byte // the first 64 KiB as sent, before any decompression; nil if the node did not read it
	Length int64  // bytes of the whole body that were read
	Status int    // status of the answer; 0 if none was sent (yet)
	Bytes  int64  // bytes of the answer's body, as sent
}

// Requests is a part of the log, oldest first.
type Requests []Request

// Where returns the requests that keep accepts.
func (rs Requests) Where(keep func(Request) bool) Requests {
	var out Requests
	for _, r := range rs {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

// Node returns the requests that the node of this name received.
func (rs Requests) Node(name string) Requests {
	return rs.Where(func(r Request) bool { return r.Node == name })
}

// Method returns the requests with this method.
func (rs Requests) Method(method string) Requests {
	return rs.Where(func(r Request) bool { return r.Method == method })
}

// Path returns the requests whose path matches the pattern, by the rule of [Fault].Path.
func (rs Requests) Path(pattern string) Requests {
	return rs.Where(func(r Request) bool { return matchPath(pattern, r.Path) })
}

// Containing returns the requests whose logged body contains the text.
func (rs Requests) Containing(text string) Requests {
	return rs.Where(func(r Request) bool { return strings.Contains(string(r.Body), text) })
}

// CountByNode returns how many of the requests each node received, by the node's name.
func (rs Requests) CountByNode() map[string]int {
	counts := map[string]int{}
	for _, r := range rs {
		counts[r.Node]++
	}
	return counts
}

// log is the request log of a cluster. Entries are pointers because an answer completes its entry.
type log struct {
	mu      sync.Mutex // guards entries and what they point to
	entries []*Request
	keep    int
}

// add appends the request and returns the function to complete it with.
func (l *log) add(r Request) func(complete func(*Request)) {
	entry := &r
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
	if over := len(l.entries) - l.keep; over > l.keep/4 { // in batches, so that one append stays cheap
		l.entries = append([]*Request{}, l.entries[over:]...)
	}
	return func(complete func(*Request)) {
		l.mu.Lock()
		defer l.mu.Unlock()
		complete(entry)
	}
}

func (l *log) snapshot() Requests {
	l.mu.Lock()
	defer l.mu.Unlock()
	over := max(len(l.entries)-l.keep, 0)
	out := make(Requests, 0, len(l.entries)-over)
	for _, e := range l.entries[over:] {
		out = append(out, *e)
	}
	return out
}

func (l *log) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}

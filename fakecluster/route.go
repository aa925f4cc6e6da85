package fakecluster

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
)

// call is a request on its way to an operation.
type call struct {
	*exchange
	vars  map[string]string // the path's variable segments, unescaped
	query url.Values
}

type operation func(*call) (*reply, error)

// route is an operation with its methods and path; segments in braces are variables. An index variable
// matches no segment that begins with an underscore, except _all.
type route struct {
	methods  []string
	segments []string
	do       operation
}

func on(methods, path string, do operation) route {
	return route{strings.Split(methods, ","), splitPath(path), do}
}

func splitPath(p string) []string {
	return strings.Split(strings.Trim(p, "/"), "/")
}

func (r route) match(segments []string) (map[string]string, bool) {
	if len(r.segments) != len(segments) {
		return nil, false
	}
	vars := map[string]string{}
	for i, want := range r.segments {
		name, variable := strings.CutPrefix(want, "{")
		switch {
		case !variable && want != segments[i]:
			return nil, false
		case variable:
			name = strings.TrimSuffix(name, "}")
			if name == "index" && strings.HasPrefix(segments[i], "_") && segments[i] != "_all" {
				return nil, false
			}
			vars[name] = segments[i]
		}
	}
	return vars, true
}

// handle executes the request and returns its answer.
func (c *Cluster) handle(x *exchange) *reply {
	if r := c.authorize(x.r); r != nil {
		return r
	}
	if r := c.checkMedia(x); r != nil {
		return r
	}
	segments, err := unescape(splitPath(x.r.URL.EscapedPath()))
	if err != nil {
		return replyTo(err)
	}
	return c.dispatch(x, segments)
}

func unescape(segments []string) ([]string, error) {
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil {
			return nil, fail(400, "illegal_argument_exception", "invalid escape sequence in path segment ["+s+"]")
		}
		segments[i] = plain
	}
	return segments, nil
}

func (c *Cluster) dispatch(x *exchange, segments []string) *reply {
	var allowed []string
	for _, r := range c.table {
		vars, ok := r.match(segments)
		if !ok {
			continue
		}
		if slices.Contains(r.methods, x.r.Method) {
			return c.execute(r.do, &call{exchange: x, vars: vars, query: x.r.URL.Query()})
		}
		allowed = append(allowed, r.methods...)
	}
	return notRouted(x.r, segments, allowed)
}

// execute runs the operation. A panic is a bug of the fake: it is answered, so that the test shows it, since
// net/http would only close the connection.
func (c *Cluster) execute(do operation, k *call) (r *reply) {
	defer func() {
		if p := recover(); p != nil {
			r = errorReply(500, failure("fakecluster_panic", fmt.Sprintf("%v\n%s", p, debug.Stack())))
		}
	}()
	r, err := do(k)
	if err != nil {
		return replyTo(err)
	}
	return r.filtered(k.query.Get("filter_path"))
}

func replyTo(err error) *reply {
	e := err.(*apiError) // operations return no other kind
	return errorReply(e.status, e.fail)
}

// notRouted answers what the servers answer to an unknown path or method.
func notRouted(r *http.Request, segments, allowed []string) *reply {
	switch {
	case len(allowed) > 0:
		list := strings.Join(allowed, ", ")
		reason := "Incorrect HTTP method for uri [" + r.URL.RequestURI() + "] and method [" + r.Method + "], allowed: [" + list + "]"
		return jsonReply(405, object{"error", reason, "status", 405}).set("Allow", strings.Join(allowed, ","))
	case len(segments) == 1 && strings.HasPrefix(segments[0], "_") && r.Method == http.MethodGet:
		return replyTo(invalidIndexName(segments[0], "must not start with '_'."))
	}
	return jsonReply(400, object{"error", "no handler found for uri [" + r.URL.RequestURI() + "] and method [" + r.Method + "]"})
}

package fakecluster

import (
	"bytes"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Action is what a [Fault] does to a request. It has up to three moments: before the body is read,
// before the request is executed, and after that before the answer is sent.
type Action struct {
	accept               bool // acts on a connection, before any request
	early, before, after func(*exchange) (ended bool)
}

// The actions without a parameter.
var (
	// Refuse closes a connection as soon as it is accepted. Method, Path and Match do not apply: there is
	// no request yet. For "connection refused" use [Node.Kill].
	Refuse = Action{accept: true}
	// Hang reads the request, does not execute it and never answers. It ends when the client goes away
	// or the node is killed.
	Hang = Action{before: (*exchange).hang}
	// ResetBeforeRead resets the connection after the header was read and before the body is.
	ResetBeforeRead = Action{early: (*exchange).reset}
	// ResetBeforeExecute reads the whole request and resets the connection without executing it.
	ResetBeforeExecute = Action{before: (*exchange).reset}
	// ResetAfterExecute executes the request and resets the connection instead of answering.
	ResetAfterExecute = Action{after: (*exchange).reset}
	// CloseAfterExecute executes the request and ends the connection in an orderly way without an answer.
	CloseAfterExecute = Action{after: (*exchange).abort}
	// HTML answers 200 with an HTML page, as a login page or a captive proxy does.
	HTML = Action{before: func(x *exchange) bool {
		h := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
		return x.answer(&reply{status: 200, header: h, body: []byte("<html><body><h1>Welcome</h1></body></html>\n")})
	}}
	// Garbage answers bytes that are not HTTP and closes the connection.
	Garbage = Action{before: func(x *exchange) bool {
		return x.raw([]byte("\x00\x01\x02 this is not HTTP\r\n\r\n"))
	}}
	// ConnectionClose adds "Connection: close" to the answer and closes the connection after it.
	ConnectionClose = header("Connection", "close")
	// WrongClusterName makes the node report the cluster name "another-cluster".
	WrongClusterName = view(func(v *nodeView) { v.clusterName = "another-cluster" })
	// WrongClusterUUID makes the node report another cluster UUID, always the same one.
	WrongClusterUUID = view(func(v *nodeView) { v.clusterUUID = "AnotherClusterUUID0000" })
	// PartialNodes makes _nodes report one node as failed, without listing it.
	PartialNodes = view(func(v *nodeView) { v.partial = true })
	// EmptyNodes makes _nodes and _cluster/state report no node.
	EmptyNodes = view(func(v *nodeView) { v.empty = true })
	// NotReady makes the node answer as one that has not recovered the cluster's state: 503
	// cluster_block_exception, and GET / without a cluster UUID. _nodes answers as usual.
	NotReady = Action{before: (*exchange).notReady}
)

// CutBody executes the request, sends the header with the full Content-Length and n bytes of the body,
// and closes the connection. If the body is not longer than n, its last byte is cut off.
func CutBody(n int) Action {
	return Action{after: func(x *exchange) bool { return x.cut(n) }}
}

// Slow delays the request by d before it is executed. It does not end the request.
func Slow(d time.Duration) Action {
	return Action{before: func(x *exchange) bool { return x.delay(d) }}
}

// Status answers with this status, body and header instead of executing the request. The Content-Type is
// JSON unless the header has one. Body and header must not be changed afterwards.
func Status(code int, body string, header http.Header) Action {
	return Action{before: func(x *exchange) bool {
		return x.answer(&reply{status: code, header: header.Clone(), body: []byte(body)})
	}}
}

// RetryAfter answers 429 as a server does whose queue is full, and a Retry-After header of d in whole seconds, rounded
// up. Zero sends no such header, as the servers themselves do.
func RetryAfter(d time.Duration) Action {
	return Action{before: func(x *exchange) bool {
		kind := "es_rejected_execution_exception"
		if x.cluster.cfg.flavor == OpenSearch {
			kind = "rejected_execution_exception"
		}
		r := errorReply(429, failure(kind, "rejected execution of coordinating operation"))
		if d > 0 {
			r.set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
		}
		return x.answer(r)
	}}
}

// EarlyAnswer answers with the status before the body is read, and closes the connection when the client
// has stopped sending.
func EarlyAnswer(status int) Action {
	return Action{early: func(x *exchange) bool {
		return x.answerEarly(errorReply(status, failure("early_answer", "answered before the body was read")))
	}}
}

// PublishAddress makes _nodes report this publish address for the node the fault was injected for, or for
// every node if it was injected for the cluster. Servers put host/ip:port, ip:port or [ipv6]:port there;
// empty leaves the http section out, as managed services do.
func PublishAddress(addr string) Action {
	return view(func(v *nodeView) { v.publish = &addr })
}

// HugeBody executes the request and pads the answer with white space to n bytes; JSON stays valid.
func HugeBody(n int) Action {
	return Action{after: func(x *exchange) bool {
		x.reply.body = append(x.reply.body, bytes.Repeat([]byte(" "), max(0, n-len(x.reply.body)))...)
		return false
	}}
}

func header(key, value string) Action {
	return Action{after: func(x *exchange) bool {
		x.reply.set(key, value)
		return false
	}}
}

func view(change func(*nodeView)) Action {
	return Action{before: func(x *exchange) bool {
		change(&x.view)
		return false
	}}
}

// notReady lets those requests through that need no cluster state.
func (x *exchange) notReady() bool {
	x.view.clusterUUID = "_na_"
	if p := x.r.URL.Path; p == "/" || strings.HasPrefix(p, "/_nodes") {
		return false
	}
	return x.answer(errorReply(503, failure("cluster_block_exception",
		"blocked by: [SERVICE_UNAVAILABLE/1/state not recovered / initialized];")))
}

package fakecluster

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// exchange is one request and its answer on a node.
type exchange struct {
	process  *process
	node     *Node
	cluster  *Cluster
	w        http.ResponseWriter
	r        *http.Request
	body     []byte // decompressed
	view     nodeView
	reply    *reply
	complete func(func(*Request)) // completes the log's entry
	hijacked bool
}

// nodeView is what the node says about itself and the cluster; faults change it.
type nodeView struct {
	clusterName, clusterUUID string
	publish                  *string
	partial, empty           bool
}

// ServeHTTP handles one request: log, faults, body, execution, answer.
func (p *process) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := p.node.cluster
	x := &exchange{process: p, node: p.node, cluster: c, w: w, r: r}
	x.view = nodeView{clusterName: c.cfg.name, clusterUUID: c.uuid}
	x.complete = c.log.add(Request{
		Node: p.node.Name(), Time: time.Now(), Method: r.Method, Path: r.URL.EscapedPath(),
		Query: r.URL.Query(), Header: r.Header.Clone(),
	})
	defer func() {
		if x.hijacked {
			p.wg.Done() // net/http reports no StateClosed for these
		}
	}()
	x.run(c.faults.forRequest(p.node, r))
}

func (x *exchange) run(actions []Action) {
	if x.each(actions, func(a Action) func(*exchange) bool { return a.early }) {
		return
	}
	if !x.readBody() || !x.thawed() {
		x.abort()
		return
	}
	x.decompress()
	if x.each(actions, func(a Action) func(*exchange) bool { return a.before }) {
		return
	}
	if x.dead() {
		x.abort()
		return
	}
	x.reply = x.cluster.handle(x)
	if !x.each(actions, func(a Action) func(*exchange) bool { return a.after }) {
		x.send()
	}
}

// each runs one stage of the actions and says whether one of them ended the request.
func (x *exchange) each(actions []Action, stage func(Action) func(*exchange) bool) bool {
	for _, a := range actions {
		if f := stage(a); f != nil && f(x) {
			return true
		}
	}
	return false
}

// readBody reads the whole body as it was sent.
func (x *exchange) readBody() bool {
	raw, err := io.ReadAll(x.r.Body)
	x.complete(func(r *Request) {
		r.Body, r.Length = raw[:min(len(raw), loggedBody)], int64(len(raw))
	})
	x.body = raw
	return err == nil
}

// decompress replaces a body in gzip by its text. What says that it is in gzip and is not is no body to the servers.
func (x *exchange) decompress() {
	if x.r.Header.Get("Content-Encoding") != "gzip" {
		return
	}
	plain, err := gunzip(x.body)
	if err != nil {
		plain = nil
	}
	x.body = plain
}

func gunzip(raw []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// thawed waits while the node is frozen; it is false if the node was killed meanwhile.
func (x *exchange) thawed() bool {
	if gate := x.node.conns.gate(); gate != nil {
		select {
		case <-gate:
		case <-x.process.down:
		}
	}
	return !x.dead()
}

func (x *exchange) dead() bool {
	select {
	case <-x.process.down:
		return true
	default:
		return false
	}
}

func (x *exchange) hang() bool {
	select {
	case <-x.r.Context().Done():
	case <-x.process.down:
	}
	return x.abort()
}

// delay waits; the work is done afterwards even if the client has gone, as on a real server.
func (x *exchange) delay(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-x.process.down:
		return x.abort()
	}
}

// hijack takes the connection away from net/http; nil if it is gone already.
func (x *exchange) hijack() (net.Conn, io.Reader) {
	c, rw, err := x.w.(http.Hijacker).Hijack()
	if err != nil {
		return nil, nil
	}
	x.hijacked = true
	return c, rw.Reader
}

// reset ends the request by resetting its connection.
func (x *exchange) reset() bool {
	if c, _ := x.hijack(); c != nil {
		rawConn(c).reset()
	}
	return true
}

// rawConn returns the tracked connection below TLS.
func rawConn(c net.Conn) *conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return c.(*conn)
}

// abort ends the request by closing its connection.
func (x *exchange) abort() bool {
	if c, _ := x.hijack(); c != nil {
		_ = c.Close()
	}
	return true
}

// raw writes bytes that need not be HTTP and closes the connection.
func (x *exchange) raw(b []byte) bool {
	if c, _ := x.hijack(); c != nil {
		_, _ = c.Write(b)
		_ = c.Close()
	}
	return true
}

// answer sends the reply and ends the request.
func (x *exchange) answer(r *reply) bool {
	x.reply = r
	x.send()
	return true
}

// answerEarly writes the answer by hand, because net/http first reads what is left of a short body, and
// then discards what the client still sends until the client closes or the node is killed.
func (x *exchange) answerEarly(r *reply) bool {
	c, rest := x.hijack()
	if c == nil {
		return true
	}
	defer c.Close()
	x.reply = r
	r.set("Connection", "close")
	x.finish(len(r.body))
	resp := http.Response{
		StatusCode: r.status, ProtoMajor: 1, ProtoMinor: 1, Header: r.header, Request: x.r,
		ContentLength: int64(len(r.body)), Body: io.NopCloser(bytes.NewReader(r.body)),
	}
	var wire bytes.Buffer
	_ = resp.Write(&wire)
	if _, err := c.Write(wire.Bytes()); err == nil {
		_, _ = io.Copy(io.Discard, rest)
	}
	return true
}

// cut sends the header with the full length and only n bytes of the body.
func (x *exchange) cut(n int) bool {
	body := x.reply.body
	x.finish(min(n, len(body)))
	x.writeHeader(len(body))
	_, _ = x.w.Write(body[:max(0, min(n, len(body)-1))])
	_ = http.NewResponseController(x.w).Flush()
	return x.abort()
}

// send writes the whole answer.
func (x *exchange) send() {
	body := x.compress()
	x.finish(len(body))
	x.writeHeader(len(body))
	_, _ = x.w.Write(body)
}

// finish completes the log's entry.
func (x *exchange) finish(bytes int) {
	x.cluster.stamp(x)
	x.complete(func(r *Request) { r.Status, r.Bytes = x.reply.status, int64(bytes) })
}

func (x *exchange) writeHeader(length int) {
	h := x.w.Header()
	for k, v := range x.reply.header {
		h[k] = v
	}
	if x.process.draining.Load() {
		h.Set("Connection", "close")
	}
	h["Date"] = nil // the servers send none
	h.Set("Content-Length", strconv.Itoa(length))
	x.w.WriteHeader(x.reply.status)
}

// compressFrom is the length from which answers are compressed if the client accepts it. Servers
// compress shorter ones too.
const compressFrom = 1 << 10

func (x *exchange) compress() []byte {
	body := x.reply.body
	if len(body) < compressFrom || x.r.Method == http.MethodHead || !strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip") {
		return body
	}
	x.reply.set("Content-Encoding", "gzip")
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestSpeed) // the level is valid
	_, _ = z.Write(body)
	_ = z.Close()
	return buf.Bytes()
}

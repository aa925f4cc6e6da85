package load_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// bulkPath and bulkQuery are what a load sends its rows to.
const (
	bulkPath  = "/rows/_bulk"
	bulkQuery = "?filter_path=errors,items.*.status,items.*.error"
)

// cannedItems is how many items the answer to a _bulk may have.
const cannedItems = 1 << 15

// canned are nodes that cost next to nothing: they count a bulk request's items, and take them all.
type canned struct {
	buffers sync.Pool
	items   []byte // the answers to many items, one after the other
	each    int    // the length of one of them
}

const properties = `{"id":{"type":"long"},"name":{"type":"keyword"},"city":{"type":"keyword"},"age":{"type":"long"},` +
	`"price":{"type":"double"},"joined":{"type":"date"},"active":{"type":"boolean"}}`

// cannedAnswers are those to what a load asks beside its rows.
var cannedAnswers = map[string]string{
	"GET /":              `{"name":"n","cluster_name":"c","cluster_uuid":"u","version":{"number":"8.19.7"}}`,
	"GET /rows/_mapping": `{"rows":{"mappings":{"properties":` + properties + `}}}`,
}

func newCanned() *canned {
	const item = `{"create":{"status":201}},`
	c := &canned{items: bytes.Repeat([]byte(item), cannedItems), each: len(item)}
	c.buffers.New = func() any { return bytes.NewBuffer(make([]byte, 512<<10)) }
	return c
}

// startCanned starts nodes that run until the process ends, and returns their DSN.
func startCanned(count int) (string, error) {
	c := newCanned()
	var addrs []string
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		addrs = append(addrs, l.Addr().String())
		server := &http.Server{Handler: c, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(l) }() // until the process ends
	}
	return "elasticsearch://" + strings.Join(addrs, ","), nil
}

func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	if r.URL.Path == bulkPath {
		c.bulk(w, r.Body)
		return
	}
	answer, ok := cannedAnswers[r.Method+" "+r.URL.Path]
	if !ok {
		answer = "{}"
	}
	fmt.Fprint(w, answer)
}

// bulk answers as a server does that has taken every item.
func (c *canned) bulk(w io.Writer, body io.Reader) {
	buffer := c.buffers.Get().(*bytes.Buffer)
	defer c.buffers.Put(buffer)
	lines := 0
	for room := buffer.Bytes(); ; {
		n, err := body.Read(room)
		lines += bytes.Count(room[:n], []byte("\n"))
		if err != nil {
			break
		}
	}
	items := c.items[:lines/2*c.each-1] // without the last comma
	fmt.Fprintf(w, `{"errors":false,"items":[%s]}`, items)
}

package srv

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// The paths that have an answer of their own; every other path gets Root's.
const (
	Root     = "/"              // what a node says of itself
	Small    = "/small/_search" // 300 bytes
	Large    = "/large/_search" // 1 MiB
	SQL      = "/_sql"          // one row of two columns
	Bulk     = "/_bulk"         // 300 bytes, once the body was read
	SlowBulk = "/slow/_bulk"    // as Bulk, after Delay
	Refused  = "/refused"       // status 404

	smallBytes = 300
	largeBytes = 1 << 20
)

// Delay is how long SlowBulk keeps its caller waiting after the body was read.
const Delay = 50 * time.Millisecond

const rootBody = `{"name":"n","cluster_name":"bench","cluster_uuid":"bench-uuid","version":{"number":"8.19.0"},` +
	`"tagline":"You Know, for Search"}`

const oneRow = `{"columns":[{"name":"id","type":"long"},{"name":"name","type":"keyword"}],"rows":[[1,"ann"]]}`

var answers = map[string][]byte{
	Root:     answer("200 OK", []byte(rootBody)),
	Small:    answer("200 OK", hits(smallBytes)),
	Large:    answer("200 OK", hits(largeBytes)),
	SQL:      answer("200 OK", []byte(oneRow)),
	Bulk:     answer("200 OK", hits(smallBytes)),
	SlowBulk: answer("200 OK", hits(smallBytes)),
	Refused:  answer("404 Not Found", []byte("{}")),
}

// Answer returns the whole answer to a path as it is on the wire, header included. It is not to be changed.
func Answer(path string) []byte {
	if a, ok := answers[path]; ok {
		return a
	}
	return answers[Root]
}

// answer puts before a body the header that a node of Elasticsearch 8 sends.
func answer(status string, body []byte) []byte {
	head := fmt.Sprintf("HTTP/1.1 %s\r\nX-elastic-product: Elasticsearch\r\n"+
		"content-type: application/json; charset=UTF-8\r\ncontent-length: %d\r\n\r\n", status, len(body))
	return append([]byte(head), body...)
}

// hits is the body of a search's answer, size bytes long.
func hits(size int) []byte {
	const tail = `],"pad":"`
	var b bytes.Buffer
	b.WriteString(`{"took":3,"timed_out":false,"hits":{"total":{"value":1,"relation":"eq"},"hits":[{}`)
	for i := 0; b.Len() < size-120; i++ {
		fmt.Fprintf(&b, `,{"_index":"a","_id":"%08d","_score":1.0,"_source":{"f":"%d"}}`, i, i*7919)
	}
	b.WriteString(tail)
	b.WriteString(strings.Repeat("x", size-b.Len()-len(`"}}`)))
	b.WriteString(`"}}`)
	return b.Bytes()
}

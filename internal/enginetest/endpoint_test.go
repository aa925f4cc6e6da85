package enginetest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
)

// forms are the same calls by their other methods and paths.
func forms(s *session) {
	s.numbered()
	s.want(409, "POST", "/%s/_create/1", `{"n":1}`)
	s.want(201, "POST", "/%s/_create/5", `{"n":5}`)
	s.want(200, "POST", "/%s/_doc/5", `{"n":6}`)
	s.want(200, "PUT", "/%s/_bulk", `{"index":{"_id":"6"}}`+"\n"+`{"n":7}`+"\n")
	s.want(200, "PUT", "/_bulk", `{"delete":{"_index":"%s","_id":"6"}}`+"\n")
	s.want(200, "GET", "/%s/_mget", `{"ids":["1"]}`)
	s.want(200, "GET", "/%s/_search", `{"query":{"term":{"n":1}}}`)
	s.want(200, "HEAD", "/%s/_source/1", "")
	s.want(200, "GET", "/%s/_refresh", "")
	s.want(200, "POST", "/%s/_flush", "")
	s.want(200, "POST", "/%s/_mapping", `{"properties":{"m":{"type":"long"}}}`)
	first := s.want(200, "POST", "/%s/_search?scroll=1m", `{"size":1,"sort":["n"]}`)
	id := first.word("_scroll_id")
	s.want(200, "GET", "/_search/scroll", fmt.Sprintf(`{"scroll":"1m","scroll_id":%q}`, id))
	s.want(200, "DELETE", "/_search/scroll/"+id, "")
	s.want(404, "DELETE", "/_search/scroll/"+id, "")
}

// whole asks for what concerns the whole cluster, where other indices may be: the answers are not compared.
func whole(s *session) {
	s.numbered()
	for _, r := range []struct{ method, path string }{
		{"GET", "/_search"}, {"POST", "/_search"}, {"GET", "/_count"}, {"POST", "/_refresh"}, {"GET", "/_mapping"}, {"GET", "/_alias"},
		{"GET", "/_nodes"}, {"GET", "/_nodes/http"}, {"GET", "/_nodes/_all"}, {"GET", "/_nodes/_all/jvm"}, {"GET", "/_nodes/_local"},
		{"GET", "/_tasks"}, {"GET", "/_cat/indices"}, {"GET", "/_cat/aliases"}, {"GET", "/_cat/nodes"},
	} {
		a := send(s.T, s.cluster, r.method, r.path, "")
		s.Equal(200, a.status, "%s %s: %s", r.method, r.path, a.text)
	}
}

func closedIndex(s *session) {
	s.numbered()
	s.want(200, "POST", "/%s/_close", "")
	s.fails(400, "index_closed_exception", "POST", "/%s/_search", `{}`)
	s.fails(400, "index_closed_exception", "PUT", "/%s/_doc/1", `{"n":1}`)
	items := s.want(200, "POST", "/%s/_bulk", `{"index":{"_id":"1"}}`+"\n"+`{"n":1}`+"\n")
	s.Equal("index_closed_exception", items.word("items.0.index.error.type"))
	s.want(200, "POST", "/%s/_open?wait_for_active_shards=all", "")
	s.Equal("1 2 3 4", s.want(200, "POST", "/%s/_search", `{"sort":["n"]}`).ids())
	s.fails(404, "index_not_found_exception", "POST", "/%s-none/_close", "")
}

func blockedIndex(s *session) {
	s.numbered()
	s.want(200, "PUT", "/%s/_settings", `{"index.blocks.write":true}`)
	s.fails(403, "cluster_block_exception", "PUT", "/%s/_doc/1", `{"n":1}`)
	items := s.want(200, "POST", "/%s/_bulk", `{"index":{"_id":"1"}}`+"\n"+`{"n":1}`+"\n")
	s.EqualValues(403, items.number("items.0.index.status"))
	s.Equal("1 2 3 4", s.want(200, "POST", "/%s/_search", `{"sort":["n"]}`).ids())
	s.want(200, "PUT", "/%s/_settings", `{"index":{"blocks.write":null}}`)
	s.want(200, "PUT", "/%s/_doc/1", `{"n":1}`)
}

func listings(s *session) {
	s.numbered()
	s.want(200, "POST", "/_aliases", `{"actions":[{"add":{"index":"%s","alias":"%s-all"}}]}`)
	rows := s.want(200, "GET", "/_cat/indices/%s?format=json&h=health,status,index,pri,rep,docs.count", "")
	s.Equal(s.index, rows.word("0.index"))
	s.want(200, "GET", "/_cat/indices/%s?h=status,index,pri,rep", "")
	s.fails(404, "index_not_found_exception", "GET", "/_cat/indices/%s-none?format=json", "")
	s.Equal(s.index+"-all", s.want(200, "GET", "/_resolve/index/%s*", "").word("aliases.0.name"))
	s.Equal(s.index, s.want(200, "GET", "/_resolve/index/%s", "").word("indices.0.name"))
	s.want(200, "GET", "/_tasks?actions=*nosuch*", "")
	s.fails(404, "resource_not_found_exception", "GET", "/_tasks/nobody:1", "")
	s.want(200, "GET", "/%s/_doc/1?filter_path=_source.n,_id", "")
	s.want(200, "GET", "/%s/_mapping?filter_path=*.mappings.properties.n", "")
}

func healthOfAll(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.want(408, "GET", "/_cluster/health/%s-none?timeout=10ms", "")
	s.EqualValues(2, s.want(200, "GET", "/_cluster/health/%s?wait_for_status=yellow", "").number("active_shards"))
	got := send(s.T, s.cluster, "GET", "/_cluster/health", "")
	s.EqualValues(s.facts.nodes, got.number("number_of_data_nodes"))
}

// media is about what is in headers.
func media(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.sent(406, "PUT", "/%s/_doc/1", `{"n":1}`, "Content-Type", "text/plain")
	s.sent(201, "PUT", "/%s/_doc/1", `{"n":1}`, "Content-Type", "application/json; charset=UTF-8")
	s.sent(200, "POST", "/%s/_bulk", `{"index":{"_id":"2"}}`+"\n"+`{"n":2}`+"\n", "Content-Type", "application/x-ndjson")
	s.sent(200, "PUT", "/%s/_doc/1", zipped(`{"n":1}`), "Content-Encoding", "gzip")
	s.sent(400, "PUT", "/%s/_doc/1", `{"n":1}`, "Content-Encoding", "gzip")
	s.Equal("mine", s.sent(200, "GET", "/%s/_doc/1", "", "X-Opaque-Id", "mine").header.Get("X-Opaque-Id"))
}

// versionedMedia is about the media types that Elasticsearch 8 has.
func versionedMedia(s *session) {
	s.create(`"n":{"type":"long"}`)
	const vnd = "application/vnd.elasticsearch+json;compatible-with="
	for _, v := range []string{"7", "8"} {
		s.sent(200, "PUT", "/%s/_mapping", `{"properties":{"m":{"type":"long"}}}`, "Content-Type", vnd+v, "Accept", vnd+v)
		got := s.sent(200, "GET", "/%s/_mapping", "", "Accept", vnd+v)
		s.Equal(vnd+v, strings.ReplaceAll(got.header.Get("Content-Type"), " ", ""))
	}
	s.sent(400, "GET", "/%s/_mapping", "", "Accept", vnd+"9")
	s.sent(400, "PUT", "/%s/_doc/1", `{"n":1}`, "Content-Type", vnd+"9", "Accept", vnd+"9")
}

// sent is want with header lines, given as name, value, name, value.
func (s *session) sent(status int, method, path, body string, lines ...string) answer {
	s.Helper()
	header := http.Header{}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(lines); i += 2 {
		header.Set(lines[i], lines[i+1])
	}
	path = strings.ReplaceAll(path, "%s", s.index)
	a, err := roundTripWith(s.Context(), s.cluster, header, method, path, body)
	s.NoError(err)
	s.record = append(s.record, exchange{fmt.Sprintf("%s %s %v", method, path, lines), a})
	s.Equal(status, a.status, "%s %s %v: %s", method, path, lines, a.text)
	return a
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // into memory: it cannot fail
	_ = z.Close()
	return b.String()
}

package cluster

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/esdriver/esdriver/pool"
)

// operation is what a method and a path ask for: the first path segment that starts with an underscore (no
// index may start so), what follows it, and whether something came before it.
type operation struct {
	method string
	api    string // "_search", "_doc", …; empty when the path names none
	rest   string // what follows the api, without slashes at its ends
	depth  int    // how many segments precede the api; all of them when there is none
}

func parseOperation(method, path string) operation {
	op := operation{method: method}
	for rest := strings.Trim(path, "/"); rest != ""; {
		segment, tail, _ := strings.Cut(rest, "/")
		if segment != "" && segment[0] == '_' && segment != "_all" {
			op.api, op.rest = segment, strings.Trim(tail, "/")
			break
		}
		op.depth++
		rest = tail
	}
	if op.api == "_plugins" || op.api == "_opendistro" || op.api == "_xpack" {
		return op.inner()
	}
	return op
}

// inner looks through a family of plug-in paths: /_plugins/_sql is the operation _sql.
func (op operation) inner() operation {
	if segment, tail, _ := strings.Cut(op.rest, "/"); segment != "" {
		if segment[0] != '_' {
			segment = "_" + segment // /_xpack/sql
		}
		op.api, op.rest = knownAPI(segment), tail
	}
	return op
}

// knownAPI spares an allocation for the names that matter.
func knownAPI(segment string) string {
	if segment == "_sql" || segment == "_ppl" {
		return segment
	}
	return "_plugins"
}

// class is the traffic class by method and path.
func (op operation) class() pool.Class {
	switch op.api {
	case "":
		return op.indexClass()
	case "_bulk":
		return pool.Bulk
	case "_reindex", "_update_by_query", "_delete_by_query", "_snapshot", "_forcemerge":
		return pool.Recovery
	case "_cluster", "_nodes", "_cat", "_mapping", "_mappings", "_settings", "_alias", "_aliases", "_tasks",
		"_template", "_index_template", "_component_template", "_ingest", "_resolve", "_stats", "_segments",
		"_ilm", "_data_stream", "_plugins", "_security", "_license", "_remote", "_health_report", "_recovery":
		return pool.State
	}
	return pool.Reg
}

// indexClass judges paths that name no api: the root, an index, or a document of the typed API.
func (op operation) indexClass() pool.Class {
	switch {
	case op.depth == 0:
		return pool.Ping
	case op.depth == 1 && op.method != http.MethodPost:
		return pool.State
	}
	return pool.Reg
}

// classOf is the class of a request that nobody has classed. It allocates nothing.
func classOf(method, path string, query string) pool.Class {
	op := parseOperation(method, path)
	if op.api == "_tasks" && strings.Contains(query, "wait_for_completion=true") {
		return pool.Recovery
	}
	return op.class()
}

// readAPIs are the operations that only read even with POST. PUT and DELETE store and drop things there.
var readAPIs = map[string]bool{
	"_search": true, "_msearch": true, "_count": true, "_mget": true, "_explain": true, "_validate": true,
	"_field_caps": true, "_termvectors": true, "_mtermvectors": true, "_rank_eval": true, "_analyze": true,
	"_search_shards": true, "_eql": true, "_terms_enum": true, "_render": true, "_query": true, "_ppl": true,
}

// idempotency says whether a request may be sent again after it may have been executed, and the rule that says so.
func idempotency(req *http.Request) (bool, string) {
	if marked, ok := idempotentFrom(req.Context()); ok {
		return marked, "marked by the context"
	}
	if req.Header.Get("Idempotency-Key") != "" || req.Header.Get("X-Idempotency-Key") != "" {
		return true, "marked by the Idempotency-Key header"
	}
	op := parseOperation(req.Method, req.URL.Path)
	switch {
	case op.api == "_search" && strings.HasPrefix(op.rest, "scroll"):
		return false, "a scroll moves on with each page"
	case op.api == "_search" && strings.HasPrefix(op.rest, "point_in_time"), op.api == "_query" && op.rest != "":
		return req.Method == http.MethodGet, "opens or ends a context"
	case op.api == "_sql":
		return idempotentSQL(req, op)
	case req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodOptions:
		return true, req.Method + " reads"
	case readAPIs[op.api] && req.Method == http.MethodPost:
		return true, op.api + " reads"
	case op.api == "_bulk":
		return idempotentBulk(req)
	}
	return idempotentDocument(req, op)
}

// idempotentDocument accepts a write of one document that the server refuses to do twice.
func idempotentDocument(req *http.Request, op operation) (bool, string) {
	if !op.namesDocument() {
		return false, "not a read and not a guarded write"
	}
	query, err := url.ParseQuery(req.URL.RawQuery)
	switch {
	case err != nil:
		return false, "query string not understood"
	case op.api == "_create", op.rest != "" && strings.HasSuffix(op.rest, "/_create"):
		return true, "creates a document with an id"
	case query.Get("op_type") == "create" && op.writesDocument():
		return true, "creates a document with an id"
	case query.Has("if_seq_no") && (op.writesDocument() || req.Method == http.MethodDelete):
		return true, "guarded by if_seq_no"
	}
	return false, "a write without a guard"
}

// namesDocument reports whether the path carries a document's id.
func (op operation) namesDocument() bool {
	switch op.api {
	case "_doc", "_create":
		return op.rest != "" && op.depth > 0
	case "":
		return op.depth == 3 // the typed API: /index/type/id
	}
	return false
}

func (op operation) writesDocument() bool {
	return op.method == http.MethodPut || op.method == http.MethodPost
}

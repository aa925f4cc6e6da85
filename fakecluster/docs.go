package fakecluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// head is the beginning of every answer about a document: versions before 8 (OpenSearch 2) tell a type.
func (ix *index) head(id string) object {
	c := ix.cluster
	o := object{"_index", ix.name}
	if c.typed() {
		o = o.with("_type", "_doc")
	}
	return o.with("_id", id)
}

// typed reports whether answers about documents tell a type.
func (c *Cluster) typed() bool {
	return c.cfg.flavor == Elasticsearch && !c.release.atLeast(8, 0) || c.cfg.flavor == OpenSearch && !c.release.atLeast(2, 0)
}

// written is the answer to a write of one document.
func (ix *index) written(d *document, result string, forced bool) object {
	o := ix.head(d.id).with("_version", d.version, "result", result)
	if forced {
		o = o.with("forced_refresh", true)
	}
	return o.with("_shards", ix.writeShards(), "_seq_no", d.seq, "_primary_term", 1)
}

// writeShards says how many copies a write reached: as many as there are nodes for.
func (ix *index) writeShards() object {
	return object{"total", ix.copies(), "successful", min(ix.copies(), max(1, len(ix.cluster.running()))), "failed", 0}
}

// status is the HTTP status of a write's result.
func status(result string) int {
	switch result {
	case "created":
		return 201
	case "not_found":
		return 404
	}
	return 200
}

// putDoc answers PUT and POST of whole documents.
func (c *Cluster) putDoc(k *call) (*reply, error) {
	w, err := k.write("index")
	if err != nil {
		return nil, err
	}
	w.source = k.body
	if k.query.Get("op_type") == "create" {
		w.op = "create"
	}
	return c.apply(k, w)
}

func (c *Cluster) createDoc(k *call) (*reply, error) {
	w, err := k.write("create")
	if err != nil {
		return nil, err
	}
	w.source = k.body
	return c.apply(k, w)
}

func (c *Cluster) deleteDoc(k *call) (*reply, error) {
	w, err := k.write("delete")
	if err != nil {
		return nil, err
	}
	return c.apply(k, w)
}

// write reads the parts of a write that the path and the query carry.
func (k *call) write(op string) (write, error) {
	w := write{op: op, id: k.vars["id"], versionType: k.query.Get("version_type")}
	if op != "delete" && len(k.body) == 0 {
		return w, fail(400, "parse_exception", "request body is required")
	}
	var err error
	if w.ifSeqNo, err = number(k.query, "if_seq_no"); err != nil {
		return w, err
	}
	if w.version, err = number(k.query, "version"); err != nil {
		return w, err
	}
	if w.version != nil && w.versionType != "external" && w.versionType != "external_gte" {
		return w, invalid("internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead")
	}
	return w, checkRefresh(k.query)
}

func number(q url.Values, name string) (*int64, error) {
	if !q.Has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil {
		return nil, fail(400, "illegal_argument_exception", fmt.Sprintf("Failed to parse long parameter [%s] with value [%s]", name, q.Get(name)))
	}
	return &n, nil
}

func checkRefresh(q url.Values) error {
	if r := q.Get("refresh"); !slices.Contains([]string{"", "true", "false", "wait_for"}, r) {
		return fail(400, "illegal_argument_exception", "Unknown value for refresh: ["+r+"].")
	}
	return nil
}

// forcesRefresh says whether refresh=true (or bare) was given; wait_for shows the write at once too, but
// is not reported as forced.
func forcesRefresh(q url.Values) bool {
	return q.Has("refresh") && (q.Get("refresh") == "" || q.Get("refresh") == "true")
}

func (ix *index) refreshFor(q url.Values) {
	if forcesRefresh(q) || q.Get("refresh") == "wait_for" {
		ix.refresh()
	}
}

// writable is the index to write to; a closed or blocked one refuses. One that is missing is created if create says so.
func (s *store) writable(k *call, name string, create bool) (*index, error) {
	if k.query.Get("require_alias") == "true" && s.indices[name] != nil {
		return nil, fail(404, "index_not_found_exception",
			"no such index ["+name+"] and [require_alias] request flag is [true] and ["+name+"] is not an alias", "index_uuid", "_na_", "index", name)
	}
	find := s.one
	if create {
		find = s.forWrite
	}
	ix, err := find(name)
	if err != nil {
		return nil, err
	}
	return ix, ix.checkWritable()
}

func (ix *index) checkWritable() error {
	switch {
	case ix.closed:
		return fail(400, "index_closed_exception", "closed", "index_uuid", ix.uuid, "index", ix.name)
	case fmt.Sprint(ix.settings["blocks.write"]) == "true":
		return fail(403, "cluster_block_exception", "index ["+ix.name+"] blocked by: [FORBIDDEN/8/index write (api)];")
	}
	return nil
}

// apply executes a write of one document.
func (c *Cluster) apply(k *call, w write) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ix, err := c.data.writable(k, k.vars["index"], w.makesIndex())
	if err != nil {
		return nil, c.expression(err)
	}
	d, result, err := ix.write(w)
	if err != nil {
		return nil, err
	}
	ix.refreshFor(k.query)
	r := jsonReply(status(result), ix.written(d, result, forcesRefresh(k.query)))
	if result == "created" {
		r.set("Location", location(d))
	}
	return r, nil
}

// location is the path of a document, escaped as Java's URLEncoder does it: a space is a plus sign.
func location(d *document) string {
	return "/" + url.QueryEscape(d.index.name) + "/_doc/" + url.QueryEscape(d.id)
}

// getDoc answers GET and HEAD of a document; it sees writes that searches do not see yet.
func (c *Cluster) getDoc(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ix, err := c.data.one(k.vars["index"])
	if err != nil {
		return nil, c.expression(err)
	}
	d := ix.get(k.vars["id"])
	if d == nil {
		return jsonReply(404, ix.head(k.vars["id"]).with("found", false)), nil
	}
	return jsonReply(200, d.found(sourceFilterFrom(k.query))), nil
}

// expression names the resource as OpenSearch and Elasticsearch 7 do for a single document.
func (c *Cluster) expression(err error) error {
	e := err.(*apiError)
	if c.cfg.flavor == OpenSearch || !c.release.atLeast(8, 0) {
		if i := slices.Index(e.fail, any("resource.type")); i >= 0 {
			e.fail[i+1] = "index_expression"
		}
	}
	return e
}

func (d *document) found(f sourceFilter) object {
	o := d.index.head(d.id).with("_version", d.version, "_seq_no", d.seq, "_primary_term", 1, "found", true)
	return f.addTo(o, d)
}

// getSource answers GET and HEAD of /_source.
func (c *Cluster) getSource(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ix, err := c.data.one(k.vars["index"])
	if err != nil {
		return nil, c.expression(err)
	}
	d := ix.get(k.vars["id"])
	if d == nil {
		return nil, fail(404, "resource_not_found_exception", "Document not found ["+ix.name+"]/["+k.vars["id"]+"]")
	}
	return &reply{status: 200, body: sourceFilterFrom(k.query).apply(d)}, nil
}

// multiGet answers _mget with docs or ids.
func (c *Cluster) multiGet(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	wanted := each(body["docs"])
	for _, id := range each(body["ids"]) {
		wanted = append(wanted, map[string]any{"_id": id})
	}
	if len(wanted) == 0 {
		return nil, invalid("no documents to get")
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	docs := []object{}
	for _, v := range wanted {
		item, _ := v.(map[string]any)
		o, err := c.getOne(k, item)
		if err != nil {
			return nil, err
		}
		docs = append(docs, o)
	}
	return jsonReply(200, object{"docs", docs}), nil
}

func (c *Cluster) getOne(k *call, item map[string]any) (object, error) {
	name, ok := item["_index"].(string)
	if !ok {
		name = k.vars["index"]
	}
	if name == "" {
		return nil, invalid("index is missing for doc 0")
	}
	id := fmt.Sprint(item["_id"])
	ix, err := c.data.one(name)
	if err != nil {
		e := c.expression(err).(*apiError)
		return c.headless(name).with("_id", id, "error", object{"root_cause", []object{e.fail}}.with(e.fail...)), nil
	}
	d := ix.get(id)
	if d == nil {
		return ix.head(id).with("found", false), nil
	}
	f := sourceFilterFrom(k.query)
	if spec, ok := item["_source"]; ok {
		f = sourceFilterOf(spec)
	}
	return d.found(f), nil
}

// headless begins the answer about a document of an index that is missing, whose type nobody knows.
func (c *Cluster) headless(name string) object {
	o := object{"_index", name}
	if c.typed() {
		o = o.with("_type", nil)
	}
	return o
}

// object parses the body as a JSON object; no body is an empty one.
func (k *call) object() (map[string]any, error) {
	if len(k.body) == 0 {
		return map[string]any{}, nil
	}
	o, err := parseObject(k.body)
	if err != nil {
		return nil, k.node.cluster.notJSON(err)
	}
	return o, nil
}

// notJSON is the error about a body that is no JSON object; Elasticsearch 8 wraps what its parser says.
func (c *Cluster) notJSON(err error) error {
	kind := "parse"
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other):
		return fail(400, "parsing_exception", "Expected [START_OBJECT] but found ["+other.Value+"]", "line", 1, "col", 1)
	case errors.Is(err, io.ErrUnexpectedEOF):
		kind = "e_o_f"
	}
	cause := failure("json_"+kind+"_exception", err.Error())
	if c.cfg.flavor == OpenSearch && c.release.atLeast(3, 0) && kind == "e_o_f" {
		cause = failure("unexpected_end_of_input_exception", err.Error())
	}
	if c.cfg.flavor == Elasticsearch && c.release.atLeast(8, 0) {
		return fail(400, "x_content_"+kind+"_exception", "[1:1] "+err.Error(), "caused_by", cause)
	}
	return &apiError{status: 400, fail: cause}
}

// noContent answers HEAD requests that ask whether something exists.
func noContent(exists bool) *reply {
	if exists {
		return &reply{status: http.StatusOK, body: []byte{}}
	}
	return &reply{status: http.StatusNotFound, body: []byte{}}
}

// jsonInt reads a JSON number or numeric text.
func jsonInt(v any, otherwise int64) (int64, error) {
	switch v := v.(type) {
	case nil:
		return otherwise, nil
	case json.Number:
		return v.Int64()
	}
	return strconv.ParseInt(fmt.Sprint(v), 10, 64)
}

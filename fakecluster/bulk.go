package fakecluster

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// bulkItem is one action of a bulk request.
type bulkItem struct {
	op     string
	meta   map[string]any
	source []byte // nil for delete
}

// bulk answers _bulk: each item by itself, one answer for all.
func (c *Cluster) bulk(k *call) (*reply, error) {
	items, err := c.parseBulk(k)
	if err != nil {
		return nil, err
	}
	if err := checkRefresh(k.query); err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	failed := false
	answers := make([]object, 0, len(items))
	touched := map[*index]bool{}
	for _, item := range items {
		answer, ix := c.bulkOne(k, item)
		failed = failed || slices.Contains(answer, any("error"))
		answers = append(answers, object{item.op, answer})
		touched[ix] = true
	}
	c.refreshTouched(k, touched)
	if c.cfg.flavor == Elasticsearch && c.release.atLeast(8, 0) {
		return jsonReply(200, object{"errors", failed, "took", 0, "items", answers}), nil
	}
	return jsonReply(200, object{"took", 0, "errors", failed, "items", answers}), nil
}

func (c *Cluster) refreshTouched(k *call, touched map[*index]bool) {
	for ix := range touched {
		if ix != nil {
			ix.refreshFor(k.query)
		}
	}
}

// parseBulk splits the body into its items; any defect refuses the whole request.
func (c *Cluster) parseBulk(k *call) ([]bulkItem, error) {
	if len(k.body) == 0 {
		return nil, fail(400, "parse_exception", "request body is required")
	}
	if k.body[len(k.body)-1] != '\n' {
		return nil, fail(400, "illegal_argument_exception", `The bulk request must be terminated by a newline [\n]`)
	}
	lines := bytes.Split(k.body[:len(k.body)-1], []byte("\n"))
	var items []bulkItem
	for n := 0; n < len(lines); n++ {
		if len(bytes.TrimSpace(lines[n])) == 0 {
			continue
		}
		item, err := c.parseAction(lines[n], n+1)
		if err != nil {
			return nil, err
		}
		if item.op != "delete" {
			if n++; n == len(lines) {
				break // the source is missing: such an item is not counted
			}
			item.source = lines[n]
		}
		items = append(items, item)
	}
	return items, checkItems(k, items)
}

func checkItems(k *call, items []bulkItem) error {
	if len(items) == 0 {
		return invalid("no requests added")
	}
	for _, item := range items {
		if item.meta["_index"] == nil && k.vars["index"] == "" {
			return invalid("index is missing")
		}
	}
	return nil
}

func (c *Cluster) parseAction(line []byte, n int) (bulkItem, error) {
	o, err := parseObject(line)
	if err != nil {
		return bulkItem{}, fail(400, "x_content_parse_exception", fmt.Sprintf("[%d:1] %v", n, err))
	}
	for op, meta := range o {
		if !slices.Contains([]string{"index", "create", "update", "delete"}, op) {
			return bulkItem{}, c.malformed(n, op)
		}
		m, ok := meta.(map[string]any)
		if !ok || len(o) != 1 {
			return bulkItem{}, fail(400, "illegal_argument_exception", fmt.Sprintf("Malformed action/metadata line [%d], expected START_OBJECT", n))
		}
		return bulkItem{op: op, meta: m}, checkMeta(m, n)
	}
	return bulkItem{}, fail(400, "illegal_argument_exception", fmt.Sprintf("Malformed action/metadata line [%d], expected FIELD_NAME but found [END_OBJECT]", n))
}

var metaKeys = []string{"_index", "_id", "_type", "routing", "version", "version_type", "if_seq_no", "if_primary_term",
	"retry_on_conflict", "pipeline", "require_alias", "dynamic_templates", "list_executed_pipelines", "_source"}

func checkMeta(m map[string]any, n int) error {
	for key := range m {
		if !slices.Contains(metaKeys, key) {
			return fail(400, "illegal_argument_exception", fmt.Sprintf("Action/metadata line [%d] contains an unknown parameter [%s]", n, key))
		}
	}
	return nil
}

func (c *Cluster) malformed(n int, op string) error {
	expected := "one of [create, delete, index, update]"
	if c.cfg.flavor == Elasticsearch {
		expected = "field [create], [delete], [index] or [update]"
	}
	return fail(400, "illegal_argument_exception",
		fmt.Sprintf("Malformed action/metadata line [%d], expected %s but found [%s]", n, expected, op))
}

// bulkOne executes one item. The index is nil if there is none to refresh.
func (c *Cluster) bulkOne(k *call, item bulkItem) (object, *index) {
	name, _ := item.meta["_index"].(string)
	if name == "" {
		name = k.vars["index"]
	}
	id := ""
	if v := item.meta["_id"]; v != nil {
		id = fmt.Sprint(v)
	}
	ix, err := c.data.writable(k, name, item.op != "delete" || item.meta["version"] != nil)
	if err != nil {
		return bulkFailure(c.bulkHead(name, id), err), nil
	}
	if id == "" {
		id = newID()[:20]
	}
	d, result, err := ix.bulkWrite(item, id)
	if err != nil {
		return bulkFailure(ix.head(id), err), ix
	}
	return ix.written(d, result, forcesRefresh(k.query)).with("status", status(result)), ix
}

// bulkHead begins the answer about an item that reached no index: one that is missing, closed or blocked.
func (c *Cluster) bulkHead(name, id string) object {
	switch ix := c.data.indices[name]; {
	case id == "":
		return object{"_index", name, "_id", nil}
	case ix != nil:
		return ix.head(id)
	}
	return object{"_index", name, "_id", id}
}

func bulkFailure(head object, err error) object {
	e := err.(*apiError)
	return head.with("status", e.status, "error", e.fail)
}

func (ix *index) bulkWrite(item bulkItem, id string) (*document, string, error) {
	w := write{op: item.op, id: id, source: bytes.TrimSpace(item.source)}
	var err error
	if w.ifSeqNo, err = metaNumber(item.meta, "if_seq_no"); err != nil {
		return nil, "", err
	}
	if w.version, err = metaNumber(item.meta, "version"); err != nil {
		return nil, "", err
	}
	w.versionType, _ = item.meta["version_type"].(string)
	if item.op != "update" {
		return ix.write(w)
	}
	o, err := parseObject(w.source)
	if err != nil {
		return nil, "", fail(400, "x_content_parse_exception", "[1:1] "+err.Error())
	}
	u, err := updateBodyOf(o)
	if err != nil {
		return nil, "", err
	}
	return ix.update(w, u)
}

func metaNumber(meta map[string]any, name string) (*int64, error) {
	if meta[name] == nil {
		return nil, nil
	}
	n, err := jsonInt(meta[name], 0)
	if err != nil {
		return nil, fail(400, "illegal_argument_exception", strings.TrimSpace(fmt.Sprintf("Failed to parse [%s]: %v", name, err)))
	}
	return &n, nil
}

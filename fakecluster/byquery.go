package fakecluster

import (
	"fmt"
	"slices"
	"strings"
)

// byQuery is a running _update_by_query or _delete_by_query.
type byQuery struct {
	total, updated, deleted, conflicts, noops int
	failures                                  []object
	status                                    int
}

// planner says what a call by query does to a document: index, delete or none, and the new source.
type planner func(d *document, script any) (op string, source []byte, err error)

// deleteByQuery answers _delete_by_query.
func (c *Cluster) deleteByQuery(k *call) (*reply, error) {
	return c.changeByQuery(k, "delete", func(*document, any) (string, []byte, error) { return "delete", nil, nil })
}

// updateByQuery answers _update_by_query; without a script it writes the documents again as they are.
func (c *Cluster) updateByQuery(k *call) (*reply, error) {
	var script *compiled
	return c.changeByQuery(k, "update", func(d *document, spec any) (string, []byte, error) {
		if spec == nil {
			return "index", d.source, nil
		}
		if script == nil {
			var err error
			if script, err = newScript(spec); err != nil {
				return "", nil, err
			}
		}
		source, op, err := script.on(d)
		return op, source, err
	})
}

// changeByQuery changes what a search sees; a document that was changed since is a version conflict.
func (c *Cluster) changeByQuery(k *call, verb string, plan planner) (*reply, error) {
	o, err := k.object()
	if err != nil {
		return nil, err
	}
	for key := range o {
		if !slices.Contains([]string{"query", "script", "conflicts", "max_docs", "size", "slice", "sort"}, key) {
			return nil, fail(400, "parsing_exception", "Unknown key for a VALUE in ["+key+"].", "line", 1, "col", 1)
		}
	}
	if verb == "delete" && o["query"] == nil && k.query.Get("q") == "" {
		return nil, invalid("query is missing")
	}
	limit, err := jsonInt(firstOf(o["max_docs"], k.param("max_docs"), o["size"]), -1)
	if err != nil {
		return nil, fail(400, "illegal_argument_exception", "Failed to parse int parameter [max_docs]")
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	return c.runByQuery(k, o, int(limit), plan)
}

func (k *call) param(name string) any {
	if k.query.Has(name) {
		return k.query.Get(name)
	}
	return nil
}

func firstOf(vs ...any) any {
	for _, v := range vs {
		if v != nil {
			return v
		}
	}
	return nil
}

// byQueryBatch is how many documents are changed at once, unless scroll_size says otherwise.
const byQueryBatch = 1000

func (c *Cluster) runByQuery(k *call, o map[string]any, limit int, plan planner) (*reply, error) {
	sc, err := c.data.scope(k)
	if err != nil {
		return nil, err
	}
	hits, err := c.data.collect(sc, o["query"], nil)
	if err != nil {
		return c.data.searchError(sc, err)
	}
	if limit >= 0 {
		hits = hits[:min(limit, len(hits))]
	}
	run := &byQuery{total: len(hits), status: 200}
	proceed := firstOf(o["conflicts"], k.param("conflicts")) == "proceed"
	for batch := range slices.Chunk(hits, byQueryBatch) {
		if err := run.batch(batch, proceed, plan, o["script"]); err != nil {
			return nil, err
		}
		if run.status != 200 {
			break // a failure ends the call; what was done stays done
		}
	}
	for _, sn := range sc {
		sn.index.refreshFor(k.query)
	}
	return c.finishByQuery(k, run), nil
}

// batch changes some documents. Every script runs before anything is written, so that one that fails leaves them all as
// they are.
func (run *byQuery) batch(hits []hit, proceed bool, plan planner, script any) error {
	writes := make([]write, len(hits))
	for i, h := range hits {
		op, source, err := plan(h.doc, script)
		if err != nil {
			return err
		}
		writes[i] = write{op: op, id: h.doc.id, source: source}
	}
	for i, h := range hits {
		run.one(h.doc, proceed, writes[i])
	}
	return nil
}

// one changes a document, if it is still what the search saw.
func (run *byQuery) one(d *document, proceed bool, w write) {
	if w.op == "none" {
		run.noops++
		return
	}
	if now := d.index.get(d.id); now != d {
		current := "but no document was found"
		if now != nil {
			current = fmt.Sprintf("current document has seqNo [%d] and primary term [1]", now.seq)
		}
		run.conflicts++
		if !proceed {
			run.fail(d, d.index.conflict(d.id, fmt.Sprintf("required seqNo [%d], primary term [1]. %s", d.seq, current)))
		}
		return
	}
	_, _, err := d.index.write(w)
	switch {
	case err != nil:
		run.fail(d, err)
	case w.op == "delete":
		run.deleted++
	default:
		run.updated++
	}
}

func (run *byQuery) fail(d *document, err error) {
	e := err.(*apiError)
	run.status = e.status
	run.failures = append(run.failures, d.index.failedDoc(d.id).with("cause", e.fail, "status", e.status))
}

// failedDoc names a document in a list of failures.
func (ix *index) failedDoc(id string) object {
	head := ix.head(id)
	o := object{"index", ix.name}
	if len(head) > 4 {
		o = o.with("type", "_doc")
	}
	return o.with("id", id)
}

func (c *Cluster) finishByQuery(k *call, run *byQuery) *reply {
	body := object{"took", 0, "timed_out", false, "total", run.total}
	if strings.HasSuffix(k.r.URL.Path, "/_update_by_query") {
		body = body.with("updated", run.updated)
	}
	failures := run.failures
	if failures == nil {
		failures = []object{}
	}
	batches := (run.total + 999) / 1000
	body = body.with("deleted", run.deleted, "batches", batches, "version_conflicts", run.conflicts, "noops", run.noops,
		"retries", object{"bulk", 0, "search", 0}, "throttled_millis", 0, "requests_per_second", -1.0,
		"throttled_until_millis", 0, "failures", failures)
	if k.query.Get("wait_for_completion") == "false" {
		return c.asTask(k, body)
	}
	return jsonReply(run.status, body)
}

// asTask keeps the result for GET /_tasks/{id}: the work is done by then.
func (c *Cluster) asTask(k *call, response object) *reply {
	c.data.opened++
	number := c.data.opened
	id := fmt.Sprintf("%s:%d", k.node.ID(), number)
	task := object{"node", k.node.ID(), "id", number, "type", "transport", "cancellable", true, "cancelled", false}
	c.data.tasks[id] = object{"completed", true, "task", task, "response", response}
	return jsonReply(200, object{"task", id})
}

// task answers GET /_tasks/{id}.
func (c *Cluster) task(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	t := c.data.tasks[k.vars["id"]]
	if t == nil {
		return c.noTask(k.vars["id"]), nil
	}
	return jsonReply(200, t), nil
}

// noTask is the answer about a task that nobody remembers: the index of stored results is missing.
func (c *Cluster) noTask(id string) *reply {
	reason := "task [" + id + "] isn't running and hasn't stored its results"
	node, _, _ := strings.Cut(id, ":")
	if !c.hasNode(node) {
		reason = "task [" + id + "] belongs to the node [" + node + "] which isn't part of the cluster and there is no record of the task"
	}
	missing := c.expression(indexNotFound(".tasks")).(*apiError).fail
	body := object{"root_cause", []object{missing}}.with(failure("resource_not_found_exception", reason, "caused_by", missing)...)
	return jsonReply(404, object{"error", body, "status", 404})
}

func (c *Cluster) hasNode(id string) bool {
	return slices.ContainsFunc(c.running(), func(n *Node) bool { return n.ID() == id })
}

// cancelTask answers POST /_tasks/{id}/_cancel: a task is over when its id is known, so there is none to cancel.
func (c *Cluster) cancelTask(k *call) (*reply, error) {
	node, _, _ := strings.Cut(k.vars["id"], ":")
	if c.hasNode(node) {
		return jsonReply(200, object{"nodes", object{}}), nil
	}
	cause := failure("no_such_node_exception", "No such node ["+node+"]", "node_id", node)
	failed := failure("failed_node_exception", "Failed node ["+node+"]", "node_id", node, "caused_by", cause)
	return jsonReply(200, object{"node_failures", []object{failed}, "nodes", object{}}), nil
}

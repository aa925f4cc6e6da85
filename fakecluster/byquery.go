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

// deleteByQuery answers _delete_by_query.
func (c *Cluster) deleteByQuery(k *call) (*reply, error) {
	return c.changeByQuery(k, "delete", func(run *byQuery, d *document, _ any) error {
		_, _, err := d.index.write(write{op: "delete", id: d.id})
		if err == nil {
			run.deleted++
		}
		return err
	})
}

// updateByQuery answers _update_by_query; without a script it writes the documents again as they are.
func (c *Cluster) updateByQuery(k *call) (*reply, error) {
	return c.changeByQuery(k, "update", func(run *byQuery, d *document, script any) error {
		source, op := []byte(d.source), "index"
		if script != nil {
			var err error
			if source, op, err = runScript(script, d); err != nil {
				return err
			}
		}
		if op == "none" {
			run.noops++
			return nil
		}
		_, _, err := d.index.write(write{op: op, id: d.id, source: source})
		if op == "delete" && err == nil {
			run.deleted++
		} else if err == nil {
			run.updated++
		}
		return err
	})
}

// changeByQuery changes what a search sees; a document that was changed since is a version conflict.
func (c *Cluster) changeByQuery(k *call, verb string, change func(*byQuery, *document, any) error) (*reply, error) {
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
	return c.runByQuery(k, o, int(limit), change)
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

func (c *Cluster) runByQuery(k *call, o map[string]any, limit int, change func(*byQuery, *document, any) error) (*reply, error) {
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
	for _, h := range hits {
		if err := run.one(h.doc, proceed, func() error { return change(run, h.doc, o["script"]) }); err != nil {
			return nil, err
		}
		if run.status != 200 && run.status != 400 {
			break // a conflict ends the call; what was done stays done
		}
	}
	for _, sn := range sc {
		sn.index.refreshFor(k.query)
	}
	return c.finishByQuery(k, run), nil
}

// one changes a document, if it is still what the search saw.
func (run *byQuery) one(d *document, proceed bool, change func() error) error {
	now := d.index.get(d.id)
	if now != d {
		current := "but no document was found"
		if now != nil {
			current = fmt.Sprintf("current document has seqNo [%d] and primary term [1]", now.seq)
		}
		run.conflicts++
		if !proceed {
			run.fail(d, d.index.conflict(d.id, fmt.Sprintf("required seqNo [%d], primary term [1]. %s", d.seq, current)))
		}
		return nil
	}
	err := change()
	if err == nil {
		return nil
	}
	if kind := err.(*apiError).fail[1]; kind == "script_exception" || kind == "illegal_argument_exception" {
		return err
	}
	run.fail(d, err)
	return nil
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
		return nil, fail(404, "resource_not_found_exception", "task ["+k.vars["id"]+"] isn't running and hasn't stored its results")
	}
	return jsonReply(200, t), nil
}

// cancelTask answers POST /_tasks/{id}/_cancel: a task is over when its id is known, so there is none to cancel.
func (c *Cluster) cancelTask(k *call) (*reply, error) {
	node, _, _ := strings.Cut(k.vars["id"], ":")
	if slices.ContainsFunc(c.running(), func(n *Node) bool { return n.ID() == node }) {
		return jsonReply(200, object{"nodes", object{}}), nil
	}
	cause := failure("no_such_node_exception", "No such node ["+node+"]", "node_id", node)
	failed := failure("failed_node_exception", "Failed node ["+node+"]", "node_id", node, "caused_by", cause)
	return jsonReply(200, object{"node_failures", []object{failed}, "nodes", object{}}), nil
}

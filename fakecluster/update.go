package fakecluster

import (
	"errors"
	"slices"
)

// updateBody is the body of an update.
type updateBody struct {
	doc, upsert    map[string]any
	asUpsert, noop bool
	script         any
}

var updateKeys = []string{"doc", "upsert", "doc_as_upsert", "detect_noop", "script", "scripted_upsert", "_source", "lang", "params"}

func updateBodyOf(o map[string]any) (updateBody, error) {
	for key := range o {
		if !slices.Contains(updateKeys, key) {
			return updateBody{}, fail(400, "x_content_parse_exception", "[1:2] [UpdateRequest] unknown field ["+key+"]")
		}
	}
	u := updateBody{doc: sub(o, "doc"), upsert: sub(o, "upsert"), asUpsert: o["doc_as_upsert"] == true, noop: o["detect_noop"] != false, script: o["script"]}
	switch {
	case u.doc == nil && u.script == nil:
		return u, invalid("script or doc is missing")
	case u.doc != nil && u.script != nil:
		return u, invalid("can't provide both script and doc")
	}
	if u.asUpsert {
		u.upsert = u.doc
	}
	return u, nil
}

// updateDoc answers _update.
func (c *Cluster) updateDoc(k *call) (*reply, error) {
	w, err := k.write("update")
	if err != nil {
		return nil, err
	}
	o, err := k.object()
	if err != nil {
		return nil, err
	}
	u, err := updateBodyOf(o)
	if err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ix, err := c.data.writable(k, k.vars["index"], w.makesIndex())
	if err != nil {
		return nil, err
	}
	d, result, err := ix.update(w, u)
	if err != nil {
		return nil, err
	}
	return c.updated(k, ix, d, result), nil
}

func (c *Cluster) updated(k *call, ix *index, d *document, result string) *reply {
	ix.refreshFor(k.query)
	o := ix.written(d, result, forcesRefresh(k.query) && result != "noop")
	if result == "noop" {
		o[slices.Index(o, any("_shards"))+1] = object{"total", 0, "successful", 0, "failed", 0}
	}
	r := jsonReply(status(result), o)
	if result == "created" {
		r.set("Location", location(d))
	}
	return r
}

// update merges a part into a document, or runs a script on it; the result may be noop.
func (ix *index) update(w write, u updateBody) (*document, string, error) {
	old := ix.get(w.id)
	if old == nil && u.upsert == nil {
		return nil, "", fail(404, "document_missing_exception", "["+w.id+"]: document missing", ix.where()...)
	}
	if err := ix.check(w); err != nil {
		return nil, "", err
	}
	if old == nil {
		w.source = encode(u.upsert)
		return ix.write(w)
	}
	merged, op, err := u.result(old)
	switch {
	case err != nil:
		return nil, "", err
	case op == "none":
		return old, "noop", nil
	case op == "delete":
		w.op = "delete"
	}
	w.source = merged
	return ix.write(w)
}

// result is the new source and what to do: index, delete or none.
func (u updateBody) result(old *document) (source []byte, op string, err error) {
	if u.script != nil {
		source, op, err := runScript(u.script, old)
		return source, op, updateFailed(err)
	}
	fields, err := parseObject(old.source) // a copy: documents are never changed
	if err != nil {
		return nil, "", fail(500, "illegal_state_exception", err.Error())
	}
	if changed := mergeInto(fields, u.doc); !changed && u.noop {
		return nil, "none", nil
	}
	return encode(fields), "index", nil
}

// updateFailed wraps a script's error as the update of one document does.
func updateFailed(err error) error {
	var e *apiError
	if errors.As(err, &e) && e.fail[1] == "script_exception" {
		return fail(400, "illegal_argument_exception", "failed to execute script", "caused_by", e.fail)
	}
	return err
}

// mergeInto merges objects deeply and replaces everything else; it says whether anything changed.
func mergeInto(old, add map[string]any) bool {
	changed := false
	for name, v := range add {
		from, isObject := old[name].(map[string]any)
		into, both := v.(map[string]any)
		if isObject && both {
			changed = mergeInto(from, into) || changed
			continue
		}
		if prev, had := old[name]; !had || string(encode(prev)) != string(encode(v)) {
			old[name], changed = v, true
		}
	}
	return changed
}

package fakecluster

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// createIndex answers PUT /{index}.
func (c *Cluster) createIndex(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	for key := range body {
		if !slices.Contains([]string{"settings", "mappings", "aliases"}, key) {
			return nil, fail(400, "parse_exception", "unknown key ["+key+"] for create index")
		}
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	_, err = c.data.create(k.vars["index"], sub(body, "settings"), sub(body, "mappings"), sub(body, "aliases"))
	if err != nil {
		return nil, err
	}
	return jsonReply(200, object{"acknowledged", true, "shards_acknowledged", true, "index", k.vars["index"]}), nil
}

// change sets settings given flat or nested, with or without the leading "index."; null removes one.
func (ix *index) change(settings map[string]any) {
	for name, v := range flatten(settings, "") {
		name = strings.TrimPrefix(name, "index.")
		if v == nil {
			delete(ix.settings, name)
			continue
		}
		ix.settings[name] = v
	}
}

func flatten(o map[string]any, prefix string) map[string]any {
	flat := map[string]any{}
	for name, v := range o {
		if inner, ok := v.(map[string]any); ok {
			maps.Copy(flat, flatten(inner, prefix+name+"."))
			continue
		}
		flat[prefix+name] = v
	}
	return flat
}

// deleteIndex answers DELETE /{index}.
func (c *Cluster) deleteIndex(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["index"], k.query.Get("ignore_unavailable") == "true")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(k.vars["index"], ",") {
		if c.data.isAlias(name) {
			return nil, fail(400, "illegal_argument_exception",
				"The provided expression ["+name+"] matches an alias, specify the corresponding concrete indices instead.")
		}
	}
	for _, t := range ts {
		delete(c.data.indices, t.index.name)
	}
	return acknowledged(), nil
}

// isAlias reports whether some index has an alias of that name.
func (s *store) isAlias(name string) bool {
	for _, ix := range s.indices {
		if _, ok := ix.aliases[name]; ok {
			return true
		}
	}
	return false
}

// existsIndex answers HEAD /{index}.
func (c *Cluster) existsIndex(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["index"], false)
	return noContent(err == nil && len(ts) > 0), nil
}

// eachIndex answers with one section for every index of the path.
func (c *Cluster) eachIndex(k *call, section func(*index) object) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["index"], k.query.Get("ignore_unavailable") == "true")
	if err != nil {
		return nil, err
	}
	o := object{}
	for _, t := range ts {
		o = append(o, t.index.name, section(t.index))
	}
	return jsonReply(200, o), nil
}

func (c *Cluster) getMapping(k *call) (*reply, error) {
	return c.eachIndex(k, func(ix *index) object { return object{"mappings", ix.mapping.root} })
}

func (c *Cluster) getSettings(k *call) (*reply, error) {
	return c.eachIndex(k, func(ix *index) object { return object{"settings", object{"index", ix.shownSettings()}} })
}

func (c *Cluster) getIndex(k *call) (*reply, error) {
	return c.eachIndex(k, func(ix *index) object {
		return object{"aliases", ix.shownAliases(), "mappings", ix.mapping.root, "settings", object{"index", ix.shownSettings()}}
	})
}

func (c *Cluster) getAliases(k *call) (*reply, error) {
	return c.eachIndex(k, func(ix *index) object { return object{"aliases", ix.shownAliases()} })
}

func (ix *index) shownAliases() map[string]any {
	shown := map[string]any{}
	for alias, filter := range ix.aliases {
		shown[alias] = object{}
		if filter != nil {
			shown[alias] = object{"filter", filter}
		}
	}
	return shown
}

// shownSettings are the settings as text, as the servers show them, nested by their dots.
func (ix *index) shownSettings() map[string]any {
	shown := map[string]any{"uuid": ix.uuid, "provided_name": ix.name, "number_of_shards": "1", "number_of_replicas": "1"}
	for name, v := range ix.settings {
		at := shown
		parts := strings.Split(name, ".")
		for _, p := range parts[:len(parts)-1] {
			if sub(at, p) == nil {
				at[p] = map[string]any{}
			}
			at = sub(at, p)
		}
		at[parts[len(parts)-1]] = fmt.Sprint(v)
	}
	return shown
}

// changeEach changes every index of the path.
func (c *Cluster) changeEach(k *call, change func(ix *index, body map[string]any) error) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["index"], false)
	if err != nil {
		return nil, err
	}
	for _, t := range ts {
		if err := change(t.index, body); err != nil {
			return nil, err
		}
	}
	return acknowledged(), nil
}

func (c *Cluster) putMapping(k *call) (*reply, error) {
	return c.changeEach(k, func(ix *index, body map[string]any) error {
		ix.changes++
		return ix.mapping.merge(body)
	})
}

func (c *Cluster) putSettings(k *call) (*reply, error) {
	return c.changeEach(k, func(ix *index, body map[string]any) error {
		if inner := sub(body, "settings"); inner != nil {
			body = inner
		}
		ix.change(body)
		return nil
	})
}

// setClosed answers _open and _close.
func (c *Cluster) setClosed(closed bool) operation {
	return func(k *call) (*reply, error) {
		indices := object{}
		_, err := c.changeEach(k, func(ix *index, _ map[string]any) error {
			ix.closed = closed
			indices = append(indices, ix.name, object{"closed", true})
			return nil
		})
		o := object{"acknowledged", true, "shards_acknowledged", true}
		if closed {
			o = o.with("indices", indices)
		}
		return jsonReply(200, o), err
	}
}

// refreshIndices answers _refresh and _flush.
func (c *Cluster) refreshIndices(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["index"], false)
	if err != nil {
		return nil, err
	}
	total, successful := 0, 0
	nodes := max(1, len(c.running()))
	for _, t := range ts {
		t.index.refresh()
		n := t.index.intSetting("number_of_shards", 1)
		total += n * t.index.copies()
		successful += n * min(t.index.copies(), nodes)
	}
	return jsonReply(200, object{"_shards", object{"total", total, "successful", successful, "failed", 0}}), nil
}

// aliases answers POST /_aliases with the actions add, remove and remove_index.
func (c *Cluster) aliases(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	for _, v := range each(body["actions"]) {
		action, _ := v.(map[string]any)
		for verb := range action {
			if err := c.data.alias(verb, sub(action, verb)); err != nil {
				return nil, err
			}
		}
	}
	if c.cfg.flavor == Elasticsearch && c.release.atLeast(8, 0) {
		return jsonReply(200, object{"acknowledged", true, "errors", false}), nil
	}
	return acknowledged(), nil
}

func (s *store) alias(verb string, def map[string]any) error {
	names := texts(def["index"], def["indices"])
	ts, err := s.resolve(strings.Join(names, ","), false)
	if err != nil {
		return err
	}
	for _, t := range ts {
		for _, alias := range texts(def["alias"], def["aliases"]) {
			switch verb {
			case "add":
				t.index.aliases[alias] = def["filter"]
			case "remove":
				maps.DeleteFunc(t.index.aliases, func(a string, _ any) bool { return matchName(alias, a) })
			}
		}
		if verb == "remove_index" {
			delete(s.indices, t.index.name)
		}
	}
	return nil
}

// resolveIndex answers _resolve/index.
func (c *Cluster) resolveIndex(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["names"], false)
	if err != nil {
		return nil, err
	}
	indices, aliases := []object{}, []object{}
	for _, t := range ts {
		o := object{"name", t.index.name}
		if len(t.index.aliases) > 0 {
			o = o.with("aliases", slices.Sorted(maps.Keys(t.index.aliases)))
		}
		indices = append(indices, o.with("attributes", []string{"open"}))
	}
	for alias, members := range c.data.aliasMembers(k.vars["names"]) {
		aliases = append(aliases, object{"name", alias, "indices", members})
	}
	return jsonReply(200, object{"indices", indices, "aliases", aliases, "data_streams", []object{}}), nil
}

func (s *store) aliasMembers(expression string) map[string][]string {
	members := map[string][]string{}
	for name, ix := range s.indices {
		for alias := range ix.aliases {
			for part := range strings.SplitSeq(expression, ",") {
				if ok, _ := path.Match(part, alias); ok && !slices.Contains(members[alias], name) {
					members[alias] = append(members[alias], name)
				}
			}
		}
	}
	return members
}

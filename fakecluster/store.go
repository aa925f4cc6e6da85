package fakecluster

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// store is the cluster's data: its indices, and the search contexts over them.
type store struct {
	cluster *Cluster

	mu       sync.Mutex // guards everything below, the indices' contents included
	indices  map[string]*index
	contexts map[string]*searchContext
	tasks    map[string]object // results of by-query calls that nobody waited for
	opened   int               // contexts ever opened; numbers the next one
}

// target is an index that an expression names, with the filter of the alias it was named by.
type target struct {
	index  *index
	filter any
}

func newStore(c *Cluster) *store {
	return &store{cluster: c, indices: map[string]*index{}, contexts: map[string]*searchContext{}, tasks: map[string]object{}}
}

// shards counts the primaries of the indices that an expression names, the copies wanted, and the copies that have a
// data node to live on. It fails if an index is missing.
func (s *store) shards(expression string, dataNodes int) (primaries, wanted, active int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ts, err := s.resolve(expression, false)
	for _, t := range ts {
		n, copies := t.index.intSetting("number_of_shards", 1), t.index.copies()
		primaries += n
		wanted += n * copies
		active += n * min(copies, dataNodes)
	}
	return primaries, wanted, active, err
}

func indexNotFound(name string) error {
	return fail(404, "index_not_found_exception", "no such index ["+name+"]",
		"resource.type", "index_or_alias", "resource.id", name, "index_uuid", "_na_", "index", name)
}

func invalidIndexName(name, why string) error {
	return fail(400, "invalid_index_name_exception", "Invalid index name ["+name+"], "+why, "index_uuid", "_na_", "index", name)
}

// resolve returns what an index expression names: names, aliases, patterns, _all, in a comma list. A
// pattern may match nothing; a plain name must exist unless lenient.
func (s *store) resolve(expression string, lenient bool) ([]target, error) {
	var found []target
	for part := range strings.SplitSeq(expression, ",") {
		matched := s.match(part)
		plain := part != "" && part != "_all" && !strings.Contains(part, "*")
		if len(matched) == 0 && plain && !lenient {
			return nil, indexNotFound(part)
		}
		found = append(found, matched...)
	}
	return distinct(found), nil
}

func (s *store) match(part string) []target {
	var found []target
	for _, name := range slices.Sorted(maps.Keys(s.indices)) {
		ix := s.indices[name]
		if matchName(part, name) {
			found = append(found, target{index: ix})
			continue
		}
		for alias, filter := range ix.aliases {
			if matchName(part, alias) {
				found = append(found, target{ix, filter})
			}
		}
	}
	return found
}

func matchName(pattern, name string) bool {
	if pattern == "" || pattern == "_all" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// distinct keeps the first target of each index.
func distinct(ts []target) []target {
	seen := map[*index]bool{}
	return slices.DeleteFunc(ts, func(t target) bool {
		dup := seen[t.index]
		seen[t.index] = true
		return dup
	})
}

// one returns the index that a name or alias stands for, for operations on single documents.
func (s *store) one(name string) (*index, error) {
	ts, err := s.resolve(name, false)
	if err != nil {
		return nil, err
	}
	if len(ts) != 1 {
		return nil, fail(400, "illegal_argument_exception", "alias ["+name+"] has more than one index associated with it, can't execute a single index op")
	}
	return ts[0].index, nil
}

// forWrite returns the index to write to and creates it if there is none.
func (s *store) forWrite(name string) (*index, error) {
	if len(s.match(name)) > 0 {
		return s.one(name)
	}
	return s.create(name, nil, nil, nil)
}

// create makes an index. Settings are flattened; the mapping may be nil.
func (s *store) create(name string, settings, mapping, aliases map[string]any) (*index, error) {
	if err := checkIndexName(name); err != nil {
		return nil, err
	}
	if old := s.indices[name]; old != nil {
		return nil, fail(400, "resource_already_exists_exception", "index ["+name+"/"+old.uuid+"] already exists",
			"index_uuid", old.uuid, "index", name)
	}
	ix := newIndex(s.cluster, name)
	ix.change(settings)
	if err := ix.mapping.merge(mapping); err != nil {
		return nil, err
	}
	for alias, v := range aliases {
		def, _ := v.(map[string]any)
		ix.aliases[alias] = def["filter"]
	}
	s.indices[name] = ix
	return ix, nil
}

func checkIndexName(name string) error {
	switch {
	case name != strings.ToLower(name):
		return invalidIndexName(name, "must be lowercase")
	case strings.HasPrefix(name, "_"), strings.HasPrefix(name, "-"), strings.HasPrefix(name, "+"):
		return invalidIndexName(name, "must not start with '_', '-', or '+'")
	case strings.ContainsAny(name, ` "*\<|,>/?#:`), name == "", name == ".", name == "..":
		return invalidIndexName(name, "must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?, #, :]")
	case len(name) > 255:
		return invalidIndexName(name, "index name is too long, (255 > 255)")
	}
	return nil
}

// Doc is a document as it is stored.
type Doc struct {
	ID      string
	Source  json.RawMessage // the exact bytes that were written
	Version int64
	SeqNo   int64
}

// Docs returns the documents of an index, ordered by id, whether refreshed or not. It is empty if there is
// no such index.
func (c *Cluster) Docs(index string) []Doc {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	var docs []Doc
	if ix := c.data.indices[index]; ix != nil {
		for _, d := range ix.docs {
			if !d.deleted {
				docs = append(docs, Doc{d.id, slices.Clone(d.source), d.version, d.seq})
			}
		}
	}
	slices.SortFunc(docs, func(a, b Doc) int { return cmp.Compare(a.ID, b.ID) })
	return docs
}

// Put writes a document past the HTTP interface and makes it visible to searches. The index is created if
// needed. It fails as the request would: a bad name, a value that does not fit the mapping.
func (c *Cluster) Put(index, id string, source any) error {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ix, err := c.data.forWrite(index)
	if err != nil {
		return err
	}
	_, _, err = ix.write(write{op: "index", id: id, source: encode(source)})
	ix.refresh()
	return err
}

// Refresh makes every write visible to searches, in all indices.
func (c *Cluster) Refresh() {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	for _, ix := range c.data.indices {
		ix.refresh()
	}
}

// refreshDue makes those writes visible whose refresh interval has passed. The caller holds the lock.
func (s *store) refreshDue(ts []target, now time.Time) {
	for _, t := range ts {
		t.index.refreshDue(now)
	}
}

package fakecluster

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// index is one index: its documents as they are (docs) and as searches see them (visible). The store's
// lock guards it.
type index struct {
	cluster  *Cluster
	name     string
	uuid     string
	settings map[string]any // flat, without the leading "index."
	mapping  *mapping
	aliases  map[string]any // name -> filter or nil
	closed   bool

	docs    map[string]*document // the latest state by id, deleted ones included
	pending []*document          // written and not yet visible, oldest first
	visible []*document          // in the order of writing; nil where a document was replaced
	place   map[string]int       // id -> position in visible
	gaps    int
	next    int64 // the next sequence number
	changes int   // grows with every change of visible or of the mapping
}

// document is one state of a document. It is never changed.
type document struct {
	index   *index
	id      string
	source  json.RawMessage
	fields  map[string]any
	version int64
	seq     int64
	deleted bool
	at      time.Time
}

func newIndex(c *Cluster, name string) *index {
	return &index{
		cluster: c, name: name, uuid: newID(), settings: map[string]any{}, mapping: newMapping(c),
		aliases: map[string]any{}, docs: map[string]*document{}, place: map[string]int{},
	}
}

// intSetting returns a numeric setting, which may have been given as text.
func (ix *index) intSetting(name string, otherwise int) int {
	if v, ok := ix.settings[name]; ok {
		if n, err := strconv.Atoi(fmt.Sprint(v)); err == nil {
			return n
		}
	}
	return otherwise
}

func (ix *index) copies() int { return 1 + ix.intSetting("number_of_replicas", 1) }

// refreshInterval is negative if only explicit refreshes count.
func (ix *index) refreshInterval() time.Duration {
	switch v := fmt.Sprint(ix.settings["refresh_interval"]); v {
	case "-1":
		return -1
	default:
		if d, err := time.ParseDuration(v); err == nil {
			return d
		}
		return time.Second
	}
}

// refreshDue shows the writes that are older than the refresh interval: as late as a server may.
func (ix *index) refreshDue(now time.Time) {
	every := ix.refreshInterval()
	if every < 0 {
		return
	}
	due := 0
	for due < len(ix.pending) && now.Sub(ix.pending[due].at) >= every {
		due++
	}
	ix.show(due)
}

// refresh shows every write.
func (ix *index) refresh() { ix.show(len(ix.pending)) }

// show makes the first n pending writes visible.
func (ix *index) show(n int) {
	if n == 0 {
		return
	}
	for _, d := range ix.pending[:n] {
		if at, ok := ix.place[d.id]; ok {
			ix.visible[at] = nil
			delete(ix.place, d.id)
			ix.gaps++
		}
		if !d.deleted {
			ix.place[d.id] = len(ix.visible)
			ix.visible = append(ix.visible, d)
		}
	}
	ix.pending = ix.pending[n:]
	ix.changes++
	if ix.gaps > len(ix.visible)/2 {
		ix.compact()
	}
}

// compact removes the gaps.
func (ix *index) compact() {
	ix.visible, ix.gaps = ix.snapshot(), 0
	for i, d := range ix.visible {
		ix.place[d.id] = i
	}
}

// snapshot returns the visible documents, in a slice of its own.
func (ix *index) snapshot() []*document {
	docs := make([]*document, 0, len(ix.visible)-ix.gaps)
	for _, d := range ix.visible {
		if d != nil {
			docs = append(docs, d)
		}
	}
	return docs
}

// get returns the latest state of a document, or nil.
func (ix *index) get(id string) *document {
	if d := ix.docs[id]; d != nil && !d.deleted {
		return d
	}
	return nil
}

// write is one change of one document.
type write struct {
	op          string // index, create, update (already merged) or delete
	id          string // empty: made by the server
	source      []byte
	ifSeqNo     *int64
	version     *int64
	versionType string
}

// makesIndex reports whether the write makes an index that is missing: a delete does for an external version alone.
func (w write) makesIndex() bool { return w.op != "delete" || w.version != nil }

// write applies the change and returns the new state and the result: created, updated, deleted, not_found.
func (ix *index) write(w write) (*document, string, error) {
	if w.id == "" {
		w.id = newID()[:20]
	}
	if err := ix.check(w); err != nil {
		return nil, "", err
	}
	old, live := ix.docs[w.id], ix.get(w.id)
	d := &document{index: ix, id: w.id, source: w.source, version: nextVersion(old, w), deleted: w.op == "delete", at: ix.cluster.now()}
	if !d.deleted {
		fields, err := ix.mapping.accept(w.id, w.source)
		if err != nil {
			return nil, "", err
		}
		d.fields = fields
	}
	d.seq = ix.next
	ix.next++
	ix.docs[d.id] = d
	ix.pending = append(ix.pending, d)
	return d, result(live != nil, d.deleted), nil
}

func result(existed, deleted bool) string {
	switch {
	case deleted && existed:
		return "deleted"
	case deleted:
		return "not_found"
	case existed:
		return "updated"
	}
	return "created"
}

func nextVersion(old *document, w write) int64 {
	switch {
	case w.version != nil:
		return *w.version
	case old != nil:
		return old.version + 1
	}
	return 1
}

// check refuses ids that are too long and writes whose condition does not hold.
func (ix *index) check(w write) error {
	if len(w.id) > 512 {
		return invalid(fmt.Sprintf("id [%s] is too long, must be no longer than 512 bytes but was: %d", w.id, len(w.id)))
	}
	live := ix.get(w.id)
	switch {
	case w.op == "create" && live != nil:
		return ix.conflict(w.id, fmt.Sprintf("document already exists (current version [%d])", live.version))
	case w.ifSeqNo != nil && live == nil:
		return ix.conflict(w.id, fmt.Sprintf("required seqNo [%d], primary term [1]. but no document was found", *w.ifSeqNo))
	case w.ifSeqNo != nil && live.seq != *w.ifSeqNo:
		return ix.conflict(w.id, fmt.Sprintf("required seqNo [%d], primary term [1]. current document has seqNo [%d] and primary term [1]", *w.ifSeqNo, live.seq))
	}
	return ix.checkVersion(w)
}

// checkVersion compares an external version with the current one, that of a deleted document included.
func (ix *index) checkVersion(w write) error {
	old := ix.docs[w.id]
	if w.version == nil || old == nil {
		return nil
	}
	if old.version > *w.version || old.version == *w.version && w.versionType == "external" {
		return ix.conflict(w.id, fmt.Sprintf("current version [%d] is higher or equal to the one provided [%d]", old.version, *w.version))
	}
	return nil
}

func (ix *index) conflict(id, why string) error {
	return fail(409, "version_conflict_engine_exception", "["+id+"]: version conflict, "+why, ix.where()...)
}

// where is the place of an error about a document.
func (ix *index) where() object {
	return object{"index_uuid", ix.uuid, "shard", "0", "index", ix.name}
}

// invalid is the error about a request that does not make sense.
func invalid(reason string) error {
	return fail(400, "action_request_validation_exception", "Validation Failed: 1: "+reason+";")
}

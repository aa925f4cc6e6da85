package fakecluster

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// scope is what a search looks at: for each index its documents at one moment, and the alias's filter.
type scope []snapshot

type snapshot struct {
	target
	docs []*document
}

// searchBody is a parsed search request.
type searchBody struct {
	query       any
	from, size  int
	sort        []sortKey
	after       []any
	source      sourceFilter
	totalUpTo   int // exact up to this; -1: always; 0: no total
	version     bool
	seqNo       bool
	pit         string
	pitKeep     string
	tiebreak    bool // a _shard_doc key was added to the sort
	scroll      string
	terminateAt int
}

var searchKeys = []string{"query", "from", "size", "sort", "search_after", "_source", "track_total_hits", "version",
	"seq_no_primary_term", "pit", "timeout", "track_scores", "explain", "stored_fields", "terminate_after", "slice", "profile"}

// parseSearch reads the body and the query; the query wins.
func parseSearch(o map[string]any, q url.Values) (*searchBody, error) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(searchKeys, key) {
			return nil, fail(400, "parsing_exception", "Unknown key for a VALUE in ["+key+"].", "line", 1, "col", 1)
		}
	}
	b := &searchBody{query: o["query"], source: sourceFilterFrom(q), version: o["version"] == true, seqNo: o["seq_no_primary_term"] == true, scroll: q.Get("scroll")}
	if spec, ok := o["_source"]; ok && !q.Has("_source") {
		b.source = sourceFilterOf(spec)
	}
	if pit := sub(o, "pit"); pit != nil {
		b.pit, b.pitKeep = fmt.Sprint(pit["id"]), fmt.Sprint(pit["keep_alive"])
	}
	b.after, _ = o["search_after"].([]any)
	if err := b.numbers(o, q); err != nil {
		return nil, err
	}
	return b, b.order(o["sort"], q)
}

func (b *searchBody) numbers(o map[string]any, q url.Values) error {
	for _, n := range []struct {
		into *int
		name string
		def  int64
	}{{&b.from, "from", 0}, {&b.size, "size", 10}, {&b.terminateAt, "terminate_after", 0}} {
		v := o[n.name]
		if q.Has(n.name) {
			v = q.Get(n.name)
		}
		i, err := jsonInt(v, n.def)
		if err != nil || i < 0 {
			return fail(400, "illegal_argument_exception", fmt.Sprintf("[%s] parameter cannot be negative, found [%v]", n.name, v))
		}
		*n.into = int(i)
	}
	return b.total(o["track_total_hits"], q.Get("track_total_hits"))
}

func (b *searchBody) total(v any, param string) error {
	if param != "" {
		v = param
	}
	switch text := fmt.Sprint(v); {
	case v == nil:
		b.totalUpTo = 10_000
	case text == "true":
		b.totalUpTo = -1
	case text == "false":
		b.totalUpTo = 0
	default:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fail(400, "illegal_argument_exception", "Failed to parse value ["+text+"] of [track_total_hits]")
		}
		b.totalUpTo = n
	}
	return nil
}

// order reads the sort, from the body or as sort=field:desc,other.
func (b *searchBody) order(spec any, q url.Values) error {
	if s := q.Get("sort"); s != "" {
		var keys []any
		for part := range strings.SplitSeq(s, ",") {
			name, direction, ok := strings.Cut(part, ":")
			if !ok {
				direction = "asc"
			}
			keys = append(keys, map[string]any{name: direction})
		}
		spec = keys
	}
	keys, err := parseSort(spec)
	b.sort = keys
	return err
}

// search answers _search.
func (c *Cluster) search(k *call) (*reply, error) {
	if err := k.known("size", "from", "scroll", "sort", "_source", "_source_includes", "_source_excludes", "track_total_hits", "q",
		"ignore_unavailable", "allow_no_indices", "expand_wildcards", "preference", "routing", "request_cache", "search_type",
		"typed_keys", "rest_total_hits_as_int", "timeout", "allow_partial_search_results", "batched_reduce_size",
		"max_concurrent_shard_requests", "ccs_minimize_roundtrips", "pre_filter_shard_size", "terminate_after"); err != nil {
		return nil, err
	}
	o, err := k.object()
	if err != nil {
		return nil, err
	}
	b, err := parseSearch(o, k.query)
	if err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	sc, err := c.data.scopeOf(k, b)
	if err != nil && err.(*apiError).fail[1] == "search_context_missing_exception" {
		return shardFailure(nil, err), nil
	}
	if err != nil {
		return nil, err
	}
	return c.data.run(sc, b, c.windowOf(sc, b))
}

// known refuses parameters that the operation does not have.
func (k *call) known(names ...string) error {
	common := []string{"pretty", "human", "error_trace", "filter_path", "format"}
	for _, name := range slices.Sorted(maps.Keys(k.query)) {
		if !slices.Contains(names, name) && !slices.Contains(common, name) {
			return fail(400, "illegal_argument_exception", "request ["+k.r.URL.Path+"] contains unrecognized parameter: ["+name+"]")
		}
	}
	return nil
}

// scopeOf is the scope of the body's point in time, or of the path's indices as they are now.
func (s *store) scopeOf(k *call, b *searchBody) (scope, error) {
	if b.pit == "" {
		return s.scope(k)
	}
	if k.vars["index"] != "" {
		return nil, invalid("[indices] cannot be used with point in time. Do not specify any index with point in time.")
	}
	ctx, err := s.context(b.pit, b.pitKeep)
	if err != nil {
		return nil, err
	}
	if s.cluster.cfg.flavor == Elasticsearch && len(b.sort) > 0 {
		b.sort, b.tiebreak = append(b.sort, sortKey{name: "_shard_doc"}), true
	}
	return ctx.scope, nil
}

func (s *store) scope(k *call) (scope, error) {
	ts, err := s.resolve(k.vars["index"], k.query.Get("ignore_unavailable") == "true")
	if err != nil {
		return nil, err
	}
	s.refreshDue(ts, s.cluster.now())
	var sc scope
	for _, t := range ts {
		if t.index.closed {
			return nil, fail(400, "index_closed_exception", "closed", "index_uuid", t.index.uuid, "index", t.index.name)
		}
		sc = append(sc, snapshot{t, t.index.visible})
	}
	return sc, nil
}

// windowOf is the limit for from + size.
func (c *Cluster) windowOf(sc scope, b *searchBody) error {
	window := 10_000
	for _, sn := range sc {
		window = min(window, sn.index.intSetting("max_result_window", 10_000))
	}
	if b.from+b.size <= window {
		return nil
	}
	return fail(400, "illegal_argument_exception", fmt.Sprintf("Result window is too large, from + size must be less than or equal to: [%d] but was [%d]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.", window, b.from+b.size))
}

// run executes a search. An error the shards would find is wrapped as theirs.
func (s *store) run(sc scope, b *searchBody, window error) (*reply, error) {
	if window != nil {
		return shardFailure(sc, window), nil
	}
	hits, err := s.collect(sc, b.query, b.sort)
	if err != nil {
		return s.searchError(sc, err)
	}
	total := len(hits)
	if hits, err = b.skipAfter(sc, hits); err != nil {
		return s.searchError(sc, err)
	}
	id := ""
	if b.scroll != "" {
		id = s.openScroll(sc, b, hits, total)
	}
	return jsonReply(200, s.answer(sc, b, page(hits, b.from, b.size), total, id)), nil
}

func page(hits []hit, from, size int) []hit {
	from = min(from, len(hits))
	return hits[from:min(from+size, len(hits))]
}

// collect finds the matching documents, in the order of the sort.
func (s *store) collect(sc scope, query any, keys []sortKey) ([]hit, error) {
	var hits []hit
	place := 0
	for _, sn := range sc {
		m, err := sn.matcher(query)
		if err != nil {
			return nil, err
		}
		valuesOf, err := sorters(keys, sn.index)
		if err != nil {
			return nil, err
		}
		for _, d := range sn.docs {
			if d != nil && m(d) {
				h := hit{doc: d, place: place}
				h.values = valuesOf(&h)
				hits = append(hits, h)
			}
			place++
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return order(keys, a.values, b.values) })
	return hits, nil
}

func (sn snapshot) matcher(query any) (matcher, error) {
	c := &compiler{index: sn.index, now: sn.index.cluster.now()}
	m, err := c.compile(query)
	if err != nil || sn.filter == nil {
		return m, err
	}
	f, err := c.compile(sn.filter)
	return func(d *document) bool { return f(d) && m(d) }, err
}

func sorters(keys []sortKey, ix *index) (func(*hit) []any, error) {
	fs := make([]func(*hit) any, len(keys))
	for i, k := range keys {
		f, err := k.sorter(ix)
		if err != nil {
			return nil, err
		}
		fs[i] = f
	}
	return func(h *hit) []any {
		values := make([]any, len(fs))
		for i, f := range fs {
			values[i] = f(h)
		}
		return values
	}, nil
}

// skipAfter leaves out the hits up to search_after.
func (b *searchBody) skipAfter(sc scope, hits []hit) ([]hit, error) {
	if b.after == nil || len(sc) == 0 {
		return hits, nil
	}
	keys := b.sort
	if len(keys) == 0 {
		return nil, fail(400, "illegal_argument_exception", "Sort must contain at least one field.")
	}
	if b.tiebreak && len(b.after) == len(keys)-1 {
		keys = keys[:len(keys)-1]
	}
	after, err := cursorValues(keys, b.after, sc[0].index)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return order(keys, h.values[:len(keys)], after) <= 0 }), nil
}

// answer is the body of a search's answer.
func (s *store) answer(sc scope, b *searchBody, hits []hit, total int, scrollID string) object {
	o := object{}
	if b.pit != "" {
		o = o.with("pit_id", b.pit)
	}
	if scrollID != "" {
		o = o.with("_scroll_id", scrollID)
	}
	return o.with("took", 0, "timed_out", false, "_shards", sc.shards(), "hits", b.hitsBody(hits, total, len(sc)))
}

// shards is the _shards section: every shard answers.
func (sc scope) shards() object {
	n := 0
	for _, sn := range sc {
		n += sn.index.intSetting("number_of_shards", 1)
	}
	return object{"total", n, "successful", n, "skipped", 0, "failed", 0}
}

func (b *searchBody) hitsBody(hits []hit, total, shards int) object {
	o := object{}
	switch {
	case b.totalUpTo < 0 || b.totalUpTo > 0 && total <= b.totalUpTo:
		o = o.with("total", object{"value", total, "relation", "eq"})
	case b.totalUpTo > 0:
		o = o.with("total", object{"value", b.totalUpTo, "relation", "gte"})
	}
	var best any
	switch {
	case shards == 0:
		best = 0.0
	case len(b.sort) == 0 && total > 0 && b.size > 0:
		best = 1.0
	}
	list := []object{}
	for _, h := range hits {
		list = append(list, b.hitBody(h, best))
	}
	return o.with("max_score", best, "hits", list)
}

func (b *searchBody) hitBody(h hit, score any) object {
	o := h.doc.index.head(h.doc.id)
	if b.version {
		o = o.with("_version", h.doc.version)
	}
	if b.seqNo {
		o = o.with("_seq_no", h.doc.seq, "_primary_term", 1)
	}
	o = b.source.addTo(o.with("_score", score), h.doc)
	if len(b.sort) > 0 {
		o = o.with("sort", shown(b.sort, h.values))
	}
	return o
}

// searchError wraps what shards find; errors of parsing come back as they are.
func (s *store) searchError(sc scope, err error) (*reply, error) {
	switch err.(*apiError).fail[1] {
	case "parsing_exception", "x_content_parse_exception":
		return nil, err
	}
	return shardFailure(sc, err), nil
}

// shardFailure is search_phase_execution_exception with the error as that of every shard.
func shardFailure(sc scope, err error) *reply {
	e := err.(*apiError)
	var failed []object
	for _, sn := range sc {
		failed = append(failed, object{"shard", 0, "index", sn.index.name, "node", sn.index.cluster.Node(0).ID(), "reason", e.fail})
	}
	if len(failed) == 0 {
		failed = []object{{"shard", -1, "index", nil, "reason", e.fail}}
	}
	body := object{"root_cause", []object{e.fail.without("caused_by")}, "type", "search_phase_execution_exception", "reason", "all shards failed",
		"phase", "query", "grouped", true, "failed_shards", failed, "caused_by", e.fail}
	return jsonReply(e.status, object{"error", body, "status", e.status})
}

// countDocs answers _count.
func (c *Cluster) countDocs(k *call) (*reply, error) {
	o, err := k.object()
	if err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	sc, err := c.data.scope(k)
	if err != nil {
		return nil, err
	}
	hits, err := c.data.collect(sc, o["query"], nil)
	if err != nil {
		return c.data.searchError(sc, err)
	}
	return jsonReply(200, object{"count", len(hits), "_shards", sc.shards()}), nil
}

package fakecluster

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// searchContext is a point in time or a scroll.
type searchContext struct {
	number  int
	scope   scope
	body    *searchBody // of a scroll
	rest    []hit       // of a scroll: what it has not given yet
	total   int
	expires time.Time
}

// OpenContexts returns how many points in time and scrolls are open and not expired.
func (c *Cluster) OpenContexts() int {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	c.data.expire()
	return len(c.data.contexts)
}

func (s *store) expire() {
	now := s.cluster.now()
	for id, ctx := range s.contexts {
		if ctx.expires.Before(now) {
			delete(s.contexts, id)
		}
	}
}

// keepAlive reads a duration such as 1m or 30s.
func keepAlive(text string) (time.Duration, error) {
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.Atoi(strings.TrimSuffix(text, unit))
	size, ok := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[unit]
	if err != nil || !ok {
		return 0, fail(400, "illegal_argument_exception", "failed to parse setting [keep_alive] with value ["+text+"] as a time value")
	}
	return time.Duration(n) * size, nil
}

func (s *store) open(ctx *searchContext, keep time.Duration) string {
	s.opened++
	ctx.number, ctx.expires = s.opened, s.cluster.now().Add(keep)
	id := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "fakecluster context %d %s", ctx.number, newID()))
	s.contexts[id] = ctx
	return id
}

// context finds an open context and prolongs it if keep says so.
func (s *store) context(id, keep string) (*searchContext, error) {
	s.expire()
	ctx := s.contexts[id]
	if ctx == nil {
		return nil, contextMissing(id)
	}
	if d, err := keepAlive(keep); err == nil {
		ctx.expires = s.cluster.now().Add(d)
	}
	return ctx, nil
}

// contextMissing is the answer to an unknown id: 404 if it was one of ours once, else 400.
func contextMissing(id string) error {
	plain, err := base64.RawURLEncoding.DecodeString(id)
	number, ours := strings.CutPrefix(string(plain), "fakecluster context ")
	if err != nil || !ours {
		return fail(400, "illegal_argument_exception", "invalid id: ["+id+"]")
	}
	number, _, _ = strings.Cut(number, " ")
	return fail(404, "search_context_missing_exception", "No search context found for id ["+number+"]")
}

// openPIT answers POST /{index}/_pit and OpenSearch's /{index}/_search/point_in_time.
func (c *Cluster) openPIT(k *call) (*reply, error) {
	keep, err := keepAlive(k.query.Get("keep_alive"))
	if err != nil {
		return nil, err
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	sc, err := c.data.scope(k)
	if err != nil {
		return nil, err
	}
	for i, sn := range sc {
		sc[i].docs = sn.index.snapshot()
	}
	id := c.data.open(&searchContext{scope: sc}, keep)
	shards := sc.shards()
	if c.cfg.flavor == OpenSearch {
		return jsonReply(200, object{"pit_id", id, "_shards", shards, "creation_time", c.now().UnixMilli()}), nil
	}
	return jsonReply(200, object{"id", id, "_shards", shards}), nil
}

// closePIT answers Elasticsearch's DELETE /_pit.
func (c *Cluster) closePIT(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	freed := c.data.close(texts(body["id"]))
	return jsonReply(freedStatus(len(freed)), object{"succeeded", len(freed) > 0, "num_freed", len(freed)}), nil
}

// closeScroll answers DELETE /_search/scroll.
func (c *Cluster) closeScroll(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	freed := c.data.close(append(texts(body["scroll_id"]), list(k.vars["id"])...))
	return jsonReply(freedStatus(len(freed)), object{"succeeded", true, "num_freed", len(freed)}), nil
}

func freedStatus(freed int) int {
	if freed == 0 {
		return 404
	}
	return 200
}

// closePITs answers OpenSearch's DELETE /_search/point_in_time, which tells of each id.
func (c *Cluster) closePITs(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	ids := texts(body["pit_id"])
	freed := c.data.close(ids)
	pits := []object{}
	for _, id := range ids {
		pits = append(pits, object{"successful", slices.Contains(freed, id), "pit_id", id})
	}
	return jsonReply(200, object{"pits", pits}), nil
}

// close closes the contexts and returns the ids of those that were open.
func (s *store) close(ids []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	var freed []string
	for _, id := range ids {
		if s.contexts[id] != nil {
			delete(s.contexts, id)
			freed = append(freed, id)
		}
	}
	return freed
}

func (s *store) openScroll(sc scope, b *searchBody, hits []hit, total int) string {
	keep, err := keepAlive(b.scroll)
	if err != nil {
		keep = time.Minute
	}
	return s.open(&searchContext{scope: sc, body: b, rest: hits[min(b.size, len(hits)):], total: total}, keep)
}

// scroll answers the next page of a scroll; asking twice gives the page after.
func (c *Cluster) scroll(k *call) (*reply, error) {
	body, err := k.object()
	if err != nil {
		return nil, err
	}
	id := fmt.Sprint(body["scroll_id"])
	if body["scroll_id"] == nil {
		id = k.query.Get("scroll_id")
	}
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ctx, err := c.data.context(id, fmt.Sprint(body["scroll"]))
	if err != nil {
		return c.data.searchError(nil, err)
	}
	if ctx.body == nil {
		return nil, fail(400, "illegal_argument_exception", "not a scroll id")
	}
	hits := page(ctx.rest, 0, ctx.body.size)
	ctx.rest = ctx.rest[len(hits):]
	return jsonReply(200, c.data.answer(ctx.scope, ctx.body, hits, ctx.total, id)), nil
}

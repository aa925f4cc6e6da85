package fakecluster

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

var elasticKeys = []string{"query", "cursor", "params", "time_zone", "catalog", "fetch_size", "request_timeout", "page_timeout",
	"filter", "runtime_mappings", "columnar", "binary_format", "field_multi_value_leniency", "index_include_frozen",
	"wait_for_completion_timeout", "keep_on_completion", "keep_alive", "allow_partial_search_results", "mode", "client_id", "version"}

// elasticSQL answers POST /_sql of Elasticsearch.
func (c *Cluster) elasticSQL(k *call) (*reply, error) {
	o, err := c.elasticBody(k)
	if err != nil {
		return nil, err
	}
	if text, ok := o["cursor"].(string); ok && text != "" {
		return c.elasticPage(text, o)
	}
	text, _ := o["query"].(string)
	if strings.TrimSpace(text) == "" {
		return nil, invalid("one of [query] or [cursor] is required")
	}
	return c.elasticQuery(k, text, o)
}

func (c *Cluster) elasticBody(k *call) (map[string]any, error) {
	if err := k.known("delimiter"); err != nil {
		return nil, err
	}
	if f := k.query.Get("format"); f != "" && f != "json" {
		return nil, fail(400, "illegal_argument_exception", "Invalid request content type: the fake cluster answers in format=json only, not "+f)
	}
	o, err := k.object()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(elasticKeys, key) {
			return nil, fail(400, "x_content_parse_exception", "[1:2] [sql/query] unknown field ["+key+"]")
		}
	}
	if mode := o["mode"]; mode == "jdbc" || mode == "odbc" {
		return nil, fail(403, "security_exception", fmt.Sprintf("current license is non-compliant for [%v]", mode), "license.expired.feature", mode)
	}
	return o, nil
}

func (c *Cluster) elasticQuery(k *call, text string, o map[string]any) (*reply, error) {
	fetch, err := jsonInt(o["fetch_size"], 1000)
	if err != nil || fetch <= 0 {
		return nil, fail(400, "x_content_parse_exception", "[1:1] [sql/query] failed to parse field [fetch_size]",
			"caused_by", failure("illegal_argument_exception", "fetch_size must be more than 0."))
	}
	if fetch > 10_000 {
		return nil, c.windowOf(nil, &searchBody{size: int(fetch)})
	}
	params, err := c.elasticParams(o["params"])
	if err != nil {
		return nil, err
	}
	loc, err := zone(o["time_zone"])
	if err != nil {
		return nil, err
	}
	result, err := c.query(k.r.Context(), text, params, loc)
	if err != nil {
		e := sqlError(err)
		return nil, fail(e.Status, e.Type, e.Reason)
	}
	cur := &cursor{result: result, fetch: int(fetch), loc: loc, lenient: o["field_multi_value_leniency"] == true}
	return c.elasticAnswer(cur, loc, 0, true, o)
}

// elasticParams reads params: scalars, or up to 7.3 objects with type and value only (recorded on 7.3.0; the
// version that changed it is not known).
func (c *Cluster) elasticParams(v any) ([]any, error) {
	list, _ := v.([]any)
	typed := !c.release.atLeast(7, 4)
	params := make([]any, 0, len(list))
	for _, p := range list {
		o, isObject := p.(map[string]any)
		if isObject != typed {
			return nil, fail(400, "x_content_parse_exception", "[1:1] [params] must be an array where each entry is a single field (no objects supported)")
		}
		if isObject {
			p = o["value"]
		}
		value, ok := sqlParam(p)
		if !ok {
			return nil, fail(400, "x_content_parse_exception", "[1:1] [sql/query] failed to parse field [params]")
		}
		params = append(params, value)
	}
	return params, nil
}

// scrolls says whether cursors are scrolls, which give the next page when sent again; since 8.3 they are
// points in time, which repeat the page.
func (c *Cluster) scrolls() bool { return !c.release.atLeast(8, 3) }

// elasticPage answers a request with a cursor.
func (c *Cluster) elasticPage(text string, o map[string]any) (*reply, error) {
	number, at, ok := c.readToken(text)
	if !ok {
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return nil, fail(400, "illegal_argument_exception", "Illegal base64 character")
		}
		return nil, fail(400, "illegal_argument_exception", "Unknown cursor type")
	}
	cur := c.cursors.get(number, c.now())
	if cur == nil {
		return shardFailure(nil, fail(404, "search_context_missing_exception", fmt.Sprintf("No search context found for id [%d]", number))), nil
	}
	loc := cur.loc
	if asked, err := zone(o["time_zone"]); err == nil && o["time_zone"] != nil {
		loc = asked
	}
	if c.scrolls() {
		at = c.cursors.place(cur)
	}
	return c.elasticAnswer(cur, loc, at, false, o)
}

func (c *Cluster) elasticAnswer(cur *cursor, loc *time.Location, at int, first bool, o map[string]any) (*reply, error) {
	rows, next := cur.page(at)
	shown, err := c.elasticRows(cur, loc, rows)
	if err != nil {
		return nil, err
	}
	body := object{}
	if first {
		body = body.with("columns", elasticColumns(cur.result.Columns))
	}
	if o["columnar"] == true {
		body = body.with("values", turned(shown, len(cur.result.Columns)))
	} else {
		body = body.with("rows", shown)
	}
	if token := c.elasticNext(cur, at, next, len(rows), first); token != "" {
		body = body.with("cursor", token)
	}
	return jsonReply(200, body), nil
}

// elasticNext opens, moves or closes the cursor after a page. A scroll ends with an empty page.
func (c *Cluster) elasticNext(cur *cursor, at, next, rows int, first bool) string {
	if c.scrolls() && !first && rows > 0 && next < 0 {
		next = at + rows
	}
	if next < 0 {
		c.cursors.close(cur.number)
		return ""
	}
	if first {
		c.cursors.add(cur, c.now())
	}
	if c.scrolls() {
		c.cursors.take(cur, at, next)
		return c.token(cur.number, 0)
	}
	return c.token(cur.number, next)
}

func elasticColumns(columns []SQLColumn) []object {
	out := []object{}
	for _, col := range columns {
		out = append(out, object{"name", col.Name, "type", col.Type})
	}
	return out
}

func turned(rows [][]any, columns int) [][]any {
	out := make([][]any, columns)
	for i := range out {
		out[i] = []any{}
		for _, r := range rows {
			out[i] = append(out[i], r[i])
		}
	}
	return out
}

func (c *Cluster) elasticRows(cur *cursor, loc *time.Location, rows [][]any) ([][]any, error) {
	out := make([][]any, 0, len(rows))
	for _, row := range rows {
		shown := make([]any, len(row))
		for i, v := range row {
			col := cur.result.Columns[i]
			if list, ok := v.([]any); ok {
				if !cur.lenient {
					return nil, c.arrayError(col.Name)
				}
				v = list[0]
			}
			shown[i] = elasticValue(v, col.Type, loc)
		}
		out = append(out, shown)
	}
	return out, nil
}

// arrayError was status 500 on 7.3 and is 400 since 8.
func (c *Cluster) arrayError(column string) error {
	status := 400
	if !c.release.atLeast(8, 0) {
		status = 500
	}
	return fail(status, "sql_illegal_argument_exception", "Arrays (returned by ["+column+"]) are not supported")
}

func elasticValue(v any, kind string, loc *time.Location) any {
	switch v := v.(type) {
	case time.Time:
		if kind == "date" {
			return v.Format("2006-01-02") + "T00:00:00.000" + v.Format("Z07:00")
		}
		return elasticTime(v.In(loc))
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		case kind == "float" || kind == "half_float":
			return number32(v)
		}
	}
	return v
}

func elasticTime(t time.Time) string {
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		return t.Format("2006-01-02T15:04:05.000000000Z07:00")
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// elasticClose answers POST /_sql/close.
func (c *Cluster) elasticClose(k *call) (*reply, error) {
	o, err := k.object()
	if err != nil {
		return nil, err
	}
	text, _ := o["cursor"].(string)
	number, _, ok := c.readToken(text)
	if !ok {
		return nil, fail(400, "illegal_argument_exception", "Unknown cursor type")
	}
	return jsonReply(200, object{"succeeded", c.cursors.close(number)}), nil
}

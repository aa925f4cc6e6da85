package fakecluster

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// openSQL answers POST /_plugins/_sql of OpenSearch. A key it does not know would send the statement to the
// legacy engine there; here it makes no difference.
func (c *Cluster) openSQL(k *call) (*reply, error) {
	if f := k.query.Get("format"); f != "" && f != "jdbc" {
		return openError(&SQLError{Status: 400, Type: "IllegalArgumentException", Reason: "Failed to create executor due to unknown response format: " + f}), nil
	}
	o, err := parseObject(k.body)
	if err != nil {
		return openError(&SQLError{Status: 400, Type: "IllegalArgumentException", Reason: "Failed to parse request payload"}), nil
	}
	if text, ok := o["cursor"].(string); ok && text != "" {
		return c.openPage(text), nil
	}
	text, ok := o["query"].(string)
	if !ok {
		return openError(&SQLError{Status: 500, Type: "JSONException", Reason: `JSONObject["query"] not found.`}), nil
	}
	// The statement runs on after the client has left: there is no cancellation.
	return c.openQuery(context.WithoutCancel(k.r.Context()), text, o), nil
}

func (c *Cluster) openQuery(ctx context.Context, text string, o map[string]any) *reply {
	fetch, err := jsonInt(o["fetch_size"], 0)
	if err != nil || fetch < 0 {
		return openError(&SQLError{Status: 400, Type: "IllegalArgumentException", Reason: "Fetch_size must be greater or equal to 0"})
	}
	var params []any
	for _, p := range each(o["parameters"]) {
		v, _ := p.(map[string]any)
		value, _ := sqlParam(v["value"])
		params = append(params, value)
	}
	result, err := c.query(ctx, text, params, time.UTC)
	if err != nil {
		return openError(sqlError(err))
	}
	if fetch == 0 || result.Unpaged {
		limit := min(len(result.Rows), c.sizeLimit())
		return jsonReply(200, openBody(result, result.Rows[:limit]))
	}
	return c.openAnswer(&cursor{result: result, fetch: int(fetch)}, 0, true)
}

// sizeLimit is plugins.query.size_limit, which cuts results off in silence.
func (c *Cluster) sizeLimit() int {
	if c.release.atLeast(2, 17) {
		return 10_000
	}
	return 200
}

// openPage answers a request with a cursor; each cursor serves once.
func (c *Cluster) openPage(text string) *reply {
	number, at, ok := c.readToken(text)
	if !ok {
		return openError(&SQLError{Status: 500, Type: "UnsupportedOperationException", Reason: "Unsupported cursor"})
	}
	cur := c.cursors.get(number, c.now())
	if cur == nil {
		return openMissing(number)
	}
	_, next := cur.page(at)
	if !c.cursors.take(cur, at, next) {
		return openMissing(number)
	}
	return c.openAnswer(cur, at, false)
}

func openMissing(number int) *reply {
	return openError(&SQLError{Status: 404, Type: "SearchContextMissingException", Reason: fmt.Sprintf("No search context found for id [%d]", number)})
}

func (c *Cluster) openAnswer(cur *cursor, at int, first bool) *reply {
	rows, next := cur.page(at)
	body := openBody(cur.result, rows)
	switch {
	case next < 0:
		c.cursors.close(cur.number)
		return jsonReply(200, body)
	case first:
		cur.at = next
		c.cursors.add(cur, c.now())
	}
	return jsonReply(200, body.with("cursor", c.token(cur.number, next)))
}

func openBody(result SQLResult, rows [][]any) object {
	schema := []object{}
	for _, col := range result.Columns {
		o := object{"name", col.Name}
		if col.Alias != "" {
			o = o.with("alias", col.Alias)
		}
		schema = append(schema, o.with("type", col.Type))
	}
	shown := make([][]any, 0, len(rows))
	for _, row := range rows {
		out := make([]any, len(row))
		for i, v := range row {
			out[i] = openValue(v, result.Columns[i].Type)
		}
		shown = append(shown, out)
	}
	return object{"schema", schema, "datarows", shown, "total", len(rows), "size", len(rows), "status", 200}
}

func openValue(v any, kind string) any {
	switch v := v.(type) {
	case time.Time:
		return openTime(v.UTC(), kind)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = openValue(e, kind)
		}
		return out
	case float64:
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return nil
		case kind == "float":
			return number32(v)
		}
	}
	return v
}

// openTime has no zone and no zeros at the end of a fraction.
func openTime(t time.Time, kind string) string {
	switch kind {
	case "date":
		return t.Format("2006-01-02")
	case "time":
		return t.Format("15:04:05.999999999")
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}

// openError is the plugin's error: JSON as text/plain, or HTTP 200 with the status in the body.
func openError(e *SQLError) *reply {
	reason := "Invalid SQL query"
	switch {
	case e.Status == 404:
		reason = "Error occurred in OpenSearch engine: " + strings.TrimSuffix(e.Reason, ".")
	case e.Status >= 500:
		reason = "There was internal problem at backend"
	}
	r := jsonReply(e.Status, object{"error", object{"reason", reason, "details", e.Reason, "type", e.Type}, "status", e.Status})
	if e.HTTPStatus != 0 {
		r.status = e.HTTPStatus
		return r
	}
	r.header = http.Header{"Content-Type": {"text/plain; charset=UTF-8"}}
	return r
}

// openClose answers POST /_plugins/_sql/close, which succeeds for every well-formed cursor.
func (c *Cluster) openClose(k *call) (*reply, error) {
	o, err := parseObject(k.body)
	text, _ := o["cursor"].(string)
	number, _, ok := c.readToken(text)
	if err != nil || !ok {
		return openError(&SQLError{Status: 500, Type: "UnsupportedOperationException", Reason: "Unsupported cursor"}), nil
	}
	c.cursors.close(number)
	return jsonReply(200, object{"succeeded", true}), nil
}

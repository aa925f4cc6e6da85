package sqlapi

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

const (
	pathElastic = "/_sql"
	pathESQL    = "/_query"
)

// elastic makes the first request for Elasticsearch.
func (p *plan) elastic() error {
	query, err := p.statement.Elastic(p.args, sqlparse.ElasticOptions{MaxOffset: p.options.MaxOffset})
	if err != nil {
		return err
	}
	p.query = query
	switch p.statement.Kind() {
	case sqlparse.ESQL:
		return p.esql()
	case sqlparse.PPL:
		return &UnsupportedError{Construct: "PPL on Elasticsearch"}
	}
	p.path, p.pages = pathElastic, true
	p.reading.days, p.reading.byColumn = true, true
	b := p.elasticBody()
	p.first = p.post(pathElastic, b.done(), repeatByTable)
	return b.err
}

func (p *plan) elasticBody() *body {
	b := newBody()
	b.text("query", p.query.Text)
	b.params(p.query.Params, p.client.typedParams.Load())
	if n := p.options.fetchSize(); n > 0 {
		b.number("fetch_size", n)
	}
	if p.options.Catalog != "" {
		b.text("catalog", p.options.Catalog)
	}
	if len(p.call.Filter) > 0 {
		b.raw("filter", p.call.Filter)
	}
	if p.call.Async > 0 {
		b.text("wait_for_completion_timeout", milliseconds(p.call.Async))
		b.text("keep_alive", asyncKeepAlive)
	}
	p.elasticFormat(b)
	return b
}

// elasticFormat writes what decides how rows look; it must be the same with every page.
func (p *plan) elasticFormat(b *body) {
	b.text("time_zone", p.options.timeZone())
	if p.options.Arrays == ArraysFirst {
		b.yes("field_multi_value_leniency")
	}
}

// esql makes the request for ES|QL, which has no pages.
func (p *plan) esql() error {
	if p.call.Async > 0 {
		return &UnsupportedError{Construct: "ES|QL as an async search"}
	}
	b := newBody()
	b.text("query", p.query.Text)
	b.params(p.query.Params, false)
	if len(p.call.Filter) > 0 {
		b.raw("filter", p.call.Filter)
	}
	p.first = p.post(pathESQL, b.done(), repeatByTable)
	return b.err
}

// params writes the values of a statement's placeholders: plain ones, or objects with a type for servers that
// want them so (7.3). There is nothing to write when there are none.
func (b *body) params(values []any, typed bool) {
	if len(values) == 0 {
		return
	}
	b.key("params")
	for i, v := range values {
		b.buf = append(b.buf, "[,"[min(i, 1)])
		if typed {
			b.typed(v)
		} else {
			b.scalar(v)
		}
	}
	b.buf = append(b.buf, ']')
}

// typed writes {"type":…,"value":…}; the types are Elasticsearch's.
func (b *body) typed(v any) {
	b.buf = append(b.buf, `{"type":"`...)
	b.buf = append(b.buf, paramType(v)...)
	b.buf = append(b.buf, `","value":`...)
	b.scalar(v)
	b.buf = append(b.buf, '}')
}

func paramType(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case int64:
		if v == int64(int32(v)) {
			return "integer"
		}
		return "long"
	case float64:
		return "double"
	case string:
		return "keyword"
	}
	return "null"
}

func (b *body) scalar(v any) {
	switch v := v.(type) {
	case nil:
		b.buf = append(b.buf, "null"...)
	case bool:
		b.buf = strconv.AppendBool(b.buf, v)
	case int64:
		b.buf = strconv.AppendInt(b.buf, v, 10)
	case float64:
		b.float(v)
	case string:
		b.quote(v)
	case map[string]any:
		b.named(v)
	default:
		b.fail(fmt.Errorf("sqlapi: parameter of type %T", v))
	}
}

// float writes a number that the server cannot take for an integer.
func (b *body) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		b.fail(&UnsupportedError{Construct: "a parameter that is not a finite number", Why: "JSON cannot carry it"})
		return
	}
	start := len(b.buf)
	b.buf = strconv.AppendFloat(b.buf, f, 'g', -1, 64)
	if !slices.ContainsFunc(b.buf[start:], func(c byte) bool { return c == '.' || c == 'e' }) {
		b.buf = append(b.buf, ".0"...)
	}
}

// named writes a parameter of ES|QL with its name.
func (b *body) named(v map[string]any) {
	separator := byte('{')
	for _, name := range slices.Sorted(maps.Keys(v)) {
		b.buf = append(b.buf, separator)
		b.quote(name)
		b.buf = append(b.buf, ':')
		b.scalar(v[name])
		separator = ','
	}
	b.buf = append(b.buf, '}')
}

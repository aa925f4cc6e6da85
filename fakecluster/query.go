package fakecluster

import (
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// matcher says whether a document matches a query.
type matcher func(*document) bool

// compiler turns the query DSL into matchers for one index. What it does not know it refuses, so that a
// test never passes because a clause was ignored.
type compiler struct {
	index *index
	now   time.Time
}

func all(*document) bool  { return true }
func none(*document) bool { return false }

// compile takes a query object with exactly one clause; nil is match_all.
func (c *compiler) compile(q any) (matcher, error) {
	if q == nil {
		return all, nil
	}
	o, ok := q.(map[string]any)
	if !ok || len(o) != 1 {
		return nil, fail(400, "parsing_exception", "[bool] query malformed, expected exactly one query name", "line", 1, "col", 1)
	}
	for name, body := range o {
		build := clauses[name]
		if build == nil {
			return nil, fail(400, "parsing_exception", "unknown query ["+name+"]", "line", 1, "col", 1,
				"caused_by", failure("named_object_not_found_exception", "[1:1] unknown field ["+name+"]"))
		}
		return build(c, body)
	}
	return nil, nil // not reached: o has one entry
}

type clause func(c *compiler, body any) (matcher, error)

var clauses map[string]clause

func init() { // in init, because the clauses refer to compile
	clauses = map[string]clause{
		"match_all":      func(*compiler, any) (matcher, error) { return all, nil },
		"match_none":     func(*compiler, any) (matcher, error) { return none, nil },
		"ids":            (*compiler).ids,
		"term":           (*compiler).term,
		"terms":          (*compiler).terms,
		"range":          (*compiler).rangeOf,
		"exists":         (*compiler).exists,
		"bool":           (*compiler).boolean,
		"constant_score": (*compiler).constant,
		"dis_max":        (*compiler).disMax,
		"nested":         (*compiler).nested,
		"wildcard":       pattern("wildcard", "value", wildcard),
		"prefix":         pattern("prefix", "value", func(s string) string { return regexp.QuoteMeta(s) + ".*" }),
		"regexp":         pattern("regexp", "value", func(s string) string { return s }),
		"match":          (*compiler).match,
		"match_phrase":   (*compiler).phrase,
	}
}

func malformed(query string) error {
	return fail(400, "parsing_exception", "["+query+"] query malformed", "line", 1, "col", 1)
}

// onField splits {"field": value} or {"field": {"value": …, option: …}}; key names the value's key.
func onField(query, key string, body any) (name string, v any, options map[string]any, err error) {
	o, ok := body.(map[string]any)
	if !ok || len(o) != 1 {
		return "", nil, nil, malformed(query)
	}
	for name, v = range o {
		options, _ = v.(map[string]any)
		if options != nil {
			v = options[key]
		}
	}
	return name, v, options, nil
}

func (c *compiler) ids(body any) (matcher, error) {
	o, _ := body.(map[string]any)
	ids := texts(o["values"])
	return func(d *document) bool { return slices.Contains(ids, d.id) }, nil
}

// lookup finds a field; a match_none stands in for one that is not mapped.
func (c *compiler) lookup(name string) *field { return c.index.mapping.lookup(name) }

func (c *compiler) term(body any) (matcher, error) {
	name, v, options, err := onField("term", "value", body)
	if err != nil {
		return nil, err
	}
	return c.equal(name, []any{v}, options["case_insensitive"] == true)
}

func (c *compiler) terms(body any) (matcher, error) {
	o, ok := body.(map[string]any)
	if !ok {
		return nil, malformed("terms")
	}
	for name, v := range o {
		if name == "boost" || name == "_name" {
			continue
		}
		list, ok := v.([]any)
		if !ok {
			return nil, fail(400, "parsing_exception", "[terms] query does not support ["+name+"]", "line", 1, "col", 1)
		}
		return c.equal(name, list, false)
	}
	return nil, malformed("terms")
}

// equal matches documents one of whose values is one of the wanted; a text field is compared word by word.
func (c *compiler) equal(name string, wanted []any, fold bool) (matcher, error) {
	if m := meta(name, wanted); m != nil {
		return m, nil
	}
	f := c.lookup(name)
	if f == nil {
		return none, nil
	}
	switch f.kind() {
	case "ip":
		return c.networks(f, wanted)
	case "date", "date_nanos":
		return c.instants(f, wanted)
	}
	keys, err := f.coerceAll(c.index, wanted)
	if err != nil {
		return nil, err
	}
	return func(d *document) bool {
		return slices.ContainsFunc(f.indexed(d), func(v any) bool {
			return slices.ContainsFunc(keys, func(k any) bool { return same(v, k, fold) })
		})
	}, nil
}

func same(a, b any, fold bool) bool {
	x, xok := a.(string)
	y, yok := b.(string)
	if fold && xok && yok {
		return strings.EqualFold(x, y)
	}
	return compare(a, b) == 0
}

// meta matches on what is not in the source: _id, _index, _seq_no.
func meta(name string, wanted []any) matcher {
	want := texts(wanted)
	switch name {
	case "_id":
		return func(d *document) bool { return slices.Contains(want, d.id) }
	case "_index":
		return func(d *document) bool { return slices.Contains(want, d.index.name) }
	case "_seq_no":
		return func(d *document) bool { return slices.Contains(want, fmt.Sprint(d.seq)) }
	}
	return nil
}

// networks matches ip fields against addresses and networks in CIDR notation.
func (c *compiler) networks(f *field, wanted []any) (matcher, error) {
	var nets []netip.Prefix
	for _, w := range texts(wanted) {
		p, err := netip.ParsePrefix(w)
		if a, aerr := netip.ParseAddr(w); aerr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, c.index.shardError("'" + w + "' is not an IP string literal.")
		}
		nets = append(nets, p)
	}
	return func(d *document) bool {
		return slices.ContainsFunc(f.values(d), func(v any) bool {
			return slices.ContainsFunc(nets, func(p netip.Prefix) bool { return p.Contains(v.(netip.Addr)) })
		})
	}, nil
}

// instants matches dates: a wanted one that tells no time of day is the whole day.
func (c *compiler) instants(f *field, wanted []any) (matcher, error) {
	var spans [][]bound
	for _, w := range wanted {
		i, err := f.instantOf(w, c.now, time.UTC)
		if err != nil {
			return nil, c.index.shardError("failed to create query: " + err.Error())
		}
		spans = append(spans, []bound{{i.first(), rangeEnds["gte"]}, {i.last(), rangeEnds["lte"]}})
	}
	return func(d *document) bool {
		return slices.ContainsFunc(f.indexed(d), func(v any) bool {
			return slices.ContainsFunc(spans, func(span []bound) bool { return within(v, span) })
		})
	}, nil
}

// coerceAll turns the query's values into the field's; a value that does not fit is an error, as on a shard.
func (f *field) coerceAll(ix *index, wanted []any) ([]any, error) {
	var keys []any
	for _, w := range wanted {
		if w == nil {
			return nil, fail(400, "illegal_argument_exception", "value cannot be null")
		}
		k, err := f.coerceExact(w)
		if err != nil {
			return nil, ix.shardError("failed to create query: " + err.Error())
		}
		if k != nil {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// coerceExact is coerce for queries: a whole number field equals no fraction, and others are rounded as they are indexed.
func (f *field) coerceExact(v any) (any, error) {
	k, err := f.coerce(v)
	k = f.rounded(k)
	if n, ok := k.(int64); ok && err == nil {
		if x, ferr := coerceFloat(v); ferr == nil && x != float64(n) {
			return nil, nil
		}
	}
	return k, err
}

// indexed are the values that term queries see: words for text, whole values for the rest.
func (f *field) indexed(d *document) []any {
	vs := f.values(d)
	if k := f.kind(); k != "text" && k != "match_only_text" {
		return f.roundedAll(vs)
	}
	var words []any
	for _, v := range vs {
		for _, w := range analyze(fmt.Sprint(v)) {
			words = append(words, w)
		}
	}
	return words
}

// roundedAll are the values with the digits that the index keeps of them.
func (f *field) roundedAll(vs []any) []any {
	if f.kind() != "float" && f.kind() != "scaled_float" {
		return vs
	}
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = f.rounded(v)
	}
	return out
}

func (f *field) rounded(v any) any {
	x, ok := v.(float64)
	factor, _ := coerceFloat(f.def["scaling_factor"])
	switch {
	case ok && f.kind() == "float":
		return float64(float32(x))
	case ok && f.kind() == "scaled_float" && factor != nil:
		return math.Round(x*factor.(float64)) / factor.(float64)
	}
	return v
}

var wordRule = regexp.MustCompile(`[\pL\pN_]+(?:['’][\pL]+)*`)

// analyze splits text as the standard analyzer does, near enough: words in lower case.
func analyze(s string) []string { return wordRule.FindAllString(strings.ToLower(s), -1) }

func (c *compiler) exists(body any) (matcher, error) {
	o, _ := body.(map[string]any)
	name, ok := o["field"].(string)
	if !ok {
		return nil, malformed("exists")
	}
	if name == "_id" || name == "_index" || name == "_seq_no" {
		return all, nil
	}
	f := c.lookup(name)
	switch {
	case f == nil:
		return none, nil
	case f.kind() == "object" || f.kind() == "nested":
		return func(d *document) bool { return len(raw(d.fields, f.source)) > 0 }, nil
	}
	return func(d *document) bool { return len(f.values(d)) > 0 }, nil
}

// pattern builds a clause on whole values (words for text) from a translation to a regular expression.
func pattern(query, key string, translate func(string) string) clause {
	return func(c *compiler, body any) (matcher, error) {
		name, v, options, err := onField(query, key, body)
		if err != nil {
			return nil, err
		}
		if v == nil {
			v = options[query] // the older spelling {"wildcard": {"f": {"wildcard": "a*"}}}
		}
		flags := "(?s)"
		if options["case_insensitive"] == true {
			flags = "(?si)"
		}
		re, err := regexp.Compile(flags + "^(?:" + translate(fmt.Sprint(v)) + ")$")
		if err != nil {
			return nil, c.index.shardError("failed to create query: " + err.Error())
		}
		return c.texts(name, re), nil
	}
}

func (c *compiler) texts(name string, re *regexp.Regexp) matcher {
	if name == "_id" {
		return func(d *document) bool { return re.MatchString(d.id) }
	}
	f := c.lookup(name)
	if f == nil {
		return none
	}
	return func(d *document) bool {
		return slices.ContainsFunc(f.indexed(d), func(v any) bool { return re.MatchString(fmt.Sprint(v)) })
	}
}

// wildcard translates * and ?, which a backslash takes literally.
func wildcard(s string) string {
	var b strings.Builder
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == '\\':
			escaped = true
		case r == '*':
			b.WriteString(".*")
		case r == '?':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// match looks for the words of a text in a text field, and for the value itself in others.
func (c *compiler) match(body any) (matcher, error) {
	name, v, options, err := onField("match", "query", body)
	if err != nil {
		return nil, err
	}
	f := c.lookup(name)
	if f == nil || f.kind() != "text" && f.kind() != "match_only_text" {
		return c.equal(name, []any{v}, false)
	}
	words := analyze(fmt.Sprint(v))
	every := strings.EqualFold(fmt.Sprint(options["operator"]), "and")
	return func(d *document) bool {
		found := 0
		have := texts(f.indexed(d))
		for _, w := range words {
			if slices.Contains(have, w) {
				found++
			}
		}
		return found > 0 && (!every || found == len(words))
	}, nil
}

// phrase looks for the words in order, next to each other.
func (c *compiler) phrase(body any) (matcher, error) {
	name, v, _, err := onField("match_phrase", "query", body)
	if err != nil {
		return nil, err
	}
	f := c.lookup(name)
	if f == nil || f.kind() != "text" && f.kind() != "match_only_text" {
		return c.equal(name, []any{v}, false)
	}
	want := " " + strings.Join(analyze(fmt.Sprint(v)), " ") + " "
	return func(d *document) bool {
		return strings.Contains(" "+strings.Join(texts(f.indexed(d)), " ")+" ", want)
	}, nil
}

// shardError is how an error in a query comes back when the shards find it.
func (ix *index) shardError(reason string) error {
	return fail(400, "query_shard_exception", reason, "index_uuid", ix.uuid, "index", ix.name)
}

package enginetest_test

import (
	"encoding/json"
	"fmt"
)

// script writes a script of an update as JSON, with params given as JSON.
func script(source, params string) string {
	text, _ := json.Marshal(source) // a string always can be
	return fmt.Sprintf(`{"script":{"lang":"painless","source":%s,"params":%s}}`, text, params)
}

func scripts(s *session) {
	s.create(`"n":{"type":"long"},"t":{"type":"keyword"},"l":{"type":"keyword"}`)
	s.want(201, "PUT", "/%s/_doc/1", `{"n":1,"t":"a","l":["x"]}`)
	for _, step := range []struct{ source, params, result, want string }{
		{"ctx._source.n += params.by", `{"by":4}`, "updated", `{"n":5,"t":"a","l":["x"]}`},
		{"ctx._source.n = ctx._source.n * 2 - 3", `{}`, "updated", `{"n":7,"t":"a","l":["x"]}`},
		{"ctx._source['t'] = params.t", `{"t":"b c"}`, "updated", `{"n":7,"t":"b c","l":["x"]}`},
		{"ctx._source.putAll(params.v)", `{"v":{"t":"z","n":null}}`, "updated", `{"n":null,"t":"z","l":["x"]}`},
		{"if (ctx._source.n == null) { ctx._source.n = 1 } else { ctx.op = 'delete' }", `{}`, "updated", `{"n":1,"t":"z","l":["x"]}`},
		{"if (!ctx._source.l.contains(params.v)) { ctx._source.l.add(params.v) }", `{"v":"y"}`, "updated", `{"n":1,"t":"z","l":["x","y"]}`},
		{"if (ctx._source.n > 10) { ctx._source.n = 0 } else { ctx.op = 'none' }", `{}`, "noop", `{"n":1,"t":"z","l":["x","y"]}`},
		{"ctx._source.remove('t')", `{}`, "updated", `{"n":1,"l":["x","y"]}`},
		{"def m = ctx._source.n; ctx._source.t = m == 1 ? 'one' : 'more'", `{}`, "updated", `{"n":1,"t":"one","l":["x","y"]}`},
	} {
		got := s.want(200, "POST", "/%s/_update/1", script(step.source, step.params))
		s.Equal(step.result, got.word("result"), step.source)
		s.JSONEq(step.want, s.want(200, "GET", "/%s/_source/1", "").text, step.source)
	}
	for _, bad := range []string{"ctx._source.n +", "ctx._source.none.x = 1"} {
		got := s.want(400, "POST", "/%s/_update/1", script(bad, `{}`))
		s.Contains([]string{"script_exception", "illegal_argument_exception"}, got.word("error.type"), bad)
	}
	s.Equal("deleted", s.want(200, "POST", "/%s/_update/1", script("ctx.op = 'delete'", `{}`)).word("result"))
}

func byQueryScripts(s *session) {
	s.numbered()
	query := `"query":{"term":{"t":"a"}},`
	got := s.want(200, "POST", "/%s/_update_by_query?refresh=true", "{"+query+script("ctx._source.n += params.by", `{"by":10}`)[1:])
	s.EqualValues(2, got.number("updated"))
	s.Equal("1 3", s.want(200, "POST", "/%s/_search", `{"query":{"range":{"n":{"gte":11}}},"sort":["n"]}`).ids())
	mixed := s.want(200, "POST", "/%s/_update_by_query?refresh=true",
		script("if (ctx._source.n == 2) { ctx.op = 'noop' } else if (ctx._source.n == 4) { ctx.op = 'delete' } else { ctx._source.t = 'c' }", `{}`))
	s.EqualValues(4, mixed.number("total"))
	s.EqualValues(2, mixed.number("updated"))
	s.EqualValues(1, mixed.number("deleted"))
	s.EqualValues(1, mixed.number("noops"))
}

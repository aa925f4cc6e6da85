package enginetest_test

import "fmt"

// people writes documents with fields of many types.
func (s *session) people() {
	s.create(`"n":{"type":"long"},"name":{"type":"keyword"},"bio":{"type":"text"},"age":{"type":"integer"},"pay":{"type":"double"},"born":{"type":"date"},"ok":{"type":"boolean"},"ip":{"type":"ip"},"tags":{"type":"keyword"},"kids":{"type":"nested","properties":{"name":{"type":"keyword"},"age":{"type":"long"}}}`)
	s.want(200, "POST", "/%s/_bulk?refresh=true", `{"index":{"_id":"1"}}
{"n":1,"name":"ann","bio":"The quick brown fox","age":30,"pay":10.5,"born":"1990-05-01","ok":true,"ip":"10.0.0.1","tags":["x","y"],"kids":[{"name":"kim","age":3},{"name":"lou","age":9}]}
{"index":{"_id":"2"}}
{"n":2,"name":"bob","bio":"jumps over the lazy dog","age":40,"pay":-1,"born":"1980-01-31T23:59:59.999Z","ok":false,"ip":"10.0.1.1","tags":["y"]}
{"index":{"_id":"3"}}
{"n":3,"name":"Cid","bio":"quick quick","age":50,"pay":1e3,"born":"1970-12-31","ok":true,"ip":"192.168.0.1","tags":[]}
{"index":{"_id":"4"}}
{"n":4,"name":"d*d","age":30,"kids":[{"name":"lou","age":3}]}
{"index":{"_id":"5"}}
{"n":5,"name":""}
`)
}

func queries(s *session) {
	s.people()
	for _, q := range []struct {
		query string
		want  string
	}{
		{`{"match_all":{}}`, "1 2 3 4 5"},
		{`{"match_none":{}}`, ""},
		{`{"ids":{"values":["3","1","9"]}}`, "1 3"},
		{`{"term":{"name":"ann"}}`, "1"},
		{`{"term":{"name":{"value":"cid"}}}`, ""},
		{`{"term":{"name":""}}`, "5"},
		{`{"term":{"age":"30"}}`, "1 4"},
		{`{"term":{"age":30.5}}`, ""},
		{`{"term":{"ok":"true"}}`, "1 3"},
		{`{"term":{"born":"1970-12-31"}}`, "3"},
		{`{"term":{"ip":"10.0.0.0/16"}}`, "1 2"},
		{`{"term":{"bio":"quick"}}`, "1 3"},
		{`{"term":{"bio":"Quick"}}`, ""},
		{`{"term":{"_id":"2"}}`, "2"},
		{`{"term":{"none":"x"}}`, ""},
		{`{"terms":{"name":["ann","bob","zoe"]}}`, "1 2"},
		{`{"terms":{"tags":["x","y"]}}`, "1 2"},
		{`{"terms":{"age":[]}}`, ""},
		{`{"range":{"age":{"gte":30,"lt":50}}}`, "1 2 4"},
		{`{"range":{"age":{"gt":29.5,"lte":"40"}}}`, "1 2 4"},
		{`{"range":{"name":{"gte":"a","lt":"c"}}}`, "1 2"},
		{`{"range":{"born":{"gte":"1980-01-31","lte":"1980-01-31"}}}`, "2"},
		{`{"range":{"born":{"gt":"1980-01-31"}}}`, "1"},
		{`{"range":{"born":{"gte":"1980-01-31T22:00:00","time_zone":"-02:00"}}}`, "1"},
		{`{"range":{"born":{"lt":"now-40y/d"}}}`, "2 3"},
		{`{"range":{"born":{"gte":"01.05.1990","format":"dd.MM.yyyy"}}}`, "1"},
		{`{"exists":{"field":"bio"}}`, "1 2 3"},
		{`{"exists":{"field":"tags"}}`, "1 2"},
		{`{"exists":{"field":"name"}}`, "1 2 3 4 5"},
		{`{"exists":{"field":"none"}}`, ""},
		{`{"prefix":{"name":"a"}}`, "1"},
		{`{"wildcard":{"name":{"value":"?o*"}}}`, "2"},
		{`{"wildcard":{"name":"d\\*d"}}`, "4"},
		{`{"wildcard":{"name":{"value":"c*","case_insensitive":true}}}`, "3"},
		{`{"wildcard":{"bio":"qui*"}}`, "1 3"},
		{`{"regexp":{"name":"[ab].+"}}`, "1 2"},
		{`{"match":{"bio":"quick dog"}}`, "1 2 3"},
		{`{"match":{"bio":{"query":"Quick FOX","operator":"and"}}}`, "1"},
		{`{"match":{"name":"ann"}}`, "1"},
		{`{"match_phrase":{"bio":"brown fox"}}`, "1"},
		{`{"match_phrase":{"bio":"fox brown"}}`, ""},
		{`{"constant_score":{"filter":{"term":{"age":30}}}}`, "1 4"},
		{`{"dis_max":{"queries":[{"term":{"name":"ann"}},{"term":{"age":50}}]}}`, "1 3"},
		{`{"nested":{"path":"kids","query":{"bool":{"filter":[{"term":{"kids.name":"lou"}},{"term":{"kids.age":3}}]}}}}`, "4"},
	} {
		got := s.want(200, "POST", "/%s/_search", fmt.Sprintf(`{"query":%s,"sort":["n"]}`, q.query))
		s.Equal(q.want, got.ids(), q.query)
	}
}

func queryOptions(s *session) {
	s.people()
	for _, q := range []struct {
		query string
		want  string
	}{
		{`{"must":[{"term":{"age":30}}],"filter":{"term":{"name":"ann"}}}`, "1"},
		{`{"must_not":[{"exists":{"field":"age"}}]}`, "5"},
		{`{"should":[{"term":{"name":"ann"}},{"term":{"name":"bob"}}]}`, "1 2"},
		{`{"filter":[{"term":{"age":30}}],"should":[{"term":{"name":"ann"}}]}`, "1 4"},
		{`{"filter":[{"term":{"age":30}}],"should":[{"term":{"name":"ann"}}],"minimum_should_match":1}`, "1"},
		{`{"should":[{"term":{"age":30}},{"term":{"ok":true}},{"term":{"name":"ann"}}],"minimum_should_match":2}`, "1"},
		{`{"should":[{"term":{"age":30}},{"term":{"ok":true}}],"minimum_should_match":"100%"}`, "1"},
		{`{}`, "1 2 3 4 5"},
	} {
		got := s.want(200, "POST", "/%s/_search", fmt.Sprintf(`{"query":{"bool":%s},"sort":["n"]}`, q.query))
		s.Equal(q.want, got.ids(), q.query)
	}
}

func sorts(s *session) {
	s.people()
	for _, o := range []struct {
		sort string
		want string
	}{
		{`[{"name":"asc"}]`, "5 3 1 2 4"},
		{`["age",{"name":{"order":"desc"}}]`, "4 1 2 3 5"},
		{`[{"age":{"order":"desc","missing":"_first"}},{"name":"asc"}]`, "5 3 2 1 4"},
		{`[{"pay":{"order":"asc","missing":0}},{"name":"asc"}]`, "2 5 4 1 3"},
		{`[{"born":"desc"},{"name":"asc"}]`, "1 2 3 5 4"},
		{`[{"ok":"asc"},{"name":"asc"}]`, "2 3 1 5 4"},
		{`[{"tags":{"order":"desc"}},{"name":"asc"}]`, "1 2 5 3 4"},
		{`[{"ip":"asc"},{"name":"asc"}]`, "1 2 3 5 4"},
		{`[{"none":{"order":"asc","unmapped_type":"long"}},{"name":"desc"}]`, "4 2 1 3 5"},
	} {
		got := s.want(200, "POST", "/%s/_search", fmt.Sprintf(`{"sort":%s}`, o.sort))
		s.Equal(o.want, got.ids(), o.sort)
	}
	s.Equal("3 2", s.want(200, "GET", "/%s/_search?sort=age:desc&size=2", "").ids())
	s.fails(400, "search_phase_execution_exception", "POST", "/%s/_search", `{"sort":["none"]}`)
	s.fails(400, "search_phase_execution_exception", "POST", "/%s/_search", `{"sort":["bio"]}`)
}

func searchOptions(s *session) {
	s.people()
	page := s.want(200, "POST", "/%s/_search", `{"from":1,"size":2,"sort":["name"],"_source":["nam*","kids.age"]}`)
	s.Equal("3 1", page.ids())
	s.EqualValues(5, page.number("hits.total.value"))
	s.Equal("eq", page.word("hits.total.relation"))
	s.Equal(map[string]any{"name": "Cid"}, page.at("hits.hits.0._source"))
	s.Equal([]any{"Cid"}, page.at("hits.hits.0.sort"))

	bare := s.want(200, "POST", "/%s/_search", `{"_source":false,"version":true,"seq_no_primary_term":true,"sort":["name"],"size":1}`)
	s.Nil(bare.at("hits.hits.0._source"))
	s.EqualValues(1, bare.at("hits.hits.0._version"))
	s.EqualValues(4, bare.at("hits.hits.0._seq_no"))
	s.Nil(s.want(200, "POST", "/%s/_search", `{"track_total_hits":false,"sort":["name"]}`).at("hits.total"))
	s.EqualValues(5, s.want(200, "POST", "/%s/_search", `{"size":0,"track_total_hits":true}`).number("hits.total.value"))
	s.want(200, "GET", "/%s/_search?_source_excludes=bio,kids&sort=name&size=1&from=2", "")
	s.want(200, "GET", "/%s/_search?filter_path=hits.hits._id&sort=name", "")
	s.want(200, "POST", "/%s-none/_search?ignore_unavailable=true", `{"query":{"match_all":{}}}`)
	s.want(200, "POST", "/%s,%s-none*/_search", `{"size":0}`)
	s.fails(400, "search_phase_execution_exception", "POST", "/%s/_search", `{"from":9999,"size":2}`)
}

func counts(s *session) {
	s.people()
	s.EqualValues(5, s.want(200, "GET", "/%s/_count", "").number("count"))
	s.EqualValues(2, s.want(200, "POST", "/%s/_count", `{"query":{"term":{"age":30}}}`).number("count"))
	s.EqualValues(0, s.want(200, "POST", "/%s-none*/_count", "").number("count"))
	s.fails(404, "index_not_found_exception", "GET", "/%s-none/_count", "")
	s.fails(400, "parsing_exception", "POST", "/%s/_count", `{"query":{"colour":{}}}`)
}

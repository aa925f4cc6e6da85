package enginetest_test

// numbered writes documents 1 to 4 with n of the same number, visible to searches.
func (s *session) numbered() {
	s.create(`"n":{"type":"long"},"t":{"type":"keyword"}`)
	s.want(200, "POST", "/%s/_bulk?refresh=true", `{"index":{"_id":"1"}}
{"n":1,"t":"a"}
{"index":{"_id":"2"}}
{"n":2,"t":"b"}
{"index":{"_id":"3"}}
{"n":3,"t":"a"}
{"index":{"_id":"4"}}
{"n":4}
`)
}

func deleteByQuery(s *session) {
	s.numbered()
	got := s.want(200, "POST", "/%s/_delete_by_query?refresh=true", `{"query":{"range":{"n":{"gte":3}}}}`)
	s.EqualValues(2, got.number("total"))
	s.EqualValues(2, got.number("deleted"))
	s.Empty(got.list("failures"))
	s.Equal("1 2", s.want(200, "POST", "/%s/_search", `{"sort":["n"]}`).ids())
	s.EqualValues(0, s.want(200, "POST", "/%s/_delete_by_query", `{"query":{"term":{"n":9}}}`).number("deleted"))
	s.EqualValues(1, s.want(200, "POST", "/%s/_delete_by_query?refresh=true", `{"query":{"match_all":{}},"max_docs":1}`).number("deleted"))
	s.fails(400, "action_request_validation_exception", "POST", "/%s/_delete_by_query", `{}`)
	s.fails(404, "index_not_found_exception", "POST", "/%s-none/_delete_by_query", `{"query":{"match_all":{}}}`)
}

func updateByQuery(s *session) {
	s.numbered()
	got := s.want(200, "POST", "/%s/_update_by_query?refresh=true", `{"query":{"term":{"t":"a"}}}`)
	s.EqualValues(2, got.number("total"))
	s.EqualValues(2, got.number("updated"))
	s.EqualValues(2, s.want(200, "GET", "/%s/_doc/1", "").number("_version"))
	s.EqualValues(1, s.want(200, "GET", "/%s/_doc/2", "").number("_version"))
	s.EqualValues(4, s.want(200, "POST", "/%s/_update_by_query", "").number("updated"))
}

func byQueryConflict(s *session) {
	s.numbered()
	s.want(200, "PUT", "/%s/_doc/2", `{"n":2,"t":"c"}`) // a search still sees the one before
	got := s.want(409, "POST", "/%s/_delete_by_query", `{"query":{"term":{"n":2}}}`)
	s.EqualValues(1, got.number("version_conflicts"))
	s.Equal("2", got.word("failures.0.id"))
	s.EqualValues(409, got.number("failures.0.status"))
	s.Equal("version_conflict_engine_exception", got.word("failures.0.cause.type"))
	over := s.want(200, "POST", "/%s/_delete_by_query?conflicts=proceed&refresh=true", `{"query":{"range":{"n":{"lte":2}}}}`)
	s.EqualValues(1, over.number("version_conflicts"))
	s.EqualValues(1, over.number("deleted"))
	s.Empty(over.list("failures"))
	s.want(200, "GET", "/%s/_doc/2", "")
	s.want(200, "PUT", "/%s/_doc/3", `{"n":3}`)
	s.want(409, "POST", "/%s/_update_by_query", `{"query":{"term":{"n":3}}}`)
}

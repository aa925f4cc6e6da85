package enginetest_test

func bulkVerdicts(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.want(201, "PUT", "/%s/_doc/1", `{"n":1}`)
	got := s.want(200, "POST", "/%s/_bulk", `{"index":{"_id":"1"}}
{"n":2}
{"create":{"_id":"1"}}
{"n":3}
{"create":{"_id":"2"}}
{"n":4}
{"index":{"_id":"3"}}
{"n":"word"}
{"delete":{"_id":"9"}}
{"update":{"_id":"9"}}
{"doc":{"n":5}}
{"update":{"_id":"2"}}
{"doc":{"n":6}}
{"update":{"_id":"2"}}
{"doc":{"n":6}}
{"delete":{"_id":"1"}}
{"index":{"_id":"2","if_seq_no":0,"if_primary_term":1}}
{"n":7}
{"index":{"_id":"4","version":3,"version_type":"external"}}
{"n":8}
`)
	s.Equal(true, got.at("errors"))
	s.Len(got.list("items"), 11)
	for _, item := range []struct {
		path   string
		status int
		word   string // the result, or the error's type
	}{
		{"items.0.index", 200, "updated"},
		{"items.1.create", 409, "version_conflict_engine_exception"},
		{"items.2.create", 201, "created"},
		{"items.3.index", 400, s.badDocument()},
		{"items.4.delete", 404, "not_found"},
		{"items.5.update", 404, "document_missing_exception"},
		{"items.6.update", 200, "updated"},
		{"items.7.update", 200, "noop"},
		{"items.8.delete", 200, "deleted"},
		{"items.9.index", 409, "version_conflict_engine_exception"},
		{"items.10.index", 201, "created"},
	} {
		s.EqualValues(item.status, got.number(item.path+".status"), item.path)
		s.Equal(item.word, got.word(item.path+".result")+got.word(item.path+".error.type"), item.path)
	}
	clean := s.want(200, "POST", "/_bulk?refresh=true", `{"index":{"_index":"%s"}}
{"n":1}

{"create":{"_index":"%s","_id":"10"}}
{"n":2}
`)
	s.Equal(false, clean.at("errors"))
	s.Len(clean.word("items.0.index._id"), 20)
	s.Equal(true, clean.at("items.1.create.forced_refresh"))
}

// badDocument is the type of the error for a document that does not fit the mapping.
func (s *session) badDocument() string {
	if s.facts.elastic(8, 0) {
		return "document_parsing_exception"
	}
	return "mapper_parsing_exception"
}

func bulkRefused(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.fails(400, "parse_exception", "POST", "/%s/_bulk", "")
	s.fails(400, "illegal_argument_exception", "POST", "/%s/_bulk", `{"index":{}}`+"\n"+`{"n":1}`)
	s.want(400, "POST", "/%s/_bulk", `{"insert":{}}`+"\n"+`{"n":1}`+"\n")
	s.fails(400, "illegal_argument_exception", "POST", "/%s/_bulk", `{"index":{"colour":1}}`+"\n"+`{"n":1}`+"\n")
	s.fails(400, "action_request_validation_exception", "POST", "/_bulk", `{"index":{}}`+"\n"+`{"n":1}`+"\n")
	s.fails(400, "action_request_validation_exception", "POST", "/%s/_bulk", "\n")
	s.EqualValues(0, s.want(200, "GET", "/%s/_count", "").number("count"), "a refused bulk writes nothing")
}

func refresh(s *session) {
	s.create(`"n":{"type":"long"}`)
	count := func() float64 { return s.want(200, "POST", "/%s/_count", `{"query":{"match_all":{}}}`).number("count") }
	s.want(201, "PUT", "/%s/_doc/1?refresh=false", `{"n":1}`)
	s.EqualValues(0, count(), "a search does not see a write before a refresh")
	s.want(200, "GET", "/%s/_doc/1", "")
	s.want(200, "POST", "/%s/_refresh", "")
	s.EqualValues(1, count())
	forced := s.want(201, "PUT", "/%s/_doc/2?refresh=true", `{"n":2}`)
	s.Equal(true, forced.at("forced_refresh"))
	s.EqualValues(2, count())
	s.want(201, "PUT", "/%s/_doc/3?refresh", `{"n":3}`)
	s.EqualValues(3, count())
	s.want(200, "DELETE", "/%s/_doc/3", "")
	s.EqualValues(3, count())
	s.want(200, "DELETE", "/%s/_doc/2?refresh=true", "")
	s.EqualValues(1, count())
	s.fails(400, "illegal_argument_exception", "PUT", "/%s/_doc/4?refresh=soon", `{"n":4}`)
}

func refreshWait(s *session) {
	s.createWith("100ms", `"n":{"type":"long"}`)
	waited := s.want(201, "PUT", "/%s/_doc/1?refresh=wait_for", `{"n":1}`)
	s.Nil(waited.at("forced_refresh"))
	s.EqualValues(1, s.want(200, "GET", "/%s/_count", "").number("count"))
	s.want(200, "POST", "/%s/_bulk?refresh=wait_for", `{"index":{"_id":"2"}}`+"\n"+`{"n":2}`+"\n")
	s.EqualValues(2, s.want(200, "GET", "/%s/_count", "").number("count"))
}

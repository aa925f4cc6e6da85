package enginetest_test

func missingIndex(s *session) {
	for _, r := range []struct{ method, path, body string }{
		{"GET", "/%s/_doc/1", ""},
		{"DELETE", "/%s/_doc/1", ""},
		{"POST", "/%s/_search", `{}`},
		{"GET", "/%s/_mapping", ""},
		{"GET", "/%s", ""},
		{"POST", "/%s/_refresh", ""},
		{"POST", "/%s,*/_search", `{}`},
	} {
		got := s.fails(404, "index_not_found_exception", r.method, r.path, r.body)
		s.Equal(s.index, got.word("error.index"))
		s.Equal("_na_", got.word("error.index_uuid"))
		s.Equal("index_not_found_exception", got.word("error.root_cause.0.type"))
	}
	s.want(404, "HEAD", "/%s", "")
	s.want(404, "DELETE", "/%s/_doc/1?version=1&version_type=external", "")
	s.want(200, "HEAD", "/%s", "")
}

func badQueries(s *session) {
	s.people()
	s.fails(400, "parsing_exception", "POST", "/%s/_search", `{"query":{"colour":{}}}`)
	s.fails(400, "parsing_exception", "POST", "/%s/_search", `{"colour":1}`)
	s.fails(400, "x_content_parse_exception", "POST", "/%s/_search", `{"query":{"bool":{"mist":[]}}}`)
	for _, query := range []string{`{"term":{"age":"word"}}`, `{"term":{"ip":"word"}}`, `{"range":{"born":{"gte":"word"}}}`} {
		got := s.fails(400, "search_phase_execution_exception", "POST", "/%s/_search", `{"query":`+query+`}`)
		s.Equal("all shards failed", got.word("error.reason"))
		s.Equal("query", got.word("error.phase"))
		s.NotEmpty(got.word("error.failed_shards.0.reason.type"))
		s.Equal(s.index, got.word("error.failed_shards.0.index"))
	}
}

func badRequests(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.want(400, "POST", "/%s/_nothing", `{}`)
	s.want(405, "POST", "/_cluster/health", `{}`)
	s.want(405, "PATCH", "/%s", `{}`)
	s.want(400, "GET", "/_nothing", "")
	s.want(400, "POST", "/%s/_search", `{"query":`)
	s.fails(400, "parsing_exception", "POST", "/%s/_search", `[]`)
	s.want(400, "POST", "/%s/_search", `{"query":x}`)
	s.fails(400, "illegal_argument_exception", "POST", "/%s/_search?colour=1", `{}`)
	s.fails(400, "parse_exception", "PUT", "/%s/_doc/1", "")
	s.fails(400, "illegal_argument_exception", "PUT", "/%s/_doc/1?if_seq_no=x&if_primary_term=1", `{}`)
}

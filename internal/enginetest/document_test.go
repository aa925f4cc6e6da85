package enginetest_test

import (
	"net/http"
	"strings"
)

func documents(s *session) {
	s.create(`"n":{"type":"long"}`)
	made := s.want(201, "PUT", "/%s/_doc/1", `{"n":1}`)
	s.Equal("created", made.word("result"))
	s.EqualValues(1, made.number("_version"))
	s.EqualValues(0, made.at("_seq_no"))
	s.EqualValues(1, made.at("_primary_term"))
	changed := s.want(200, "PUT", "/%s/_doc/1", `{"n":2}`)
	s.Equal("updated", changed.word("result"))
	s.EqualValues(2, changed.number("_version"))
	s.EqualValues(1, changed.number("_seq_no"))

	found := s.want(200, "GET", "/%s/_doc/1", "")
	s.Equal(true, found.at("found"))
	s.EqualValues(2, found.at("_source.n"))
	s.Equal(`{"n":2}`, s.want(200, "GET", "/%s/_source/1", "").text)
	s.Empty(s.want(200, "HEAD", "/%s/_doc/1", "").text)

	s.Equal("deleted", s.want(200, "DELETE", "/%s/_doc/1", "").word("result"))
	s.Equal("not_found", s.want(404, "DELETE", "/%s/_doc/1", "").word("result"))
	s.Equal(false, s.want(404, "GET", "/%s/_doc/1", "").at("found"))
	s.Empty(s.want(404, "HEAD", "/%s/_doc/1", "").text)
	s.fails(404, "resource_not_found_exception", "GET", "/%s/_source/1", "")

	anew := s.want(201, "PUT", "/%s/_doc/1", `{"n":3}`)
	s.EqualValues(5, anew.number("_version"), "a deleted document's versions go on")
	own := s.want(201, "POST", "/%s/_doc", `{"n":4}`)
	s.Len(own.word("_id"), 20)
}

func awkwardIDs(s *session) {
	s.create(`"n":{"type":"long"}`)
	for _, id := range []string{"a%2Fb", "c%20d", "%25", "e+f", "%C3%A9", "%3Fq%23r", "..x", strings.Repeat("z", 512)} {
		s.want(201, "PUT", "/%s/_create/"+id, `{"n":1}`)
		s.Equal(true, s.want(200, "GET", "/%s/_doc/"+id, "").at("found"), id)
	}
	s.fails(400, "action_request_validation_exception", "PUT", "/%s/_doc/"+strings.Repeat("z", 513), `{"n":1}`)
}

func creates(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.want(201, "PUT", "/%s/_create/1", `{"n":1}`)
	s.fails(409, "version_conflict_engine_exception", "PUT", "/%s/_create/1", `{"n":2}`)
	s.fails(409, "version_conflict_engine_exception", "PUT", "/%s/_doc/1?op_type=create", `{"n":2}`)
	s.want(201, "PUT", "/%s/_doc/2?op_type=create", `{"n":2}`)
	s.EqualValues(1, s.want(200, "GET", "/%s/_doc/1", "").at("_source.n"))
	s.want(200, "DELETE", "/%s/_doc/1", "")
	s.want(201, "PUT", "/%s/_create/1", `{"n":3}`)
}

func updates(s *session) {
	s.create(`"n":{"type":"long"},"o":{"properties":{"a":{"type":"long"},"b":{"type":"long"}}}`)
	s.fails(404, "document_missing_exception", "POST", "/%s/_update/1", `{"doc":{"n":1}}`)
	made := s.want(201, "POST", "/%s/_update/1", `{"doc":{"n":1},"upsert":{"n":7,"o":{"a":1}}}`)
	s.Equal("created", made.word("result"))
	s.EqualValues(7, s.want(200, "GET", "/%s/_doc/1", "").at("_source.n"))

	s.Equal("updated", s.want(200, "POST", "/%s/_update/1", `{"doc":{"o":{"b":2}}}`).word("result"))
	merged := s.want(200, "GET", "/%s/_doc/1", "")
	s.EqualValues(1, merged.at("_source.o.a"))
	s.EqualValues(2, merged.at("_source.o.b"))

	same := s.want(200, "POST", "/%s/_update/1", `{"doc":{"o":{"b":2}}}`)
	s.Equal("noop", same.word("result"))
	s.EqualValues(2, same.number("_version"))
	s.Equal("updated", s.want(200, "POST", "/%s/_update/1", `{"doc":{"n":7},"detect_noop":false}`).word("result"))
	s.Equal("created", s.want(201, "POST", "/%s/_update/2", `{"doc":{"n":1},"doc_as_upsert":true}`).word("result"))
	s.fails(400, "action_request_validation_exception", "POST", "/%s/_update/1", `{}`)
	s.fails(400, "x_content_parse_exception", "POST", "/%s/_update/1", `{"part":{}}`)
}

func guardedWrites(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.want(201, "PUT", "/%s/_doc/1", `{"n":1}`)
	s.want(200, "PUT", "/%s/_doc/1?if_seq_no=0&if_primary_term=1", `{"n":2}`)
	s.fails(409, "version_conflict_engine_exception", "PUT", "/%s/_doc/1?if_seq_no=0&if_primary_term=1", `{"n":3}`)
	s.fails(409, "version_conflict_engine_exception", "DELETE", "/%s/_doc/1?if_seq_no=0&if_primary_term=1", "")
	s.fails(409, "version_conflict_engine_exception", "POST", "/%s/_update/1?if_seq_no=0&if_primary_term=1", `{"doc":{"n":3}}`)
	s.fails(409, "version_conflict_engine_exception", "PUT", "/%s/_doc/9?if_seq_no=0&if_primary_term=1", `{"n":3}`)
	s.EqualValues(2, s.want(200, "GET", "/%s/_doc/1", "").at("_source.n"))
	s.want(200, "DELETE", "/%s/_doc/1?if_seq_no=1&if_primary_term=1", "")
}

func externalVersions(s *session) {
	s.create(`"n":{"type":"long"}`)
	s.EqualValues(5, s.want(201, "PUT", "/%s/_doc/1?version=5&version_type=external", `{"n":1}`).number("_version"))
	s.fails(409, "version_conflict_engine_exception", "PUT", "/%s/_doc/1?version=5&version_type=external", `{"n":2}`)
	s.want(200, "PUT", "/%s/_doc/1?version=5&version_type=external_gte", `{"n":3}`)
	s.want(200, "PUT", "/%s/_doc/1?version=9&version_type=external", `{"n":4}`)
	s.fails(409, "version_conflict_engine_exception", "DELETE", "/%s/_doc/1?version=8&version_type=external", "")
	s.fails(400, "action_request_validation_exception", "PUT", "/%s/_doc/1?version=9", `{"n":5}`)
}

func multiGet(s *session) {
	s.create(`"n":{"type":"long"},"t":{"type":"keyword"}`)
	s.want(201, "PUT", "/%s/_doc/1", `{"n":1,"t":"one"}`)
	s.want(201, "PUT", "/%s/_doc/2", `{"n":2,"t":"two"}`)
	got := s.want(200, "POST", "/_mget", `{"docs":[{"_index":"%s","_id":"1"},{"_index":"%s","_id":"9"},{"_index":"%s-none","_id":"1"},{"_index":"%s","_id":"2","_source":["t"]}]}`)
	s.Equal(true, got.at("docs.0.found"))
	s.Equal(false, got.at("docs.1.found"))
	s.Equal("index_not_found_exception", got.word("docs.2.error.type"))
	s.Equal(map[string]any{"t": "two"}, got.at("docs.3._source"))
	short := s.want(200, http.MethodPost, "/%s/_mget", `{"ids":["2","1"]}`)
	s.Equal("2", short.word("docs.0._id"))
	s.Equal("1", short.word("docs.1._id"))
	s.fails(400, "action_request_validation_exception", "POST", "/%s/_mget", `{"docs":[]}`)
}

package enginetest_test

func indices(s *session) {
	s.want(404, "HEAD", "/%s", "")
	s.create(`"n":{"type":"long"}`)
	s.want(200, "HEAD", "/%s", "")
	again := s.fails(400, "resource_already_exists_exception", "PUT", "/%s", "")
	s.Equal(s.index, again.word("error.index"))
	shown := s.want(200, "GET", "/%s", "").object(s.index)
	s.Contains(shown, "settings")
	settings := s.want(200, "GET", "/%s/_settings", "")
	s.Equal("1", settings.word(s.index+".settings.index.number_of_shards"))
	s.want(200, "PUT", "/%s/_settings", `{"index":{"refresh_interval":"5s"}}`)
	s.Equal("5s", s.want(200, "GET", "/%s/_settings", "").word(s.index+".settings.index.refresh_interval"))

	s.Equal(true, s.want(200, "DELETE", "/%s", "").at("acknowledged"))
	s.fails(404, "index_not_found_exception", "DELETE", "/%s", "")
	s.fails(400, "invalid_index_name_exception", "PUT", "/Enginetest", "")
	s.fails(400, "parse_exception", "PUT", "/%s", `{"colour":{}}`)
}

func aliases(s *session) {
	s.numbered()
	s.want(200, "POST", "/_aliases", `{"actions":[{"add":{"index":"%s","alias":"%s-all"}},{"add":{"index":"%s","alias":"%s-a","filter":{"term":{"t":"a"}}}}]}`)
	s.EqualValues(4, s.want(200, "GET", "/%s-all/_count", "").number("count"))
	s.Equal("1 3", s.want(200, "POST", "/%s-a/_search", `{"sort":["n"]}`).ids())
	s.want(201, "PUT", "/%s-all/_doc/5", `{"n":5}`)
	s.Contains(s.want(200, "GET", "/%s/_alias", "").object(s.index+".aliases"), s.index+"-a")
	s.want(200, "POST", "/_aliases", `{"actions":[{"remove":{"index":"%s","alias":"%s-a"}}]}`)
	s.fails(404, "index_not_found_exception", "POST", "/%s-a/_search", "")
}

func mappings(s *session) {
	s.create(`"n":{"type":"long"},"name":{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}}`)
	s.Equal(true, s.want(200, "PUT", "/%s/_mapping", `{"properties":{"d":{"type":"date","format":"yyyy-MM-dd'T'HH:mm:ssX||epoch_millis"},"o":{"properties":{"i":{"type":"ip"}}}}}`).at("acknowledged"))
	shown := s.want(200, "GET", "/%s/_mapping", "").object(s.index + ".mappings.properties")
	s.Len(shown, 4)
	s.Equal(map[string]any{"properties": map[string]any{"i": map[string]any{"type": "ip"}}}, shown["o"])
	s.fails(400, "illegal_argument_exception", "PUT", "/%s/_mapping", `{"properties":{"n":{"type":"keyword"}}}`)
	s.fails(400, "mapper_parsing_exception", "PUT", "/%s/_mapping", `{"properties":{"x":{"type":"colour"}}}`)
	s.fails(404, "index_not_found_exception", "PUT", "/%s-none/_mapping", `{"properties":{"n":{"type":"long"}}}`)
	s.fails(404, "index_not_found_exception", "GET", "/%s-none/_mapping", "")

	s.want(201, "PUT", "/%s/_doc/1", `{"n":"7","d":"2024-02-29T12:00:00Z","name":"Ann","o":{"i":"::1"}}`)
	for _, bad := range []string{`{"n":"x"}`, `{"n":{"a":1}}`, `{"d":"yesterday"}`, `{"o":{"i":"one"}}`, `{"o":3}`} {
		s.fails(400, s.badDocument(), "PUT", "/%s/_doc/2", bad)
	}
	s.fails(400, s.badDocument(), "PUT", "/%s/_doc/2", `{"n":`)
}

func dynamicStrict(s *session) {
	s.want(200, "PUT", "/%s?wait_for_active_shards=all", `{"settings":{"number_of_shards":1,"number_of_replicas":1},"mappings":{"dynamic":"strict","properties":{"n":{"type":"long"},"o":{"properties":{"a":{"type":"long"}}}}}}`)
	s.want(201, "PUT", "/%s/_doc/1", `{"n":1,"o":{"a":1}}`)
	s.fails(400, "strict_dynamic_mapping_exception", "PUT", "/%s/_doc/2", `{"n":1,"m":1}`)
	s.fails(400, "strict_dynamic_mapping_exception", "PUT", "/%s/_doc/2", `{"n":1,"o":{"b":1}}`)
	got := s.want(200, "POST", "/%s/_bulk", `{"index":{"_id":"3"}}`+"\n"+`{"m":1}`+"\n")
	s.Equal("strict_dynamic_mapping_exception", got.word("items.0.index.error.type"))
	s.Equal("strict", s.want(200, "GET", "/%s/_mapping", "").word(s.index+".mappings.dynamic"))
}

func dynamicFields(s *session) {
	s.create(`"fixed":{"dynamic":"false","properties":{"a":{"type":"long"}}}`)
	s.want(201, "PUT", "/%s/_doc/1?refresh=true", `{"i":1,"f":1.5,"b":true,"d":"2024-01-01","s":"word","o":{"x":[1,2]},"fixed":{"a":1,"z":9},"nothing":null,"none":[]}`)
	fields := s.want(200, "GET", "/%s/_mapping", "").object(s.index + ".mappings.properties")
	for name, kind := range map[string]string{"i": "long", "f": "float", "b": "boolean", "d": "date", "s": "text"} {
		s.Equal(kind, fields[name].(map[string]any)["type"], name)
	}
	s.NotContains(fields, "nothing")
	s.EqualValues(1, s.want(200, "POST", "/%s/_count", `{"query":{"term":{"s.keyword":"word"}}}`).number("count"))
	s.EqualValues(0, s.want(200, "POST", "/%s/_count", `{"query":{"term":{"fixed.z":9}}}`).number("count"))
	s.EqualValues(1, s.want(200, "POST", "/%s/_count", `{"query":{"term":{"o.x":2}}}`).number("count"))
	s.fails(400, s.badDocument(), "PUT", "/%s/_doc/2", `{"i":"word"}`)
}

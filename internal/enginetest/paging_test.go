package enginetest_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// rows writes n documents, of which each two share a value of g.
func (s *session) rows(n int) {
	s.create(`"n":{"type":"long"},"g":{"type":"long"}`)
	var bulk strings.Builder
	for i := range n {
		fmt.Fprintf(&bulk, `{"index":{"_id":"%d"}}`+"\n"+`{"n":%d,"g":%d}`+"\n", i, i, i/2)
	}
	s.Equal(false, s.want(200, "POST", "/%s/_bulk?refresh=true", bulk.String()).at("errors"))
}

// pages follows search_after to the end and returns the ids seen. The request lacks size and search_after.
func (s *session) pages(path, request string, size int) string {
	var seen []string
	after := ""
	for {
		got := s.want(200, "POST", path, fmt.Sprintf(`{%s,"size":%d%s}`, request, size, after))
		ids := got.hitIDs()
		seen = append(seen, ids...)
		if len(ids) < size {
			return strings.Join(seen, " ")
		}
		last, err := json.Marshal(got.at(fmt.Sprintf("hits.hits.%d.sort", size-1)))
		s.NoError(err)
		after = `,"search_after":` + string(last)
	}
}

func searchAfter(s *session) {
	s.rows(7)
	s.Equal("6 4 5 2 3 0 1", s.pages("/%s/_search", `"sort":[{"g":"desc"},{"n":"asc"}]`, 3))
	s.Empty(s.want(200, "POST", "/%s/_search", `{"sort":["n"],"search_after":[99]}`).ids())
	s.fails(400, "search_phase_execution_exception", "POST", "/%s/_search", `{"sort":["n","g"],"search_after":[1]}`)
	s.fails(400, "search_phase_execution_exception", "POST", "/%s/_search", `{"sort":["n"],"search_after":["word"]}`)
}

func scroll(s *session) {
	s.rows(5)
	first := s.want(200, "POST", "/%s/_search?scroll=1m", `{"size":2,"sort":["n"]}`)
	s.Equal("0 1", first.ids())
	next := fmt.Sprintf(`{"scroll":"1m","scroll_id":%q}`, first.word("_scroll_id"))
	s.want(201, "PUT", "/%s/_doc/9?refresh=true", `{"n":9}`)
	s.Equal("2 3", s.want(200, "POST", "/_search/scroll", next).ids())
	s.Equal("4", s.want(200, "POST", "/_search/scroll", next).ids(), "a scroll sees what was there at its start")
	s.Empty(s.want(200, "POST", "/_search/scroll", next).ids())
	s.EqualValues(1, s.want(200, "DELETE", "/_search/scroll", fmt.Sprintf(`{"scroll_id":[%q]}`, first.word("_scroll_id"))).number("num_freed"))
	s.want(404, "POST", "/_search/scroll", next)
}

// openPIT opens a point in time over the body's index and returns its id.
func (s *session) openPIT() string {
	if s.facts.product == "opensearch" {
		return s.want(200, "POST", "/%s/_search/point_in_time?keep_alive=1m", "").word("pit_id")
	}
	return s.want(200, "POST", "/%s/_pit?keep_alive=1m", "").word("id")
}

func (s *session) closePIT(id string) {
	if s.facts.product == "opensearch" {
		gone := s.want(200, "DELETE", "/_search/point_in_time", fmt.Sprintf(`{"pit_id":[%q]}`, id))
		s.Equal(true, gone.at("pits.0.successful"))
		return
	}
	gone := s.want(200, "DELETE", "/_pit", fmt.Sprintf(`{"id":%q}`, id))
	s.Equal(true, gone.at("succeeded"))
	s.EqualValues(1, gone.number("num_freed"))
}

func pitPaging(s *session) {
	s.rows(7)
	id := s.openPIT()
	s.NotEmpty(id)
	s.want(201, "PUT", "/%s/_doc/9?refresh=true", `{"n":9,"g":9}`)
	s.want(200, "DELETE", "/%s/_doc/0?refresh=true", "")
	in := fmt.Sprintf(`"pit":{"id":%q,"keep_alive":"1m"}`, id)
	s.Equal("0 1 2 3 4 5 6", s.pages("/_search", in+`,"sort":[{"n":"asc"}]`, 3))
	s.Len(strings.Fields(s.pages("/_search", in+`,"sort":["_doc"]`, 4)), 7)
	s.Equal("6", s.want(200, "POST", "/_search", `{`+in+`,"query":{"range":{"n":{"gte":6}}}}`).ids())
	s.Equal("1 2 3 4 5 6 9", s.pages("/%s/_search", `"sort":["n"]`, 3))
	s.closePIT(id)
	s.want(404, "POST", "/_search", `{`+in+`}`)
}

func pitRefused(s *session) {
	s.rows(1)
	id := s.openPIT()
	s.fails(400, "action_request_validation_exception", "POST", "/%s/_search", fmt.Sprintf(`{"pit":{"id":%q,"keep_alive":"1m"}}`, id))
	s.closePIT(id)
	path := map[bool]string{true: "/%s-none/_search/point_in_time", false: "/%s-none/_pit"}[s.facts.product == "opensearch"]
	s.fails(404, "index_not_found_exception", "POST", path+"?keep_alive=1m", "")
}

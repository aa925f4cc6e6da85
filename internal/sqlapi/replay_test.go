package sqlapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// replayed answers with the recording, and cursors with their recorded pages.
type replayed struct {
	first   *recording
	pages   map[string][]*recording
	results map[string]*recording
	asked   map[string]int
	shown   []*recording // the answers that were given
}

func (d *replayed) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := func(status int, header http.Header, body string) (*http.Response, error) {
		sent := req.Clone(req.Context())
		sent.URL.Host = "127.0.0.1:9200"
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: sent}, nil
	}
	if req.URL.Path == "/" {
		return answer(200, http.Header{}, fmt.Sprintf(`{"version":{"number":%q}}`, d.first.Version))
	}
	if strings.HasSuffix(req.URL.Path, "/close") {
		return answer(200, http.Header{}, `{"succeeded":true}`)
	}
	if strings.HasPrefix(req.URL.Path, "/_sql/async/") {
		return d.async(req, answer)
	}
	raw, _ := io.ReadAll(req.Body)
	var sent sentJSON
	if err := json.Unmarshal(raw, &sent); err != nil {
		return nil, err
	}
	r := d.first
	if sent.Cursor != nil {
		list, n := d.pages[*sent.Cursor], d.asked[*sent.Cursor]
		if n >= len(list) {
			return answer(404, http.Header{}, `{"error":{"type":"not_recorded","reason":"page not recorded"},"status":404}`)
		}
		d.asked[*sent.Cursor]++
		r = list[n]
	}
	d.shown = append(d.shown, r)
	return answer(r.Status, r.header(), r.answer)
}

// async answers about an async search: its result, or that it is gone. What was said before the result does not count.
func (d *replayed) async(req *http.Request, answer func(int, http.Header, string) (*http.Response, error)) (*http.Response, error) {
	if req.Method == http.MethodDelete {
		return answer(200, http.Header{}, `{"acknowledged":true}`)
	}
	r := d.results[req.URL.Path]
	if r == nil {
		return answer(404, http.Header{}, `{"error":{"type":"not_recorded","reason":"result not recorded"},"status":404}`)
	}
	d.shown = []*recording{r}
	return answer(r.Status, r.header(), r.answer)
}

func (r *recording) header() http.Header {
	h := http.Header{}
	headers, _ := r.Headers.(map[string]any)
	for name, value := range headers {
		if text, ok := value.(string); ok {
			h.Set(name, text)
		} else if list, ok := value.([]any); ok && len(list) > 0 {
			h.Set(name, fmt.Sprint(list[0]))
		}
	}
	return h
}

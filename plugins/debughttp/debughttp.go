// Package debughttp shows a cluster as the driver sees it: nodes and their states, connections by class, last failures,
// the retry budget, and where a request would go. It is one page, without anything from elsewhere, and the same as JSON:
//
//	http.Handle("/debug/esdriver", debughttp.Handler(cluster))
//
//	GET /debug/esdriver                                  the page
//	GET /debug/esdriver?format=json                      as JSON, a [Picture]
//	GET /debug/esdriver?explain=POST+/books/_search      with where that request would go
//
// The page shows no credentials, but it does show addresses, names of nodes and errors: put it where the program's other
// debugging pages are, and not before the public.
package debughttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/esdriver/esdriver"
)

// Handler returns a handler of the page for a cluster. It answers GET and HEAD, under any path, sends nothing to the
// cluster, and may be used from many goroutines; of a cluster that is closed it shows the last state. It must not be nil.
func Handler(c *esdriver.Cluster) http.Handler { return &handler{cluster: c} }

type handler struct{ cluster *esdriver.Cluster }

// ServeHTTP answers a request for the page.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "debughttp: GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	p := picture(h.cluster)
	if question := r.URL.Query().Get("explain"); question != "" {
		asked, err := request(question)
		if err != nil {
			http.Error(w, "debughttp: explain: "+err.Error(), http.StatusBadRequest)
			return
		}
		p.explain(h.cluster, question, asked)
	}
	send(w, r, &p)
}

// send writes the picture in the form that is wanted. It is written whole or not at all.
func send(w http.ResponseWriter, r *http.Request, p *Picture) {
	var body bytes.Buffer
	contentType, err := "text/html; charset=utf-8", error(nil)
	if wantsJSON(r) {
		contentType = "application/json"
		encoder := json.NewEncoder(&body)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(p)
	} else {
		err = page.Execute(&body, p)
	}
	if err != nil {
		http.Error(w, "debughttp: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
	w.Write(body.Bytes()) // who has gone away needs no answer
}

func wantsJSON(r *http.Request) bool {
	if format := r.URL.Query().Get("format"); format != "" {
		return format == "json"
	}
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

// request reads a method and a path, such as "POST /books/_search"; without a method it is GET.
func request(text string) (*http.Request, error) {
	method, path, two := strings.Cut(strings.TrimSpace(text), " ")
	if !two {
		method, path = http.MethodGet, method
	}
	u, err := url.ParseRequestURI(strings.TrimSpace(path))
	if err != nil {
		return nil, err
	}
	return http.NewRequest(strings.ToUpper(method), u.String(), nil)
}

// Package debughttp shows a cluster as the driver sees it: nodes and their states, connections by class, last failures,
// the retry budget, and where a request would go. It is one page, without anything from elsewhere, and the same as JSON:
//
//	http.Handle("/debug/esdriver", debughttp.Handler(cluster))
//
//	GET /debug/esdriver                                    the page
//	GET /debug/esdriver?format=json                        as JSON, a [Picture]
//	GET /debug/esdriver?method=POST&path=/books/_search    with where that request would go; without method, GET
//	GET /debug/esdriver?refresh=5                          the page, which loads itself again every 5 seconds
//
// The page shows no credentials, but it does show addresses, names of nodes and errors: put it where the program's other
// debugging pages are, and not before the public.
package debughttp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/esdriver/esdriver"
)

// Handler returns a handler of the page for a cluster. It answers GET and HEAD, under any path, sends nothing to the
// cluster, and may be used from many goroutines; of a cluster that is closed it shows the last state. It must not be nil.
// A question that is no method and path is answered 400, with what is wrong with it in [Explanation].
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
	status := http.StatusOK
	if path := r.FormValue("path"); path != "" {
		p.Explain = explain(h.cluster, strings.ToUpper(cmp.Or(r.FormValue("method"), http.MethodGet)), path)
		if p.Explain.Error != "" {
			status = http.StatusBadRequest
		}
	}
	send(w, r, &p, status)
}

// send writes the picture in the form that is wanted. It is written whole or not at all.
func send(w http.ResponseWriter, r *http.Request, p *Picture, status int) {
	var body bytes.Buffer
	contentType, write := "text/html; charset=utf-8", writePage
	if wantsJSON(r) {
		contentType, write = "application/json", writeJSON
	}
	if err := write(&body, p, r); err != nil {
		http.Error(w, "debughttp: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", policy)
	w.WriteHeader(status)
	w.Write(body.Bytes()) // who has gone away needs no answer
}

func writeJSON(w io.Writer, p *Picture, _ *http.Request) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(p)
}

func wantsJSON(r *http.Request) bool {
	if format := r.FormValue("format"); format != "" {
		return format == "json"
	}
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}
